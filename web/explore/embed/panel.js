// The line below a figure in somebody's article (`&embed=1`), which leads to the page.

import { html, nothing, render } from 'lit-html';

/** @type {import('../index.js').Input<import('../index.js').State>} */
export const embed = {
  name: 'embed-live',
  section: html`<p id="embed-live" class="embed-live"></p>`,
  input: ({ state }) => state,
  create: (root, tools) => ({
    /** @param {import('../index.js').State} state */
    update(state) {
      const href = state.embed && tools.link().replace(/&embed=1\b/, '');
      render(href ? html`<a href=${href} @click=${openLive}>Glassformer: open live</a>` : nothing, root);
    },
  }),
};

/** @param {Event} event */
function openLive(event) {
  const { href } = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  event.preventDefault();
  const opened = open(href);
  if (opened) opened.opener = null;
  else location.href = href; // the frame allows no window
}
