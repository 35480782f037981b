// Announces that a view has drawn a figure which is no map, so that export/feet.js can offer to save it.

/**
 * `element`: the figure as it stands on the page; `tables`: the numbers in it.
 * @typedef {{name: string, shape: number[], data: ArrayLike<number | string>, rows: string[], columns: string[]}} Table
 * @typedef {{name: string, element: Element, tables: () => Table[]}} Figure
 */

/** @param {HTMLElement} root @param {Figure | null} figure null: there is none now */
export const announceFigure = (root, figure) =>
  root.dispatchEvent(new CustomEvent('figurechange', { bubbles: true, detail: figure }));

/**
 * Numbers in rows and columns.
 * @param {string} name
 * @param {string[]} columns
 * @param {[label: string, ...values: (number | string)[]][]} rows
 * @returns {Table}
 */
export const tableOf = (name, columns, rows) => ({
  name,
  shape: [rows.length, columns.length],
  data: rows.flatMap(([, ...values]) => values),
  rows: rows.map(([label]) => label),
  columns,
});
