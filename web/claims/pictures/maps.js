// Matrices side by side on one scale of colours.

import { html, render } from 'lit-html';
import { paintMatrix } from '../../draw/canvas.js';
import { positiveScale, roundLimit, signedScale } from '../../draw/color.js';
import { createLegend } from '../../draw/legend.js';
import { format } from '../numbers.js';
import { spoken, words } from '../wording.js';
import { labelOf } from './tables.js';

/** @typedef {import('../../../src/claims/shared/picture.js').Maps} Maps */
/** @typedef {{row: number, column: number}} Cell */

/**
 * @param {Maps} panel
 * @param {(text: string) => void} onRead the text of the cell that is pointed at, or ''
 * @returns {{element: HTMLElement, paint: (scheme: import('../../draw/color.js').Scheme) => void}}
 */
export function createMaps(panel, onRead) {
  const { maps, scale, columns } = panel;
  const limit = roundLimit(Float32Array.from(maps.flatMap(({ values }) => [...values])));
  const legend = createLegend();
  const element = document.createElement('div');
  render(html`<div class="picture-maps">${maps.map((map) => mapOf(panel, map, onRead))}</div>`, element);
  element.append(legend.element);
  return {
    element,
    paint(scheme) {
      [...element.querySelectorAll('canvas')].slice(0, maps.length).forEach((canvas, i) => {
        const data = Float32Array.from(maps[i].values);
        const colors = (scale === 'share' ? positiveScale : signedScale)(scheme, limit);
        const matrix = { rows: data.length / columns, columns, data, scheme, scale: colors };
        paintMatrix(canvas, matrix);
        legend.update(matrix, '');
      });
    },
  };
}

/** @param {Maps} panel @param {Maps['maps'][number]} map @param {(text: string) => void} onRead */
function mapOf({ columns, rowAxis, columnAxis }, { title, values }, onRead) {
  const rows = values.length / columns;
  /** Where the frame is, which stays when it is hidden. @type {Cell} */
  let at = { row: 0, column: 0 };

  /** @param {EventTarget | null} cells @returns {HTMLElement} */
  const frameIn = (cells) => /** @type {any} */ (cells).querySelector('.picture-cell');
  /** @param {EventTarget | null} cells @param {Cell} cell */
  const go = (cells, { row, column }) => {
    at = { row: Math.min(rows - 1, Math.max(0, row)), column: Math.min(columns - 1, Math.max(0, column)) };
    const frame = frameIn(cells);
    frame.hidden = false;
    frame.style.left = `${(100 * at.column) / columns}%`;
    frame.style.top = `${(100 * at.row) / rows}%`;
    const place = `${rowAxis.title} ${labelOf(rowAxis, at.row)}, ${columnAxis.title} ${labelOf(columnAxis, at.column)}`;
    onRead(`${title}, ${place}: ${format(Math.fround(values[at.row * columns + at.column]))}`);
  };
  const leave = (/** @type {Event} */ { currentTarget }) => {
    frameIn(currentTarget).hidden = true;
    onRead('');
  };
  const point = (/** @type {PointerEvent} */ { currentTarget, clientX, clientY }) => {
    const canvas = /** @type {HTMLElement} */ (/** @type {Element} */ (currentTarget).firstElementChild);
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const [row, column] = [((clientY - top) / height) * rows, ((clientX - left) / width) * columns].map(Math.floor);
    go(currentTarget, { row, column });
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const { key, currentTarget, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey) return;
    if (key === 'Escape') return leave(event);
    const { row, column } = at;
    const to = /** @type {Record<string, Cell>} */ ({
      ArrowRight: { row, column: column + 1 },
      ArrowLeft: { row, column: column - 1 },
      ArrowDown: { row: row + 1, column },
      ArrowUp: { row: row - 1, column },
      Home: { row, column: 0 },
      End: { row, column: columns - 1 },
    })[key];
    if (!to) return;
    event.preventDefault();
    go(currentTarget, frameIn(currentTarget).hidden ? at : to);
  };
  return html`<div>
    <p class="picture-map-name">${words(title)}</p>
    <p class="picture-map-axis" aria-hidden="true">${rowAxis.title} ↓ ${columnAxis.title} →</p>
    <div
      class="picture-cells"
      tabindex="0"
      role="application"
      aria-roledescription="matrix"
      aria-label=${spoken(`${title}, ${rows} × ${columns}, ${rowAxis.title} by ${columnAxis.title}`)}
      .style=${`--columns: ${columns}; --rows: ${rows}`}
      @pointermove=${point}
      @pointerdown=${point}
      @pointerleave=${leave}
      @blur=${leave}
      @keydown=${onKey}
    >
      <canvas .style=${`aspect-ratio: ${columns} / ${rows}`}></canvas>
      <div class="picture-cell" hidden .style=${`width: ${100 / columns}%; height: ${100 / rows}%`}></div>
    </div>
  </div>`;
}
