// Texts to start from, as a menu, and a pair of words of one sentence to flip between.

import { html, nothing } from 'lit-html';
import { entryOf } from '../../models/catalogue.js';

/** @type {import('../index.js').InputFeature} */
export const examples = {
  name: 'examples',
  slot: 'models',
  input: true,
  render({ state: { model, text: selected } }, { set }) {
    const entry = entryOf(model);
    if (!entry || entry.input === 'menus' || !Object.keys(entry.examples).length) return null;
    const choose = (/** @type {string} */ text) => set({ text, written: [], follow: true, brush: [] });
    return html`<div id="examples" class="bar-choices">
      <details class="menu" name="bar"><summary>Examples</summary><div class="examples">
        ${Object.entries(entry.examples).map(
          ([name, text]) => html`<button type="button" title=${text} aria-pressed=${text === selected}
          @click=${() => choose(text)}>${name}</button>`,
        )}</div></details>${entry.pair ? flip(entry.pair, selected, choose) : nothing}</div>`;
  },
};

/**
 * @param {[string, string][]} pair two texts that differ in one word each, by that word
 * @param {string} selected
 * @param {(text: string) => void} choose
 */
function flip([[one, first], [two, second]], selected, choose) {
  const next = selected === first ? second : first;
  return html`<button type="button" class="plain flip" title=${next}
    @click=${() => choose(next)}><b ?data-on=${selected === first}>${one}</b> ⇄
    <b ?data-on=${selected === second}>${two}</b></button>`;
}
