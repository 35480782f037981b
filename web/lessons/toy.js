// A model that shows superposition: five inputs go through two numbers and come back, x′ = ReLU(WᵀWx + b). The less
// often inputs occur, the more of them share the two numbers. Elhage et al. 2022, “Toy Models of Superposition”.

export const INPUTS = 5;
/** The probabilities of an input to occur. */
export const SHARES = [1, 1 / 2, 1 / 5, 1 / 10, 1 / 20];
export const STEPS = 3000;
/** Trainings of which the best one is shown. */
export const SEEDS = 4;

const BATCH = 64;
const RATE = 0.01; // of Adam, falling to 0
const [FIRST, SECOND] = [0.9, 0.999]; // its decays
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

/**
 * `weights`: the arrow of each input, x and y side by side; then the biases.
 * @typedef {{weights: Float64Array, step: number, share: number, seed: number}} Toy
 */

/**
 * Writes what comes back of an input.
 * @param {Float64Array} weights @param {ArrayLike<number>} x @param {Float64Array} to
 */
export function rebuild(weights, x, to) {
  let [h0, h1] = [0, 0];
  for (let i = 0; i < INPUTS; i++) {
    h0 += weights[2 * i] * x[i];
    h1 += weights[2 * i + 1] * x[i];
  }
  for (let i = 0; i < INPUTS; i++)
    to[i] = Math.max(0, weights[2 * i] * h0 + weights[2 * i + 1] * h1 + weights[2 * INPUTS + i]);
  return [h0, h1];
}

/**
 * The loss of an input, and its slope added.
 * @param {Float64Array} weights @param {Float64Array} x @param {Float64Array} out @param {Float64Array} slope
 */
export function addSlope(weights, x, out, slope) {
  const [h0, h1] = rebuild(weights, x, out);
  let [loss, g0, g1] = [0, 0, 0];
  for (let i = 0; i < INPUTS; i++) {
    const error = out[i] - x[i];
    loss += IMPORTANCE[i] * error * error;
    const r = out[i] > 0 ? 2 * IMPORTANCE[i] * error : 0;
    slope[2 * i] += r * h0;
    slope[2 * i + 1] += r * h1;
    slope[2 * INPUTS + i] += r;
    g0 += r * weights[2 * i];
    g1 += r * weights[2 * i + 1];
  }
  for (let i = 0; i < INPUTS; i++) {
    slope[2 * i] += g0 * x[i];
    slope[2 * i + 1] += g1 * x[i];
  }
  return loss;
}

/**
 * Begins a training.
 * @param {number} share of the draws in which an input occurs @param {number} seed
 */
export function createToy(share, seed) {
  const random = randomOf(seed);
  const size = 3 * INPUTS;
  const weights = Float64Array.from({ length: size }, (_, i) => (i < 2 * INPUTS ? 0.6 * (random() - 0.5) : 0));
  const [m, v, slope, x, out] = [size, size, size, INPUTS, INPUTS].map((length) => new Float64Array(length));
  /** @type {Toy} */
  const toy = { weights, step: 0, share, seed };
  const draw = () => {
    for (let i = 0; i < INPUTS; i++) x[i] = random() < share ? random() : 0;
  };

  /** So many steps more, none beyond the last. @param {number} count */
  function train(count) {
    for (const end = Math.min(STEPS, toy.step + count); toy.step < end;) {
      const rate = RATE * (1 - toy.step / STEPS);
      toy.step++;
      slope.fill(0);
      for (let b = 0; b < BATCH; b++) {
        draw();
        addSlope(weights, x, out, slope);
      }
      for (let i = 0; i < size; i++) {
        const g = slope[i] / BATCH;
        m[i] = FIRST * m[i] + (1 - FIRST) * g;
        v[i] = SECOND * v[i] + (1 - SECOND) * g * g;
        const mean = m[i] / (1 - FIRST ** toy.step);
        weights[i] -= (rate * mean) / (Math.sqrt(v[i] / (1 - SECOND ** toy.step)) + 1e-8);
      }
    }
    return toy;
  }
  return { toy, train };
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
