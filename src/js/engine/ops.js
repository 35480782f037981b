import { settingOf } from './config.js';
import { expectAffordable, operationsReader, productCost } from './cost.js';
import { GlassformerError, checked } from '../errors.js';
import {
  choice,
  expectIds,
  expectRank,
  expectShape,
  flag,
  floats,
  integer,
  ints,
  maybe,
  number,
  optional,
  product,
  readOptions,
  refuseType,
} from '../arrays/tensor.js';

// Operations on arrays; engine.js documents them. Each checks its arguments, then calls the core once.

/** @typedef {import('./start.js').Core} Core */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * Calls an export, whose arguments are outputs, then inputs, then sizes.
 * @param {Core} core
 * @param {string} name
 * @param {number[]} sizes floats of each output
 * @param {({data: Float32Array | Int32Array | Uint8Array} | number | boolean | undefined)[]} inputs
 *   an absent tensor is the null pointer
 * @returns {{outputs: Float32Array[], answer: number}}
 */
export function call({ memory, functions }, name, sizes, ...inputs) {
  return memory.withScratch((scratch) => {
    const pointers = sizes.map((size) => scratch.room('float32', size));
    const values = inputs.map((input) => (typeof input === 'object' ? scratch.put(input.data) : Number(input ?? 0)));
    const answer = checked(functions[name](...pointers, ...values), name);
    return { outputs: pointers.map((pointer, i) => memory.copy('float32', pointer, sizes[i])), answer };
  });
}

/**
 * The same with one output.
 * @param {Core} core
 * @param {string} name
 * @param {number[]} shape of the output
 * @param {Parameters<typeof call>[3][]} inputs
 * @returns {FloatTensor}
 */
export function compute(core, name, shape, ...inputs) {
  const {
    outputs: [data],
  } = call(core, name, [product(shape)], ...inputs);
  return { data, shape };
}

/** In the order of gf_cross_entropy's argument. */
const REDUCTIONS = /** @type {const} */ (['mean', 'sum']);

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function matmul(core, options) {
  const { a, b, transposeA, transposeB, maxOperations } = readOptions(options, {
    a: floats,
    b: floats,
    transposeA: optional(flag, false),
    transposeB: optional(flag, false),
    maxOperations: operationsReader(core.limit),
  });
  expectRank(a, 2, Infinity, 'a');
  expectRank(b, 2, Infinity, 'b');
  const outer = a.shape.slice(0, -2);
  const [M, K] = lastTwo(a, transposeA);
  const [, N] = lastTwo(b, transposeB);
  expectShape(b, [...outer, ...(transposeB ? [N, K] : [K, N])], 'b');
  expectAffordable('a', productCost(product(outer) * M, K, N), maxOperations);
  return compute(core, 'gf_matmul', [...outer, M, N], a, b, product(outer), M, K, N, transposeA, transposeB);
}

/**
 * @param {FloatTensor} tensor
 * @param {boolean} transposed
 */
