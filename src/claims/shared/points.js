// Points in the plane of two kinds, and an FFN alone that learns which kind a point is of.
import { randomOf } from './numbers.js';
import { train } from './train.js';

/** @typedef {import('glassformer/tasks').Random} Random */

/**
 * Ways to draw a point of a kind, 0 or 1. No sines: their last bits differ between browsers.
 * @satisfies {Record<string, {name: string, point: (random: Random, kind: number) => number[]}>}
 */
export const POINTS = {
  'XOR of two signs': {
    name: 'xor',
    point(/** @type {Random} */ random, /** @type {number} */ kind) {
      const sign = random.chance(0.5) ? 1 : -1;
      return [sign + random.normal(0, 0.25), (kind ? -sign : sign) + random.normal(0, 0.25)];
    },
  },
  'two moons': {
    name: 'moons',
    point(/** @type {Random} */ random, /** @type {number} */ kind) {
      const t = 2 * random.uniform() - 1;
      const [x, y] = [(2 * t) / (1 + t * t), (1 - t * t) / (1 + t * t)];
      const [a, b] = kind ? [1 - x, 0.5 - y] : [x, y];
      return [a - 0.5 + random.normal(0, 0.08), b - 0.25 + random.normal(0, 0.08)];
    },
  },
};

const TRAINED = 128;
const HELD_OUT = 256;

/**
 * Points to learn from and others, half of each kind.
 * @param {keyof typeof POINTS} task
 * @param {number} seed
 */
export function pointsOf(task, seed) {
  const { name, point } = POINTS[task];
  const random = randomOf(seed, `points, ${name}`);
  const [batch, heldOut] = [TRAINED, HELD_OUT].map((count) => {
    const kinds = Array.from({ length: count }, (_, i) => i % 2);
    const points = kinds.map((kind) => point(random, kind));
    return {
      vectors: { data: Float32Array.from(points.flat()), shape: [1, count, 2] },
      labels: { data: Int32Array.from(kinds), shape: [1, count] },
    };
  });
  return { batch, heldOut };
}

/**
 * Trains an FFN of two inputs, whose two outputs are logits; gives the share of held-out points that is right.
 * @param {import('./train.js').Model} model
 * @param {ReturnType<typeof pointsOf>} points
 * @param {{steps: number, learningRate?: number, frozen?: readonly string[]}} settings
 * @param {() => Promise<void>} step
 */
export async function learnPoints(model, { batch, heldOut }, { steps, learningRate = 3e-2, frozen = [] }, step) {
  const trainer = model.trainer({ optimizer: 'adam', schedule: 'linear', learningRate, steps, frozen });
  await train(trainer, () => batch, steps, step);
  const { data } = model.forward({ vectors: heldOut.vectors }).output;
  const kinds = heldOut.labels.data;
  const right = kinds.filter((kind, i) => data[2 * i + 1] > data[2 * i] === (kind === 1)).length / kinds.length;
  return { right, loss: trainer.loss(heldOut).loss };
}
