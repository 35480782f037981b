// A matrix as a heatmap: cells, labelled axes, legend, a cursor that mouse, finger and keyboard move,
// and the value at the cursor as text.

import { drawLabels, widestLabel } from './axis.js';
import { formatValue, paintMatrix } from './canvas.js';
import { createLegend } from './legend.js';

/**
 * @typedef {import('./axis.js').Axis} Axis
 * @typedef {{row: number, column: number}} Cell
 *
 * @typedef {{
 *   name: string, matrix: import('./canvas.js').Matrix, scaleTitle: string,
 *   rowAxis: Axis, columnAxis: Axis, cursor: Cell,
 * }} MapData
 *
 * Cell sizes in CSS pixels: cells are as large as the room allows, between `min` and `max`, and no side longer than
 * the other by more than the factor `flattest`; what is then wider or higher than the room scrolls. `height` of the
 * map is asked anew at each layout.
 * @typedef {{
 *   flattest?: number, uprightColumns?: boolean, min: number, max: number, height: number,
 *   empty: string, onCursor: (cell: Cell) => void, onHover?: (cell: Cell | null) => void,
 *   say?: (text: string) => string, mark?: import('./axis.js').Mark,
 * }} MapOptions `say`: a text as it is spoken; `mark`: of each label
 */

const LABEL_ROOM = 15;
const PAGE = 10;
const ANNOUNCE_AFTER = 150; // ms, so that a held key does not flood a screen reader

/**
 * @param {HTMLElement} root
 * @param {MapOptions} options
 */
