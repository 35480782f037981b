// Puts the buttons to save it under every figure of the page, and under a map its table as well.

import { createFold } from './fold.js';

/**
 * @typedef {import('../draw/map.js').MapData} MapData
 * @typedef {import('../draw/figure.js').Figure} Figure
 */

/** @param {Pick<import('../explore/index.js').Tools, 'result' | 'pinned'>} tools */
export function putFeet(tools) {
  /** @type {WeakMap<HTMLElement, (shown: MapData | Figure | null) => void>} */
  const feet = new WeakMap();
  /** @param {Event} event */
  const put = (event) => {
    const root = /** @type {HTMLElement} */ (event.target);
    const { detail } = /** @type {CustomEvent<MapData | Figure | null>} */ (event);
    const update = feet.get(root) ?? (detail && make(root, event.type === 'mapchange'));
    if (!update) return;
    feet.set(root, update);
    update(detail);
  };
  document.addEventListener('mapchange', put);
  document.addEventListener('figurechange', put);

  /** @param {HTMLElement} root @param {boolean} isMap */
  function make(root, isMap) {
    const foot = document.createElement('div');
    const place = () => foot.appendChild(document.createElement('div'));
    foot.className = 'map-foot';
    root.append(foot);
    const table = isMap
      ? createFold(place(), 'Show as table', async (body) => (await import('../explore/late.js')).tableOfMap(body))
      : null;
    const save = createFold(place(), 'Save', async (body) =>
      (await import('../explore/late.js')).saveFigure(body, tools),
    );
    return (/** @type {any} */ next) => {
      table?.update(next, next?.name ?? '');
      save.update(next, next?.name ?? '');
    };
  }
}
