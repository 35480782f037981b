// Texts to start from, as buttons with short names.

import { html, render } from 'lit-html';

/**
 * @param {HTMLElement} root
 * @param {{onSelect: (text: string) => void}} options
 */
export function create(root, { onSelect }) {
  return {
    /** @param {{texts: Record<string, string>, selected: string} | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      const { texts, selected } = data;
      render(
        html`<div class="buttons examples" role="group" aria-label="Examples"><span class="hint">Examples</span>
        ${Object.entries(texts).map(
          ([name, text]) => html`<button type="button" title=${text} aria-pressed=${text === selected}
          @click=${() => onSelect(text)}>${name}</button>`,
        )}
      </div>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
