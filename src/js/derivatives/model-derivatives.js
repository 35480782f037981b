import { tagOf } from '../arrays/arrays.js';
import { crossEntropyBackward } from '../engine/backward.js';
import { NO_HEAD, readTrainerSettings, settingOf } from '../engine/config.js';
import { GlassformerError } from '../errors.js';
import { planOf, readBatch, labelsOf } from '../engine/inputs.js';
import { handleOf } from '../engine/model.js';
import { isNamed } from '../arrays/names.js';
import { crossEntropy } from '../engine/ops.js';
import { CHANGES, runPatched } from '../engine/patches.js';
import { rowReader } from '../engine/selector.js';
import { namedFloats, cotangentRows, prepare, pullBack, wantedOf } from './pull-back.js';
import { any, choice, integer, number, optional, readOptions } from '../arrays/tensor.js';

/** @typedef {import('../engine/model.js').Model} Model */
/** @typedef {import('../engine/model.js').ForwardOptions} ForwardOptions */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('../../../dist/generated/settings.js').TrainerOptions} TrainerOptions */

/**
 * Tensors by name.
 * @typedef {ReadonlyMap<string, Floats> | Readonly<Record<string, Floats>>} NamedFloats
 */

/**
 * Options of a pass: see `forward`.
 * @typedef {Omit<ForwardOptions, 'capture'>} PassOptions
 */

/**
 * @typedef {object} Of
 * @property {readonly import('../engine/selector.js').Selector[]} of whose gradients: weights, inputs that are vectors,
 *   and every intermediate that later ones are computed from; names as `model.tensors()` has them after a pass with
 *   `capture`, or selectors like `{ layer: 0, head: 1 }`
 */

/**
 * @typedef {object} Cotangents
 * @property {NamedFloats} cotangents by the name of the tensor, of its shape: 'output', 'logits', or any intermediate
 *   that has a gradient
 */

/**
 * @typedef {object} LossOptions
 * @property {import('../arrays/tensor.js').Ints | Floats} labels as a trainer takes them
 * @property {import('../arrays/tensor.js').Flags} [lossMask] as a trainer takes it
 * @property {TrainerOptions['loss']} [loss] default 'crossEntropy'
 * @property {number} [ignoreIndex] labels that do not count, default -100
 * @property {number} [labelSmoothing] default 0
 */

/**
 * Instead of a loss.
 * @typedef {object} LogitOptions
 * @property {{at: number, id: number, batch?: number}} logit one: of token `at` of sequence `batch`, default 0, for the
 *   word `id`; where the model has `outputWidth`, number `id` of its values
 */

/** Options of `model.gradients`. @typedef {Of & (LossOptions | LogitOptions)} GradientOptions */

/**
 * The result of `model.gradients`.
 * @template O
 * @typedef {O extends LogitOptions ? Gradients : Gradients & {loss: number, count: number}} GradientsOf
 */

/**
 * @typedef {object} Gradients
 * @property {Map<import('../engine/selector.js').Selector, FloatTensor>} gradients by the entries of `of`, in their
 *   order, each of the shape of what it selects; also when they are not finite
 * @property {string | null} overflow the first tensor that is not finite, in the order of the computation: inputs and
 *   weights, what the pass computed, then gradients, whose names begin with 'grad.'; null when all numbers are finite
 */

/**
 * Vector-Jacobian products: the gradients of sum(cotangent * tensor), over all tensors that are given a cotangent, with
 * respect to others. One pass forward and one backward, whatever their number; a model's trainer is left alone, and
 * afterwards `model.tensor` reads every tensor of the pass and, under 'grad.' and its name, every gradient.
 *
 * With `patches`, `ablate` and `temperature` those of the changed model: the gradient of a patched number is that of
 * the patch, and what stood there before has none. That of a tensor with a cotangent includes this.
 * @param {Model} model
 * @param {PassOptions & Cotangents & Of} options
 * @returns {Gradients}
 * @throws {GlassformerError} the codes of `forward`; unknown for a tensor without gradient, shape for a bad cotangent:
 *   the results of the last pass are then gone
 * @example
 * import { load } from 'glassformer';
 * import { vjp } from 'glassformer/derivatives';
 * const gf = await load();
 * const model = gf.createModel({ kind: 'feed-forward', d_model: 2, d_ff: 4, heads: 1 });
 * const vectors = [[[1, 2], [3, 4]]];
 * const cotangents = { output: [[[1, 0], [0, 0]]] }; // the first row's first number
 * const { gradients, overflow } = vjp(model, { vectors, cotangents, of: ['input', 'linear1.weight'] });
 * gradients.get('input').shape; // → [1, 2, 2]
 * overflow; // → null
 */
