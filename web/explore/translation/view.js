// What the model wrote, as a line to read.

import { html, render } from 'lit-html';

/** @param {HTMLElement} root */
export function create(root) {
  return {
    /** @param {{words: readonly string[]} | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      render(
        html`<span class="translation-label">French translation:</span>
        <output class="translation" lang="fr">${data.words.filter((word) => word !== '[EOS]').join(' ')}</output>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
