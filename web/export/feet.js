// Puts under every map of the page its table, and what saves a figure: in Explore one menu for the figure last used, in
// the other places a fold under each.

import { createFold } from './fold.js';
import { onFigures } from '../draw/figure.js';

/**
 * @typedef {import('../draw/map.js').MapData} MapData
 * @typedef {import('../draw/figure.js').Figure} Figure
 */

/**
 * @param {Pick<import('../explore/index.js').Tools, 'result' | 'pinned'>} tools
 * @param {HTMLElement} menu where Explore saves the figure last used
 */
export function putFeet(tools, menu) {
  /** @type {WeakMap<HTMLElement, (shown: MapData | Figure | null) => void>} */
  const feet = new WeakMap();
  const lastUsed = createLastUsed(createSave(menu, tools, 'Save the figure last used'));
  onFigures((root, { type, detail }) => {
    const update = feet.get(root) ?? (detail && make(root, type === 'mapchange'));
    if (!update) return;
    feet.set(root, update);
    update(detail);
  });

  /** @param {HTMLElement} root @param {boolean} isMap */
  function make(root, isMap) {
    const inExplore = root.closest('#explore');
    const foot = document.createElement('div');
    const add = () => foot.appendChild(document.createElement('div'));
    foot.className = 'map-foot';
    const table = isMap
      ? createFold(add(), 'Show as table', async (body) => (await import('./save.js')).tableOfMap(body))
      : null;
    const save = inExplore ? null : createSave(add(), tools, 'Save');
    if (foot.children.length) root.append(foot);
    return (/** @type {any} */ next) => {
      table?.update(next, next?.name ?? '');
      save?.update(next, next?.name ?? '');
      if (inExplore) lastUsed.update(root, next);
    };
  }
}

/** @param {HTMLElement} root @param {Parameters<typeof putFeet>[0]} tools @param {string} title */
const createSave = (root, tools, title) =>
  createFold(root, title, async (body) => (await import('./save.js')).saveFigure(body, tools));

/** Shows in the menu the figure that the reader last clicked or came to. @param {ReturnType<typeof createSave>} menu */
function createLastUsed(menu) {
  /** @type {Map<HTMLElement, MapData | Figure | null>} */
  const figures = new Map();
  /** @type {HTMLElement | null} */
  let last = null;

  function show() {
    const all = [...figures.values()].filter((each) => each !== null);
    const figure = (last && figures.get(last)) ?? all.find((each) => 'matrix' in each) ?? all[0] ?? null;
    menu.update(figure, figure?.name ?? '');
  }

  /** @param {Event} event */
  function use({ target }) {
    for (let at = /** @type {Element | null} */ (target); at && at.id !== 'explore'; at = at.parentElement) {
      const root = [...figures.keys()].find((each) => figures.get(each) && at?.contains(each));
      if (root) {
        last = root;
        show();
        return;
      }
      if (at.matches('section, .panel')) return; // another figure stands outside of it
    }
  }
  for (const type of ['click', 'focusin']) document.addEventListener(type, use, true);

  return {
    /** @param {HTMLElement} root @param {MapData | Figure | null} next */
    update(root, next) {
      figures.set(root, next);
      show();
    },
  };
}
