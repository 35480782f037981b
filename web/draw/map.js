// A matrix as a heatmap: cells, labelled axes, legend, a cursor that mouse, finger and keyboard move,
// and the value at the cursor as text.

import { drawLabels, widestLabel } from './axis.js';
import { cellWords, paintMatrix } from './canvas.js';
import { announceDrawn } from './figure.js';
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
 * Cell sizes in CSS pixels: cells are as large as space allows, between `min` and `max`, and no side longer than
 * the other by more than the factor `flattest`; what is then wider or higher than that scrolls. `height` of the
 * map is asked again at each layout.
 * @typedef {{
 *   flattest?: number, uprightColumns?: boolean, names?: number, min: number, max: number, height: number,
 *   empty: string, onCursor: (cell: Cell) => void, onHover?: (cell: Cell | null) => void,
 *   say?: (text: string) => string, mark?: import('./axis.js').Mark,
 * }} MapOptions `names`: px of the longest upright label; `say`: a text as it is spoken; `mark`: of each label
 */

const FONT = 13; // px, of labels for which the other sizes are
const LABEL_SPACE = 15;
const FLAT_SPACE = 40; // of labels side by side
const LABEL_GAP = 6;
const PAGE = 10;
const RING = 4; // px around the cursor's cell
const ANNOUNCE_AFTER = 150; // ms, so that a held key does not flood a screen reader

/**
 * @param {HTMLElement} root
 * @param {MapOptions} options
 */
export function createMap(root, options) {
  const { onCursor, onHover, say = String } = options;
  const parts = createParts(options);
  const { readout, scroll, grid, cells, pin, live, legend, nothing } = parts;
  const shown = [readout, legend.element, scroll];
  for (const part of [nothing, ...shown]) part.hidden = true; // until update() has data
  root.append(nothing, ...shown, live);

  /** @type {MapData | null} */
  let data = null;
  /** @type {Cell | null} */
  let hovered = null;
  let width = 0; // of the root; asked of the observer, because reading it forces a layout
  let font = '';
  /** @type {Sizes} */
  let sizes = { gutter: 0, top: 0, cellWidth: 0, cellHeight: 0, rowSpace: LABEL_SPACE, columnSpace: FLAT_SPACE };
  let announcement = 0;

  function layout() {
    if (!data) return;
    width ||= root.clientWidth;
    font ||= getComputedStyle(grid).font;
    sizes = sizesOf(data, width, font, options);
    drawGrid(parts, data, sizes, options);
  }

  /** @param {Cell | null} cell under the pointer */
  function hover(cell) {
    hovered = cell;
    if (data) drawHovered(parts, data, hovered, sizes);
  }

  /** @param {Cell} cell */
  function move(cell) {
    if (!data) return;
    hovered = null;
    onCursor(within(cell, data.matrix));
    inFrame(() => pin.scrollIntoView?.({ block: 'nearest', inline: 'nearest' }));
    announce();
  }

  /** Says the cursor's cell; the text is a new node, so it is said again though it is the same. */
  function announce() {
    clearTimeout(announcement);
    announcement = setTimeout(() => {
      if (!data) return;
      const { where, value } = cellWords(data.cursor, data);
      live.textContent = say(`${where}, ${value}`);
    }, ANNOUNCE_AFTER);
  }

  /** @param {MouseEvent | null} event of the pointer; null: it has left */
  function point(event) {
    hover(event && data && cellAt(event, cells, data.matrix, sizes));
    onHover?.(hovered);
  }

  cells.addEventListener('focus', announce);
  cells.addEventListener('pointermove', point);
  cells.addEventListener('pointerleave', () => point(null));
  cells.addEventListener('click', (event) => data && move(cellAt(event, cells, data.matrix, sizes)));
  cells.addEventListener('keydown', (event) => {
    const target = data && keyTarget(event, data.cursor);
    if (!target) return;
    event.preventDefault();
    move(target);
  });
  const unobserve = observeWidth(root, (next) => {
    if (next === width) return;
    width = next;
    font = getComputedStyle(grid).font; // its size may depend on the window; asked later it would force a layout
    inFrame(layout); // not here: changing sizes here is an error in the console
  });

  return {
    /** @param {MapData | null} next null when there is nothing to show */
    update(next) {
      const moved = data?.cursor.row !== next?.cursor.row || data?.cursor.column !== next?.cursor.column;
      data = next;
      for (const part of shown) part.hidden = !next;
      nothing.hidden = !!next;
      // export/feet.js puts the table and the buttons to save under every map
      announceDrawn(root, 'mapchange', next);
      if (!next) return;
      const { rows, columns } = next.matrix;
      drawMatrix(parts, next);
      layout();
      if (moved) inFrame(() => data && reveal(parts, data.cursor, sizes)); // laid out by then anyway
      hover(hovered && hovered.row < rows && hovered.column < columns ? hovered : null);
    },
    /** Previews a cell as if the pointer were there. */
    hover,
    destroy() {
      unobserve();
      root.replaceChildren();
    },
  };
}

