// Explore's part of the bar: the menus of models (a few, or the reader's own) and of texts to start from, and the
// switch that shows the whole page as one document.

import { html } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { LABELS, entryOf } from '../../models/catalogue.js';
import { isChecked } from '../../kit/controls.js';

/** @type {import('../index.js').InputFeature} */
export const models = {
  name: 'models',
  slot: 'models',
  input: true,
  render: ({ chosenModel }, { chooseModel, openOwn }) => html`<div id="models">
    <details class="menu" name="bar"><summary title="Which model">${LABELS[chosenModel]?.label}</summary>
      <fieldset class="models">
        <legend class="visually-hidden">Which model</legend>
        ${Object.entries(LABELS).map(
          ([name, { label, does }]) => html`<label class="model">
          <input type="radio" name="model" value=${name} .checked=${live(name === chosenModel)}
            @change=${() => chooseModel(/** @type {keyof typeof LABELS} */ (name))}>
          <span><b>${label}</b><span class="does">: ${does}</span></span></label>`,
        )}
        <button type="button" @click=${openOwn}>Open your own model…</button>
      </fieldset></details></div>`,
};

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
        )}</div></details></div>`;
  },
};

/** Back to where a model was trained: Train shows the run as it was left. @type {import('../index.js').InputFeature} */
export const origin = {
  name: 'origin',
  slot: 'models',
  input: true,
  render({ chosenModel }) {
    const [, link, place] = /^((train|claims)\?.*?)(&weights=.*)?$/.exec(chosenModel) ?? [];
    return link ? html`<a class="origin" href="#/${link}">← ${place === 'train' ? 'Its run' : 'Its card'}</a>` : null;
  },
};

/** @type {import('../index.js').InputFeature} */
export const layout = {
  name: 'layout',
  slot: 'more',
  input: true,
  render: ({ state }, { set }) => html`<div id="layout">
    <label class="layout-choice"><input type="checkbox" .checked=${live(state.layout === 'page')}
      @change=${(/** @type {Event} */ event) => set({ layout: isChecked(event) ? 'page' : 'workspace' })}>
      Whole page</label></div>`,
};
