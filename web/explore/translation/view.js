// What the model wrote, as a line to read.

import { html, nothing, render } from 'lit-html';

/** @typedef {{words: readonly string[], joint?: string}} WrittenData `joint`: where the language is not French */

/** @param {HTMLElement} root */
export function create(root) {
  return {
    /** @param {WrittenData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      const { words, joint } = data;
      const isFrench = joint === undefined;
      render(
        html`<span class="translation-label">${isFrench ? 'French translation' : 'Output'}:</span>
        <output class="translation" lang=${isFrench ? 'fr' : nothing}
          >${words.filter((word) => word !== '[EOS]').join(joint ?? ' ')}</output>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
