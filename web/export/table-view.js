// Numbers as a table, for screen readers and for reading exact values: a page at a time, beginning at
// the cursor.

import { html, nothing, render } from 'lit-html';
import { cells } from '../draw/table.js';

/**
 * @typedef {{
 *   caption: string, rows: number, columns: number,
 *   rowLabel: (row: number) => string, columnLabel: (column: number) => string,
 *   value: (row: number, column: number) => string, at?: {row: number, column: number},
 * }} TableData
 */

const PAGE = 64; // rows and columns at a time

/** @param {HTMLElement} root */
export function create(root) {
  let from = { row: 0, column: 0 };
  /** @type {TableData | null} */
  let data = null;

  const draw = () => render(data ? page(data) : nothing, root);

  /** @param {'row' | 'column'} axis @param {number} count */
  function pager(axis, count) {
    if (count <= PAGE) return nothing;
    const to = Math.min(count, from[axis] + PAGE);
    /** @param {number} by */
    const turn = (by) => {
      from = { ...from, [axis]: from[axis] + by };
      draw();
    };
    return html`<span class="pager">
      <button type="button" aria-label="Previous ${axis}s" ?disabled=${from[axis] === 0}
        @click=${() => turn(-PAGE)}>‹</button>
      ${axis === 'row' ? 'Rows' : 'Columns'} ${from[axis] + 1} to ${to} of ${count}
      <button type="button" aria-label="Next ${axis}s" ?disabled=${to === count} @click=${() => turn(PAGE)}>›</button>
    </span>`;
  }

  /** @param {TableData} shown */
  function page({ caption, rows, columns, rowLabel, columnLabel, value }) {
    if (from.row >= rows) from = { ...from, row: 0 };
    if (from.column >= columns) from = { ...from, column: 0 };
    const down = range(from.row, rows);
    const across = range(from.column, columns);
    return html`<div class="pagers">${pager('row', rows)}${pager('column', columns)}</div>
      <div class="table-scroll" tabindex="0" role="region" aria-label="Table: ${caption}">
        <table>
          <caption><bdi>${caption}</bdi></caption>
          <thead><tr><td></td>${across.map(
            (column) => html`<th scope="col"><bdi>${columnLabel(column)}</bdi></th>`,
          )}</tr></thead>
          <tbody>${down.map(
            (row) =>
              html`<tr><th scope="row"><bdi>${rowLabel(row)}</bdi></th>${cells(
                ...across.map((column) => value(row, column)),
              )}</tr>`,
          )}</tbody>
        </table>
      </div>`;
  }

  return {
    /** @param {TableData | null} next */
    update(next) {
      const at = next?.at ?? { row: 0, column: 0 };
      if (!data) from = { row: at.row - (at.row % PAGE), column: at.column - (at.column % PAGE) };
      data = next;
      draw();
    },
    destroy() {
      render(nothing, root);
    },
  };
}

/** @param {number} from @param {number} count */
const range = (from, count) => Array.from({ length: Math.min(PAGE, count - from) }, (_, i) => from + i);
