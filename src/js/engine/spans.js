// Answers that are a span of a text: a head of two numbers for each token, of its start and of its end (Devlin et al.
// 2018, section 4.2). Fetched when it is first used.
import { crossEntropyBackward } from './backward.js';
import { GlassformerError, foreign } from '../errors.js';
import { Model, handleOf } from './model.js';
import { namedInput } from './named.js';
import { crossEntropy, linear, softmax } from './ops.js';
import { ANSWER_READERS, askedOf, withAnswer } from './question.js';
import { Trainer } from './trainer.js';
import { bytes, expectShape, integer, ints, maybe, readOptions } from '../arrays/tensor.js';

/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('./question.js').Asked} Asked */
/** @typedef {import('./question.js').AnswerOptions} AnswerOptions */

/**
 * The best span of a text.
 * @typedef {object} Answer
 * @property {string} [text] of its tokens, where the model knows its tokenizer
 * @property {number} probability of its start times that of its end, each among the tokens of the text
 * @property {number} start its first token, a place of the row
 * @property {number} end its last token
 * @property {number[]} ids of its tokens
 */

/** Outputs of the head: start and end. */
const OUTPUTS = 2;

/**
 * Whether it gives a start and an end for each token.
 * @param {import('./config.js').Config} config
 */
export const hasOwnSpans = ({ kind, vocabulary, outputWidth }) =>
  kind === 'encoder' && vocabulary > 0 && outputWidth === OUTPUTS;

/** Labels of its two outputs. */
export const SPAN_LABELS = ['start', 'end'];

/**
 * The head among a model's weights.
 * @param {Map<string, FloatTensor>} weights of such a model
 * @returns {import('./classify.js').Classifier}
 */
export function spansOf(weights) {
  const tensor = (/** @type {string} */ name) => /** @type {FloatTensor} */ (weights.get(`output_proj.${name}`));
  const out = { weight: tensor('weight'), bias: tensor('bias') };
  return { of: 'spans', activation: undefined, labels: SPAN_LABELS, scores: 'softmax', weights: { out } };
}

/**
 * The settings of a head for spans, and its weights: the model's own or those of its folder, else drawn from the seed.
 * @param {import('./model.js').Model} model
 * @param {{seed?: number, changes: object}} given
 */
export function spanHead(model, { seed, changes }) {
  const handle = handleOf(model);
  const { core, config, checkpoint } = handle;
  if (config.kind !== 'encoder' || !config.vocabulary) {
    const [name, value] = config.kind === 'encoder' ? ['vocabulary', 0] : ['kind', config.kind];
    throw new GlassformerError('config', name, value, "head: 'spans' needs an encoder that reads tokens");
  }
  const ofHead = { head: 'none', headPooler: 'none', outputVocabulary: 0, outputWidth: OUTPUTS };
  const others = { headTransform: false, headScale: false, headBias: true };
  const drawn = { ...config, ...changes, ...others, ...ofHead, seed: seed ?? handle.seed };
  const names = ['output_proj.weight', 'output_proj.bias'];
  if (hasOwnSpans(config))
    return { drawn, own: new Map([...model.weights()].filter(([name]) => names.includes(name))) };
  const { out } = checkpoint?.classifier?.of === 'spans' ? checkpoint.classifier.weights : {};
  if (out) return { drawn, own: new Map([out.weight, out.bias].map((each, i) => [names[i], each])) };
  // Weights do not depend on which others there are: a model without layers draws the same.
  const { d_model, initializerRange } = config;
  const one = { kind: 'encoder', vocabulary: 1, positions: 'none', heads: 1, layers: 0, outputWidth: OUTPUTS };
  const small = new Model(core, { ...one, d_model, initializerRange, seed: drawn.seed });
  const own = new Map([...small.weights()].filter(([name]) => names.includes(name)));
  small.free();
  return { drawn, own };
}

const READERS = {
  ids: ints,
  typeIds: maybe(ints),
  from: integer(0, 2 ** 20),
  to: integer(1, 2 ** 20),
  ...ANSWER_READERS,
};

/**
 * The best span of a text that answers a question: see Model.answer.
 * @param {import('./model.js').Model} model
 * @param {string | Asked & AnswerOptions} question
 * @param {string} [text]
 * @param {AnswerOptions} [options]
 * @returns {Answer}
 * @throws {GlassformerError} config for a model without such a head, or tokenizer; as `model.forward`
 * @example
 * import { answer, loadCheckpoint } from 'glassformer/checkpoints';
 * import { load } from 'glassformer';
 * const gf = await load();
 * const { model } = await loadCheckpoint(gf, 'node_modules/glassformer/dist/checkpoints/bert/');
 * answer(model, 'what was cold ?', 'the creek was cold'); // throws config
 */
