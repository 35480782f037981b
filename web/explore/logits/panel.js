// What the model answers at the pinned token: the likeliest words.

import { logitsOfRow, probabilitiesOfRow } from '../shared/answer-row.js';
import { descending } from '../shared/order.js';
import { placeIn } from '../shared/place.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { visible } from '../../engine/tokens.js';
import * as view from './view.js';
import { section } from './section.js';

const TOP = 10;
const MOST_FOUND = 8;

/**
 * The words that a reader may mean: the one as it is typed first, then those that begin so, then those with it inside.
 * @param {string} typed
 * @param {readonly string[]} vocabulary
 * @returns {number[]} their ids
 */
function matching(typed, vocabulary) {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return [];
  /** @type {number[][]} */
  const found = [[], [], []];
  vocabulary.forEach((word, id) => {
    const plain = word.toLowerCase().replace(/^(␣|##)/, '');
    const at = plain.indexOf(wanted);
    if (at >= 0) found[plain === wanted ? 0 : at === 0 ? 1 : 2].push(id);
  });
  return found.flat().slice(0, MOST_FOUND);
}

/** @type {import('../index.js').Panel<import('./view.js').LogitsData>} */
export const logits = {
  name: 'logits',
  slot: 'views',
  nodes: ['logits', 'probabilities'],
  section,
  required: ({ plan: { hasLogits } }) => (hasLogits ? ['logits', PROBABILITIES] : []),
  present({ result, state, modelInfo }) {
    const { model, tokens, hasLogits } = result.plan;
    if (!hasLogits) return { absent: true };
    const { at, words } = placeIn(result, state, tokens.decoder ? 'decoder' : 'encoder');
    const [scores, probabilities] = [logitsOfRow(result, at), probabilitiesOfRow(result, at)];
    if (!scores || !probabilities || modelInfo?.name !== model) return undefined;
    const vocabulary = modelInfo.outputVocabulary;
    const order = descending(probabilities, vocabulary.length, 0);
    /** @param {number} id */
    const candidate = (id) => ({ word: visible(vocabulary[id]), probability: probabilities[id], logit: scores[id] });
    return {
      word: words[at],
      after: tokens.decoder !== null,
      bias: modelInfo.config.headBias !== false,
      transform: modelInfo.config.headTransform === true,
      list: Array.from(order.subarray(0, TOP), candidate),
      of: vocabulary.length,
      find: (typed) => matching(typed, vocabulary).map((id) => ({ ...candidate(id), rank: order.indexOf(id) + 1 })),
    };
  },
  create: (root) => view.create(root),
};
