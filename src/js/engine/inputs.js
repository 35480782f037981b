import { operationsReader } from './cost.js';
import { GlassformerError } from '../errors.js';
import { DECODER_PADDING, ENCODER_PADDING, LOSS_MASK, MASK, MEMORY_PADDING, TYPES, VECTOR_TARGETS } from './flags.js';
import { bytes, expectIds, flatHint, floats, ints, mask as readMask, maybe, readOptions } from '../arrays/tensor.js';

/** @typedef {import('./config.js').Config} Config */

/**
 * One input of a model's forward pass: the tensor it is written to (src/model/tensors.def), its
 * axes as letters (B batch, S source, T target, K keys, C d_model, I and O the widths of vectors that come in and of
 * those that the loss compares), and what it may hold.
 * @typedef {object} Input
 * @property {string} to
 * @property {string} axes
 * @property {import('../arrays/tensor.js').Reader<import('./model.js').AnyTensor | 'causal'>} read
 * @property {number} [limit] ids are below it
 * @property {number} [longest] sequences are not longer
 * @property {number} [flag] announces it to gf_model_prepare; such an input is optional, unless
 * @property {boolean} [needed]
 * @property {boolean} [free] optional, but without a flag
 * @property {number} [allowed] one more id that it may hold
 * @property {string} [table] has so many ids, if not the vocabulary
 * @property {boolean} [zeros] replace it when it is absent
 * @property {boolean} [seen] that no row of it may hide all
 */

/**
 * `sizes`: by letter, 0 what is not there; `subject`: the argument to name when memory is short
 * for the whole; `limit`: multiply-adds that the caller allows for it, if not the engine's; `omitted`: layers that a
 * capture leaves out.
 * @typedef {{sizes: Record<string, number>, flags: number, subject: string, limit?: number,
 *   omitted?: import('./capture.js').Omitted,
 *   writes: {to: string, data: ArrayLike<number>}[]}} Batch
 */

/**
 * The readers for the arguments of a pass: made once, for many passes.
 * @template {Record<string, import('../arrays/tensor.js').Reader<any>>} R
 * @typedef {{inputs: (Input & {name: string})[], readers: R, widths: Record<string, number>}} Plan
 */

/**
 * The inputs that a model of this configuration takes, by the name of the argument.
 * @param {Config} config
 * @returns {Record<string, Input>}
 */
export function inputsOf(config) {
  const { kind, vocabulary, targetVocabulary, tiedEmbeddings, types } = config;
  if (kind === 'feed-forward') return { vectors: { to: 'input', axes: 'BTC', read: floats } };
  if (kind === 'attention') {
    return {
      vectors: { to: 'input', axes: 'BTC', read: floats },
      memory: { to: 'memory', axes: 'BSC', read: floats, free: true },
      padding: { to: 'padding', axes: 'BK', read: bytes, flag: ENCODER_PADDING },
      mask: { to: 'mask', axes: 'TK', read: readMask, flag: MASK },
    };
  }
  if (kind === 'decoder') return stack(config, 'T', Number(vocabulary), 0);
  const source = stack(config, 'S', Number(vocabulary), Number(types));
  if (kind === 'encoder') return source;
  const words = Number(tiedEmbeddings ? vocabulary : targetVocabulary || vocabulary);
  return {
    ...ofSide('source', source),
    ...ofSide('target', stack(config, 'T', words, 0)), // with the mask, which is the decoder's
    memoryPadding: { to: 'memory.padding', axes: 'BS', read: bytes, flag: MEMORY_PADDING },
  };
}

/**
 * A stack's inputs as an encoder-decoder calls them: sourceIds, targetIds and so on.
 * @param {'source' | 'target'} side
 * @param {Record<string, Input>} inputs
 */
function ofSide(side, { mask, ...inputs }) {
  const named = Object.entries(inputs).map(([name, input]) => [side + name[0].toUpperCase() + name.slice(1), input]);
  return { ...Object.fromEntries(named), mask };
}

/**
 * The loss's arguments: `labels` to compare with, and `lossMask` for the places that count.
 * @param {Config} config
 * @param {Record<string, unknown>} settings of the trainer
 * @returns {Record<string, Input>}
 */
