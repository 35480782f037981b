// Describes the shipped models in sentences: the fold of the settings shows them, the first opening does not.

import { entryOf } from './catalogue.js';

/** @type {Record<string, {about: string, more: string}>} */
const ABOUT = {
  creek: {
    about: 'trained with this engine to predict masked words and, at each visible pronoun, the noun it refers to.',
    more:
      'Its sentences come from a small artificial grammar; it knows nothing else. [MASK] stands for a hidden word. ' +
      'A head learns to attend from “it” to its noun because of the second task: masked words alone were not enough.',
  },
  translate: {
    about:
      'trained with this engine on English and French sentences of a small grammar. It writes the French word ' +
      'by word, always the most probable one (greedy decoding).',
    more: 'It knows only the words and rules of that grammar, so the sentence is composed from menus.',
  },
  continue: {
    about:
      'trained with this engine to predict the next word of short stories of an artificial grammar. Each word ' +
      'attends only to itself and earlier words (causal mask).',
    more:
      'Where several words can follow, the probability is spread over them; where only one can, the model copies: ' +
      'one head attends from “the” back to the character named before.',
  },
};

/**
 * The sentences about a trained model; one that comes with its file has its own.
 * @param {string} name
 * @returns {{about?: string, more?: string}}
 */
export const aboutOf = (name) => ABOUT[name] ?? entryOf(/** @type {import('./catalogue.js').TrainedName} */ (name));
