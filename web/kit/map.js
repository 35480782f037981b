// Heatmaps in a template: map(data, options), with the data and options of draw/map.js.

import { createMap } from '../draw/lit-map.js';
import { createMarks } from '../draw/marks.js';
import { component } from './component.js';

/**
 * @typedef {import('../draw/map.js').MapData} MapData
 * @typedef {import('../draw/map.js').MapOptions} MapOptions
 */

/** @type {(data: MapData | null, options: MapOptions) => unknown} */
export const map = component(createMap);

/**
 * A map with marks on cells that were set by hand.
 * @type {(shown: [data: MapData, marks: import('../draw/marks.js').Mark[]] | null, options: MapOptions) => unknown}
 */
export const markedMap = component((root, options) => {
  const made = createMap(root, options);
  const marks = createMarks(root);
  return {
    destroy: made.destroy,
    /** @param {[MapData, import('../draw/marks.js').Mark[]] | null} shown */
    update(shown) {
      made.update(shown && shown[0]);
      if (shown) marks.update(shown[1], shown[0].matrix.rows, shown[0].matrix.columns);
    },
  };
});
