import { GlassformerError } from '../js/errors.js';
import { sourceOf } from './batch.js';
import { isList, isObject, listOf } from './check.js';
import { predictOf } from './predict.js';

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {import('./batch.js').PairBatch} PairBatch */
/**
 * @typedef {object} Tensor
 * @property {ArrayLike<number>} data row-major
 * @property {readonly number[]} shape size of each axis
 */

/**
 * A model's answer to a batch: the logits, or directly the likeliest token of each place. For the head scores also the
 * attention weights of every layer, from the first (in an encoder-decoder those of the cross-attention).
 * @typedef {object} Prediction
 * @property {Tensor} [logits] [B,T,V]
 * @property {ArrayLike<number>} [argmax] [B,T]
 * @property {readonly Tensor[]} [maps] of each layer [B,H,T,S]
 */

/**
 * @typedef {object} Head
 * @property {number} layer from 0
 * @property {number} head from 0
 */

/**
 * Runs a model on a batch; a promise will do. `maps`: whether they are wanted. `off`: a head whose
 * output is to be 0.
 * @typedef {(batch: any, request: {maps: boolean, off?: Head}) => Prediction | Promise<Prediction>} Predict
 */

/**
 * One place of a batch and what is right there.
 * @typedef {object} Question
 * @property {number} row of the batch
 * @property {number} at place in the row
 * @property {readonly number[]} [accepts] the right tokens; without them only heads are measured
 * @property {readonly number[]} [links] the places that an informative head would attend to from there
 * @property {number} [keys] how many it may attend to
 */

/**
 * A batch and what is asked of it.
 * @template {Batch | PairBatch} [B=Batch]
 * @typedef {object} Probe
 * @property {B} batch for the model
 * @property {Question[]} questions about its places
 */

/**
 * The score of a head for attending to the links.
 * @typedef {object} HeadScore
 * @property {number} layer from 0
 * @property {number} head from 0
 * @property {number} mass mean of the weight on the links
 * @property {number} top1 share of places whose largest weight is on a link
 */

/**
 * @typedef {object} Score
 * @property {number} accuracy share of the questions with a right answer, NaN without questions
 * @property {number} sequences share of the rows without a wrong answer
 * @property {number} count questions that have an answer
 * @property {HeadScore[]} heads by layer and head; empty without maps or links
 * @property {HeadScore | null} best the head with the largest mass
 * @property {number} chance the mass of a head that attends evenly
 */

/**
 * Asks a model all questions.
 * @param {Predict | import('./predict.js').ModelLike} model or a function that predicts
 * @param {readonly Probe<any>[]} probes
 * @param {{maps?: boolean, off?: Head}} [request]
 * @returns {Promise<Score>}
 * @example
 * import { examine, reverse } from 'glassformer/tasks';
 * const predict = ({ labels }) => ({ argmax: labels.data }); // one that is always right
 * (await examine(predict, reverse.heldOut(1, { count: 8 }), { maps: false })).accuracy; // → 1
 */
export async function examine(model, probes, { maps = true, off } = {}) {
  const predict = predictOf(model);
  const heads = new HeadTally();
  let right = 0;
  let count = 0;
  let rows = 0;
  let rightRows = 0;
  for (const { batch, questions } of probesOf(probes)) {
    const prediction = await predict(batch, off ? { maps, off } : { maps });
    const answers = answersOf(prediction, batch);
    const [, width] = answerShape(batch);
    /** @type {Map<number, boolean>} */
    const whole = new Map();
    for (const { row, at, accepts } of questions) {
      if (!accepts) continue;
      const good = accepts.includes(answers[row * width + at]);
      whole.set(row, good && (whole.get(row) ?? true));
      right += Number(good);
      count++;
    }
    rows += whole.size;
    for (const good of whole.values()) rightRows += Number(good);
    if (maps) heads.add(mapsOf(prediction, batch), questions);
  }
  return { accuracy: right / count, sequences: rightRows / rows, count, ...heads.result() };
}

