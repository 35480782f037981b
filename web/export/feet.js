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
  /** @type {HTMLElement[]} the figures of the main pane that the menu last chose from */
  let views = [];
  /** @type {HTMLElement | null} */
  let last = null;

  /** Those that the page shows now: a node's view waits where it stands while another's is open. */
  const shown = () =>
    [...figures.keys()].filter((root) => root.isConnected && figures.get(root) && !root.closest('[data-away]'));

  function show() {
    const roots = shown();
    // Another view has taken a view's place: the click that led there, in the model graph, was for the view.
    if (views.some((root) => !roots.includes(root))) last = null;
    views = roots.filter((root) => root.closest('.main-pane'));
    const isMap = (/** @type {HTMLElement} */ root) => 'matrix' in (figures.get(root) ?? {});
    const root = last && roots.includes(last) ? last : (views.find(isMap) ?? views[0] ?? roots[0]);
    const figure = (root && figures.get(root)) ?? null;
    menu.update(figure, figure?.name ?? '');
  }

  /** @param {Event} event */
  function use({ target }) {
    const panel = /** @type {Element} */ (target).closest('#explore :is(section, .panel)');
    const roots = shown();
    for (let at = panel && /** @type {Element} */ (target); at; at = at === panel ? null : at.parentElement) {
      const root = roots.find((each) => at?.contains(each));
      if (!root) continue;
      last = root;
      return show();
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
