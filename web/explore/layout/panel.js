// The workspace, which shows the chosen node's views, or the whole page as one document.

import { html, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { isChecked } from '../../draw/controls.js';

/** @type {import('../index.js').Input<{whole: boolean}>} */
export const layout = {
  name: 'layout',
  slot: 'more',
  input: ({ state }) => ({ whole: state.layout === 'page' }),
  create: (root, { set }) => ({
    /** @param {{whole: boolean}} data */
    update: ({ whole }) =>
      render(
        html`<label class="layout-choice"><input type="checkbox" .checked=${live(whole)}
          @change=${(/** @type {Event} */ event) => set({ layout: isChecked(event) ? 'page' : 'workspace' })}>
          Whole page</label>`,
        root,
      ),
  }),
};