export function createMap(root, options) {
  const { flattest = Infinity, uprightColumns, min, max, empty, onCursor, onHover, say = String, mark } = options;
  const readout = element('p', 'map-readout');
  const scroll = element('div', 'map-scroll');
  const grid = element('div', 'map-grid');
  const corner = element('div', 'map-corner');
  const columns = element('div', `map-columns${uprightColumns ? ' upright' : ''}`);
  const rows = element('div', 'map-rows');
  const cells = element('div', 'map-cells');
  const canvas = document.createElement('canvas');
  const lines = element('div', 'map-lines');
  const band = element('div', 'map-band');
  const preview = element('div', 'map-preview');
  const pin = element('div', 'map-pin');
  const live = element('p', 'visually-hidden');
  const legend = createLegend();
  const nothing = element('p', 'map-empty');
  for (const part of [corner, columns, rows, canvas]) part.ariaHidden = 'true';
  cells.tabIndex = 0;
  cells.role = 'application';
  cells.ariaRoleDescription = 'matrix';
  live.ariaLive = 'polite';
  nothing.textContent = empty;
  cells.append(canvas, lines, band, preview, pin);
  grid.append(corner, columns, rows, cells);
  scroll.append(grid);
  const shown = [readout, legend.element, scroll];
  for (const part of [nothing, ...shown]) part.hidden = true; // until it is told something
  root.append(nothing, ...shown, live);

  /** @type {MapData | null} */
  let data = null;
  /** @type {Cell | null} */
  let hovered = null;
  let width = 0; // of the root; asked of the observer, because reading it forces a layout
  let font = '';
  let cellWidth = 0;
  let cellHeight = 0;
  let announcement = 0;

  /** @param {Cell} cell @param {MapData} map */
  function words({ row, column }, { matrix, rowAxis, columnAxis }) {
    const at = row * matrix.columns + column;
    const value = matrix.hidden?.[at] ? 'masked' : formatValue(matrix.data[at]);
    return { where: `${rowAxis.noun} ${rowAxis.label(row)}, ${columnAxis.noun} ${columnAxis.label(column)}`, value };
  }

  function layout() {
    if (!data) return;
    const { matrix, rowAxis, columnAxis } = data;
    width ||= root.clientWidth;
    font ||= getComputedStyle(grid).font;
    const gutter = Math.ceil(Math.min(96, Math.max(72, 14 + widestLabel(rowAxis, matrix.rows, font))));
    const top = uprightColumns
      ? Math.ceil(Math.min(96, Math.max(32, 14 + widestLabel(columnAxis, matrix.columns, font))))
      : 32;
    const wide = Math.max(min, (width - gutter) / matrix.columns);
    const tall = Math.max(4, (options.height - top) / matrix.rows);
    cellWidth = snap(Math.min(max, wide, flattest * tall));
    cellHeight = snap(Math.min(max, tall, flattest * cellWidth));
    grid.style.gridTemplate = `${top}px ${cellHeight * matrix.rows}px / ${gutter}px ${cellWidth * matrix.columns}px`;
    canvas.style.width = `${cellWidth * matrix.columns}px`;
    canvas.style.height = `${cellHeight * matrix.rows}px`;
    lines.hidden = Math.min(cellWidth, cellHeight) < 8;
    lines.style.backgroundSize = `${cellWidth}px ${cellHeight}px`;
    drawLabels(rows, rowAxis, matrix.rows, cellHeight, LABEL_ROOM, 'Y', data.cursor.row, mark);
    drawLabels(
      columns,
      columnAxis,
      matrix.columns,
      cellWidth,
      uprightColumns ? LABEL_ROOM : 40,
      'X',
      data.cursor.column,
      mark,
    );
    place(pin, data.cursor.row, data.cursor.column);
    place(band, data.cursor.row, 0);
    band.style.width = canvas.style.width;
    scroll.style.scrollPadding = `${top}px 0 0 ${gutter}px`;
  }

  /** Scrolls the map, not the page, until the cursor's cell is in sight. */
  function reveal() {
    if (!data) return;
    const box = scroll.getBoundingClientRect();
    const inner = cells.getBoundingClientRect();
    const { row, column } = data.cursor;
    const left = inner.left - box.left + scroll.scrollLeft; // the axes' width
    const top = inner.top - box.top + scroll.scrollTop;
    scroll.scrollTo({
      left: nearest(scroll.scrollLeft, column * cellWidth, cellWidth, scroll.clientWidth - left),
      top: nearest(scroll.scrollTop, row * cellHeight, cellHeight, scroll.clientHeight - top),
    });
  }

  /** @param {HTMLElement} mark @param {number} row @param {number} column */
  function place(mark, row, column) {
    mark.style.transform = `translate(${column * cellWidth}px, ${row * cellHeight}px)`;
    mark.style.width = `${cellWidth}px`;
    mark.style.height = `${cellHeight}px`;
  }

  function read() {
    if (!data) return;
    const cell = hovered ?? data.cursor;
    const { where, value } = words(cell, data);
    const strong = element('strong');
    strong.textContent = value;
    const note = element('span', 'map-note');
    note.textContent =
      `[${cell.row}, ${data.columnAxis.index?.(cell.column) ?? cell.column}] ` +
      (hovered ? 'under the pointer' : 'pinned');
    const name = element('bdi');
    name.textContent = where;
    readout.replaceChildren(name, ' ', strong, ' ', note);
    preview.hidden = !hovered;
    if (hovered) place(preview, hovered.row, hovered.column);
  }

  /** @param {Cell} cell */
  function move(cell) {
    if (!data) return;
    const { rows: rowCount, columns: columnCount } = data.matrix;
    hovered = null;
    onCursor({ row: clamp(cell.row, rowCount), column: clamp(cell.column, columnCount) });
    requestAnimationFrame(() => pin.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
    announce();
  }

  /** Says the cursor's cell; the text is a new node, so it is said again though it is the same. */
  function announce() {
    clearTimeout(announcement);
    announcement = setTimeout(() => {
      if (!data) return;
      const { where, value } = words(data.cursor, data);
      live.textContent = say(`${where}, ${value}`);
    }, ANNOUNCE_AFTER);
  }

  cells.addEventListener('focus', announce);

  /** @param {PointerEvent | MouseEvent} event */
  function cellAt(event) {
    if (!data) return null;
    const box = cells.getBoundingClientRect();
    return {
      row: clamp(Math.floor((event.clientY - box.top) / cellHeight), data.matrix.rows),
      column: clamp(Math.floor((event.clientX - box.left) / cellWidth), data.matrix.columns),
    };
  }

  cells.addEventListener('pointermove', (event) => {
    hovered = cellAt(event);
    read();
    onHover?.(hovered);
  });
  cells.addEventListener('pointerleave', () => {
    hovered = null;
    read();
    onHover?.(null);
  });
  cells.addEventListener('click', (event) => {
    const cell = cellAt(event);
    if (cell) move(cell);
  });
  cells.addEventListener('keydown', (event) => {
    if (!data || event.altKey || event.metaKey) return;
    const { row, column } = data.cursor;
    /** @type {Record<string, Cell>} */
    const targets = {
      ArrowUp: { row: row - 1, column },
      ArrowDown: { row: row + 1, column },
      ArrowLeft: { row, column: column - 1 },
      ArrowRight: { row, column: column + 1 },
      Home: { row: event.ctrlKey ? 0 : row, column: 0 },
      End: { row: event.ctrlKey ? Infinity : row, column: Infinity },
      PageUp: { row: row - PAGE, column },
      PageDown: { row: row + PAGE, column },
    };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    move(target);
  });
  const observer = new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    width = contentRect.width;
    font = getComputedStyle(grid).font; // its size may depend on the window; asked later it would force a layout
    requestAnimationFrame(layout); // not here: what changes sizes here is an error in the console
  });
  observer.observe(root);

  return {
    /** @param {MapData | null} next null when there is nothing to show */
    update(next) {
      const moved = data?.cursor.row !== next?.cursor.row || data?.cursor.column !== next?.cursor.column;
      data = next;
      for (const part of shown) part.hidden = !next;
      nothing.hidden = !!next;
      // export/feet.js puts the table and the buttons to save under every map
      root.dispatchEvent(new CustomEvent('mapchange', { bubbles: true, detail: next }));
      if (!next) return;
      const { matrix, name, rowAxis, columnAxis, scaleTitle } = next;
      if (hovered && (hovered.row >= matrix.rows || hovered.column >= matrix.columns)) hovered = null;
      paintMatrix(canvas, matrix);
      cells.ariaLabel =
        `${name}: ${matrix.rows} × ${matrix.columns}, ${rowAxis.title} down, ${columnAxis.title} across. ` +
        'Arrows, Home, End, Page move.';
      corner.textContent = `${rowAxis.title} ↓\n${columnAxis.title} →`;
      legend.update(matrix, scaleTitle);
      layout();
      if (moved) requestAnimationFrame(reveal); // where the page is laid out anyway
      read();
    },
    /** Previews a cell as if the pointer were there. @param {Cell | null} cell */
    hover(cell) {
      hovered = cell;
      read();
    },
    destroy() {
      observer.disconnect();
      root.replaceChildren();
    },
  };
}

/** A size that ends on the screen's own pixels. @param {number} size */
const snap = (size) => Math.max(1, Math.floor(size * devicePixelRatio)) / devicePixelRatio;

/**
 * The scroll position closest to `now` that shows start..start + size in a window of `room`.
 * @param {number} now
 * @param {number} start
 * @param {number} size
 * @param {number} room
 */
const nearest = (now, start, size, room) => Math.min(start, Math.max(now, start + size - room));

/** @param {number} index @param {number} count */
const clamp = (index, count) => Math.max(0, Math.min(count - 1, index));

/** @param {string} tag */
function element(tag, className = '') {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
