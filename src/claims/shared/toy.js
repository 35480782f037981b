// The toy model of superposition: n inputs go through m < n numbers and come back, x′ = ReLU(WᵀWx + b). Elhage et al.
// 2022, “Toy Models of Superposition”. In plain double precision, as it takes a tenth of a second.

const [FIRST, SECOND] = [0.9, 0.999]; // decays of Adam

/**
 * `weights` [inputs, numbers], row-major, then the bias of each input; `isLinear`: without ReLU; `importance` of each
 * input in the loss.
 * @typedef {{inputs: number, numbers: number, isLinear?: boolean, importance?: readonly number[]}} Shape
 */

/**
 * Writes into `to` what comes back of an input.
 * @param {Shape} shape @param {Float64Array} weights @param {ArrayLike<number>} x @param {Float64Array} to [inputs]
 * @returns {Float64Array} the numbers in between
 */
export function rebuild({ inputs, numbers, isLinear }, weights, x, to) {
  const between = new Float64Array(numbers);
  for (let i = 0; i < inputs; i++) for (let k = 0; k < numbers; k++) between[k] += weights[numbers * i + k] * x[i];
  for (let i = 0; i < inputs; i++) {
    let sum = 0;
    for (let k = 0; k < numbers; k++) sum += weights[numbers * i + k] * between[k];
    sum += weights[numbers * inputs + i];
    to[i] = isLinear ? sum : Math.max(0, sum);
  }
  return between;
}

/**
 * The loss of an input, the squared errors by importance, and its slope added.
 * @param {Shape} shape @param {Float64Array} weights @param {Float64Array} x @param {Float64Array} out of `rebuild`
 * @param {Float64Array} slope as long as the weights
 */
export function addSlope(shape, weights, x, out, slope) {
  const { inputs, numbers, isLinear, importance } = shape;
  const between = rebuild(shape, weights, x, out);
  const back = new Float64Array(numbers);
  let loss = 0;
  for (let i = 0; i < inputs; i++) {
    const counts = importance?.[i] ?? 1;
    const error = out[i] - x[i];
    loss += counts * error * error;
    const r = isLinear || out[i] > 0 ? 2 * counts * error : 0;
    for (let k = 0; k < numbers; k++) {
      slope[numbers * i + k] += r * between[k];
      back[k] += r * weights[numbers * i + k];
    }
    slope[numbers * inputs + i] += r;
  }
  for (let i = 0; i < inputs; i++) for (let k = 0; k < numbers; k++) slope[numbers * i + k] += back[k] * x[i];
  return loss;
}

/**
 * Trains it by Adam, at a rate that falls to 0.
 * @param {Shape & {weights: Float64Array, rate: number, steps: number, batch: number}} of
 * @param {(x: Float64Array) => void} draw writes an input
 */
export function createToy({ weights, rate, steps, batch, ...shape }, draw) {
  const size = weights.length;
  const [m, v, slope] = [size, size, size].map((length) => new Float64Array(length));
  const [x, out] = [new Float64Array(shape.inputs), new Float64Array(shape.inputs)];
  let step = 0;
  let [first, second] = [1, 1]; // FIRST ** step, which engines round each in its own way
  return {
    get step() {
      return step;
    },

    /** So many steps more, none beyond the last. @param {number} count */
    train(count) {
      for (const end = Math.min(steps, step + count); step < end;) {
        const now = rate * (1 - step / steps);
        step++;
        first *= FIRST;
        second *= SECOND;
        slope.fill(0);
        for (let b = 0; b < batch; b++) {
          draw(x);
          addSlope(shape, weights, x, out, slope);
        }
        for (let i = 0; i < size; i++) {
          const g = slope[i] / batch;
          m[i] = FIRST * m[i] + (1 - FIRST) * g;
          v[i] = SECOND * v[i] + (1 - SECOND) * g * g;
          const mean = m[i] / (1 - first);
          weights[i] -= (now * mean) / (Math.sqrt(v[i] / (1 - second)) + 1e-8);
        }
      }
    },
  };
}
