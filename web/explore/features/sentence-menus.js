// The sentence of `translate`, word by word: a pattern, and a menu for each word that can be chosen.

import { html } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { valueOf } from '../../kit/controls.js';
import { entryOf } from '../../models/catalogue.js';
import { PATTERNS, compose } from '../../models/sentences.js';
import style from './sentence-menus.css';

/** @type {import('../index.js').InputFeature} */
export const menus = {
  name: 'sentence-menus',
  style,
  render({ state: { model, menu } }, { get, set }) {
    if (entryOf(model)?.input !== 'menus') return null; // yet: the code comes while the model does
    /** @param {Partial<import('../../models/sentences.js').MenuState>} patch */
    const choose = (patch) => {
      const next = { ...get().menu, ...patch };
      set({ menu: next, text: compose(next).text, written: [] });
    };
    const onPattern = (/** @type {Event} */ event) => {
      choose({ pattern: valueOf(event) });
      set({ follow: true }); // another sentence, with words to choose of its own
    };
    const onWord = (/** @type {string} */ name) => (/** @type {Event} */ event) =>
      choose({ choices: { ...get().menu.choices, [name]: valueOf(event) } });
    return html`<div id="sentence-menus" class="bar-choices">
      <details class="menu" name="bar"><summary>Sentence</summary><div class="sentence-menus">
        <select class="pattern" aria-label="Sentence" .value=${live(menu.pattern)} @change=${onPattern}>
          ${Object.entries(PATTERNS).map(
            ([value, { label }]) => html`<option value=${value} .selected=${value === menu.pattern}>${label}</option>`,
          )}
        </select>
        <div class="menus" role="group" aria-label="Words of the English sentence">
          ${compose(menu).parts.map((part) =>
            typeof part === 'string'
              ? html`<span class="fixed">${part}</span>`
              : html`<select data-name=${part.name} aria-label=${part.label} .value=${live(part.value)}
                  @change=${onWord(part.name)}>${part.options.map(
                    (option) => html`<option value=${option} .selected=${option === part.value}>${option}</option>`,
                  )}</select>`,
          )}
        </div></div></details></div>`;
  },
};
