// Which model the page shows: a menu of a few, or one of the reader's own.

import { html } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { LABELS } from '../../models/catalogue.js';

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
