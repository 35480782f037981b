// The labels along a map's sides: as many as fit, and always the cursor's.

import { contextOf } from './canvas.js';

/**
 * One axis: `noun` and `label(i)` name its i-th line in the readout, `title` names the whole.
 * `index(i)`: its index in the tensor, where lines stand in another order. `words(i)`: the line in the readout, where
 * noun and label do not name it. `part`: what its lines are for the rest of
 * the page, which lights the same everywhere; `value(i)`: which one, if it is not the index.
 * @typedef {{
 *   title: string, noun: string, label: (i: number) => string, index?: (i: number) => number | string,
 *   words?: (i: number) => string | undefined,
 *   part?: string | null, value?: (i: number) => string,
 * }} Axis
 *
 * Marks the label of a line.
 * @typedef {(label: HTMLElement, axis: Axis, i: number) => void} Mark
 */

/**
 * The labels that fit, and always the cursor's.
 * @param {HTMLElement} strip
 * @param {Axis} axis
 * @param {number} count
 * @param {number} cell
 * @param {number} labelSpace pixels that a label needs
 * @param {'X' | 'Y'} axisName
 * @param {number} here of the cursor
 * @param {Mark} [mark]
 */
export function drawLabels(strip, axis, count, cell, labelSpace, axisName, here, mark) {
  const upright = strip.classList.contains('upright');
  const step = labelStep(cell, labelSpace);
  const shown = [];
  for (let i = 0; i < count; i += step) if (i === here || Math.abs(i - here) * cell >= labelSpace) shown.push(i);
  if (here < count && !shown.includes(here)) shown.push(here);
  const old = /** @type {HTMLElement[]} */ ([...strip.children]);
  for (const extra of old.slice(shown.length)) extra.remove();
  shown.forEach((i, k) => {
    const label = old[k] ?? strip.appendChild(document.createElement('bdi'));
    const text = axis.label(i);
    if (label.textContent !== text) label.textContent = text;
    label.className = i === here ? 'here' : '';
    mark?.(label, axis, i);
    label.style.transform =
      `translate${axisName}(clamp(0px, ${(i + 0.5) * cell}px - 50%, ${count * cell}px - 100%))` +
      (upright ? ' rotate(180deg)' : '');
  });
}

/**
 * Every how many labels one fits, if each needs `labelSpace` pixels and cells are `cell` wide:
 * 1, 2, 5, 10, 20, 50 ...
 * @param {number} cell
 * @param {number} labelSpace
 */
export function labelStep(cell, labelSpace) {
  for (let power = 1; ; power *= 10) {
    for (const step of [power, 2 * power, 5 * power]) if (step * cell >= labelSpace) return step;
  }
}

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;

/**
 * The width of an axis' widest label in CSS pixels.
 * @param {Axis} axis
 * @param {number} count
 * @param {string} font a CSS font
 */
export function widestLabel(axis, count, font) {
  ruler ??= contextOf(document.createElement('canvas'));
  if (!ruler) return 0;
  ruler.font = font;
  let widest = 0;
  for (let i = 0; i < count; i++) widest = Math.max(widest, ruler.measureText(axis.label(i)).width);
  return widest;
}
