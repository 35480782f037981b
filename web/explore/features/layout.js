// The workspace, which shows the chosen node's views, or the whole page as one document.

import { html } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { isChecked } from '../../draw/controls.js';

/** @type {import('../index.js').InputFeature} */
export const layout = {
  name: 'layout',
  slot: 'more',
  input: true,
  render: ({ state }, { set }) => html`<div id="layout">
    <label class="layout-choice"><input type="checkbox" .checked=${live(state.layout === 'page')}
      @change=${(/** @type {Event} */ event) => set({ layout: isChecked(event) ? 'page' : 'workspace' })}>
      Whole page</label></div>`,
};
