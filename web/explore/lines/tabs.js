// Whether the workspace shows the head as a map or as lines.

import { html, render } from 'lit-html';

/** @type {[string, boolean][]} */
const TABS = [
  ['Map', false],
  ['Lines', true],
];

/** @type {import('../index.js').Input<{lines: boolean}>} */
export const attentionTabs = {
  name: 'attention-tabs',
  slot: 'map-foot',
  input: ({ state: { lines } }) => ({ lines }),
  create(root, { set }) {
    root.className = 'tabs';
    root.role = 'group';
    root.ariaLabel = 'Show the head as';
    const panel = /** @type {HTMLElement} */ (root.closest('.map-panel'));
    return {
      /** @param {{lines: boolean}} data */
      update({ lines }) {
        panel.dataset.shown = lines ? 'lines' : 'map';
        render(
          TABS.map(
            ([name, its]) => html`<button type="button" class="plain" aria-pressed=${lines === its}
              @click=${() => set({ lines: its })}>${name}</button>`,
          ),
          root,
        );
      },
    };
  },
};
