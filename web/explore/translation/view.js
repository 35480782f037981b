// What the model wrote, as a line to read.

import { html, nothing, render } from 'lit-html';
import { sentenceOf } from '../../draw/sentence.js';

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
      const written = words.filter((word) => word !== '[EOS]');
      render(
        html`<span aria-hidden="true">→</span>
        <output class="translation" aria-label=${isFrench ? 'French translation' : 'Output'}
          lang=${isFrench ? 'fr' : nothing}
          >${isFrench ? sentenceOf(written) : written.join(joint)}</output>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
