// The switches of a card: its own, and the seeds.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { typed } from '../../draw/typed.js';
import { MOST_SEEDS, valueOf } from '../schema.js';
import { setSwitch } from '../state.js';
import { words } from '../wording.js';
import style from './switches.css';

/** @typedef {(name: string, text: string) => void} Put */

/** @type {import('../index.js').Feature} */
export const switches = {
  name: 'switches',
  slot: 'columns',
  view: 'card',
  style,
  render({ state, claim }, { get, change }) {
    if (!claim || !state.revealed) return null;
    const { params } = state.address;
    const { inputs, seeded, long } = claim;
    /** @type {Put} */
    const put = (name, text) => change(setSwitch(get(), name, text), !long);
    /** @param {'seed' | 'seeds'} name @param {string} label */
    const seed = (name, label) => field(state.wrong, name, label, String(valueOf(claim, params, name)), put);
    return html`<details class="claims-fold claims-switches" ?open=${Object.keys(params).length > 0}>
      <summary>Switches</summary>
      ${inputs.map((input) => control(input, valueOf(claim, params, input.name), put))}
      ${
        seeded ? html`<div class="claims-seeds">${seed('seed', 'First seed')} ${seed('seeds', 'Seeds')}</div>` : nothing
      }
    </details>`;
  },
};

/**
 * @param {import('../../../src/claims/index.js').Input} input
 * @param {import('../schema.js').Value} value
 * @param {Put} put
 */
const control = ({ name, label, values }, value, put) =>
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
            @change=${() => put(name, String(each))}
          />
          <span>${typeof each === 'string' ? words(each) : each}</span>
        </label>`,
      )}
    </div>
  </fieldset>`;

/**
 * @param {import('../state.js').ClaimsState['wrong']} last
 * @param {string} name @param {string} label @param {string} value @param {Put} put
 */
function field(last, name, label, value, put) {
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
      .value=${typed(wrong ? wrong.typed : value, name)}
      aria-invalid=${wrong ? 'true' : nothing}
      aria-describedby=${wrong ? `claims-${name}-problem` : nothing}
      @change=${(/** @type {any} */ { target }) => put(name, target.value)}
    />
    ${wrong ? html`<p class="error" id="claims-${name}-problem" role="alert">${wrong.text}.</p>` : nothing}
  </div>`;
}
