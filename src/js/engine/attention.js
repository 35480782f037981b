import { attentionCost, expectAffordable, operationsReader } from './cost.js';
import { GlassformerError } from '../errors.js';
import { call, operation } from './ops.js';
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
} from '../arrays/tensor.js';

/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

const TENSORS = { query: floats, key: floats, value: floats };

/** @param {import('./start.js').Core} core */
const settings = ({ limit }) => ({
  heads: maybe(integer(1, 2 ** 31 - 1)),
  scale: maybe(number(-Infinity, Infinity)),
  maxOperations: operationsReader(limit),
});

/** See Engine.attention. */
export const attention = operation(
  TENSORS,
  (core) => ({ ...settings(core), causal: optional(flag, false), keyPadding: maybe(bytes), mask: maybe(readMask) }),
  (core, { keyPadding, mask: given, causal, ...others }) => {
    const { inputs, sizes, shape, output, repeat } = measured(others, 1);
    const [B, T, S] = sizes;
    const mask = given === 'causal' ? undefined : given;
    expectShape(mask, [T, S], 'mask');
    const hidden = keyPadding && { data: spread(keyPadding, B, S, repeat) };
    const size = product(shape);
    const { outputs } = call(
      core,
      'gf_attention',
      [product(output), size, size],
      ...inputs,
      hidden,
      mask,
      others.scale ?? 1 / Math.sqrt(sizes[4]),
      causal || given === 'causal',
      ...sizes,
    );
    return {
      output: { data: outputs[0], shape: output },
      weights: { data: outputs[2], shape },
      scores: { data: outputs[1], shape: [...shape] },
    };
  },
);

/** See Engine.attentionBackward. */
export const attentionBackward = operation(
  { ...TENSORS, gradient: floats },
  (core) => ({ weights: floats, ...settings(core) }),
  (core, { weights, gradient, ...others }) => {
    const { inputs, sizes, shape, output } = measured(others, 2);
    expectShape(weights, shape, 'weights');
    expectShape(gradient, output, 'gradient');
    const { outputs } = call(
      core,
      'gf_attention_backward',
      [...inputs.map(({ data }) => data.length), sizes[1] * sizes[2]],
      gradient,
      ...inputs,
      weights,
      others.scale ?? 1 / Math.sqrt(sizes[4]),
      ...sizes,
    );
    const [query, key, value] = inputs.map((input, i) => ({ data: outputs[i], shape: input.shape }));
    return { query, key, value };
  },
);

/**
 * The shapes of attention in both directions.
 * @param {{query: FloatTensor, key: FloatTensor, value: FloatTensor, heads?: number, maxOperations: number}} given
 * @param {number} passes the work, in passes forward
 * @returns {{inputs: FloatTensor[], sizes: number[], shape: number[], output: number[], repeat: number}} sizes: B, T,
 *   S, H, D, E; shape: of the scores
 */
function measured({ query, key, value, heads, maxOperations }, passes) {
  expectRank(query, 2, 4, 'query');
  const { B, H, T, D, outer, repeat } = split(query.shape, heads);
  const rank = query.shape.length;
  expectRank(key, rank, rank, 'key');
  const S = key.shape[rank - 2];
  expectShape(key, [...query.shape.slice(0, -2), S, query.shape[rank - 1]], 'key');
  const width = value.shape[rank - 1];
  expectShape(value, [...key.shape.slice(0, -1), width], 'value');
  const E = columnsOf(H, width, 'value');
  expectAffordable('query', passes * attentionCost(B * H * T, S, D + E), maxOperations);
  const output = [...query.shape.slice(0, -1), width];
  return { inputs: [query, key, value], sizes: [B, T, S, H, D, E], shape: [...outer, T, S], output, repeat };
}

/**
 * The shape in which the core reads a query. Heads that are already split lie like a batch of single heads,
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
export function columnsOf(heads, width, name) {
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
