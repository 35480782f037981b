// Several queries selected at once.

/**
 * Ways to choose a token: alone; as one more or less; with all from the cursor to it; by a step of the cursor that
 * takes it along, or back; by a drag from a row, which is given, to it.
 * @typedef {'one' | 'toggle' | 'range' | 'step' | number} How
 */

/**
 * The rows that are selected after a row has been chosen.
 * @param {Pick<import('../../app/schema.js').State, 'brush' | 'cursor'>} state
 * @param {number} row
 * @param {How} how
 * @returns {number[]} in order
 */
export function brushed({ brush, cursor }, row, how) {
  const rows = new Set(how === 'one' || typeof how === 'number' ? [] : brush);
  /** @param {number} from */
  const addAll = (from) => {
    for (let at = Math.min(row, from); at <= Math.max(row, from); at++) rows.add(at);
  };
  if (typeof how === 'number') addAll(how);
  else if (how === 'range') addAll(cursor.row);
  else if (how === 'toggle') {
    if (!rows.delete(row)) rows.add(row);
  } else if (how === 'step') {
    if (row !== cursor.row && rows.has(row)) rows.delete(cursor.row);
    else rows.add(cursor.row).add(row);
  }
  return [...rows].sort((a, b) => a - b);
}

/**
 * The mean weight that the selected queries give each key.
 * @param {Float32Array} data [queries, keys]
 * @param {number} keys
 * @param {readonly number[]} rows
 */
export const meanOver = (data, keys, rows) =>
  Array.from({ length: keys }, (_, key) => rows.reduce((so, row) => so + data[row * keys + key], 0) / rows.length);
