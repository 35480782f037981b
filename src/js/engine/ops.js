import { settingOf } from './config.js';
import { expectAffordable, operationsReader, productCost } from './cost.js';
import { GlassformerError, checked } from '../errors.js';
import {
  any,
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
  readArguments,
} from '../arrays/tensor.js';

// Operations on arrays; engine.js documents them. Each checks its arguments, then calls the core once.

/** @typedef {import('./start.js').Core} Core */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/**
 * @template T
 * @typedef {import('../arrays/tensor.js').Reader<T>} Reader
 */

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
    const pointers = sizes.map((size) => scratch.reserve('float32', size));
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

/**
 * An operation, which checks its arguments, then computes.
 * @template {Record<string, Reader<any>>} T
 * @template {Record<string, Reader<any>>} O
 * @template R
 * @param {T} tensors its arguments in their order
 * @param {(core: Core) => O} options
 * @param {(core: Core, given: {[K in keyof T]: ReturnType<T[K]>} & {[K in keyof O]: ReturnType<O[K]>}) => R} run
 * @returns {(core: Core, ...given: any[]) => R}
 */
export const operation =
  (tensors, options, run) =>
  (core, ...given) =>
    run(core, readArguments(given, tensors, options(core)));

/** Options of an operation that has none. */
export const none = () => ({});

export const matmul = operation(
  { a: floats, b: floats },
  ({ limit }) => ({
    transposeA: optional(flag, false),
    transposeB: optional(flag, false),
    maxOperations: operationsReader(limit),
  }),
  (core, { a, b, transposeA, transposeB, maxOperations }) => {
    expectRank(a, 2, Infinity, 'a');
    expectRank(b, 2, Infinity, 'b');
    // One matrix b serves all rows of a.
    const shared = b.shape.length === 2 && a.shape.length > 2;
    const outer = a.shape.slice(0, -2);
    const [M, K] = lastTwo(a, transposeA);
    const [, N] = lastTwo(b, transposeB);
    expectShape(b, [...(shared ? [] : outer), ...(transposeB ? [N, K] : [K, N])], 'b');
    const count = product(outer);
    expectAffordable('a', productCost(count * M, K, N), maxOperations);
    const left = shared && transposeA ? swapped(a) : a;
    const sizes = shared ? [1, count * M, K, N, false] : [count, M, K, N, transposeA];
    return compute(core, 'gf_matmul', [...outer, M, N], left, b, ...sizes, transposeB);
  },
);

/**
 * @param {FloatTensor} tensor
 * @param {boolean} transposed
 */
function lastTwo({ shape }, transposed) {
  const pair = shape.slice(-2);
  return transposed ? pair.reverse() : pair;
}

export const transpose = operation({ x: floats }, none, (_, { x }) => swapped(x));

/** @param {FloatTensor} x @returns {FloatTensor} with its last two axes exchanged */
function swapped(x) {
  expectRank(x, 2, Infinity, 'x');
  const [M, N] = x.shape.slice(-2);
  const at = (/** @type {number} */ i) => i - (i % (M * N)) + (i % M) * N + Math.floor((i % (M * N)) / M);
  return { data: x.data.map((_, i) => x.data[at(i)]), shape: [...x.shape.slice(0, -2), N, M] };
}

export const linear = operation(
  { x: floats, weight: floats, bias: maybe(floats) },
  ({ limit }) => ({ maxOperations: operationsReader(limit) }),
  (core, { x, weight, bias, maxOperations }) => {
    const { R, N, outer } = rows(x, 'x');
    expectRank(weight, 2, 2, 'weight');
    const [out] = weight.shape;
    expectShape(weight, [out, N], 'weight');
    expectShape(bias, [out], 'bias');
    expectAffordable('x', productCost(R, N, out), maxOperations);
    return compute(core, 'gf_linear', [...outer, out], out, x, weight, 0, bias, 0, false, R, N, out);
  },
);

/** A tensor, or one number for all. @type {Reader<FloatTensor>} */
const operand = (value, name) =>
  typeof value === 'number' ? { data: Float32Array.of(value), shape: [] } : floats(value, name);

/** @param {(a: number, b: number) => number} f of two numbers, rounded once */
const elementwise = (f) =>
  operation({ a: operand, b: operand }, none, (_, { a, b }) => {
    const rank = Math.max(a.shape.length, b.shape.length);
    const [as, bs] = [a, b].map(({ shape }) => [...Array(rank - shape.length).fill(1), ...shape]);
    if (!as.every((size, i) => size === bs[i] || size === 1 || bs[i] === 1)) {
      const why = `must have the axes of a, [${a.shape.join(', ')}], or 1 in their place, from the last one on`;
      throw new GlassformerError('shape', 'b', b.shape, why);
    }
    const shape = as.map((size, i) => Math.max(size, bs[i]));
    const [one, other] = [stretched(a.data, as, shape), stretched(b.data, bs, shape)];
    return { data: one.map((value, i) => f(value, other[i])), shape };
  });

