// The maps of all heads of an attention in one canvas, which lies under their buttons: the browser's compositor took
// longer over a canvas for each of 144 heads than all else took.

import { paintMatrix } from './canvas.js';
import { probabilityScale } from './color.js';

/** The contents of each canvas. @type {WeakMap<HTMLCanvasElement, {key: string, buffer?: ArrayBufferLike}>} */
const painted = new WeakMap();

/**
 * `data`: [heads, rows, columns] flat; `marks`: a head that is changed is pale, and one that is 'off' more so.
 * @typedef {{
 *   rows: number, columns: number, data: Float32Array | null, hidden: Uint8Array, marks: (string | null)[],
 * }} Heads
 */

/**
 * @param {Iterable<Element>} groups each with its canvas, and an element `.head-map` in the place of each map
 * @param {readonly Heads[]} heads of each group
 * @param {import('./color.js').Scheme} scheme
 * @param {boolean} root
 */
export function paintHeads(groups, heads, scheme, root) {
  // All are measured first: a canvas that gets another size would have the page laid out once more.
  const measured = Array.from(groups, (group) => {
    const canvas = /** @type {HTMLCanvasElement} */ (group.querySelector('canvas'));
    const rects = [canvas, ...group.querySelectorAll('.head-map')].map((each) => each.getBoundingClientRect());
    return { canvas, rects };
  });
  measured.forEach((group, i) => paintGroup(group, heads[i], scheme, root));
}

/**
 * @param {{canvas: HTMLCanvasElement, rects: DOMRect[]}} group the canvas' rectangle, then those of the maps
 * @param {Heads} heads @param {import('./color.js').Scheme} scheme @param {boolean} root
 */
function paintGroup({ canvas, rects: [all, ...places] }, { rows, columns, data, hidden, marks }, scheme, root) {
  if (!all.width) return; // not in sight
  const size = places[0].width * devicePixelRatio;
  const cells = Math.max(rows, columns);
  const isShrunk = cells > size; // a pixel is the mean of several cells
  const scale = (isShrunk ? size : Math.ceil(size / cells) * cells) / places[0].width;
  const key = [rows, columns, scheme, root, marks, scale, all.width, all.height, data?.byteOffset].join();
  const last = painted.get(canvas);
  if (last && last.key === key && last.buffer === data?.buffer) return;
  painted.set(canvas, { key, buffer: data?.buffer });
  canvas.width = Math.round(all.width * scale);
  canvas.height = Math.round(all.height * scale);
  const context = canvas.getContext('2d');
  if (!context || !data) return;
  const one = document.createElement('canvas');
  context.imageSmoothingEnabled = isShrunk;
  context.imageSmoothingQuality = 'high';
  places.forEach(({ left, top, width, height }, head) => {
    const own = data.subarray(head * rows * columns, (head + 1) * rows * columns);
    paintMatrix(one, { rows, columns, scale: probabilityScale(scheme, root), scheme, hidden, data: own });
    context.globalAlpha = marks[head] === 'off' ? 0.2 : marks[head] ? 0.5 : 1;
    const [x, y] = [left - all.left, top - all.top].map((each) => Math.round(each * scale));
    context.drawImage(one, x, y, Math.round(width * scale), Math.round(height * scale));
  });
}