export function answer(model, question, text, options) {
  const handle = handleOf(model);
  const { core, config, checkpoint, texts } = handle;
  const isOwn = hasOwnSpans(config);
  const { of, weights } = Object(isOwn ? spansOf(model.weights()) : checkpoint?.classifier);
  if (of !== 'spans') {
    const why = "has no head for spans: model.clone({ head: 'spans' }) makes one to train; or open a folder of ";
    const names = /** @type {any} */ (checkpoint?.config.architectures)?.[0];
    throw new GlassformerError('config', 'model', names, `${why}BertForQuestionAnswering, or of its kin`);
  }
  const isAsked = typeof question === 'object' && question !== null && text === undefined;
  const asked = isAsked ? question : askedOf(handle, question, text, options);
  const { ids, typeIds, from, to, longest, maxOperations, signal } = readOptions(asked, READERS);
  signal?.throwIfAborted();
  const count = ids.data.length;
  expectShape(ids, ids.shape.length === 1 ? [count] : [1, count], 'ids');
  if (from >= to || to > count) {
    throw new GlassformerError('range', 'to', to, `must be above from = ${from}, and at most ${count}, the tokens`);
  }
  const { output, values } = model.forward({ ids, typeIds, maxOperations });
  const rows = isOwn
    ? /** @type {FloatTensor} */ (values)
    : linear(core, { data: output.data, shape: [count, config.d_model] }, weights.out.weight, weights.out.bias);
  const width = to - from;
  const logits = Float32Array.from({ length: OUTPUTS * width }, (_, i) => {
    return rows.data[(from + (i % width)) * OUTPUTS + Math.floor(i / width)];
  });
  const { data } = softmax(core, { data: logits, shape: [OUTPUTS, width] });
  let best = { probability: -1, start: 0, end: 0 };
  for (let start = 0; start < width; start++) {
    for (let end = start; end < Math.min(width, start + longest); end++) {
      const probability = data[start] * data[width + end];
      if (probability > best.probability) best = { probability, start, end };
    }
  }
  const { probability, start, end } = best;
  const own = [...ids.data.slice(from + start, from + end + 1)];
  return withAnswer(texts.tokenizer, { probability, start: from + start, end: from + end, ids: own });
}

/**
 * Labels of a step: of each row its first and its last token, or twice `ignoreIndex` where it has none.
 * @typedef {object} Spans
 * @property {import('../arrays/tensor.js').Ints} spans [B,2]
 */

/** @typedef {import('./model.js').ForwardOptions} ForwardOptions */
/** @typedef {Omit<ForwardOptions, 'capture' | 'patches' | 'ablate' | 'temperature'> & Spans} SpanBatch */

/**
 * The members of a trainer of spans that differ from others.
 * @typedef {object} OfSpans
 * @property {(batch: SpanBatch) => import('./trainer.js').StepReport} as of a Trainer; `count` is of starts and ends
 * @property {(batch: SpanBatch) => {loss: number, count: number}} loss without dropout; nothing is learnt
 * @property {(batch: SpanBatch) => {loss: number, gradientNorm: number, count: number}} gradients that the
 *   next step would take
 */
/** @typedef {Omit<Trainer, keyof OfSpans> & OfSpans} TrainerOfSpans */

/**
 * A trainer of spans: the loss is the mean of the cross-entropies of starts and of ends, each over the places of a row
 * that are not hidden. That is computed by the core's cross-entropy over places, and goes back through the model as the
 * gradient of its values.
 */
class SpanTrainer extends Trainer {
  #handle;

  /**
   * @param {import('./model.js').Model} model
   * @param {any} options
   */
  constructor(model, { loss: _, ...options }) {
    const handle = handleOf(model);
    if (!hasOwnSpans(handle.config)) {
      throw new GlassformerError('config', 'loss', 'spans', "needs a model of model.clone({ head: 'spans' })");
    }
    for (const name of ['adapters', 'shards', 'workers', 'labelSmoothing']) {
      if (!options[name] && !(name === 'workers' && options[name] === 0)) continue;
      if (name === 'shards' && options.shards === 1) continue;
      throw new GlassformerError('config', name, options[name], "goes not with loss: 'spans'");
    }
    super(() => handleOf(model), { ...options, loss: 'linear' }, model);
    this.#handle = handle;
    this.settings = Object.freeze(/** @type {any} */ ({ ...this.settings, loss: 'spans' }));
  }