/**
 * Measures only the heads: how much weight falls on the links. Of attention weights that are at hand:
 * `headScores(() => ({ maps }), [probe])`.
 * @param {Predict | import('./predict.js').ModelLike} model or a function that predicts
 * @param {readonly Probe<any>[]} probes
 * @returns {Promise<Pick<Score, 'heads' | 'best' | 'chance'>>}
 * @example
 * import { headScores, makeReverse } from 'glassformer/tasks';
 * const [probe] = makeReverse({ length: 2 }).heldOut(0, { count: 1 });
 * const maps = [{ data: [0.25, 0.75, 1, 0], shape: [1, 1, 2, 2] }];
 * (await headScores(() => ({ maps }), [probe])).best; // → { layer: 0, head: 0, mass: 0.875, top1: 1 }
 */
export async function headScores(model, probes) {
  const predict = predictOf(model);
  const heads = new HeadTally();
  for (const { batch, questions } of probesOf(probes))
    heads.add(mapsOf(await predict(batch, { maps: true }), batch), questions);
  return heads.result();
}

/**
 * @param {readonly Probe<any>[]} probes
 * @returns {readonly Probe<any>[]} the same, if they are some
 */
function probesOf(probes) {
  const isQuestion = (/** @type {Question} */ each) =>
    isObject(each) && [each.accepts, each.links].every((list) => list === undefined || isList(list));
  Array.from(listOf(probes, 'heldOut'), (probe, i) => {
    const good = isObject(probe) && isObject(probe.batch) && isList(probe.questions);
    if (good && probe.questions.every(isQuestion)) return;
    throw new GlassformerError(
      'type',
      `heldOut[${i}]`,
      probe,
      'must be a probe, { batch, questions }, as heldOut gives',
    );
  });
  return probes;
}

/** Sums of what heads give to links. */
class HeadTally {
  /** @type {HeadScore[]} */
  #heads = [];
  #count = 0;
  #chance = 0;

  /**
   * @param {readonly Tensor[]} maps
   * @param {readonly Question[]} questions
   */
  add(maps, questions) {
    const linked = questions.filter(({ links }) => links && links.length > 0);
    this.#count += linked.length;
    for (const { links = [], keys = NaN } of linked) this.#chance += links.length / keys;
    if (linked.length === 0) return;
    maps.forEach((map, layer) => {
      for (let head = 0; head < map.shape[1]; head++) {
        let score = this.#heads.find((one) => one.layer === layer && one.head === head);
        if (!score) this.#heads.push((score = { layer, head, mass: 0, top1: 0 }));
        for (const { row, at, links = [] } of linked) {
          const weights = mapRow(map, row, head, at);
          score.mass += sum(links, weights);
          score.top1 += Number(links.includes(largest(weights)));
        }
      }
    });
  }

