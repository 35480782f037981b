// The FFN of one input that is the best broken line along x² on [−1, 1], and the same trained.
// Chebyshev: between kinks h apart the chord lies h²/4 above x² at most, and h²/8 off when it is moved down by half.
import { makeSquare } from 'glassformer/tasks';
import { train, trained } from './train.js';

/**
 * Kinks at equal distances; neurons left of 0 face left, the others right. The piece in the middle is flat, so that the
 * jumps of the slope alone make the rest: only an even number of neurons can.
 * @param {number} neurons even
 * @param {number} lower by how much the line lies below the one through x² at its kinks
 */
export function brokenLine(neurons, lower) {
  const h = 2 / (neurons + 1);
  const kinks = Array.from({ length: neurons }, (_, i) => -1 + (i + 1) * h);
  const signs = kinks.map((kink) => Math.sign(kink));
  return {
    'linear1.weight': signs.map((sign) => [sign]),
    'linear1.bias': kinks.map((kink) => -Math.abs(kink)),
    'linear2.weight': [signs.map(() => 2 * h)],
    'linear2.bias': [h ** 2 / 4 - lower],
  };
}

export const STEPS = 1500;

/**
 * The same FFN trained on x² by Adam, as the task `square` has it; to be freed.
 * @param {import('glassformer').Engine} gf
 * @param {{neurons: number, activation: any, seed: number, rate?: number}} settings `rate`: a multiple of the task’s
 * @param {() => Promise<void>} step called before each
 */
export function learn(gf, { neurons, activation, seed, rate = 1 }, step) {
  const task = makeSquare({ hidden: neurons });
  const recipe = { ...task.trainer, learningRate: rate * Number(task.trainer.learningRate) };
  return trained(gf, { ...task.config, activation, seed }, async (model) => {
    model.loadWeights(task.initial(seed), { strict: false });
    let at = 0;
    await train(model.trainer(recipe), () => task.batch(at++, seed), STEPS, step);
  });
}

/** The model's output. @param {import('glassformer').Engine} gf @param {any} model @param {readonly number[]} x */
export const outputOf = (gf, model, x) => [
  ...model.forward({ vectors: gf.tensor([x.map((one) => [one])]) }).output.data,
];

/**
 * The output of an FFN of one input.
 * @param {import('glassformer').Engine} gf
 * @param {readonly number[]} x
 * @param {Record<string, import('glassformer').Floats>} weights
 * @param {import('glassformer').Activation} activation
 */
export const curve = (gf, x, weights, activation) =>
  gf.feedForward(
    x.map((one) => [one]),
    { weights, activation },
  ).output.data;

/** Second differences of values at equal distances. @param {ArrayLike<number>} y */
export const bends = (y) => Array.from({ length: y.length - 2 }, (_, i) => y[i] - 2 * y[i + 1] + y[i + 2]);
