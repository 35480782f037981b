// The line below a figure in somebody's article (`&embed=1`), which leads to the page.

import { html } from 'lit-html';

/** @type {import('../index.js').InputFeature} */
export const embed = {
  name: 'embed-live',
  input: true,
  render: ({ state }, { link }) =>
    state.embed
      ? html`<p id="embed-live" class="embed-live">
        <a href=${link().replace(/&embed=1\b/, '')} @click=${openLive}>Glassformer: open live</a></p>`
      : null,
};

/** @param {Event} event */
function openLive(event) {
  const { href } = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  event.preventDefault();
  const opened = open(href);
  if (opened) opened.opener = null;
  else location.href = href; // the frame allows no window
}