export function labelsOf(config, { loss, ignoreIndex }) {
  const inputs = inputsOf(config);
  const axes = config.kind === 'encoder' ? 'BS' : 'BT';
  /** @type {Input} */
  const lossMask = { to: 'lossMask', axes, read: bytes, flag: LOSS_MASK };
  if (loss !== 'crossEntropy') {
    const labels = { to: 'targetVectors', axes: `${axes}O`, read: floats, flag: VECTOR_TARGETS, needed: true };
    return { labels, lossMask };
  }
  // A layer on its own has no ids: its output is taken as logits.
  const limit =
    config.outputWidth || config.outputVocabulary || (inputs.targetIds ?? inputs.ids)?.limit || config.d_model;
  /** @type {Input} */
  const labels = { to: 'targets', axes, read: ints, limit, allowed: Number(ignoreIndex) };
  return config.headPooler === 'none' ? { labels, lossMask } : { labels: { ...labels, axes: 'B' } };
}

/**
 * @param {Config} config
 * @param {'S' | 'T'} length S is the encoder's
 * @param {number} vocabulary 0: the input is vectors
 * @param {number} types
 * @returns {Record<string, Input>}
 */
function stack({ positions, maxLength }, length, vocabulary, types) {
  const name = length === 'S' ? 'encoder' : 'decoder';
  const axes = `B${length}`;
  const longest = positions === 'learned' ? Number(maxLength) : Infinity;
  const padding = length === 'S' ? ENCODER_PADDING : DECODER_PADDING;
  /** @type {Record<string, Input>} */
  const inputs =
    vocabulary > 0
      ? { ids: { to: `${name}.ids`, axes, read: ints, limit: vocabulary, longest } }
      : { vectors: { to: `${name}.vectors`, axes: `${axes}I`, read: floats, longest } };
  if (types > 0) {
    inputs.typeIds = {
      to: `${name}.types`,
      axes,
      read: ints,
      limit: types,
      table: 'table of token types',
      flag: TYPES,
      zeros: true,
    };
  }
  inputs.padding = { to: `${name}.padding`, axes, read: bytes, flag: padding, seen: vocabulary > 0 };
  inputs.mask = { to: 'mask', axes: length + length, read: readMask, flag: MASK };
  return inputs;
}

/**
 * @template {Record<string, import('../arrays/tensor.js').Reader<any>>} R
 * @param {Config} config
 * @param {R} others arguments that are no inputs
 * @param {{names?: Record<string, string>, labels?: Record<string, Input>}} [choices] names: what the caller calls
 *   the inputs; then there are no others
 * @returns {Plan<R>}
 */
export function planOf(config, others, { names, labels } = {}) {
  const { d_model: C, inputWidth, outputWidth } = config;
  const inputs = Object.entries({ ...inputsOf(config), ...labels })
    .filter(([name]) => !names || names[name])
    .map(([name, input]) => ({ ...input, name: names?.[name] ?? name }));
  /** @type {Record<string, import('../arrays/tensor.js').Reader<any>>} */
  const readers = {};
  for (const { name, read, flag, free, needed } of inputs) {
    readers[name] = (flag && !needed) || free ? maybe(read) : read;
  }
  return {
    inputs,
    readers: { ...readers, ...others, maxOperations: maybe(operationsReader()) },
    widths: { C, I: inputWidth || C, O: outputWidth || C },
  };
}

/**
 * Checks all arguments of a forward pass before any of them is written.
 * @template {Record<string, import('../arrays/tensor.js').Reader<any>>} R
 * @param {Plan<R>} plan
 * @param {unknown} options
 * @returns {{batch: Batch, given: {[K in keyof R]: ReturnType<R[K]>}}} given: all arguments
 */
