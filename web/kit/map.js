// Heatmaps in a template: map(data, options), with the data and options of draw/map.js.

import { createMap } from '../draw/lit-map.js';
import { createMap as createBareMap } from '../draw/map.js';
import { createFrames, createMarks } from '../draw/marks.js';
import { component } from './component.js';

/**
 * @typedef {import('../draw/map.js').MapData} MapData
 * @typedef {import('../draw/map.js').MapOptions} MapOptions
 */

/** @type {(data: MapData | null, options: MapOptions) => unknown} */
export const map = component(createMap);

/** A map that lights nothing elsewhere. @type {(data: MapData | null, options: MapOptions) => unknown} */
export const bareMap = component(createBareMap);

/**
 * A map with marks on cells that were set by hand, and frames around rows that are selected together; `onEnter`: of
 * the cells, when Enter is pressed there.
 * @typedef {[data: MapData, marks: import('../draw/marks.js').Mark[], rows?: readonly number[]]} Marked
 * @type {(shown: Marked | null, options: MapOptions & {onEnter?: (cells: HTMLElement) => void}) => unknown}
 */
export const markedMap = component((root, options) => {
  root.className = 'map';
  const made = createMap(root, options);
  const marks = createMarks(root);
  const frames = createFrames(root);
  if (options.onEnter) {
    const cells = /** @type {HTMLElement} */ (root.querySelector('.map-cells'));
    cells.setAttribute('aria-keyshortcuts', 'Enter');
    cells.addEventListener('keydown', ({ key }) => key === 'Enter' && options.onEnter(cells));
  }
  return {
    destroy: made.destroy,
    /** @param {Marked | null} shown */
    update(shown) {
      made.update(shown && shown[0]);
      if (!shown) return;
      const [{ matrix }, marked, rows = []] = shown;
      marks.update(marked, matrix.rows, matrix.columns);
      frames.update(rows, matrix.rows);
    },
  };
});
