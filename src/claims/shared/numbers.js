// Small arithmetic on what the engine gives, and random inputs.
import { Random } from 'glassformer/tasks';

/** @typedef {{data: Float32Array, shape: readonly number[]}} Tensor */

/**
 * Normal random numbers.
 * @param {Random} random
 * @param {readonly number[]} shape
 * @param {number} [deviation]
 * @returns {Tensor}
 */
export function normal(random, shape, deviation = 1) {
  const size = shape.reduce((product, n) => product * n, 1);
  return { data: Float32Array.from({ length: size }, () => random.normal(0, deviation)), shape };
}

/**
 * @param {number} seed
 * @param {string} stream
 */
export const randomOf = (seed, stream) => new Random(seed, stream);

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {number} the largest absolute difference */
export function largestDifference(a, b) {
  let largest = a.length === b.length ? 0 : NaN;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
}

/** Not `Math.hypot`, whose last bits differ between browsers. @param {Float32Array | readonly number[]} vector */
export const lengthOf = (vector) => Math.sqrt(Array.from(vector).reduce((sum, one) => sum + one * one, 0));

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** @param {Iterable<number>} values */
export const largest = (values) => [...values].reduce((a, b) => Math.max(a, b), -Infinity);

/** @param {Iterable<number>} values */
export const smallest = (values) => [...values].reduce((a, b) => Math.min(a, b), Infinity);

/**
 * Numbers for a sentence: smallest to largest, three digits.
 * @param {number | readonly number[]} values
 */
export function say(values) {
  const list = [values].flat();
  const short = (/** @type {number} */ x) =>
    x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5) ? x.toExponential(1) : String(Number(x.toPrecision(3)));
  const [low, high] = [short(smallest(list)), short(largest(list))];
  return low === high ? low : `${low} to ${high}`;
}

/** The rows of a matrix. @param {Tensor} tensor @returns {number[][]} */
export function rowsOf({ data, shape: [count, width] }) {
  return Array.from({ length: count }, (_, r) => Array.from(data.subarray(r * width, (r + 1) * width)));
}

/** The series of the sine, which has the same bits in every browser: error 8e-7 for |x| up to π. @param {number} x */
export const sineOf = (x) => [15, 13, 11, 9, 7, 5, 3].reduce((sum, n) => 1 - (x * x * sum) / (n * (n - 1)), 1) * x;

/** The same of the cosine. @param {number} x */
export const cosineOf = (x) => sineOf(Math.PI / 2 - Math.abs(x));
