import { SAME_RUN, inTrain } from '../shared/explore.js';
import { SHOWN } from './claim.js';

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ d_k, learningRate, seed }) => {
  const shown = {
    d_model: typeof d_k === 'number' ? d_k : SHOWN.width,
    learningRate: typeof learningRate === 'number' ? learningRate : SHOWN.rate,
  };
  return inTrain(
    { task: 'reverse', ...shown, heads: 1, scoreScale: false, seed, step: 200 },
    `${SAME_RUN}, at step 200 without the scale (d_k ${shown.d_model}, learning rate ${shown.learningRate})`,
  );
};
