// What the list does not need: each is fetched when it is first shown.

import { html, nothing } from 'lit-html';

/**
 * @typedef {import('./state.js').ClaimsState} ClaimsState
 * @typedef {import('./view.js').ClaimsActions} ClaimsActions
 * @typedef {(state: ClaimsState, actions: ClaimsActions) => unknown} Draw
 * @typedef {{create: (update: () => void) => Draw}} LateView
 */

/** @typedef {'tested' | 'boundary' | 'share' | 'projector' | 'class'} LateName */

/** @type {Record<LateName, () => Promise<LateView>>} */
const VIEWS = {
  tested: () => import('./tested/view.js'),
  boundary: () => import('./boundary/view.js'),
  share: () => import('./share/view.js'),
  projector: () => import('./projector/view.js'),
  class: () => import('./class/view.js'),
};

/** What comes beside something else. @type {readonly LateName[]} */
const ASIDE = ['share', 'boundary'];

/** @param {() => void} update draws the page again */
export function createLate(update) {
  /** @type {Map<LateName, Draw>} */
  const drawn = new Map();

  /** @param {LateName} name */
  async function open(name) {
    drawn.set(name, () => (ASIDE.includes(name) ? nothing : html`<p class="hint">Loading…</p>`));
    try {
      drawn.set(name, (await VIEWS[name]()).create(update));
    } catch {
      const again = () => (open(name), update());
      drawn.set(
        name,
        () => html`<div class="notices claims-problem" role="alert">
          <p>This part of the page could not be fetched.</p>
          <button type="button" @click=${again}>Try again</button>
        </div>`,
      );
    }
    update();
  }

  /** Before it is shown. @param {LateName} name */
  function fetch(name) {
    if (!drawn.has(name)) open(name);
  }

  return {
    fetch,
    /** @param {LateName} name @param {ClaimsState} state @param {ClaimsActions} actions */
    draw(name, state, actions) {
      fetch(name);
      return drawn.get(name)?.(state, actions);
    },
  };
}
