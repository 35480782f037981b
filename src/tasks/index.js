/**
 * Tasks for small Transformers: seeded data with vocabularies, held-out sets, the recipe that is
 * known to learn them, and scores. Nothing here runs a model: scores ask a `predict` callback.
 *
 * @module glassformer/tasks
 */
import { addition, additionParallel } from './addition.js';
import { copy } from './copy.js';
import { creek } from './creek.js';
import { facts } from './facts.js';
import { and, square, xor } from './ffn.js';
import { induction } from './induction.js';
import { neighbours } from './neighbours.js';
import { nextDigit } from './next-digit.js';
import { order } from './order.js';
import { positions } from './positions.js';
import { reverse, reverseVariable } from './reverse.js';
import { reverseDecoder } from './reverse-decoder.js';
import { sort } from './sort.js';
import { story } from './story.js';
import { translate } from './translate.js';

export { heldOutPairs, makeAddition } from './addition.js';
export { IGNORE } from './batch.js';
export { GlassformerError } from '../js/errors.js';
export { makeCopy } from './copy.js';
export { makeFacts } from './facts.js';
export { makeGate, makeSquare } from './ffn.js';
export { makeInduction } from './induction.js';
export { makeNeighbours } from './neighbours.js';
export { makeNextDigit } from './next-digit.js';
export { makePositions } from './positions.js';
export { neuronPurity, placeLabels, randomPurity, valueWords } from './purity.js';
export { predictor } from './predict.js';
export { Random } from './random.js';
export { makeReverse, makeReverseVariable } from './reverse.js';
export { makeReverseDecoder } from './reverse-decoder.js';
export { examine, headScores, probabilities } from './scores.js';
export { makeSort } from './sort.js';
export { makeText } from './text.js';
export { Vocabulary } from './vocabulary.js';
export {
  addition,
  additionParallel,
  and,
  copy,
  creek,
  facts,
  induction,
  neighbours,
  nextDigit,
  order,
  positions,
  reverse,
  reverseDecoder,
  reverseVariable,
  sort,
  square,
  story,
  translate,
  xor,
};

/**
 * All tasks by name.
 * @satisfies {Readonly<Record<string, import('./task.js').Task<any, any, any>>>}
 */
export const tasks = /* @__PURE__ */ Object.freeze({
  creek,
  translate,
  story,
  reverse,
  'reverse-variable': reverseVariable,
  sort,
  copy,
  order,
  induction,
  addition,
  'addition-parallel': additionParallel,
  and,
  xor,
  square,
  'reverse-decoder': reverseDecoder,
  neighbours,
  facts,
  positions,
  'next-digit': nextDigit,
});

/**
 * The tasks that are learned within seconds, from the simplest on: each says `about` itself what a page needs, and
 * whether a score is that of a model that has learned it.
 * @satisfies {readonly (import('./task.js').Task<any, any, any> & import('./task.js').Live<any>)[]}
 * @example
 * import { liveTasks } from 'glassformer/tasks';
 * liveTasks.map(({ about }) => about.title).slice(0, 3); // → ['Copy', 'Reverse', 'Reverse 4 to 10 digits']
 */
export const liveTasks = /* @__PURE__ */ Object.freeze([
  copy,
  reverse,
  reverseVariable,
  sort,
  order,
  addition,
  induction,
  story,
  square,
  and,
  xor,
]);

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {import('./batch.js').PairBatch} PairBatch */
/** @typedef {import('./batch.js').VectorBatch} VectorBatch */
/** @typedef {import('./scores.js').Predict} Predict */
/** @typedef {import('./scores.js').Prediction} Prediction */
/**
 * @template {Batch | PairBatch} [B=Batch]
 * @typedef {import('./scores.js').Probe<B>} Probe
 */
/** @typedef {import('./scores.js').Question} Question */
/** @typedef {import('./scores.js').Score} Score */
/** @typedef {import('./scores.js').HeadScore} HeadScore */
/** @typedef {import('./ffn.js').PredictVectors} PredictVectors */
/** @typedef {import('./show.js').Shown} Shown */
/** @typedef {import('./task.js').About} About */
/** @typedef {import('./text.js').TextScore} TextScore */
/** @typedef {import('../js/errors.js').ErrorCode} ErrorCode */
