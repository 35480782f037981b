// Calculations for the judges and sentences of lessons.

/**
 * A number that a page needs has not arrived, or this model does not have it.
 */
export class Missing extends Error {}

/**
 * The result of a page's function; undefined while a number that it needs has not arrived.
 * @template T
 * @param {() => T} read
 */
export function tried(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Missing || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** @param {ArrayLike<number>} vector */
export const norm = (vector) => Math.hypot(...Array.from(vector));

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const distance = (a, b) => Math.hypot(...Array.from(a, (value, i) => value - b[i]));

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const dot = (a, b) => Array.from(a).reduce((so, value, i) => so + value * b[i], 0);

/** @param {ArrayLike<number>} values @param {number} [from] @param {number} [to] */
export const total = (values, from = 0, to = values.length) =>
  Array.from(values)
    .slice(from, to)
    .reduce((a, b) => a + b, 0);

/** Where the largest stands. @param {ArrayLike<number>} values */
export const largest = (values) =>
  Array.from(values).reduce((best, value, i, all) => (value > all[best] ? i : best), 0);

/** The number of keys in an even spread of the same entropy. @param {ArrayLike<number>} weights */
export const spread = (weights) =>
  Math.exp(-Array.from(weights).reduce((so, weight) => so + (weight ? weight * Math.log(weight) : 0), 0));
