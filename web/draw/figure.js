// Announces that a view has drawn a figure which is no map, so that export/feet.js can offer to save it.

/**
 * `element`: the figure as it stands on the page; `tables`: the numbers in it.
 * @typedef {{name: string, shape: number[], data: ArrayLike<number | string>, rows: string[], columns: string[]}} Table
 * @typedef {{name: string, element: Element, tables: () => Table[]}} Figure
 */

/** The event last announced at an element. @type {WeakMap<Element, CustomEvent>} */
const announced = new WeakMap();

/** @param {HTMLElement} root @param {'mapchange' | 'figurechange'} type @param {object | null} detail null: none now */
export function announceDrawn(root, type, detail) {
  const event = new CustomEvent(type, { bubbles: true, detail });
  announced.set(root, event);
  root.dispatchEvent(event);
}

/** @param {HTMLElement} root @param {Figure | null} figure */
export const announceFigure = (root, figure) => announceDrawn(root, 'figurechange', figure);

/**
 * Calls with each map and figure of the page that was drawn already, then with each change.
 * @param {(root: HTMLElement, event: CustomEvent) => void} listener
 */
export function onFigures(listener) {
  for (const each of document.querySelectorAll('*')) {
    const event = announced.get(each);
    if (event) listener(/** @type {HTMLElement} */ (each), event);
  }
  const put = (/** @type {Event} */ event) =>
    listener(/** @type {HTMLElement} */ (event.target), /** @type {CustomEvent} */ (event));
  for (const type of ['mapchange', 'figurechange']) document.addEventListener(type, put);
}

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
