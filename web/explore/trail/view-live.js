// The line below an embedded figure, which leads to the page.

import { html, nothing, render } from 'lit-html';

/** @param {Event} event */
function openLive(event) {
  const { href } = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  event.preventDefault();
  const opened = open(href);
  if (opened) opened.opener = null;
  else location.href = href; // the frame allows no window
}

/** @param {HTMLElement} root */
export function create(root) {
  return {
    /** @param {{href: string} | null} data */
    update(data) {
      root.hidden = !data;
      render(data ? html`<a href=${data.href} @click=${openLive}>Glassformer: open live</a>` : nothing, root);
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
