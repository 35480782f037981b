// What the model answers at the pinned token: the likeliest words.

import { placeIn } from '../shared/place.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { visible } from '../../engine/tokens.js';
import * as view from './view.js';
import { section } from './section.js';

const TOP = 10;

/** @type {import('../index.js').Panel<import('./view.js').LogitsData>} */
export const logits = {
  name: 'logits',
  slot: 'pair',
  nodes: ['logits', 'probabilities'],
  section,
  required: ({ plan: { hasLogits } }) => (hasLogits ? ['logits', PROBABILITIES] : []),
  present({ result, state, modelInfo }) {
    const { model, tokens, hasLogits } = result.plan;
    if (!hasLogits) return { absent: true };
    const scores = result.tensors.get('logits');
    const probabilities = /** @type {import('../../engine/protocol.js').Tensor | undefined} */ (
      result.derived.get(PROBABILITIES)
    );
    if (!scores || !probabilities || modelInfo?.name !== model) return undefined;
    const { at, words } = placeIn(result, state, tokens.decoder ? 'decoder' : 'encoder');
    const vocabulary = modelInfo.outputVocabulary;
    const from = at * vocabulary.length;
    const list = Array.from(probabilities.data.subarray(from, from + vocabulary.length), (probability, id) => ({
      id,
      probability,
    }))
      .sort((a, b) => b.probability - a.probability)
      .slice(0, TOP)
      .map(({ id, probability }) => ({ word: visible(vocabulary[id]), probability, logit: scores.data[from + id] }));
    return { word: words[at], after: tokens.decoder !== null, list };
  },
  create: (root) => view.create(root),
};