export function vjp(model, options) {
  const handle = handleFor(model);
  const plan = planOf(handle.config, { cotangents: namedFloats, of: wantedOf, ...CHANGES });
  const { batch, given } = readBatch(plan, options);
  const names = prepare(handle, batch, given, 3);
  return pullBack(handle, batch, given, names, () => cotangentRows(handle, given.cotangents));
}

/**
 * The gradients of a loss. One pass backward and two forward; else as `vjp`. They are those of `trainer.gradients`
 * without dropout.
 * @template {PassOptions & GradientOptions} O
 * @param {Model} model
 * @param {O} options with `logit` instead of a loss that logit's gradients: one pass forward and one backward
 * @returns {GradientsOf<O>} loss, which may be infinite or NaN, and the labels that it is
 *   the mean of
 * @throws {GlassformerError} as `vjp`; config for cross-entropy of a model without head
 * @example
 * import { load } from 'glassformer';
 * import { gradients } from 'glassformer/derivatives';
 * const gf = await load();
 * const model = gf.createModel({ kind: 'decoder', vocabulary: 10, d_model: 8, heads: 2, layers: 1, head: 'tied' });
 * const scores = 'decoder.layers.0.self_attn.scores';
 * const found = gradients(model, { ids: [1, 2, 3], labels: [2, 3, 4], of: [scores, 'decoder.embedding'] });
 * found.gradients.get(scores).shape; // → [1, 2, 3, 3]
 * found.gradients.get('decoder.embedding').shape; // → [1, 3, 8]
 * const head = { layer: 0, head: 1 };
 * gradients(model, { ids: [1, 2, 3], logit: { at: 2, id: 4 }, of: [head] }).gradients.get(head).shape; // → [3, 4]
 */
export function gradients(model, options) {
  const { core, config } = handleFor(model);
  const table = readTrainerSettings(core);
  const [ignored, smoothing] = ['ignoreIndex', 'labelSmoothing'].map((name) => settingOf(table, name));
  const readers = {
    loss: optional(choice(settingOf(table, 'loss').choices), 'crossEntropy'),
    ignoreIndex: optional(integer(ignored.low, ignored.high), ignored.fallback),
    labelSmoothing: optional(number(smoothing.low, smoothing.high), smoothing.fallback),
    of: wantedOf,
    ...CHANGES,
  };
  const { loss, ignoreIndex, logit, labels } = /** @type {any} */ (isNamed(options) ? options : {});
  if (logit !== undefined) return /** @type {any} */ (ofLogit(model, options));
  if (isNamed(options) && labels === undefined)
    throw new GlassformerError('missing', 'labels', undefined, 'needed: labels of a loss, or logit: { at, id }');
  const kind = { loss: readers.loss(loss, 'loss'), ignoreIndex: readers.ignoreIndex(ignoreIndex, 'ignoreIndex') };
  const plan = planOf(config, readers, { labels: labelsOf(config, kind) });
  const { batch, given } = readBatch(plan, options);
  const handle = handleFor(model);
  const tokens = given.loss === 'crossEntropy';
  const hasHead = config.head !== 'none' || config.outputWidth > 0;
  if (tokens && !hasHead && /coder/.test(String(config.kind))) {
    throw new GlassformerError('config', 'loss', given.loss, NO_HEAD);
  }
  const names = prepare(handle, batch, given, 4);
  runPatched(handle, batch, given);
  const name = config.outputWidth ? 'values' : tokens && hasHead ? 'logits' : 'output';
  const found = /** @type {FloatTensor} */ (handle.read(handle.get(name)));
  const { cotangent, ...rest } = lossOf(core, given, found);
  return {
    ...rest,
    ...pullBack(handle, batch, given, names, () => cotangentRows(handle, new Map([[name, cotangent]]))),
  };
}

