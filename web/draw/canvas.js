// Pixels of a matrix: one canvas pixel a cell; CSS scales them up without smoothing.

import { invalidPixel, maskedPixel } from './color.js';
import { formatValue } from './numbers.js';

/**
 * A matrix to be painted; its numbers must not change afterwards. `hidden` marks cells that a mask hides (1), and
 * empty ones (2), by row; `painted`: the places of its numbers on the scale, where these are not the numbers
 * themselves.
 * @typedef {{
 *   rows: number, columns: number, data: Float32Array, scale: import('./color.js').Scale,
 *   scheme: import('./color.js').Scheme, hidden?: Uint8Array | null, painted?: Float32Array,
 * }} Matrix
 */

/** Null in jsdom, which has none and would say so on the console. @param {HTMLCanvasElement} canvas */
export const contextOf = (canvas) => (globalThis.ImageData ? canvas.getContext('2d') : null);

/** @type {WeakMap<HTMLCanvasElement, {image: ImageData, matrix: Matrix}>} */
const painted = new WeakMap();

/**
 * Paints a matrix into a canvas of columns × rows pixels, unless it is there already.
 * @param {HTMLCanvasElement} canvas
 * @param {Matrix} matrix
 */
export function paintMatrix(canvas, matrix) {
  const { rows, columns } = matrix;
  let last = painted.get(canvas);
  if (last && isSame(matrix, last.matrix)) return;
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns;
    canvas.height = rows;
    last = undefined;
  }
  const context = contextOf(canvas);
  if (!context) return;
  const image = last?.image ?? context.createImageData(columns, rows);
  fillPixels(new Uint32Array(image.data.buffer), matrix);
  context.putImageData(image, 0, 0);
  painted.set(canvas, { image, matrix });
}

/** Whether two matrices give the same pixels. @param {Matrix} a @param {Matrix} b */
function isSame(a, b) {
  const [one, two] = [a, b].map(({ data, painted = data }) => painted);
  return (
    a.rows === b.rows &&
    a.columns === b.columns &&
    a.scheme === b.scheme &&
    a.hidden === b.hidden &&
    one.buffer === two.buffer &&
    one.byteOffset === two.byteOffset &&
    a.scale.table === b.scale.table &&
    a.scale.low === b.scale.low &&
    a.scale.high === b.scale.high &&
    a.scale.root === b.scale.root
  );
}

/**
 * The pixels of a matrix, row by row: values beyond the scale get its end colour, hidden cells and
 * cells that are not a number their own.
 * @param {Uint32Array} pixels
 * @param {Matrix} matrix
 */
export function fillPixels(pixels, { data, painted = data, scale, scheme, hidden }) {
  const { low, high, table } = scale;
  const last = table.length - 1;
  const range = high - low;
  const masked = maskedPixel(scheme);
  const invalid = invalidPixel(scheme);
  for (let i = 0; i < pixels.length; i++) {
    const value = painted[i];
    if (hidden?.[i]) pixels[i] = hidden[i] > 1 ? 0 : masked;
    else if (value !== value) pixels[i] = invalid;
    else {
      const share = Math.min(1, Math.max(0, (value - low) / range));
      pixels[i] = table[Math.floor((scale.root ? rooted(share, low) : share) * last + 0.5)];
    }
  }
}

/**
 * The square root of a place on a scale: from its low end, or from the middle where the low end is below 0.
 * @param {number} share
 * @param {number} low
 */
const rooted = (share, low) =>
  low < 0 ? 0.5 + Math.sign(share - 0.5) * Math.sqrt(Math.abs(share - 0.5) / 2) : Math.sqrt(share);

/**
 * A cell in words: its place by the axes' nouns and labels, and its value.
 * @param {{row: number, column: number}} cell
 * @param {Pick<import('./map.js').MapData, 'matrix' | 'rowAxis' | 'columnAxis'>} map
 */
export function cellWords({ row, column }, { matrix, rowAxis, columnAxis }) {
  const at = row * matrix.columns + column;
  const value = ['', 'masked', '–'][matrix.hidden?.[at] ?? 0] || formatValue(matrix.data[at]);
  const line = columnAxis.words?.(column) ?? `${columnAxis.noun} ${columnAxis.label(column)}`;
  return { where: `${rowAxis.noun} ${rowAxis.label(row)}, ${line}`, value };
}
