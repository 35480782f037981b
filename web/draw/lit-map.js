// The page's maps: their cells light with the same place in other views, and are spoken with punctuation by name.

import { createLit, markPart } from './lit.js';
import { createMap as createBareMap } from './map.js';
import { spoken } from './spoken.js';

/** @param {HTMLElement} root @param {import('./map.js').MapOptions} options */
export function createMap(root, options) {
  const own = {
    say: options.say ?? spoken,
    mark: options.mark ?? markPart,
    /** @param {import('./map.js').Cell | null} cell */
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
