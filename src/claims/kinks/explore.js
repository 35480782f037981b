import { SAME_RUN, inTrain } from '../shared/explore.js';

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ neurons, activation, seed }) =>
  inTrain({ task: 'square', d_ff: neurons, activation, seed, step: 1500 }, `${SAME_RUN}, at its last step`);
