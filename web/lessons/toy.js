// A model that shows superposition: five inputs go through two numbers and come back, x′ = ReLU(WᵀWx + b). The less
// often inputs occur, the more of them share the two numbers. Elhage et al. 2022, “Toy Models of Superposition”.

import { createToy as createAny, rebuild as rebuildAny } from '../../src/claims/shared/toy.js';

export const INPUTS = 5;
/** The probabilities of an input to occur. */
export const SHARES = [1, 1 / 2, 1 / 5, 1 / 10, 1 / 20];
export const STEPS = 3000;
/** Trainings of which the best one is shown. */
export const SEEDS = 4;

const BATCH = 64;
const RATE = 0.01; // of Adam, falling to 0
const IMPORTANCE = Array.from({ length: INPUTS }, (_, i) => 0.9 ** i);
const KEPT = 0.7; // length
const TESTED = 4000; // inputs

/** Random numbers in [0, 1): mulberry32. @param {number} seed */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SHAPE = { inputs: INPUTS, numbers: 2, importance: IMPORTANCE };

/**
 * `weights`: the arrow of each input, x and y side by side; then the biases.
 * @typedef {{weights: Float64Array, step: number, share: number, seed: number}} Toy
 */

/**
 * Writes what comes back of an input.
 * @param {Float64Array} weights @param {ArrayLike<number>} x @param {Float64Array} to
 */
export const rebuild = (weights, x, to) => rebuildAny(SHAPE, weights, x, to);

/**
 * Begins a training.
 * @param {number} share of the draws in which an input occurs @param {number} seed
 */
export function createToy(share, seed) {
  const random = randomOf(seed);
  const weights = Float64Array.from({ length: 3 * INPUTS }, (_, i) => (i < 2 * INPUTS ? 0.6 * (random() - 0.5) : 0));
  /** @type {Toy} */
  const toy = { weights, step: 0, share, seed };
  const made = createAny({ ...SHAPE, weights, rate: RATE, steps: STEPS, batch: BATCH }, (x) => {
    for (let i = 0; i < INPUTS; i++) x[i] = random() < share ? random() : 0;
  });
  return {
    toy,
    /** So many steps more, none beyond the last. @param {number} count */
    train(count) {
      made.train(count);
      toy.step = made.step;
      return toy;
    },
  };
}

/** The share of its inputs that a model rebuilds, by importance. @param {Toy} toy */
export function rebuiltShare({ weights, share }) {
  const random = randomOf(99);
  const [x, out] = [new Float64Array(INPUTS), new Float64Array(INPUTS)];
  let [missed, all] = [0, 0];
  for (let n = 0; n < TESTED; n++) {
    for (let i = 0; i < INPUTS; i++) x[i] = random() < share ? random() : 0;
    rebuild(weights, x, out);
    for (let i = 0; i < INPUTS; i++) {
      missed += IMPORTANCE[i] * (out[i] - x[i]) ** 2;
      all += IMPORTANCE[i] * x[i] ** 2;
    }
  }
  return 1 - missed / all;
}

/** The inputs that have an arrow of some length. @param {Pick<Toy, 'weights'>} toy */
export const keptOf = ({ weights }) =>
  Array.from({ length: INPUTS }, (_, i) => i).filter((i) => Math.hypot(weights[2 * i], weights[2 * i + 1]) > KEPT);

/** The one of two that rebuilds more, the first where they are even. @param {Toy | undefined} one @param {Toy} other */
export const better = (one, other) => (one && rebuiltShare(one) >= rebuiltShare(other) ? one : other);
