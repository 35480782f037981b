// Finds texts that lose so much before the model reads them that its answer to the rest is no answer to the text.

import { isContent, isWord } from './choose.js';
import { entryOf } from '../../models/catalogue.js';

/** Sentences to try. */
const MOST = 3;

/**
 * A text has no answer where the model does not know one of its content words (any but those of the short list of
 * function words of choose.js), or none of its words. The last word may be half typed: the beginning of a known word
 * is not lost yet. A reader's own file has no sentences to try instead, so its answer stands.
 * @param {import('../../engine/plan.js').Plan} plan
 * @param {readonly string[]} vocabulary
 * @returns {{unknown: number, words: number} | null} null: nothing that matters is lost
 */
export function lostWords({ tokens, model }, vocabulary) {
  const entry = entryOf(/** @type {any} */ (model));
  if (!model || entry?.read || sentencesToTry(model, '').length < MOST) return null;
  const { words, ids } = (tokens.encoder ?? tokens.decoder)?.shown ?? { words: [], ids: [] };
  const lost = words.filter((word, i) => ids[i] === null && isWord(word));
  const last = words.at(-1)?.toLowerCase() ?? '';
  const isHalf = ids.at(-1) === null && isWord(last) && vocabulary.some((word) => word.startsWith(last));
  const missed = isHalf ? lost.slice(0, -1) : lost;
  const count = words.filter(isWord).length;
  return missed.some(isContent) || (count && missed.length === count) ? { unknown: missed.length, words: count } : null;
}

/** Sentences of the model's that it knows every word of. @param {string} model @param {string} text */
export const sentencesToTry = (model, text) =>
  Object.values(entryOf(/** @type {any} */ (model))?.examples ?? {})
    .filter((each) => each !== text)
    .slice(0, MOST);
