// The switches of a card: its own, the seeds, and its control or boundary.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { MOST_SEEDS, valueOf } from '../schema.js';
import { isContrast, switchesText } from '../switches.js';
import { NAMES } from '../verdict.js';
import { words } from '../words.js';

/**
 * @typedef {import('../state.js').ClaimsState} ClaimsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').ClaimsActions} ClaimsActions
 */

/** @param {ClaimsState} state @param {ClaimData} claim @param {ClaimsActions} actions */
export function switches(state, claim, actions) {
  const { params } = state.address;
  const { contrast, contrastKind: kind } = claim;
  const isSet = isContrast(claim, params);
  return html`<section class="panel claims-switches" aria-labelledby="claims-switches">
    <h4 id="claims-switches">Switches</h4>
    ${claim.inputs.map((input) => control(input, valueOf(claim, params, input.name), actions))}
    ${
      claim.seeded
        ? html`<div class="claims-seeds">
            ${field(state, claim, 'seed', 'First seed', actions)} ${field(state, claim, 'seeds', 'Seeds', actions)}
          </div>`
        : nothing
    }
    <div class="claims-contrast">
      <h4>${NAMES[kind]}</h4>
      <p class="hint">${words(switchesText(claim, contrast))}</p>
      <button type="button" @click=${() => actions.onSwitches(isSet ? {} : contrast)}>
        ${isSet ? 'Back to the sentence' : `Run the ${kind}`}
      </button>
    </div>
  </section>`;
}

/**
 * @param {import('../../../src/claims/index.js').Input} input
 * @param {import('../schema.js').Value} value
 * @param {ClaimsActions} actions
 */
const control = ({ name, label, values }, value, { onSwitch }) =>
  html`<fieldset class="claims-switch">
    <legend>${words(label)}</legend>
    <div class="claims-values-offered">
      ${values.map(
        (each) => html`<label>
          <input
            type="radio"
            name="claims-${name}"
            value=${String(each)}
            .checked=${live(each === value)}
            @change=${() => onSwitch(name, String(each))}
          />
          <span>${typeof each === 'string' ? words(each) : each}</span>
        </label>`,
      )}
    </div>
  </fieldset>`;

/**
 * @param {ClaimsState} state @param {ClaimData} claim @param {string} name @param {string} label
 * @param {ClaimsActions} actions
 */
function field({ address, wrong: last }, claim, name, label, { onSwitch }) {
  const wrong = last?.name === name ? last : null;
  return html`<div class="claims-field">
    <label for="claims-${name}">${label}</label>
    <input
      id="claims-${name}"
      type="number"
      min=${name === 'seed' ? 0 : 1}
      max=${name === 'seed' ? nothing : MOST_SEEDS}
      step="1"
      inputmode="numeric"
      .value=${live(wrong ? wrong.typed : String(valueOf(claim, address.params, name)))}
      aria-invalid=${wrong ? 'true' : nothing}
      aria-describedby=${wrong ? `claims-${name}-problem` : nothing}
      @change=${(/** @type {any} */ { target }) => onSwitch(name, target.value)}
    />
    ${wrong ? html`<p class="error" id="claims-${name}-problem" role="alert">${wrong.text}.</p>` : nothing}
  </div>`;
}