/** Nothing in jsdom, which has no frames, scrolls nothing and observes nothing. @param {() => void} action */
const inFrame = (action) => void globalThis.requestAnimationFrame?.(action);

/** @param {HTMLElement} root @param {(width: number) => void} changed @returns {() => void} ends it */
function observeWidth(root, changed) {
  const { ResizeObserver: Observer } = globalThis;
  const observer = Observer && new Observer(([{ contentRect }]) => changed(contentRect.width));
  observer?.observe(root);
  return () => observer?.disconnect();
}

/** @typedef {ReturnType<typeof createParts>} Parts */

/** @param {MapOptions} options */
function createParts({ uprightColumns, empty }) {
  const parts = {
    readout: element('p', 'map-readout'),
    scroll: element('div', 'map-scroll'),
    grid: element('div', 'map-grid'),
    corner: element('div', 'map-corner'),
    columns: element('div', `map-columns${uprightColumns ? ' upright' : ''}`),
    rows: element('div', 'map-rows'),
    cells: element('div', 'map-cells'),
    canvas: document.createElement('canvas'),
    lines: element('div', 'map-lines'),
    band: element('div', 'map-band'),
    preview: element('div', 'map-preview'),
    pin: element('div', 'map-pin'),
    live: element('p', 'visually-hidden'),
    legend: createLegend(),
    nothing: element('p', 'map-empty'),
  };
  const { scroll, grid, corner, columns, rows, cells, canvas, lines, band, preview, pin, live, nothing } = parts;
  for (const part of [corner, columns, rows, canvas]) part.ariaHidden = 'true';
  cells.tabIndex = 0;
  cells.role = 'application';
  cells.ariaRoleDescription = 'matrix';
  live.ariaLive = 'polite';
  nothing.textContent = empty;
  cells.append(canvas, lines, band, preview, pin);
  grid.append(corner, columns, rows, cells);
  scroll.append(grid);
  return parts;
}

/**
 * Sizes of the axes, of a cell, and what a label needs.
 * @typedef {{
 *   gutter: number, top: number, cellWidth: number, cellHeight: number, rowSpace: number, columnSpace: number,
 * }} Sizes
 *
 * @param {MapData} data
 * @param {number} width available
 * @param {string} font
 * @param {MapOptions} options
 * @returns {Sizes}
 */
function sizesOf({ matrix, rowAxis, columnAxis }, width, font, options) {
  const { flattest = Infinity, uprightColumns, names, min, max, height } = options;
  const corner = { ...rowAxis, label: (/** @type {number} */ i) => `${(i ? columnAxis : rowAxis).title} →` };
  const gutter = Math.max(spaceOfLabels(rowAxis, matrix.rows, font, 72), spaceOfLabels(corner, 2, font, 0));
  const top = uprightColumns ? spaceOfLabels(columnAxis, matrix.columns, font, 32, names) : 32;
  const wide = Math.max(min, (width - gutter) / matrix.columns);
  const tall = Math.max(4, (height - top) / matrix.rows);
  const cellWidth = snap(Math.min(max, wide, flattest * tall));
  const cellHeight = snap(Math.min(max, tall, flattest * cellWidth));
  const rowSpace = LABEL_SPACE * larger(font);
  const columnSpace = uprightColumns ? rowSpace : spaceOfFlatLabels(columnAxis, matrix.columns, font, cellWidth);
  return { gutter, top, cellWidth, cellHeight, rowSpace, columnSpace };
}

/** @param {Axis} axis @param {number} count @param {string} font @param {number} least @param {number} [most] px */
const spaceOfLabels = (axis, count, font, least, most = 96) =>
  Math.ceil(Math.min(most * larger(font), Math.max(least * larger(font), 14 + widestLabel(axis, count, font))));

/**
 * Of labels side by side: each column has its own where all fit.
 * @param {Axis} axis @param {number} count @param {string} font @param {number} cell
 */
const spaceOfFlatLabels = (axis, count, font, cell) =>
  cell > LABEL_SPACE && widestLabel(axis, count, font) + LABEL_GAP <= cell ? cell : FLAT_SPACE * larger(font);

/** The size of a font's labels relative to the usual one. @param {string} font */
const larger = (font) => Math.max(1, parseFloat(/[\d.]+(?=px)/.exec(font)?.[0] ?? '') / FONT || 1);

