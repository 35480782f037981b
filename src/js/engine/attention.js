import { attentionCost, expectAffordable, operationsReader } from './cost.js';
import { GlassformerError } from '../errors.js';
import { call } from './ops.js';
import {
  bytes,
  expectRank,
  expectShape,
  flag,
  floats,
  integer,
  mask as readMask,
  maybe,
  number,
  optional,
  product,
  readOptions,
} from '../arrays/tensor.js';

/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * See Engine.attention.
 * @param {import('./start.js').Core} core
 * @param {unknown} options
 * @returns {{output: FloatTensor, weights: FloatTensor, scores: FloatTensor}}
 */
export function attention(core, options) {
  const {
    query,
    key,
    value,
    causal,
    scale,
    keyPadding,
    mask: given,
    sizes,
  } = readAttention(core, options, 1, {
    causal: optional(flag, false),
    keyPadding: maybe(bytes),
    mask: maybe(readMask),
  });
  const { B, H, T, S, D, E, outer, repeat } = sizes;
  const mask = given === 'causal' ? undefined : given;
  expectShape(mask, [T, S], 'mask');
  const hidden = keyPadding && { data: spread(keyPadding, B, S, repeat) };
  const shape = [...outer, T, S];
  const size = product(shape);
  const { outputs } = call(
    core,
    'gf_attention',
    [product(sizes.output), size, size],
    query,
    key,
    value,
    hidden,
    mask,
    scale,
    causal || given === 'causal',
    B,
    T,
    S,
    H,
    D,
    E,
  );
  return {
    output: { data: outputs[0], shape: sizes.output },
    weights: { data: outputs[2], shape },
    scores: { data: outputs[1], shape: [...shape] },
  };
}

/**
 * What attention takes in both directions.
 * @template {Record<string, import('../arrays/tensor.js').Reader<any>>} O
 * @param {import('./start.js').Core} core
 * @param {unknown} options
 * @param {number} passes the work, in passes forward
 * @param {O} others
 */
export function readAttention({ limit }, options, passes, others) {
  const { heads, scale, maxOperations, ...given } = readOptions(options, {
    query: floats,
    key: floats,
    value: floats,
    heads: maybe(integer(1, 2 ** 31 - 1)),
    scale: maybe(number(-Infinity, Infinity)),
    maxOperations: operationsReader(limit),
    ...others,
  });
  const { query, key, value } = given;
  expectRank(query, 2, 4, 'query');
  const sizes = split(query.shape, heads);
  const rank = query.shape.length;
  expectRank(key, rank, rank, 'key');
  const S = key.shape[rank - 2];
  expectShape(key, [...query.shape.slice(0, -2), S, query.shape[rank - 1]], 'key');
  const width = value.shape[rank - 1];
  expectShape(value, [...key.shape.slice(0, -1), width], 'value');
  const E = columnsOf(sizes.H, width, 'value');
  const output = [...query.shape.slice(0, -1), width];
  const cost = attentionCost(sizes.B * sizes.H * sizes.T, S, sizes.D + E);
  expectAffordable('query', passes * cost, maxOperations);
  return { ...given, scale: scale ?? 1 / Math.sqrt(sizes.D), sizes: { ...sizes, S, E, output } };
}

/**
 * How the core shall see a query. Heads that are split already lie like a batch of single heads,
 * so nothing is moved; each row of key padding then serves `repeat` of them.
 * @param {number[]} shape of the query
 * @param {number | undefined} heads
 * @returns {{B: number, H: number, T: number, D: number, outer: number[], repeat: number}} outer:
 *   axes of the scores before [T,S]
 */
function split(shape, heads) {
  const [T, width] = shape.slice(-2);
  if (shape.length === 4) {
    const [batch, repeat] = shape;
    if (heads !== undefined && heads !== repeat) {
      throw new GlassformerError('shape', 'heads', heads, `query has ${repeat} heads`);
    }
    return { B: batch * repeat, H: 1, T, D: width, outer: [batch, repeat], repeat };
  }
  const H = heads ?? 1;
  const outer = shape.slice(0, -2);
  return { B: product(outer), H, T, D: columnsOf(H, width, 'query'), outer: [...outer, H], repeat: 1 };
}

/**
 * @param {number} heads
 * @param {number} width
 * @param {string} name
 */
function columnsOf(heads, width, name) {
  if (width % heads === 0) return width / heads;
  throw new GlassformerError('range', 'heads', heads, `must divide the last axis of ${name}, ${width}`);
}

/**
 * Key padding with one row for each row of the core's batch.
 * @param {import('../arrays/tensor.js').Tensor<Uint8Array>} padding [batch,S], or [S] for all
 * @param {number} B
 * @param {number} S
 * @param {number} repeat
 * @returns {Uint8Array}
 */
function spread(padding, B, S, repeat) {
  const shared = padding.shape.length === 1;
  expectShape(padding, shared ? [S] : [B / repeat, S], 'keyPadding');
  const data = new Uint8Array(B * S);
  for (let b = 0; b < B; b++) {
    const row = shared ? 0 : Math.floor(b / repeat);
    data.set(padding.data.subarray(row * S, row * S + S), b * S);
  }
  return data;
}
