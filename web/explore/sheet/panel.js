// In a narrow window why and try lie in a sheet at its bottom: the tabs that open it, and a click on a cell.

import { html, render } from 'lit-html';

/** @type {Record<string, string>} */
const TABS = { why: 'Why', try: 'Try' };

/** @type {import('../index.js').Input<null>} */
export const sheet = {
  name: 'sheet',
  slot: 'why',
  section: html`<div id="sheet" class="sheet-tabs" role="group" aria-label="Panels"></div>`,
  input: () => null,
  create(root, { set, get }) {
    const side = /** @type {HTMLElement} */ (root.parentElement);

    /** @param {string} tab '' closes it */
    function open(tab) {
      side.dataset.sheet = tab;
      side.scrollTop = 0;
      draw();
    }

    function draw() {
      const { sheet: shown = '' } = side.dataset;
      const learn = () => {
        open('');
        set({ book: get().book ?? 0 });
      };
      render(
        html`${Object.entries(TABS).map(
          ([tab, name]) => html`<button type="button" class="plain" aria-expanded=${shown === tab}
            @click=${() => open(shown === tab ? '' : tab)}>${name}</button>`,
        )}<button type="button" class="plain" @click=${learn}>Learn</button>`,
        root,
      );
    }

    document.addEventListener('click', ({ target }) => {
      if (/** @type {Element} */ (target).closest('#heatmap .map-cells, #lines .edge')) open('why');
    });
    return { update: draw };
  },
};
