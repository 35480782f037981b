/**
 * Sentences of the textbooks, each with an experiment that tests it: `run` computes numbers with an engine, `verdict`
 * says what they amount to.
 *
 * @module glassformer/claims
 */
import * as bottleneck from './bottleneck/claim.js';
import * as causalMask from './causal-mask/claim.js';
import * as concatenation from './concatenation/claim.js';
import * as crossAttentionAligns from './cross-attention-aligns/claim.js';
import * as deepTraining from './deep-training/claim.js';
import * as extrapolation from './extrapolation/claim.js';
import * as headSpecialisation from './head-specialisation/claim.js';
import * as keyValueMemory from './key-value-memory/claim.js';
import * as kinks from './kinks/claim.js';
import * as length from './length/claim.js';
import * as linearLimits from './linear-limits/claim.js';
import * as lookUp from './look-up/claim.js';
import * as normBound from './norm-bound/claim.js';
import * as offsetRotation from './offset-rotation/claim.js';
import * as orderNeedsPositions from './order-needs-positions/claim.js';
import * as positionWise from './position-wise/claim.js';
import * as reversalNeedsPositions from './reversal-needs-positions/claim.js';
import * as scaleGradients from './scale-gradients/claim.js';
import * as superposition from './superposition/claim.js';
import * as trainingWithoutScale from './training-without-scale/claim.js';
import * as vanishingGradients from './vanishing-gradients/claim.js';
import * as weightsExplain from './weights-explain/claim.js';
import * as wordOrder from './word-order/claim.js';

export { compareNumbers, settingsToCheck } from './shared/compare.js';

/** @typedef {import('./shared/claim.js').Choice} Choice */
/** @typedef {import('./shared/claim.js').Claim} Claim */
/** @typedef {import('./shared/claim.js').ClaimModule} ClaimModule */
/** @typedef {import('./shared/claim.js').Expected} Expected */
/** @typedef {import('./shared/claim.js').Input} Input */
/** @typedef {import('./shared/claim.js').Numbers} Numbers */
/** @typedef {import('./shared/claim.js').OnProgress} OnProgress */
/** @typedef {import('./shared/claim.js').Params} Params */
/** @typedef {import('./shared/claim.js').Tolerance} Tolerance */
/** @typedef {import('./shared/claim.js').Value} Value */
/** @typedef {import('./shared/claim.js').Verdict} Verdict */
/** @typedef {import('./shared/compare.js').Comparison} Comparison */

/**
 * A part of the course.
 * @typedef {object} Group
 * @property {string} title of the part
 * @property {readonly ClaimModule[]} claims in their order
 */

/**
 * The claims in the order of a course.
 * @type {readonly Group[]}
 */
export const course = [
  {
    title: 'Embedding and position',
    claims: [lookUp, offsetRotation, wordOrder, orderNeedsPositions, reversalNeedsPositions, length],
  },
  { title: 'Attention', claims: [scaleGradients, trainingWithoutScale, weightsExplain, positionWise] },
  { title: 'Heads', claims: [concatenation, headSpecialisation, superposition] },
  { title: 'Feed-forward network', claims: [kinks, extrapolation, linearLimits, bottleneck, keyValueMemory] },
  { title: 'Norms and residuals', claims: [normBound, deepTraining, vanishingGradients] },
  { title: 'Encoder, decoder, cross-attention', claims: [causalMask, crossAttentionAligns] },
];

/**
 * The same without their groups.
 * @type {readonly ClaimModule[]}
 */
export const claims = course.flatMap((group) => group.claims);
