import { inExplore } from '../shared/explore.js';

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ positions, mask, seed }) =>
  inExplore(
    {
      ...{ text: 'the cat sat on the mat', d_model: 32, d_ff: 64, layers: 2, heads: 2 },
      ...{ positions, causal: mask === 'causal', seed, row: 5, key: 1 },
    },
    'one of the sentences, in a model of these sizes: type the other one there, and compare the rows of a word',
  );
