// Tells whoever listens that a view has drawn a picture which is no map, so that it can be saved.

/**
 * `element`: what is the picture, as it stands on the page; `sheets`: the numbers in it.
 * @typedef {{name: string, shape: number[], data: ArrayLike<number | string>, rows: string[], columns: string[]}} Sheet
 * @typedef {{name: string, element: Element, sheets: () => Sheet[]}} Drawn
 */

/** @param {HTMLElement} root @param {Drawn | null} drawn null: there is none now */
export const tellDrawn = (root, drawn) =>
  root.dispatchEvent(new CustomEvent('picturechange', { bubbles: true, detail: drawn }));

/**
 * Numbers in rows and columns.
 * @param {string} name
 * @param {string[]} columns
 * @param {[label: string, ...values: (number | string)[]][]} rows
 * @returns {Sheet}
 */
export const sheetOf = (name, columns, rows) => ({
  name,
  shape: [rows.length, columns.length],
  data: rows.flatMap(([, ...values]) => values),
  rows: rows.map(([label]) => label),
  columns,
});
