// What changes do to a model's answers: two tables of [T, V] compared row by row.

import { strongest } from '../shared/choose.js';

/**
 * @typedef {Float32Array} Floats
 * @typedef {{id: number, before: number, after: number}} Answer
 */

const TOP = 5;

/**
 * The likeliest answers of either, the likeliest now first.
 * @param {Floats} before probabilities, [T, V]
 * @param {Floats} after
 * @param {number} row
 * @param {number} width
 * @returns {Answer[]}
 */
export function likeliest(before, after, row, width) {
  const all = Array.from({ length: width }, (_, id) => ({
    id,
    before: before[row * width + id],
    after: after[row * width + id],
  }));
  /** @param {'before' | 'after'} when */
  const top = (when) => [...all].sort((a, b) => b[when] - a[when]).slice(0, TOP);
  return [...new Set([...top('after'), ...top('before')])].sort((a, b) => b.after - a.after);
}

/**
 * The rows whose first answer is another.
 * @param {Floats} before probabilities, [T, V]
 * @param {Floats} after
 * @param {number} width
 */
export function turned(before, after, width) {
  const rows = Array.from({ length: before.length / width }, (_, row) => ({
    row,
    from: first(before, row, width),
    to: first(after, row, width),
  }));
  return rows.filter(({ from, to }) => from.id !== to.id);
}

/** @param {Floats} data @param {number} row @param {number} width */
function first(data, row, width) {
  const own = data.subarray(row * width, (row + 1) * width);
  const id = strongest(own);
  return { id, probability: own[id] };
}
