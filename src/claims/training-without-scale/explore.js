import { SAME_RUN, inTrain } from '../shared/explore.js';

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ d_k, learningRate, seed }) =>
  inTrain(
    { task: 'reverse', d_model: d_k, heads: 1, learningRate, scoreScale: false, seed, step: 200 },
    `${SAME_RUN}, at step 200 without the scale`,
  );