function lastTwo({ shape }, transposed) {
  const pair = shape.slice(-2);
  return transposed ? pair.reverse() : pair;
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function softmax(core, options) {
  const { x } = readOptions(options, { x: floats });
  const { R, N } = rows(x, 'x');
  return compute(core, 'gf_softmax', x.shape, x, R, N);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function logSoftmax(core, options) {
  const { x } = readOptions(options, { x: floats });
  const { R, N } = rows(x, 'x');
  return compute(core, 'gf_log_softmax', x.shape, x, R, N);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function klDivergence(core, options) {
  const { p, q } = readOptions(options, { p: floats, q: floats });
  return ofPairs(core, 'gf_kl_divergence', p, q, ['p', 'q']);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function dot(core, options) {
  const { a, b } = readOptions(options, { a: floats, b: floats });
  return ofPairs(core, 'gf_row_dot', a, b, ['a', 'b']);
}

/**
 * One number for each pair of rows.
 * @param {Core} core
 * @param {string} name of the export
 * @param {FloatTensor} one
 * @param {FloatTensor} other
 * @param {[string, string]} names of the arguments
 */
function ofPairs(core, name, one, other, names) {
  const { R, N, outer } = rows(one, names[0]);
  expectShape(other, one.shape, names[1]);
  return compute(core, name, outer, one, other, R, N);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function vectorNorm(core, options) {
  const { x } = readOptions(options, { x: floats });
  const { R, N, outer } = rows(x, 'x');
  return compute(core, 'gf_row_norm', outer, x, R, N);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {{output: FloatTensor, mean: FloatTensor, variance: FloatTensor}}
 */
export function layerNorm(core, options) {
  const { x, weight, bias, epsilon, R, N, outer } = readNorm(core, options, { bias: maybe(floats) });
  expectShape(bias, [N], 'bias');
  const { outputs } = call(core, 'gf_layer_norm', [R * N, R, R], x, weight, bias, epsilon, R, N);
  return {
    output: { data: outputs[0], shape: x.shape },
    mean: { data: outputs[1], shape: outer },
    variance: { data: outputs[2], shape: [...outer] },
  };
}

/**
 * What LayerNorm takes in both directions.
 * @template {Record<string, import('../arrays/tensor.js').Reader<any>>} S
 * @param {Core} core
 * @param {unknown} options
 * @param {S} others
 */
export function readNorm({ settings }, options, others) {
  const { low, high, fallback } = settingOf(settings, 'epsilon');
  const given = readOptions(options, {
    x: floats,
    weight: maybe(floats),
    epsilon: optional(number(low, high), fallback),
    ...others,
  });
  const sizes = rows(given.x, 'x');
  expectShape(given.weight, [sizes.N], 'weight');
  return { ...given, ...sizes };
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function activation(core, options) {
  const kinds = settingOf(core.settings, 'activation').choices;
  const { x, activation: kind } = readOptions(options, { x: floats, activation: choice(kinds) });
  return activated(core, x, kind);
}

/** @param {Core} core @param {FloatTensor} x @param {string} kind */
function activated(core, x, kind) {
  const { choices } = settingOf(core.settings, 'activation');
  return compute(core, 'gf_activation', x.shape, x, x.data.length, choices.indexOf(kind));
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function relu(core, options) {
  return activated(core, readOptions(options, { x: floats }).x, 'relu');
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function gelu(core, options) {
  const { x, approximate } = readOptions(options, {
    x: floats,
    approximate: optional(choice(/** @type {const} */ (['none', 'tanh'])), 'none'),
  });
  return activated(core, x, approximate === 'tanh' ? 'gelu-tanh' : 'gelu');
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function embedding(core, options) {
  const { ids, table, scale } = readOptions(options, {
    ids: ints,
    table: floats,
    scale: optional(number(-Infinity, Infinity), 1),
  });
  expectRank(table, 2, 2, 'table');
  const [V, C] = table.shape;
  expectIds(ids, V, 'ids', undefined, 'table');
  return compute(core, 'gf_embedding', [...ids.shape, C], ids, table, scale, ids.data.length, V, C);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function positionalEncoding(core, options) {
  const width = settingOf(core.settings, 'd_model');
  const last = settingOf(core.settings, 'maxLength').high;
  const given = readOptions(options, {
    d_model: integer(width.low, width.high),
    length: maybe(integer(1, last)),
    start: maybe(integer(0, last)),
    positions: maybe(ints),
  });
  const positions = listed(given);
  const at = positions.findIndex((position) => position < 0 || position > last);
  if (at >= 0) {
    const name = given.positions ? 'positions' : 'start';
    throw new GlassformerError('range', name, positions[at], `position ${at} must be from 0 to ${last}`);
  }
  const shape = [positions.length, given.d_model];
  return compute(core, 'gf_positions', shape, { data: positions }, ...shape);
}

/**
 * @param {{positions?: import('../arrays/tensor.js').Tensor<Int32Array>, length?: number, start?: number}} given
 */
function listed({ positions, length, start }) {
  if (!positions) {
    if (length === undefined) refuseType('length', length, 'a number of positions, or `positions`');
    return Int32Array.from({ length }, (_, i) => (start ?? 0) + i);
  }
  expectRank(positions, 1, 1, 'positions');
  const extra = length ?? start;
  if (extra !== undefined) {
    throw new GlassformerError(
      'unknown',
      length === undefined ? 'start' : 'length',
      extra,
      'does not go with positions',
    );
  }
  return positions.data;
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {{loss: number, logProbabilities: FloatTensor, count: number}}
 */
export function crossEntropy(core, options) {
  const { x: logits, R, N, sizes } = readLoss(options, 'logits');
  const { outputs, answer } = call(core, 'gf_cross_entropy', [1, R * N], logits, ...sizes);
  return { loss: outputs[0][0], logProbabilities: { data: outputs[1], shape: logits.shape }, count: answer };
}

/**
 * What cross-entropy takes in both directions.
 * @param {unknown} options
 * @param {string} name of the rows
 * @returns {{x: FloatTensor, R: number, N: number, sizes: Parameters<typeof call>[3][]}} sizes: what
 *   the core takes after the rows
 */
export function readLoss(options, name) {
  /** @type {Record<string, import('../arrays/tensor.js').Reader<any>>} */
  const readers = {
    [name]: floats,
    targets: ints,
    reduction: optional(choice(REDUCTIONS), 'mean'),
    ignoreIndex: optional(integer(-(2 ** 31), 2 ** 31 - 1), -100),
    labelSmoothing: optional(number(0, 1), 0),
  };
  const { [name]: x, targets, reduction, ignoreIndex, labelSmoothing } = readOptions(options, readers);
  const { R, N, outer } = rows(x, name);
  expectShape(targets, outer, 'targets');
  expectIds(targets, N, 'targets', ignoreIndex, 'last axis of the logits');
  return { x, R, N, sizes: [targets, R, N, ignoreIndex, labelSmoothing, REDUCTIONS.indexOf(reduction)] };
}

/**
 * A tensor as R rows of its last axis.
 * @param {FloatTensor} tensor
 * @param {string} name
 * @returns {{R: number, N: number, outer: number[]}}
 */
export function rows(tensor, name) {
  expectRank(tensor, 1, Infinity, name);
  const outer = tensor.shape.slice(0, -1);
  return { R: product(outer), N: tensor.shape[outer.length], outer };
}
