// Heatmaps in a template: map(data, options), with the data and options of draw/map.js.

import { createMap as createBareMap } from '../draw/map.js';
import { createFrames, createMarks } from '../draw/marks.js';
import { component } from './component.js';
import { createLit, markPart } from '../draw/lit.js';
import { spoken } from '../draw/sentence.js';

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

// The page's maps: their cells light with the same place in other views, and are spoken with punctuation by name.

/** @param {HTMLElement} root @param {import('../draw/map.js').MapOptions} options */
export function createMap(root, options) {
  const own = {
    say: options.say ?? spoken,
    mark: options.mark ?? markPart,
    /** @param {import('../draw/map.js').Cell | null} cell */
    onHover(cell) {
      lit.point(cell);
      options.onHover?.(cell);
    },
  };
  const map = createBareMap(root, Object.setPrototypeOf(own, options)); // each layout reads the height again
  const lit = createLit(/** @type {HTMLElement} */ (root.querySelector('.map-cells')));
  root.addEventListener('mapchange', (event) => lit.update(/** @type {CustomEvent} */ (event).detail));
  return map;
}
