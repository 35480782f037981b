// Several queries chosen at once, whose weights are summed.

/**
 * How a token is chosen: alone; as one more or less; with all from the cursor to it; or by a step of
 * the cursor that takes it along, or back.
 * @typedef {'one' | 'toggle' | 'range' | 'step'} How
 */

/**
 * The rows of the brush after a row has been chosen.
 * @param {Pick<import('../../app/schema.js').State, 'brush' | 'several' | 'cursor'>} state
 * @param {number} row
 * @param {How} how
 * @returns {number[]} in order
 */
export function brushed({ brush, several, cursor }, row, how) {
  const rows = new Set(brush);
  if (how === 'toggle' || (how === 'one' && several)) {
    if (!rows.delete(row)) rows.add(row);
  } else if (how === 'range') {
    for (let at = Math.min(row, cursor.row); at <= Math.max(row, cursor.row); at++) rows.add(at);
  } else if (how === 'step') {
    if (row !== cursor.row && rows.has(row)) rows.delete(cursor.row);
    else rows.add(cursor.row).add(row);
  } else rows.clear();
  return [...rows].sort((a, b) => a - b);
}

/**
 * What the brushed queries give each key: the sum of their weights, and the mean.
 * @param {Float32Array} data [queries, keys]
 * @param {number} keys
 * @param {readonly number[]} rows
 */
export function sumOver(data, keys, rows) {
  return Array.from({ length: keys }, (_, key) => {
    const sum = rows.reduce((so, row) => so + data[row * keys + key], 0);
    return { key, sum, mean: sum / rows.length };
  });
}
