// Highlights the part of a map that is pointed at, here or elsewhere on the page: its row, its column, or their cell.
//
// The page knows the lines of an axis by a part and a value ('row' 3, 'neuron' 17). Pointing at one sends the event
// 'point' up; the event 'highlight' brings the lines to highlight. The details of both are values by part.

/** @typedef {import('./axis.js').Axis} Axis */
/** @typedef {Record<string, string | number>} Parts */

/** @param {Axis} axis @param {number} i */
const valueOf = (axis, i) => axis.value?.(i) ?? axis.index?.(i) ?? i;

/**
 * Where a value stands; -1: nowhere.
 * @param {Axis} axis
 * @param {number} count
 * @param {Parts} parts
 */
function placeOf(axis, count, parts) {
  const value = axis.part && parts[axis.part];
  if (value === undefined || value === '') return -1;
  for (let i = 0; i < count; i++) if (String(valueOf(axis, i)) === String(value)) return i;
  return -1;
}

/** Marks a label with its part. @type {import('./axis.js').Mark} */
export function markPart(label, axis, i) {
  for (const name of Object.keys(label.dataset)) if (name !== axis.part) delete label.dataset[name];
  if (axis.part) label.dataset[axis.part] = String(valueOf(axis, i));
}

/** @param {HTMLElement} cells of a map */
export function createLit(cells) {
  const frame = cells.appendChild(document.createElement('div'));
  frame.className = 'map-lit';
  frame.hidden = true;
  /** @type {import('./map.js').MapData | null} */
  let data = null;

  cells.addEventListener('highlight', (event) => {
    const parts = /** @type {CustomEvent<Parts>} */ (event).detail;
    const { rows, columns } = data?.matrix ?? { rows: 0, columns: 0 };
    const row = data ? placeOf(data.rowAxis, rows, parts) : -1;
    const column = data ? placeOf(data.columnAxis, columns, parts) : -1;
    frame.hidden = row < 0 && column < 0;
    if (frame.hidden) return;
    frame.style.width = `${100 / (column < 0 ? 1 : columns)}%`;
    frame.style.height = `${100 / (row < 0 ? 1 : rows)}%`;
    // in units of its own size, so that going from cell to cell needs no new layout
    frame.style.transform = `translate(${100 * Math.max(0, column)}%, ${100 * Math.max(0, row)}%)`;
  });

  /** Says what is pointed at here. @param {import('./map.js').Cell | null} cell */
  function point(cell) {
    if (!data || !cell) return;
    const { rowAxis, columnAxis } = data;
    const detail = {
      ...(rowAxis.part ? { [rowAxis.part]: valueOf(rowAxis, cell.row) } : {}),
      ...(columnAxis.part ? { [columnAxis.part]: valueOf(columnAxis, cell.column) } : {}),
    };
    cells.dispatchEvent(new CustomEvent('point', { bubbles: true, detail }));
  }

  /** The cursor, while the keyboard moves it. */
  const pointAtFocus = () => data && cells.matches(':focus-visible') && point(data.cursor);
  cells.addEventListener('focus', pointAtFocus);
  cells.addEventListener('keyup', pointAtFocus);

  return {
    point,
    /** @param {import('./map.js').MapData | null} next */
    update(next) {
      data = next;
      cells.toggleAttribute('data-lights', Boolean(next?.rowAxis.part || next?.columnAxis.part));
    },
  };
}
