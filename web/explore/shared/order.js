// Orders of the columns of a matrix, and the matrix in such an order. Each is made once for the
// same input, so that views can tell that nothing has changed.

export { largest } from '../../../src/js/arrays/arrays.js';

/** @typedef {Int32Array} Order by place: the column that stands there */

/** @type {WeakMap<object, Map<string, any>>} */
const made = new WeakMap();

/**
 * Makes a value of a source once for each key.
 * @template T
 * @param {object} source
 * @param {string} key
 * @param {() => T} make
 * @returns {T}
 */
export function once(source, key, make) {
  const known = made.get(source) ?? new Map();
  made.set(source, known);
  if (!known.has(key)) known.set(key, make());
  return known.get(key);
}

/**
 * Columns by their value in a row, the largest first; equal ones as they stood.
 * @param {Float32Array} data
 * @param {number} columns
 * @param {number} [row]
 * @returns {Order}
 */
export const descending = (data, columns, row = 0) =>
  once(data, `descending ${row}`, () => {
    const values = data.subarray(row * columns, (row + 1) * columns);
    return Int32Array.from([...values.keys()].sort((a, b) => values[b] - values[a] || a - b));
  });

/** Likewise by size, whatever the sign. @type {typeof descending} */
export const bySize = (data, columns, row = 0) =>
  once(data, `by size ${row}`, () => {
    const values = data.subarray(row * columns, (row + 1) * columns);
    return Int32Array.from([...values.keys()].sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b));
  });

/**
 * The matrix with its columns in an order. Only the last order of each matrix is kept.
 * @param {Float32Array} data
 * @param {number} columns
 * @param {Order} order
 */
export function arrange(data, columns, order) {
  const last = once(data, 'arranged', () => ({ order: /** @type {Order | null} */ (null), data }));
  if (last.order !== order) {
    last.order = order;
    last.data = data.map((_, i) => data[i - (i % columns) + order[i % columns]]);
  }
  return last.data;
}

/**
 * A walk through all of `size` things that goes on from each to the one most like it of those that
 * are left, beginning at the first.
 * @param {Float32Array} similarity [size, size]
 * @param {number} size at least 1
 */
export function chain(similarity, size) {
  const left = new Set(Array.from({ length: size }, (_, i) => i));
  const walk = [0];
  left.delete(0);
  while (left.size) {
    const here = walk[walk.length - 1] * size;
    let next = -1;
    for (const i of left) if (next < 0 || similarity[here + i] > similarity[here + next]) next = i;
    walk.push(next);
    left.delete(next);
  }
  return walk;
}
