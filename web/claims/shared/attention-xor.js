// XOR by one layer of attention alone: no feed-forward network, no residual connection.
import { train, withModel } from './train.js';

/** Steps of plain gradient descent; Adam leaves one seed in eight stuck. */
export const XOR_STEPS = 2000;

const POINTS = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
];

/**
 * The two bits are two tokens, one-hot; both places are to give their XOR. One head can take the larger of its two
 * values at best, error 1/6; two heads take the larger and the smaller, and their difference is XOR.
 * @param {import('./train.js').Engine} gf
 * @param {number} heads 1 or 2
 * @param {number} seed
 * @param {() => Promise<void>} step what a `stepper` gave, called XOR_STEPS times
 * @returns {Promise<number>} mean squared error
 */
export function attentionOnXor(gf, heads, seed, step) {
  const shape = [POINTS.length, 2, 2];
  const vectors = POINTS.flatMap((bits) => bits.flatMap((bit) => [1 - bit, bit]));
  const targets = POINTS.flatMap(([a, b]) => new Array(4).fill(a === b ? 0 : 1));
  const batch = { vectors: gf.tensor(vectors, shape), targets: gf.tensor(targets, shape) };
  return withModel(gf, { kind: 'attention', d_model: 2, heads, seed }, async (model) => {
    const trainer = model.trainer({ optimizer: 'sgd', learningRate: 0.3, loss: 'mse' });
    await train(trainer, () => batch, XOR_STEPS, step);
    return trainer.loss(batch).loss;
  });
}