/** @param {Parts} parts @param {MapData} data @param {Sizes} sizes @param {MapOptions} options */
function drawGrid(parts, { matrix, rowAxis, columnAxis, cursor }, sizes, { mark }) {
  const { scroll, grid, columns, rows, canvas, lines, band, pin } = parts;
  const { gutter, top, cellWidth, cellHeight, rowSpace, columnSpace } = sizes;
  grid.style.gridTemplate = `${top}px ${cellHeight * matrix.rows}px / ${gutter}px ${cellWidth * matrix.columns}px`;
  canvas.style.width = `${cellWidth * matrix.columns}px`;
  canvas.style.height = `${cellHeight * matrix.rows}px`;
  lines.hidden = Math.min(cellWidth, cellHeight) < 8;
  lines.style.backgroundSize = `${cellWidth}px ${cellHeight}px`;
  drawLabels(rows, rowAxis, matrix.rows, cellHeight, rowSpace, 'Y', cursor.row, mark);
  drawLabels(columns, columnAxis, matrix.columns, cellWidth, columnSpace, 'X', cursor.column, mark);
  place(pin, cursor, sizes);
  place(band, { row: cursor.row, column: 0 }, sizes);
  band.style.width = canvas.style.width;
  scroll.style.scrollPadding = `${top}px 0 0 ${gutter}px`;
}

/** @param {Parts} parts @param {MapData} data */
function drawMatrix({ corner, cells, canvas, legend }, { matrix, name, rowAxis, columnAxis, scaleTitle }) {
  paintMatrix(canvas, matrix);
  cells.ariaLabel =
    `${name}: ${matrix.rows} × ${matrix.columns}, ${rowAxis.title} down, ${columnAxis.title} across. ` +
    'Arrows, Home, End, Page move.';
  corner.textContent = `${rowAxis.title} ↓\n${columnAxis.title} →`;
  legend.update(matrix, scaleTitle);
}

/** @param {HTMLElement} mark @param {Cell} cell @param {Sizes} sizes */
function place(mark, { row, column }, { cellWidth, cellHeight }) {
  mark.style.transform = `translate(${column * cellWidth}px, ${row * cellHeight}px)`;
  mark.style.width = `${cellWidth}px`;
  mark.style.height = `${cellHeight}px`;
}

/**
 * The value under the pointer, or else at the cursor.
 * @param {Parts} parts @param {MapData} data @param {Cell | null} hovered @param {Sizes} sizes
 */
function drawHovered({ readout, preview }, data, hovered, sizes) {
  const cell = hovered ?? data.cursor;
  const { where, value } = cellWords(cell, data);
  const strong = element('strong');
  strong.textContent = value;
  const note = element('span', 'map-note');
  const state = element('span'); // in one piece
  state.textContent = hovered ? 'under the pointer' : 'pinned';
  note.append(`[${cell.row}, ${data.columnAxis.index?.(cell.column) ?? cell.column}] `, state);
  const name = element('bdi');
  name.textContent = where;
  readout.replaceChildren(name, ' ', strong, ' ', note);
  preview.hidden = !hovered;
  if (hovered) place(preview, hovered, sizes);
}

/**
 * Scrolls the map, not the page, until the cursor's cell is in sight.
 * @param {Parts} parts @param {Cell} cursor @param {Sizes} sizes
 */
function reveal({ scroll, cells }, { row, column }, { cellWidth, cellHeight }) {
  const box = scroll.getBoundingClientRect();
  const inner = cells.getBoundingClientRect();
  const left = inner.left - box.left + scroll.scrollLeft; // the axes' width
  const top = inner.top - box.top + scroll.scrollTop;
  scroll.scrollTo?.({
    left: nearest(scroll.scrollLeft, column * cellWidth, cellWidth + RING, scroll.clientWidth - left),
    top: nearest(scroll.scrollTop, row * cellHeight, cellHeight + RING, scroll.clientHeight - top),
  });
}

/** @param {MouseEvent} event @param {HTMLElement} cells @param {MapData['matrix']} matrix @param {Sizes} sizes */
function cellAt(event, cells, matrix, { cellWidth, cellHeight }) {
  const box = cells.getBoundingClientRect();
  const row = Math.floor((event.clientY - box.top) / cellHeight);
  const column = Math.floor((event.clientX - box.left) / cellWidth);
  return within({ row, column }, matrix);
}

/** Where a key leads, maybe out of the matrix. @param {KeyboardEvent} event @param {Cell} cursor */
function keyTarget(event, { row, column }) {
  if (event.altKey || event.metaKey) return undefined;
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
  return targets[event.key];
}

/** @param {Cell} cell @param {MapData['matrix']} matrix */
const within = ({ row, column }, { rows, columns }) => ({ row: clamp(row, rows), column: clamp(column, columns) });

/** A size that ends on the screen's own pixels. @param {number} size */
const snap = (size) => Math.max(1, Math.floor(size * devicePixelRatio)) / devicePixelRatio;

/**
 * The scroll position closest to `now` that shows start..start + size in a window of `extent`.
 * @param {number} now
 * @param {number} start
 * @param {number} size
 * @param {number} extent
 */
const nearest = (now, start, size, extent) => Math.min(start, Math.max(now, start + size - extent));

/** @param {number} index @param {number} count */
const clamp = (index, count) => Math.max(0, Math.min(count - 1, index));

/** @param {string} tag */
function element(tag, className = '') {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
