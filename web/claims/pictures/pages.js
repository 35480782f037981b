// A figure in pieces, of which each fills the screen of a projector.

/** @typedef {import('../../../src/claims/shared/picture.js').Panel} Panel */
/** @typedef {import('../../../src/claims/shared/picture.js').Rows} Rows */
/** @typedef {{picture: Panel[]}} Page */

/** A page is made once, as it is drawn once. @type {WeakMap<Panel, Page[]>} */
const known = new WeakMap();

/** The number of rows that fit, with their labels in large type. @param {Rows} panel */
const mostRows = ({ series }) => (series ? 3 : 4);

/** @param {Panel} panel @returns {Page[]} */
export function pagesOf(panel) {
  const pages = known.get(panel) ?? (panel.kind === 'rows' ? parted(panel) : [{ picture: [panel] }]);
  known.set(panel, pages);
  return pages;
}

/** All parts have the axis of the whole. @param {Rows} panel @returns {Page[]} */
function parted(panel) {
  const { x, rows, levels = [] } = panel;
  const values = [...rows.flatMap(({ marks }) => marks.map(({ value }) => value)), ...levels.map(({ at }) => at)];
  const finite = values.filter((value) => Number.isFinite(value) && (!x.log || value > 0));
  const count = Math.ceil(rows.length / mostRows(panel));
  if (count < 2) return [{ picture: [panel] }];
  const axis = { ...x, low: Math.min(x.low ?? Infinity, ...finite), high: Math.max(x.high ?? -Infinity, ...finite) };
  const size = Math.ceil(rows.length / count);
  return Array.from({ length: count }, (_, i) => ({
    picture: [{ ...panel, x: axis, rows: rows.slice(i * size, (i + 1) * size) }],
  }));
}
