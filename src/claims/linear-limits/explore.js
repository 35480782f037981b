import { inTrain } from '../shared/explore.js';

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ target }) =>
  /×/.test(target)
    ? null
    : inTrain(
        { task: target === 'AND' ? 'and' : 'xor', activation: 'none', step: 400 },
        `${target === 'AND' ? 'AND' : 'XOR'} by a linear network; the activation is a switch there`,
      );
