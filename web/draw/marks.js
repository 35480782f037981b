// Marks on the cells of a map that were set by hand, with a description for screen readers.

/** @typedef {{row: number | null, column: number, text: string}} Mark `row`: null for the whole column */

/** @param {HTMLElement} root of a map (map.js) */
export function createMarks(root) {
  const cells = /** @type {HTMLElement} */ (root.querySelector('.map-cells'));
  const layer = cells.appendChild(document.createElement('div'));
  layer.className = 'map-marks';
  return {
    /** @param {readonly Mark[]} marks @param {number} rows @param {number} columns of the map */
    update(marks, rows, columns) {
      cells.ariaDescription = marks.length ? `Set by hand: ${marks.map(({ text }) => text).join('; ')}.` : '';
      layer.replaceChildren(
        ...marks.map(({ row, column }) => {
          const mark = document.createElement('div');
          mark.className = 'map-mark';
          Object.assign(mark.style, {
            left: `${(100 * column) / columns}%`,
            width: `${100 / columns}%`,
            top: `${(100 * (row ?? 0)) / rows}%`,
            height: `${row === null ? 100 : 100 / rows}%`,
          });
          return mark;
        }),
      );
    },
  };
}
