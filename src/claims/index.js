/**
 * Textbook claims, each with an experiment that tests it: `run` computes numbers with an engine, `outcome` says what
 * they show: a verdict on the sentence at its own switches, or a control or boundary at others.
 *
 * @module glassformer/claims
 */
import * as activationChoice from './activation-choice.js';
import * as afterAttention from './after-attention.js';
import * as allAtOnce from './all-at-once.js';
import * as andNeedsFfn from './and-needs-ffn.js';
import * as attentionSink from './attention-sink.js';
import * as beamSearch from './beam-search.js';
import * as bottleneck from './bottleneck.js';
import * as causalMask from './causal-mask.js';
import * as computedWeights from './computed-weights.js';
import * as concatenation from './concatenation.js';
import * as crossAttentionAligns from './cross-attention-aligns.js';
import * as deepTraining from './deep-training.js';
import * as detectingAndCausing from './detecting-and-causing.js';
import * as edgeOfStability from './edge-of-stability.js';
import * as extrapolation from './extrapolation.js';
import * as fourTimes from './four-times.js';
import * as gatedFfn from './gated-ffn.js';
import * as grokking from './grokking.js';
import * as groupedHeads from './grouped-heads.js';
import * as headSpecialisation from './head-specialisation.js';
import * as inductionHeads from './induction-heads.js';
import * as keyValueMemory from './key-value-memory.js';
import * as kinks from './kinks.js';
import * as length from './length.js';
import * as linearLimits from './linear-limits.js';
import * as lookUp from './look-up.js';
import * as neuronSum from './neuron-sum.js';
import * as neuronsAndConcepts from './neurons-and-concepts.js';
import * as normBound from './norm-bound.js';
import * as normStabilises from './norm-stabilises.js';
import * as offsetRotation from './offset-rotation.js';
import * as orderNeedsPositions from './order-needs-positions.js';
import * as pathLength from './path-length.js';

import * as positionWise from './position-wise.js';
import * as randomExpansion from './random-expansion.js';
import * as relativePositions from './relative-positions.js';
import * as reversalNeedsPositions from './reversal-needs-positions.js';
import * as rmsNorm from './rms-norm.js';
import * as rotaryDistance from './rotary-distance.js';
import * as rotaryExtrapolation from './rotary-extrapolation.js';
import * as sameFeatures from './same-features.js';
import * as scaleGradients from './scale-gradients.js';
import * as similarWords from './similar-words.js';
import * as sparseFeatures from './sparse-features.js';
import * as superposition from './superposition.js';
import * as trainingWithoutScale from './training-without-scale.js';
import * as translationAligns from './translation-aligns.js';
import * as vanishingGradients from './vanishing-gradients.js';
import * as weightsExplain from './weights-explain.js';
import * as widerBeams from './wider-beams.js';
import * as wordOrder from './word-order.js';

export { kindOf } from './shared/claim.js';
export { compareNumbers, settingsToCheck } from './shared/compare.js';

/** @typedef {import('./shared/claim.js').Axis} Axis */
/** @typedef {import('./shared/claim.js').Boundary} Boundary */
/** @typedef {import('./shared/claim.js').Choice} Choice */
/** @typedef {import('./shared/claim.js').Claim} Claim */
/** @typedef {import('./shared/claim.js').ClaimModule} ClaimModule */
/** @typedef {import('./shared/claim.js').Expected} Expected */
/** @typedef {import('./shared/claim.js').Guess} Guess */
/** @typedef {import('./shared/claim.js').Input} Input */
/** @typedef {import('./shared/claim.js').Judged} Judged */
/** @typedef {import('./shared/claim.js').Literature} Literature */
/** @typedef {import('./shared/claim.js').Numbers} Numbers */
/** @typedef {import('./shared/claim.js').OnProgress} OnProgress */
/** @typedef {import('./shared/claim.js').Outcome} Outcome */
/** @typedef {import('./shared/claim.js').Params} Params */
/** @typedef {import('./shared/claim.js').Quote} Quote */
/** @typedef {import('./shared/claim.js').Scale} Scale */
/** @typedef {import('./shared/claim.js').Shown} Shown */
/** @typedef {import('./shared/claim.js').Sketch} Sketch */
/** @typedef {import('./shared/claim.js').Stack} Stack */
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
    claims: [
      lookUp,
      similarWords,
      offsetRotation,
      relativePositions,
      wordOrder,
      orderNeedsPositions,
      reversalNeedsPositions,
      length,
    ],
  },
  {
    title: 'Attention',
    claims: [
      scaleGradients,
      trainingWithoutScale,
      pathLength,
      allAtOnce,
      computedWeights,
      weightsExplain,
      attentionSink,
      positionWise,
      afterAttention,
    ],
  },
  { title: 'Heads', claims: [concatenation, headSpecialisation, superposition] },
  {
    title: 'Feed-forward network',
    claims: [
      kinks,
      extrapolation,
      linearLimits,
      andNeedsFfn,
      randomExpansion,
      bottleneck,
      fourTimes,
      activationChoice,
      neuronSum,
      keyValueMemory,
      neuronsAndConcepts,
      detectingAndCausing,
      sameFeatures,
      sparseFeatures,
    ],
  },
  { title: 'Norms and residuals', claims: [normBound, normStabilises, deepTraining, vanishingGradients] },
  {
    title: 'Encoder, decoder, cross-attention',
    claims: [causalMask, crossAttentionAligns, translationAligns, beamSearch, widerBeams],
  },
  { title: 'Training', claims: [grokking, edgeOfStability, inductionHeads] },
  { title: 'From 2017 to today', claims: [rotaryDistance, rotaryExtrapolation, rmsNorm, groupedHeads, gatedFfn] },
];

/**
 * The same without their groups.
 * @type {readonly ClaimModule[]}
 */
export const claims = course.flatMap((group) => group.claims);
