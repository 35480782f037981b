// Pixels of a matrix: one canvas pixel a cell; CSS scales them up without smoothing.

import { invalidPixel, maskedPixel } from './color.js';

/**
 * A matrix to be painted. `hidden` marks cells that a mask hides (1), by row.
 * @typedef {{
 *   rows: number, columns: number, data: Float32Array, scale: import('./color.js').Scale,
 *   scheme: import('./color.js').Scheme, hidden?: Uint8Array | null,
 * }} Matrix
 */

/** @type {WeakMap<HTMLCanvasElement, ImageData>} */
const images = new WeakMap();

/**
 * Paints a matrix into a canvas of columns × rows pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {Matrix} matrix
 */
export function paintMatrix(canvas, { rows, columns, data, scale, scheme, hidden }) {
  if (canvas.width !== columns) canvas.width = columns;
  if (canvas.height !== rows) canvas.height = rows;
  const context = canvas.getContext('2d');
  if (!context) return;
  let image = images.get(canvas);
  if (image?.width !== columns || image.height !== rows) {
    image = context.createImageData(columns, rows);
    images.set(canvas, image);
  }
  fillPixels(new Uint32Array(image.data.buffer), { rows, columns, data, scale, scheme, hidden });
  context.putImageData(image, 0, 0);
}

/**
 * The pixels of a matrix, row by row: values beyond the scale get its end colour, hidden cells and
 * cells that are not a number their own.
 * @param {Uint32Array} pixels
 * @param {Matrix} matrix
 */
export function fillPixels(pixels, { data, scale: { low, high, table }, scheme, hidden }) {
  const last = table.length - 1;
  const factor = last / (high - low);
  const masked = maskedPixel(scheme);
  const invalid = invalidPixel(scheme);
  for (let i = 0; i < pixels.length; i++) {
    const value = data[i];
    if (hidden?.[i]) pixels[i] = masked;
    else if (value !== value) pixels[i] = invalid;
    else pixels[i] = table[Math.min(last, Math.max(0, Math.floor((value - low) * factor + 0.5)))];
  }
}

/**
 * How a value is written everywhere on the page.
 * @param {number} value
 */
export function formatValue(value) {
  if (Number.isNaN(value)) return 'not a number (NaN)';
  if (!Number.isFinite(value)) return value > 0 ? 'infinity' : 'minus infinity';
  const text = Math.abs(value) < 1e4 ? value.toFixed(4) : value.toExponential(4);
  return text.replace('-', '−');
}

/**
 * Every how many labels one fits, if each needs `room` pixels and cells are `cell` wide:
 * 1, 2, 5, 10, 20, 50 ...
 * @param {number} cell
 * @param {number} room
 */
export function labelStep(cell, room) {
  for (let power = 1; ; power *= 10) {
    for (const step of [power, 2 * power, 5 * power]) if (step * cell >= room) return step;
  }
}

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;

/**
 * The width of the widest of these texts in CSS pixels.
 * @param {readonly string[]} texts
 * @param {string} font a CSS font
 */
export function widestText(texts, font) {
  ruler ??= document.createElement('canvas').getContext('2d');
  if (!ruler) return 0;
  ruler.font = font;
  let widest = 0;
  for (const text of texts) widest = Math.max(widest, ruler.measureText(text).width);
  return widest;
}
