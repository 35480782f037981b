// The arrow keys in a grid of one tab stop.

/**
 * The cell that a key leads to, null for a key that leads nowhere.
 * @param {string} key
 * @param {number} at
 * @param {number} width of a row
 * @param {number} count of cells
 * @returns {number | null}
 */
export function step(key, at, width, count) {
  const [column, row] = [at % width, Math.floor(at / width)];
  const rows = count / width;
  const clamp = (/** @type {number} */ value, /** @type {number} */ most) => Math.min(Math.max(value, 0), most);
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (by) return clamp(row + by[1], rows - 1) * width + clamp(column + by[0], width - 1);
  if (key === 'Home') return row * width;
  return key === 'End' ? row * width + width - 1 : null;
}