  /**
   * The loss of a batch, and the gradient of the values as labels of a linear loss.
   * @param {any} self @param {any} given @param {any} options
   * @param {boolean} learns with dropout
   */
  static #read(self, given, options, learns) {
    if (!(#handle in Object(self))) throw foreign(self, 'a trainer of spans');
    return /** @type {SpanTrainer} */ (self).#pass(given, options, learns);
  }

  /** @param {any} given @param {any} options @param {boolean} learns */
  #pass(given, options, learns) {
    const handle = this.#handle;
    const { spans, labels, lossMask, ...batch } = namedInput(handle, given, options) ?? {};
    if (labels !== undefined || lossMask !== undefined) {
      const name = labels === undefined ? 'lossMask' : 'labels';
      throw new GlassformerError('unknown', name, labels ?? lossMask, "is spans: [[start, end], …] with loss: 'spans'");
    }
    const ids = ints(batch.ids, 'ids');
    const [B, S] = ids.shape.length === 1 ? [1, ids.shape[0]] : ids.shape;
    const padding = batch.padding === undefined ? undefined : bytes(batch.padding, 'padding');
    const { ignoreIndex } = /** @type {any} */ (this.settings);
    const targets = targetsOf(spans, { B, S, padding: padding?.data, ignoreIndex });
    const zeros = { data: new Float32Array(B * S * OUTPUTS), shape: [B, S, OUTPUTS] };
    // With dropout the same numbers are dropped again: they depend on seed and step alone.
    const isDropped = learns && this.settings.dropout > 0;
    if (isDropped) super.gradients({ ...batch, labels: zeros });
    else super.loss({ ...batch, labels: zeros });
    const { data } = handle.read(handle.get('values'));
    const at = (/** @type {number} */ row, /** @type {number} */ output, /** @type {number} */ place) =>
      (row * S + place) * OUTPUTS + output;
    const turned = new Float32Array(B * S * OUTPUTS);
    each(B, S, (row, output, place, to) => {
      turned[to] = padding?.data[row * S + place] ? -Infinity : data[at(row, output, place)];
    });
    const ofPlaces = { data: targets, shape: [B * OUTPUTS] };
    const how = { ignoreIndex };
    const found = crossEntropy(handle.core, { data: turned, shape: [B * OUTPUTS, S] }, ofPlaces, how);
    const { loss, count, logProbabilities } = found;
    const back = crossEntropyBackward(handle.core, logProbabilities, ofPlaces, how).data;
    each(B, S, (row, output, place, from) => {
      zeros.data[at(row, output, place)] = back[from];
    });
    return { batch: { ...batch, labels: zeros }, loss, count };
  }

  /** @param {any} batch @param {any} [options] @returns {any} */
  step(batch, options) {
    const found = SpanTrainer.#read(this, batch, options, true);
    if (!found.count) {
      throw new GlassformerError('number', 'spans', undefined, 'none of them counts; no weight was changed');
    }
    const { loss, count } = found;
    return { .../** @type {any} */ (super.step(found.batch)), loss, count };
  }

  /** @param {any} batch @param {any} [options] @returns {any} */
  loss(batch, options) {
    const { loss, count } = SpanTrainer.#read(this, batch, options, false);
    return { loss, count };
  }

  /** @param {any} batch @param {any} [options] @returns {any} */
  gradients(batch, options) {
    const found = SpanTrainer.#read(this, batch, options, true);
    const { gradientNorm } = super.gradients(found.batch);
    return { loss: found.loss, gradientNorm, count: found.count };
  }

  /** @returns {never} */
  save() {
    const why = 'the file of a run has no such loss: keep state(), and model.save() for the model';
    throw new GlassformerError('unsupported', 'loss', 'spans', why);
  }
}

/**
 * @param {number} B @param {number} S
 * @param {(row: number, output: number, place: number, at: number) => void} visit at: places last
 */
function each(B, S, visit) {
  for (let row = 0, at = 0; row < B; row++) {
    for (let output = 0; output < OUTPUTS; output++) {
      for (let place = 0; place < S; place++, at++) visit(row, output, place, at);
    }
  }
}

/**
 * @param {unknown} given
 * @param {{B: number, S: number, padding?: ArrayLike<number>, ignoreIndex: number}} row
 * @returns {Int32Array} places of starts and ends
 */
function targetsOf(given, { B, S, padding, ignoreIndex }) {
  const spans = ints(given, 'spans');
  const isRow = B === 1 && spans.shape.length === 1;
  expectShape(spans, isRow ? [OUTPUTS] : [B, OUTPUTS], 'spans');
  for (let row = 0; row < B; row++) {
    const [start, end] = spans.data.subarray(row * OUTPUTS, (row + 1) * OUTPUTS);
    if (start === ignoreIndex && end === ignoreIndex) continue;
    const refuse = (/** @type {number} */ i, /** @type {string} */ why) => {
      throw new GlassformerError('range', `spans[${row}][${i}]`, [start, end][i], why);
    };
    for (const [i, place] of [start, end].entries()) {
      if (place < 0 || place >= S) refuse(i, `must be a place of the row, 0 to ${S - 1}, or both ${ignoreIndex}`);
      if (padding?.[row * S + place]) refuse(i, 'is a place that padding hides');
    }
    if (end < start) refuse(1, `must be at least the start, ${start}`);
  }
  return Int32Array.from(spans.data);
}

/**
 * See Model.trainer.
 * @param {import('./model.js').Model} model
 * @param {any} options
 * @returns {Trainer}
 */
export const trainerOfSpans = (model, options) => new SpanTrainer(model, options);
