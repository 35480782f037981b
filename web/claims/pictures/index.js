// Which picture shows a claim.
import * as attention from './attention.js';
import * as embedding from './embedding.js';
import * as layers from './layers.js';

/** @type {Record<number, (numbers: any, params: import('./picture.js').Params) => import('./picture.js').Picture>} */
const PICTURES = {
  1: attention.scaleGradients,
  2: attention.trainingWithoutScale,
  3: embedding.offsets,
  4: embedding.wordOrder,
  5: embedding.order,
  6: embedding.reversal,
  7: layers.kinks,
  8: layers.extrapolation,
  9: layers.normBound,
  10: layers.linearLimits,
  11: attention.superposition,
  12: attention.positionWise,
  13: layers.keyValueMemory,
  14: attention.headSpecialisation,
  15: attention.concatenation,
  16: layers.deepTraining,
  17: layers.vanishingGradients,
  18: layers.causalMask,
  19: layers.crossAttention,
  20: embedding.lookUp,
  21: attention.weightsExplain,
  22: layers.bottleneck,
  23: embedding.length,
};

/**
 * The picture of a run.
 * @param {{number: number}} claim
 * @param {import('./picture.js').Numbers} numbers that it gave
 * @param {import('./picture.js').Params} params of the run
 */
export const pictureOf = ({ number }, numbers, params) => PICTURES[number](numbers, params);
