// A vector for each row. Fetched when it is first used.
import { GlassformerError } from '../errors.js';
import { handleOf } from './model.js';
import { namedInput } from './named.js';
import { any, bytes, choice, flag, integer, maybe, optional, readOptions, signalReader } from '../arrays/tensor.js';
import { operationsReader } from './cost.js';

/**
 * @typedef {object} EmbedOptions
 * @property {'mean' | 'first' | 'last'} [pooling] of the vectors of a row's tokens, but hidden ones: their mean (the
 *   default), the first (of a BERT: [CLS]) or the last
 * @property {boolean} [normalize] true: each vector gets length 1, so that a dot product is a cosine
 * @property {boolean} [truncation] default true: texts are cut at the model's limit, or at `maxLength`
 * @property {number} [maxLength] tokens of a text, at most
 * @property {number} [maxOperations] multiply-adds that this call may take; default: the engine's, see `load`
 * @property {import('./generate.js').Signal} [signal] an AbortSignal: aborted before, the call rejects with its reason
 */

const READERS = {
  pooling: optional(choice(['mean', 'first', 'last']), 'mean'),
  normalize: optional(flag, false),
  maxOperations: maybe(operationsReader()),
  signal: maybe(signalReader),
  ids: any,
  typeIds: any,
  padding: maybe(bytes),
  truncation: optional(flag, true),
  maxLength: maybe(integer(1, 2 ** 20)),
};

/**
 * One vector for each row of tokens: see Model.embed.
 * @param {import('./model.js').Model} model
 * @param {import('./model.js').Input} rows
 * @param {EmbedOptions} [options]
 * @returns {import('../arrays/tensor.js').Tensor} [B,C]
 * @throws {GlassformerError} as Model.embed
 * @example
 * import { embed, load } from 'glassformer/core';
 * const gf = await load({ wasm: new URL(import.meta.resolve('glassformer/simd.wasm')) });
 * const model = gf.createModel({ kind: 'encoder', vocabulary: 9, d_model: 8, heads: 2 });
 * embed(model, [[1, 2, 3], [4, 5, 6]], { pooling: 'first' }).shape; // → [2, 8]
 */
export function embed(model, rows, options) {
  const { kind } = model.config;
  if (kind !== 'encoder' && kind !== 'decoder') {
    throw new GlassformerError('config', 'kind', kind, 'embed needs an encoder or a decoder');
  }
  const named = namedInput(handleOf(model), rows, options, true);
  const { ids, typeIds, padding, maxOperations, ...how } = readOptions(named, READERS);
  how.signal?.throwIfAborted();
  const { data, shape } = model.forward({ ids, typeIds, padding, maxOperations }).output;
  const [B, S, C] = shape;
  const pooled = new Float32Array(B * C);
  for (let row = 0; row < B; row++) {
    const seen = Array.from({ length: S }, (_, at) => at).filter((at) => !padding?.data[row * S + at]);
    const chosen = how.pooling === 'mean' ? seen : [seen[how.pooling === 'first' ? 0 : seen.length - 1]];
    const vector = Array.from({ length: C }, (_, c) => {
      return chosen.reduce((sum, at) => sum + data[(row * S + at) * C + c], 0) / chosen.length;
    });
    const length = how.normalize ? Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0)) : 1;
    pooled.set(
      vector.map((each) => each / (length || 1)),
      row * C,
    );
  }
  return { data: pooled, shape: [B, C] };
}
