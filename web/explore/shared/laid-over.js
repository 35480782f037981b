// Lays two texts over each other, word by word: where they have the same number of tokens, index by index; else each
// word on its own, and a word that one text has alone on an empty place of the other.

import { keptIndices } from './typing.js';
import { wordsOf } from './words.js';

/**
 * @typedef {import('../../engine/results.js').Result} Result
 *
 * By place the index in each text, −1: it has none there; null: the same indices.
 * @typedef {{then: number[], now: number[]} | null} Axis
 */

/** @type {WeakMap<readonly string[], {then: readonly string[], axis: Axis}>} */
const known = new WeakMap();

/**
 * @param {readonly string[]} then @param {readonly string[]} now
 * @returns {Axis} the same one for the same words
 */
export function axisOf(then, now) {
  if (then.length === now.length) return null;
  const held = known.get(now);
  if (held?.then === then) return held.axis;
  const axis = laidOut(then, now);
  known.set(now, { then, axis });
  return axis;
}

/** @param {readonly string[]} then @param {readonly string[]} now */
function laidOut(then, now) {
  /** @type {{then: number[], now: number[]}} */
  const axis = { then: [], now: [] };
  const put = (/** @type {number} */ i, /** @type {number} */ j) => (axis.then.push(i), axis.now.push(j));
  const kept = keptIndices(then, now);
  let [i, j] = [0, 0];
  for (const at of [...kept.keys()].filter((each) => kept[each] >= 0).concat(then.length)) {
    const to = kept[at] ?? now.length;
    const isSwap = at - i === to - j; // as many other words
    while (i < at) put(i++, isSwap ? j++ : -1);
    while (j < to) put(-1, j++);
    if (at < then.length) put(i++, j++);
  }
  return axis;
}

/**
 * The axes of the maps of one attention.
 * @param {Pick<Result, 'plan'>} second @param {Pick<Result, 'plan'>} result
 * @param {import('../../app/schema.js').AttentionKind} kind
 */
export function axesOf(second, result, kind) {
  const [then, now] = [second, result].map((each) => wordsOf(each, kind));
  return { rows: axisOf(then.rowWords, now.rowWords), columns: axisOf(then.columnWords, now.columnWords) };
}

/** Whether both texts have one of its words. @param {Axis} axis */
export const overlaps = (axis) => !axis || axis.then.some((each, at) => each >= 0 && axis.now[at] >= 0);

/** @type {WeakMap<Float32Array, {rows: number[] | undefined, columns: number[] | undefined, made: Float32Array}>} */
const laid = new WeakMap();

/**
 * Matrices with their rows and columns on such places, NaN where there is none.
 * @param {Float32Array} data any number of matrices
 * @param {number[] | undefined} rows @param {number[] | undefined} columns
 * @param {[rows: number, columns: number]} size of each matrix
 */
export function layOut(data, rows, columns, [height, width]) {
  if (!rows && !columns) return data;
  const held = laid.get(data);
  if (held && held.rows === rows && held.columns === columns) return held.made;
  const [lines, places] = [rows ?? [...Array(height).keys()], columns ?? [...Array(width).keys()]];
  const made = new Float32Array((data.length / (height * width)) * lines.length * places.length).fill(NaN);
  for (let at = 0, from = 0; from < data.length; from += height * width)
    for (const line of lines)
      for (const place of places) {
        if (line >= 0 && place >= 0) made[at] = data[from + line * width + place];
        at++;
      }
  laid.set(data, { rows, columns, made });
  return made;
}

/**
 * The cells that a mask hides (1), and those without a word (2).
 * @param {Uint8Array | null} hidden @param {number[] | undefined} rows @param {number[] | undefined} columns
 * @param {[rows: number, columns: number]} size
 */
export function hiddenOn(hidden, rows, columns, size) {
  if (!rows && !columns) return hidden;
  const flags = layOut(Float32Array.from(hidden ?? new Uint8Array(size[0] * size[1])), rows, columns, size);
  return Uint8Array.from(flags, (flag) => (Number.isNaN(flag) ? 2 : flag));
}

/**
 * The place nearest to another one, in the direction from a third, where a text has a word.
 * @param {number[] | undefined} axis of that text @param {number} to @param {number} from
 * @returns {number} its index in the text
 */
export function nearest(axis, to, from) {
  if (!axis) return to;
  const step = to < from ? -1 : 1;
  let at = to;
  while (axis[at] < 0) at += step;
  return axis[at] ?? axis[from];
}
