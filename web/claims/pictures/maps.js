// Matrices side by side on one scale of colours.

import { paintMatrix } from '../../draw/canvas.js';
import { positiveScale, roundLimit, signedScale } from '../../draw/color.js';
import { createLegend } from '../../draw/legend.js';
import { format } from '../numbers.js';
import { labelOf } from './tables.js';
import { spoken } from '../words.js';
import { write } from './words.js';

/** @typedef {import('../../../src/claims/shared/picture.js').Maps} Maps */

const dark = matchMedia('(prefers-color-scheme: dark)');

/**
 * @param {Maps} panel
 * @param {(text: string) => void} onRead the text of the cell that is pointed at, or ''
 */
export function createMaps(panel, onRead) {
  const { maps } = panel;
  const box = document.createElement('div');
  box.className = 'picture-maps';
  const legend = createLegend();
  const limit = roundLimit(Float32Array.from(maps.flatMap(({ values }) => [...values])));
  const made = maps.map((map) => createMap(panel, map, limit, legend, onRead));
  for (const { element } of made) box.append(element);
  const paint = () => {
    for (const one of made) one.paint();
  };
  paint();
  // not longer than the element lives
  const reference = new WeakRef(paint);
  const repaint = () => reference.deref()?.() ?? dark.removeEventListener('change', repaint);
  dark.addEventListener('change', repaint);
  Object.assign(box, { paint }); // which keeps it as long

  const whole = document.createElement('div');
  whole.append(box, legend.element);
  return whole;
}

/**
 * @param {Maps} panel
 * @param {Maps['maps'][number]} map one of them
 * @param {number} limit of the scale
 * @param {ReturnType<typeof createLegend>} legend
 * @param {(text: string) => void} onRead
 */
function createMap({ scale, columns, rowAxis, columnAxis }, { title, values }, limit, legend, onRead) {
  const rows = values.length / columns;
  const data = Float32Array.from(values);
  const element = document.createElement('div');
  const name = Object.assign(document.createElement('p'), { className: 'picture-map-name' });
  write(name, title);
  const axis = document.createElement('p');
  axis.className = 'picture-map-axis';
  axis.textContent = `${rowAxis.title} ↓ ${columnAxis.title} →`;
  axis.ariaHidden = 'true';
  const cells = document.createElement('div');
  cells.className = 'picture-cells';
  cells.tabIndex = 0;
  cells.role = 'application';
  cells.ariaRoleDescription = 'matrix';
  cells.ariaLabel = spoken(`${title}, ${rows} × ${columns}, ${rowAxis.title} by ${columnAxis.title}`);
  const canvas = document.createElement('canvas');
  const frame = document.createElement('div');
  frame.className = 'picture-cell';
  frame.hidden = true;
  cells.append(canvas, frame);
  canvas.style.aspectRatio = `${columns} / ${rows}`;
  cells.style.setProperty('--columns', String(columns));
  cells.style.setProperty('--rows', String(rows));
  element.append(name, axis, cells);
  let [row, column] = [0, 0];

  /** @param {number} r @param {number} c */
  const go = (r, c) => {
    [row, column] = [Math.min(rows - 1, Math.max(0, r)), Math.min(columns - 1, Math.max(0, c))];
    frame.hidden = false;
    Object.assign(frame.style, {
      left: `${(100 * column) / columns}%`,
      top: `${(100 * row) / rows}%`,
      width: `${100 / columns}%`,
      height: `${100 / rows}%`,
    });
    const place = `${rowAxis.title} ${labelOf(rowAxis, row)}, ${columnAxis.title} ${labelOf(columnAxis, column)}`;
    onRead(`${title}, ${place}: ${format(data[row * columns + column])}`);
  };
  const leave = () => {
    frame.hidden = true;
    onRead('');
  };
  const point = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    go(Math.floor(((clientY - top) / height) * rows), Math.floor(((clientX - left) / width) * columns));
  };
  cells.addEventListener('pointermove', point);
  cells.addEventListener('pointerdown', point);
  cells.addEventListener('pointerleave', leave);
  cells.addEventListener('blur', leave);
  cells.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') return leave();
    const first = frame.hidden;
    const moves = /** @type {Record<string, [number, number]>} */ ({
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      Home: [row, 0],
      End: [row, columns - 1],
    });
    const to = moves[event.key];
    if (!to) return;
    event.preventDefault();
    if (first) go(row, column);
    else go(...to);
  });

  return {
    element,
    paint() {
      /** @type {import('../../draw/color.js').Scheme} */
      const scheme = dark.matches ? 'dark' : 'light';
      const matrix = {
        rows,
        columns,
        data,
        scheme,
        scale: scale === 'share' ? positiveScale(scheme, limit) : signedScale(scheme, limit),
      };
      paintMatrix(canvas, matrix);
      legend.update(matrix, '');
    },
  };
}
