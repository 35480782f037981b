// The model's settings: sizes, architecture, switches, presets. A refused setting shows the reason.

import { html, nothing, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { problemWith } from './check.js';

/**
 * @typedef {Record<string, string | number | boolean>} Values
 * `fixed`: sizes and seed are those of a trained model, and only the switches can be set.
 * @typedef {{values: Values, error: {parameter: string, message: string} | null, fixed: boolean}} ControlsData
 * @typedef {{
 *   onChange: (patch: Values) => void, onPreset: (name: 'default' | 'base') => void, onReset: () => void,
 * }} ControlsOptions
 * @typedef {import('../../app/schema.js').Control} Control
 */

/**
 * @param {HTMLElement} root
 * @param {Control[]} controls
 * @param {ControlsOptions} options
 */
export function create(root, controls, { onChange, onPreset, onReset }) {
  /** @type {{name: string, text: string} | null} the number that was edited last, as it was typed */
  let typed = null;
  /** @type {ControlsData | null} */
  let last = null;

  /** @param {string} name @param {Values} values */
  const shownNumber = (name, values) =>
    typed?.name === name ? typed.text : Number.isNaN(values[name]) ? '' : String(values[name]);

  /** What is wrong, at the field that made it so, while it is typed. @param {ControlsData} data */
  function problemOf({ values, error }) {
    const control = controls.find(({ name }) => name === typed?.name);
    if (!typed || !control) return error;
    const { name, text } = typed;
    const message = problemWith({ ...values, [name]: text === '' ? NaN : Number(text) }, name, control);
    return message ? { parameter: name, message } : error;
  }

  /** @param {ControlsData} data */
  function template(data) {
    const { values, fixed } = data;
    const error = problemOf(data);
    /** @param {string} name */
    const wrong = (name) => error?.parameter === name;
    /** @param {string} name */
    const message = (name) =>
      wrong(name) ? html`<p class="error" id="error-${name}" role="alert">${error?.message}</p>` : nothing;
    /** @param {string} name */
    const describedBy = (name) => (wrong(name) ? `error-${name}` : nothing);

    /** @param {Control} control */
    const input = ({ name, label, choices, low, high }) => html`<div class="field">
      <label for="set-${name}">${label}</label>
      ${
        choices
          ? html`<select id="set-${name}" aria-invalid=${wrong(name)} aria-describedby=${describedBy(name)}
            .value=${live(String(values[name]))}
            @change=${(/** @type {Event} */ event) => onChange({ [name]: chosen(values[name], event) })}>
            ${Object.entries(choices).map(
              ([value, text]) => html`
              <option value=${value} ?selected=${value === String(values[name])}>${text}</option>`,
            )}
          </select>`
          : html`<input id="set-${name}" type="number" inputmode="numeric" step="1" min=${low ?? nothing}
            max=${high ?? nothing} aria-invalid=${wrong(name)} aria-describedby=${describedBy(name)}
            .value=${live(shownNumber(name, values))}
            @input=${(/** @type {Event} */ event) => {
              typed = { name, text: target(event).value };
              if (last) render(template(last), root);
            }}
            @change=${(/** @type {Event} */ event) => onChange({ [name]: target(event).valueAsNumber })}>`
      }
      ${message(name)}
    </div>`;

    /** @param {Control} control */
    const box = ({ name, label }) => html`<div class="field check">
      <input id="set-${name}" type="checkbox" .checked=${live(Boolean(values[name]))}
        aria-invalid=${wrong(name)} aria-describedby=${describedBy(name)}
        @change=${(/** @type {Event} */ event) => onChange({ [name]: target(event).checked })}>
      <label for="set-${name}">${label}</label>
      ${message(name)}
    </div>`;

    /** @param {Control['group']} group */
    const inputs = (group) => controls.filter((each) => each.group === group).map(group === 'switch' ? box : input);

    const switches = html`<fieldset><legend>Switches</legend>${inputs('switch')}${inputs('choice')}</fieldset>`;
    if (fixed)
      return html`${switches}<button type="button" class="wide" @click=${onReset}>Restore trained settings</button>`;
    return html`
      <div class="buttons" role="group" aria-label="Presets">
        <button type="button" @click=${() => onPreset('default')}>Default size</button>
        <button type="button" @click=${() => onPreset('base')}>Base size</button>
        <button type="button" @click=${onReset}>Reset all</button>
      </div>
      <fieldset><legend>Size</legend>${inputs('size')}</fieldset>
      <fieldset><legend>Weights</legend>
        ${inputs('seed')}
        <button type="button" class="wide" @click=${() => onChange({ seed: randomSeed() })}>Random seed</button>
      </fieldset>
      ${switches}`;
  }

  return {
    /** @param {ControlsData} data */
    update(data) {
      if (typed && data.values !== last?.values && data.values[typed.name] !== Number(typed.text)) typed = null;
      last = data;
      render(template(data), root);
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {Event} event */
const target = (event) => /** @type {HTMLInputElement} */ (event.target);

/** @param {unknown} present @param {Event} event the choice, of the type that the setting has */
const chosen = (present, event) => (typeof present === 'number' ? Number(target(event).value) : target(event).value);

const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000;