  result() {
    const count = this.#count;
    const heads = this.#heads.map((one) => ({ ...one, mass: one.mass / count, top1: one.top1 / count }));
    const best = heads.reduce(
      (/** @type {HeadScore | null} */ found, one) => (found && found.mass >= one.mass ? found : one),
      null,
    );
    return { heads, best, chance: this.#chance / count };
  }
}

/**
 * @param {readonly number[]} places
 * @param {ArrayLike<number>} weights
 * @returns {number} the weight on those places together
 */
export function sum(places, weights) {
  return places.reduce((total, place) => total + weights[place], 0);
}

/**
 * @param {ArrayLike<number>} values
 * @param {number} [start] the first that is checked
 * @param {number} [end] the first that is not any more
 * @returns {number} the place of the largest, the first of equals
 */
export function largest(values, start = 0, end = values.length) {
  let best = start;
  for (let i = start + 1; i < end; i++) if (values[i] > values[best]) best = i;
  return best;
}

/**
 * @param {Tensor} map [B,H,T,S]
 * @param {number} row
 * @param {number} head
 * @param {number} at
 * @returns {number[]} the S weights of that row
 */
export function mapRow(map, row, head, at) {
  const [, heads, queries, keys] = map.shape;
  const start = ((row * heads + head) * queries + at) * keys;
  return Array.from({ length: keys }, (_, i) => map.data[start + i]);
}

/**
 * @param {Prediction} prediction
 * @param {Batch | PairBatch} batch
 * @returns {ArrayLike<number>} [B,T] the likeliest token of each place
 */
export function answersOf(prediction, batch) {
  const { argmax, logits } = expectPrediction(prediction);
  const shape = answerShape(batch);
  const places = shape[0] * shape[1];
  if (argmax) {
    if (argmax.length === places) return argmax;
    throw unlikePrediction('shape', '.argmax', argmax.length, `hold ${places} tokens`);
  }
  const [vocabulary] = logitsOf({ logits }, shape).slice(2);
  const { data } = /** @type {Tensor} */ (logits);
  return Int32Array.from({ length: places }, (_, place) => {
    const start = place * vocabulary;
    return largest(data, start, start + vocabulary) - start;
  });
}

/**
 * @param {Prediction} prediction what a function of the caller's gave
 * @returns {Prediction}
 */
function expectPrediction(prediction) {
  if (isObject(prediction)) return prediction;
  throw unlikePrediction('type', '', prediction, 'be an object such as { logits, maps }');
}

/**
 * @param {import('../js/errors.js').ErrorCode} code
 * @param {string} field of the prediction, such as '.maps'; '' for itself
 * @param {unknown} value what stands there
 * @param {string} must what it must do
 */
function unlikePrediction(code, field, value, must) {
  return new GlassformerError(code, `predict(...)${field}`, value, `must ${must}`);
}

/**
 * @param {Prediction} prediction
 * @param {Batch | PairBatch} batch
 * @returns {readonly Tensor[]} none if it came without
 */
export function mapsOf(prediction, batch) {
  const { maps = [] } = expectPrediction(prediction);
  const [rows, queries] = answerShape(batch);
  const keys = sourceOf(batch).ids.shape[1];
  if (!isList(maps)) throw unlikePrediction('type', '.maps', maps, 'be an array of tensors');
  for (const map of maps) {
    const { shape, data } = isObject(map) ? /** @type {Tensor} */ (map) : { shape: [], data: [] };
    const sides = isObject(shape) ? Array.from(/** @type {number[]} */ (shape)) : [];
    const [B, H, T, S] = sides;
    if (sides.length !== 4 || B !== rows || T !== queries || S !== keys || data?.length !== B * H * T * S) {
      throw unlikePrediction('shape', '.maps', shape, `have shape [${rows}, H, ${queries}, ${keys}]`);
    }
  }
  return maps;
}

/**
 * Softmax of one row of the logits, in double.
 * @param {Prediction} prediction
 * @param {Batch | PairBatch} batch
 * @param {number} row
 * @param {number} at
 * @returns {Float64Array}
 * @example
 * import { probabilities } from 'glassformer/tasks';
 * const batch = { ids: { data: [5], shape: [1, 1] }, labels: { data: [0], shape: [1, 1] } };
 * probabilities({ logits: { data: [0, 0], shape: [1, 1, 2] } }, batch, 0, 0); // → [0.5, 0.5]
 */
export function probabilities({ logits }, batch, row, at) {
  const shape = answerShape(batch);
  const [, width, vocabulary] = logitsOf({ logits }, shape);
  const { data } = /** @type {Tensor} */ (logits);
  const start = (row * width + at) * vocabulary;
  const values = Float64Array.from({ length: vocabulary }, (_, i) => data[start + i]);
  const top = values[largest(values)];
  const exps = values.map((value) => Math.exp(value - top));
  const total = exps.reduce((all, value) => all + value, 0);
  return exps.map((value) => value / total);
}

/**
 * @param {Prediction} prediction
 * @param {readonly number[]} shape [B,T]
 * @returns {readonly number[]} the shape of the logits
 */
function logitsOf({ logits }, shape) {
  const got = logits?.shape ?? [];
  if (got.length !== 3 || got[0] !== shape[0] || got[1] !== shape[1]) {
    throw unlikePrediction('shape', '.logits', got, `have shape [${shape.join(', ')}, V]`);
  }
  return got;
}

/**
 * @param {Batch | PairBatch} batch
 * @returns {readonly number[]} [B,T] of the answers
 */
function answerShape({ labels }) {
  return labels.shape;
}