export function readBatch({ inputs, readers, widths }, options) {
  /** @type {Record<string, any>} */
  const given = readOptions(options, readers);
  /** @type {Batch} */
  const batch = {
    sizes: { B: 0, S: 0, T: 0, K: 0, ...widths },
    flags: 0,
    subject: '',
    limit: given.maxOperations,
    writes: [],
  };
  const source = inputs.find(({ to }) => to === 'encoder.padding');
  for (const input of inputs) {
    const { to, axes, limit = Infinity, longest = Infinity, flag = 0, zeros, name } = input;
    let tensor = given[name] ?? (to === 'memory.padding' ? given[source?.name ?? ''] : undefined);
    if (zeros && !tensor) {
      batch.flags |= flag;
      batch.writes.push({ to, data: new Int32Array(batch.sizes.B * batch.sizes[axes[1]]) });
    }
    if (!tensor) continue;
    batch.flags |= flag;
    if (tensor === 'causal') continue; // until the lengths are known
    if (axes.includes('K')) batch.sizes.K ||= batch.sizes.S || batch.sizes.T;
    bind(batch.sizes, axes, tensor.shape, name);
    if (batch.sizes[axes[1]] > longest) {
      throw new GlassformerError('range', name, tensor.shape, `learned positions end at maxLength = ${longest}`);
    }
    if (limit < Infinity) expectIds(tensor, limit, name, input.allowed, input.table);
    if (input.seen) expectSeen(tensor, name);
    if (axes === 'B') tensor = given[name] = ofFirst(tensor.data, batch.sizes, given.padding?.data, input.allowed);
    batch.subject ||= name;
    batch.writes.push({ to, data: tensor.data });
  }
  addCausal(batch, inputs, given);
  return { batch, given: /** @type {any} */ (given) };
}

/**
 * Labels of rows, each at the first token of its row that is not hidden; the others do not count.
 * @param {ArrayLike<number>} labels @param {Record<string, number>} sizes @param {ArrayLike<number>} [padding]
 * @param {number} [ignored]
 */
function ofFirst(labels, { B, S }, padding, ignored = 0) {
  const data = new Int32Array(B * S).fill(ignored);
  for (let row = 0, at = 0; row < B; at = ++row * S) {
    while (padding?.[at]) at++;
    data[at] = labels[row];
  }
  return { data, shape: [B, S] };
}

/**
 * The mask that is given by its name, once the lengths are known.
 * @param {Batch} batch
 * @param {(Input & {name: string})[]} inputs
 * @param {Record<string, any>} given
 */
function addCausal({ sizes, writes }, inputs, given) {
  const input = inputs.find(({ to, name }) => to === 'mask' && given[name] === 'causal');
  if (!input) return;
  const [rows, columns] = [...input.axes].map((letter) => sizes[letter] || sizes.S || sizes.T);
  writes.push({
    to: 'mask',
    // Made when it is written: by then the module has the memory for as much.
    get data() {
      const mask = new Float32Array(rows * columns);
      for (let row = 0; row < rows; row++) mask.fill(-Infinity, row * columns + row + 1, (row + 1) * columns);
      return mask;
    },
  });
}

/**
 * Refuses padding that hides a whole row, as an attention_mask in its place may.
 * @param {{data: any, shape: number[]}} padding [B,S]
 * @param {string} name
 */
function expectSeen({ data, shape }, name) {
  const length = Number(shape.at(-1));
  for (let row = 0; row < data.length; row += length) {
    if (data.subarray(row, row + length).includes(0)) continue;
    const why = 'hides all tokens of its row: 1 hides a token, 0 shows it';
    throw new GlassformerError('range', `${name}[${row / length}]`, undefined, why);
  }
}

/** The word for each letter in messages. @type {Record<string, string>} */
const WORDS = { B: 'batch', S: 'length', T: 'length', K: 'keys' };

/**
 * Gives each letter its size, or holds it to the size it has.
 * @param {Record<string, number>} sizes
 * @param {string} axes
 * @param {number[]} shape
 * @param {string} name
 */
function bind(sizes, axes, shape, name) {
  const missing = axes.length - shape.length;
  let news = '';
  // One row may come without the batch axis.
  let fits = missing === 0 || (missing === 1 && axes[0] === 'B');
  for (let axis = 0; fits && axis < axes.length; axis++) {
    const size = axis < missing ? 1 : shape[axis - missing];
    const letter = axes[axis];
    if (!sizes[letter]) {
      news += letter;
      sizes[letter] = size;
    }
    fits = sizes[letter] === size;
  }
  if (!fits) {
    const known = { ...sizes };
    for (const letter of news) known[letter] = 0;
    const wanted = [...axes].map((letter) => known[letter] || WORDS[letter]).join(', ');
    const width = shape.at(-1);
    const setting = { I: 'inputWidth', O: 'outputWidth' }[axes[axes.length - 1]];
    const differs = setting && shape.length > 1 && known[axes[axes.length - 1]] !== width;
    const hint = differs ? `; a model with ${setting}: ${width} takes these` : flatHint(shape);
    throw new GlassformerError('shape', name, shape, `must have shape [${wanted}]${hint}`);
  }
}
