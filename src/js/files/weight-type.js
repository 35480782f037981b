// In which numbers a model keeps the weights of a file.
import { choice, maybe, product } from '../arrays/tensor.js';

/** @typedef {import('../engine/config.js').Config['weights']} WeightType */

/**
 * @typedef {object} WeightOptions
 * @property {WeightType} [weights] 'f32', 'bf16', 'f16' or 'int8': how matrices and embeddings are kept, rounded where
 *   the file has more digits; int8 also rounds the vectors that matrices multiply, each 32 numbers to 1/32767 of their
 *   largest. Default: as in the file, where they are all BF16 or all F16 and at least 16 million numbers; else f32, in
 *   which alone a model can be trained and viewed
 */

/** Numbers from which on half the memory counts for more than views and training. */
const LARGE = 2 ** 24;

/** @type {Record<string, WeightType>} */
const KEPT = { BF16: 'bf16', F16: 'f16' };

/** @type {import('../arrays/tensor.js').Reader<WeightType | undefined>} */
export const weightsReader = maybe(choice(/** @type {const} */ (['f32', 'bf16', 'f16', 'int8'])));

/**
 * @param {WeightType | undefined} wanted
 * @param {Partial<import('../engine/config.js').Config>} config
 * @param {Iterable<{dtype: string, shape: number[]}>} tensors that the model is made of
 * @returns {WeightType}
 */
export function weightType(wanted, { weights, d_model = 1 }, tensors) {
  const matrices = [...tensors].filter(({ shape }) => shape.length === 2);
  const [dtype, ...others] = new Set(matrices.map((matrix) => matrix.dtype));
  const isLarge = matrices.reduce((sum, { shape }) => sum + product(shape), 0) >= LARGE;
  const own = isLarge && !others.length && d_model % 16 === 0 ? KEPT[dtype] : undefined;
  return wanted ?? weights ?? own ?? 'f32';
}