/** @type {import('../arrays/tensor.js').Reader<{at: number, id: number, batch: number}>} */
const readLogit = (value, name) => {
  const index = integer(0, 2 ** 31 - 1);
  return readOptions(value, { at: any, id: index, batch: optional(index, 0) }, `${name}.`);
};

/**
 * The gradients of one logit: one pass forward and one backward.
 * @param {Model} model
 * @param {unknown} options
 * @returns {Gradients}
 */
function ofLogit(model, options) {
  const { batch, given } = readBatch(
    planOf(handleFor(model).config, { logit: readLogit, of: wantedOf, ...CHANGES }),
    options,
  );
  const handle = handleFor(model);
  const { B, S, T } = batch.sizes;
  const scores = handle.config.outputWidth ? 'values' : 'logits';
  const logits = handle.known().get(scores);
  if (!logits) throw new GlassformerError('config', 'head', handle.config.head, 'logit needs a model with a head');
  const V = logits.shape[2];
  const { id, batch: row } = given.logit;
  const at = rowReader(T || S)(given.logit.at, 'logit.at');
  integer(0, V - 1)(id, 'logit.id');
  integer(0, B - 1)(row, 'logit.batch');
  const names = prepare(handle, batch, given, 3);
  const offset = (row * (T || S) + at) * V + id;
  return pullBack(handle, batch, given, names, () => [[handle.get(scores).pointer + 4 * offset, Float32Array.of(1)]]);
}

/**
 * The handle of the model. It uses neither instanceof nor the names that methods leave for refusals: moving these
 * classes to a chunk of their own would make all of glassformer/core larger.
 * @param {Model} model
 */
function handleFor(model) {
  if (tagOf(model) !== 'GlassformerModel') {
    throw new GlassformerError('foreign', 'model', model, 'must be a model that an engine of this thread has made');
  }
  return handleOf(model);
}

/**
 * @param {import('../engine/start.js').Core} core
 * @param {any} given
 * @param {FloatTensor} found what the loss is of
 * @returns {{loss: number, count: number, cotangent: FloatTensor}}
 */
function lossOf(core, { loss, labels, lossMask, ignoreIndex, labelSmoothing }, found) {
  const { data, shape } = found;
  const outer = shape.slice(0, -1);
  const width = shape[outer.length];
  const counts = (/** @type {number} */ row) => !lossMask || lossMask.data[row] > 0;
  if (loss === 'crossEntropy') {
    const data = Int32Array.from(labels.data, (id, row) => (counts(row) ? id : ignoreIndex));
    const ids = { data, shape: outer };
    const how = { ignoreIndex, labelSmoothing };
    const { logProbabilities, ...rest } = crossEntropy(core, found, ids, how);
    return { ...rest, cotangent: crossEntropyBackward(core, logProbabilities, ids, how) };
  }
  const wanted = labels.data;
  const count = lossMask ? lossMask.data.filter(Number).length : data.length / width;
  /** @typedef {(value: number, i: number) => number} Each */
  const each = (/** @type {Each} */ f) => data.map((value, i) => (counts(Math.floor(i / width)) ? f(value, i) : 0));
  const sum = (/** @type {Each} */ f) =>
    data.reduce((total, value, i) => total + (counts(Math.floor(i / width)) ? f(value, i) : 0), 0);
  if (loss === 'linear') {
    const cotangent = { data: each((_, i) => wanted[i]), shape };
    return { loss: Math.fround(sum((value, i) => value * wanted[i])), count, cotangent };
  }
  const numbers = count * width;
  return {
    loss: Math.fround(sum((value, i) => (value - wanted[i]) ** 2) / numbers),
    count,
    cotangent: { data: each((value, i) => (2 * (value - wanted[i])) / numbers), shape },
  };
}