/**
 * Numbers repeated along the axes of size 1.
 * @param {Float32Array} data @param {number[]} from @param {number[]} shape to be had
 */
function stretched(data, from, shape) {
  let own = data;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (from[axis] === shape[axis]) continue;
    const inner = product(shape.slice(axis + 1));
    const into = new Float32Array(own.length * shape[axis]);
    for (let at = 0; at < into.length; at += inner) {
      const first = Math.floor(at / (inner * shape[axis])) * inner;
      into.set(own.subarray(first, first + inner), at);
    }
    own = into;
  }
  return own;
}

export const add = elementwise((a, b) => a + b);
export const mul = elementwise((a, b) => a * b);

export const argmax = operation({ x: floats }, none, (_, { x }) => {
  const { R, N, outer } = rows(x, 'x');
  const best = (/** @type {number} */ row) => {
    let at = 0;
    for (let i = 1; i < N; i++) {
      const [value, most] = [x.data[row * N + i], x.data[row * N + at]];
      if (value > most || (Number.isNaN(value) && !Number.isNaN(most))) at = i;
    }
    return at;
  };
  return { data: Int32Array.from({ length: R }, (_, row) => best(row)), shape: outer };
});

/**
 * An operation on the rows of one tensor.
 * @param {string} name of the export
 * @param {boolean} [single] gives one number for each row
 */
const ofRows = (name, single) =>
  operation({ x: floats }, none, (core, { x }) => {
    const { R, N, outer } = rows(x, 'x');
    return compute(core, name, single ? outer : x.shape, x, R, N);
  });

export const softmax = ofRows('gf_softmax');
export const logSoftmax = ofRows('gf_log_softmax');
export const vectorNorm = ofRows('gf_row_norm', true);

/**
 * Two tensors, row by row: a single row stands beside each of the other's.
 * @param {Record<string, FloatTensor>} pair
 */
function pairsOf(pair) {
  const names = Object.keys(pair);
  const sizes = names.map((name) => rows(pair[name], name));
  const [more, less] = sizes[0].R < sizes[1].R ? [1, 0] : [0, 1];
  const { R, N, outer } = sizes[more];
  const given = Object.values(pair);
  if (sizes[less].R > 1 || sizes[less].N !== N || R === 1) expectShape(given[1], given[0].shape, names[1]);
  else {
    const data = new Float32Array(R * N);
    for (let at = 0; at < data.length; at += N) data.set(given[less].data, at);
    given[less] = { data, shape: given[more].shape };
  }
  return { R, N, outer, given };
}

/**
 * One number for each pair of rows.
 * @param {Core} core
 * @param {string} name of the export
 * @param {Record<string, FloatTensor>} pair
 */
function ofPairs(core, name, pair) {
  const { R, N, outer, given } = pairsOf(pair);
  return compute(core, name, outer, given[0], given[1], R, N);
}

export const klDivergence = operation({ p: floats, q: floats }, none, (core, { p, q }) =>
  ofPairs(core, 'gf_kl_divergence', { p, q }),
);

export const dot = operation({ a: floats, b: floats }, none, (core, { a, b }) => ofPairs(core, 'gf_row_dot', { a, b }));

export const cosine = operation({ a: floats, b: floats }, none, (_, pair) => {
  const { R, N, outer, given } = pairsOf(pair);
  const [a, b] = given;
  const data = new Float32Array(R);
  for (let row = 0; row < R; row++) {
    let ab = 0;
    let aa = 0;
    let bb = 0;
    for (let i = row * N; i < (row + 1) * N; i++) {
      ab += a.data[i] * b.data[i];
      aa += a.data[i] ** 2;
      bb += b.data[i] ** 2;
    }
    data[row] = aa * bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
  }
  return { data, shape: outer };
});

/** Options of LayerNorm in both directions. @param {Core} core */
export const normOptions = ({ settings }) => {
  const { low, high, fallback } = settingOf(settings, 'epsilon');
  return { weight: maybe(floats), epsilon: optional(number(low, high), fallback) };
};

/**
 * Calls an export that turns rows into rows, and into numbers of each row by name.
 * @param {Core} core
 * @param {string} name
 * @param {string[]} facts
 * @param {{x: FloatTensor, weight?: FloatTensor, bias?: FloatTensor, epsilon: number}} given
 */
function normed(core, name, facts, { x, epsilon, ...affine }) {
  const { R, N, outer } = rows(x, 'x');
  for (const [key, given] of Object.entries(affine)) expectShape(given, [N], key);
  const sizes = facts.map(() => R);
  const { outputs } = call(core, name, [R * N, ...sizes], x, ...Object.values(affine), epsilon, R, N);
  const [data, ...others] = outputs;
  const numbers = facts.map((fact, i) => [fact, { data: others[i], shape: [...outer] }]);
  return { output: { data, shape: x.shape }, ...Object.fromEntries(numbers) };
}

