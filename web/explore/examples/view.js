// Texts to start from, as a menu, and a pair of words of one sentence to flip between.

import { html, nothing, render } from 'lit-html';

/**
 * `pair`: two texts that differ in one word each, by that word.
 * @typedef {{texts: Record<string, string>, selected: string, pair?: [string, string][]}} ExamplesData
 */

/**
 * @param {HTMLElement} root
 * @param {{onSelect: (text: string) => void}} options
 */
export function create(root, { onSelect }) {
  return {
    /** @param {ExamplesData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      const { texts, selected, pair } = data;
      render(
        html`<details class="menu" name="bar"><summary>Examples</summary><div class="examples">
        ${Object.entries(texts).map(
          ([name, text]) => html`<button type="button" title=${text} aria-pressed=${text === selected}
          @click=${() => onSelect(text)}>${name}</button>`,
        )}</div></details>${pair ? flip(pair, selected, onSelect) : nothing}`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {[string, string][]} pair @param {string} selected @param {(text: string) => void} onSelect */
function flip([[one, first], [two, second]], selected, onSelect) {
  const next = selected === first ? second : first;
  return html`<button type="button" class="plain flip" title=${next}
    @click=${() => onSelect(next)}><b ?data-on=${selected === first}>${one}</b> ⇄
    <b ?data-on=${selected === second}>${two}</b></button>`;
}
