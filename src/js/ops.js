import { settingOf } from './config.js';
import { GlassformerError, checked } from './errors.js';
import {
  choice, expectIds, expectRank, expectShape, flag, floats, integer, ints, maybe, number, optional, product,
  readOptions, refuseType,
} from './tensor.js';

// Operations on arrays; engine.js is their manual. Each checks its arguments, then crosses into the
// core once.

/** @typedef {import('./load.js').Core} Core */
/** @typedef {import('./tensor.js').Tensor} FloatTensor */

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
    const values = inputs.map((input) => (
      typeof input === 'object' ? scratch.put(input.data) : Number(input ?? 0)));
    const answer = checked(functions[name](...pointers, ...values), name);
    return { outputs: pointers.map((pointer, i) => memory.copy('float32', pointer, sizes[i])), answer };
  });
}

/** In the order of gf_cross_entropy's argument. */
const REDUCTIONS = /** @type {const} */ (['mean', 'sum']);

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function matmul(core, options) {
  const { a, b, transposeA, transposeB } = readOptions(options, {
    a: floats, b: floats, transposeA: optional(flag, false), transposeB: optional(flag, false),
  });
  expectRank(a, 2, Infinity, 'a');
  expectRank(b, 2, Infinity, 'b');
  const outer = a.shape.slice(0, -2);
  const [M, K] = lastTwo(a, transposeA);
  const [, N] = lastTwo(b, transposeB);
  expectShape(b, [...outer, ...(transposeB ? [N, K] : [K, N])], 'b');
  const shape = [...outer, M, N];
  const { outputs: [data] } = call(core, 'gf_matmul', [product(shape)], a, b, product(outer), M, K, N,
    transposeA, transposeB);
  return { data, shape };
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
  const { outputs: [data] } = call(core, 'gf_softmax', [R * N], x, R, N);
  return { data, shape: x.shape };
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {{output: FloatTensor, mean: FloatTensor, variance: FloatTensor}}
 */
export function layerNorm(core, options) {
  const { low, high, fallback } = settingOf(core.settings, 'epsilon');
  const { x, weight, bias, epsilon } = readOptions(options, {
    x: floats,
    weight: maybe(floats),
    bias: maybe(floats),
    epsilon: optional(number(low, high), fallback),
  });
  const { R, N, outer } = rows(x, 'x');
  expectShape(weight, [N], 'weight');
  expectShape(bias, [N], 'bias');
  const { outputs } = call(core, 'gf_layer_norm', [R * N, R, R], x, weight, bias, epsilon, R, N);
  return {
    output: { data: outputs[0], shape: x.shape },
    mean: { data: outputs[1], shape: outer },
    variance: { data: outputs[2], shape: [...outer] },
  };
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function activation(core, options) {
  const kinds = settingOf(core.settings, 'activation').choices;
  const { x, activation: kind } = readOptions(options, { x: floats, activation: choice(kinds) });
  const n = x.data.length;
  const { outputs: [data] } = call(core, 'gf_activation', [n], x, n, kinds.indexOf(kind));
  return { data, shape: x.shape };
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function embedding(core, options) {
  const { ids, table, scale } = readOptions(options, {
    ids: ints, table: floats, scale: optional(number(-Infinity, Infinity), 1),
  });
  expectRank(table, 2, 2, 'table');
  const [V, C] = table.shape;
  expectIds(ids.data, V, 'ids');
  const n = ids.data.length;
  const { outputs: [data] } = call(core, 'gf_embedding', [n * C], ids, table, scale, n, V, C);
  return { data, shape: [...ids.shape, C] };
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
  const positions = given.positions ? listed(given.positions, given) : counted(given);
  const at = positions.findIndex((position) => position < 0 || position > last);
  if (at >= 0) {
    const name = given.positions ? 'positions' : 'start';
    throw new GlassformerError('range', name, positions[at], `position ${at} must be from 0 to ${last}`);
  }
  const [n, C] = [positions.length, given.d_model];
  const { outputs: [data] } = call(core, 'gf_positions', [n * C], { data: positions }, n, C);
  return { data, shape: [n, C] };
}

/**
 * @param {import('./tensor.js').Tensor<Int32Array>} positions
 * @param {{length?: number, start?: number}} range
 */
function listed(positions, range) {
  expectRank(positions, 1, 1, 'positions');
  for (const name of /** @type {const} */ (['length', 'start'])) {
    if (range[name] !== undefined) {
      throw new GlassformerError('unknown', name, range[name], 'does not go with positions');
    }
  }
  return positions.data;
}

/** @param {{length?: number, start?: number}} range */
function counted({ length, start = 0 }) {
  if (length === undefined) refuseType('length', length, 'a number of positions, or `positions`');
  return Int32Array.from({ length }, (_, i) => start + i);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {{loss: number, logProbabilities: FloatTensor, count: number}}
 */
export function crossEntropy(core, options) {
  const { logits, targets, reduction, ignoreIndex, labelSmoothing } = readOptions(options, {
    logits: floats,
    targets: ints,
    reduction: optional(choice(REDUCTIONS), 'mean'),
    ignoreIndex: optional(integer(-(2 ** 31), 2 ** 31 - 1), -100),
    labelSmoothing: optional(number(0, 1), 0),
  });
  const { R, N, outer } = rows(logits, 'logits');
  expectShape(targets, outer, 'targets');
  expectIds(targets.data, N, 'targets', ignoreIndex);
  const { outputs, answer } = call(core, 'gf_cross_entropy', [1, R * N], logits, targets, R, N,
    ignoreIndex, labelSmoothing, REDUCTIONS.indexOf(reduction));
  return {
    loss: outputs[0][0],
    logProbabilities: { data: outputs[1], shape: logits.shape },
    count: answer,
  };
}

/**
 * A tensor as R rows of its last axis.
 * @param {FloatTensor} tensor
 * @param {string} name
 * @returns {{R: number, N: number, outer: number[]}}
 */
function rows(tensor, name) {
  expectRank(tensor, 1, Infinity, name);
  const outer = tensor.shape.slice(0, -1);
  return { R: product(outer), N: tensor.shape[outer.length], outer };
}