export const layerNorm = operation(
  { x: floats },
  (core) => ({ ...normOptions(core), bias: maybe(floats) }),
  (core, { x, weight, bias, epsilon }) =>
    normed(core, 'gf_layer_norm', ['mean', 'variance'], { x, weight, bias, epsilon }),
);

export const rmsNorm = operation({ x: floats }, normOptions, (core, given) =>
  normed(core, 'gf_rms_norm', ['meanSquare'], given),
);

/** @param {Core} core */
export const activationsOf = ({ settings }) => settingOf(settings, 'activation').choices;

/** @param {Core} core */
export const activeOption = (core) => {
  const { low, high } = settingOf(core.settings, 'active');
  return { active: optional(integer(low, high), 0) };
};

/**
 * The last arguments of an activation's export, and its name: of top-k another one.
 * @param {Core} core
 * @param {string} suffix '' or '_backward'
 * @param {FloatTensor} x
 * @param {unknown} activation
 * @param {number} active
 * @returns {{name: string, sizes: number[]}}
 */
export function activationCall(core, suffix, x, activation, active) {
  const kinds = activationsOf(core);
  const kind = choice(kinds)(activation, 'activation');
  if (kind === 'top-k' ? active === 0 : active > 0) {
    const why = kind === 'top-k' ? "must be 1 or more with 'top-k'" : "needs activation: 'top-k'";
    throw new GlassformerError('range', 'active', active, why);
  }
  if (kind !== 'top-k') return { name: `gf_activation${suffix}`, sizes: [x.data.length, kinds.indexOf(kind)] };
  const { R, N } = rows(x, 'x');
  return { name: `gf_top_k${suffix}`, sizes: [R, N, active] };
}

export const activation = operation({ x: floats, activation: any }, activeOption, (core, given) =>
  activated(core, given.x, given.activation, given.active),
);

/** @param {Core} core @param {FloatTensor} x @param {unknown} kind @param {number} [active] */
const activated = (core, x, kind, active = 0) => {
  const { name, sizes } = activationCall(core, '', x, kind, active);
  return compute(core, name, x.shape, x, ...sizes);
};

export const relu = operation({ x: floats }, none, (core, { x }) => activated(core, x, 'relu'));

export const gelu = operation(
  { x: floats },
  () => ({ approximate: optional(choice(/** @type {const} */ (['none', 'tanh'])), 'none') }),
  (core, { x, approximate }) => activated(core, x, approximate === 'tanh' ? 'gelu-tanh' : 'gelu'),
);

export const embedding = operation(
  { ids: ints, table: floats },
  () => ({ scale: optional(number(-Infinity, Infinity), 1) }),
  (core, { ids, table, scale }) => {
    expectRank(table, 2, 2, 'table');
    const [V, C] = table.shape;
    expectIds(ids, V, 'ids', undefined, 'table');
    return compute(core, 'gf_embedding', [...ids.shape, C], ids, table, scale, ids.data.length, V, C);
  },
);

/** In the order of gf_cross_entropy's argument. */
const REDUCTIONS = /** @type {const} */ (['mean', 'sum']);

/** Options of cross-entropy in both directions. */
export const lossOptions = () => ({
  reduction: optional(choice(REDUCTIONS), 'mean'),
  ignoreIndex: optional(integer(-(2 ** 31), 2 ** 31 - 1), -100),
  labelSmoothing: optional(number(0, 1), 0),
});

export const crossEntropy = operation({ logits: floats, labels: ints }, lossOptions, (core, { logits, ...given }) => {
  const { R, N, inputs } = lossInputs(logits, 'logits', given);
  const { outputs, answer } = call(core, 'gf_cross_entropy', [1, R * N], logits, ...inputs);
  return { loss: outputs[0][0], logProbabilities: { data: outputs[1], shape: logits.shape }, count: answer };
});

/**
 * The core's arguments after the rows of cross-entropy.
 * @param {FloatTensor} x
 * @param {string} name of the rows
 * @param {{labels: import('../arrays/tensor.js').Tensor<Int32Array>, reduction: 'mean' | 'sum', ignoreIndex: number,
 *   labelSmoothing: number}} given
 * @returns {{R: number, N: number, inputs: Parameters<typeof call>[3][]}}
 */
export function lossInputs(x, name, { labels, reduction, ignoreIndex, labelSmoothing }) {
  const { R, N, outer } = rows(x, name);
  const isBare = outer[0] === 1 && labels.shape.length === outer.length - 1; // a single sequence's
  expectShape(labels, isBare ? outer.slice(1) : outer, 'labels');
  expectIds(labels, N, 'labels', ignoreIndex, 'last axis of the logits');
  return { R, N, inputs: [labels, R, N, ignoreIndex, labelSmoothing, REDUCTIONS.indexOf(reduction)] };
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
