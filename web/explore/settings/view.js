// The model's settings: sizes, architecture, switches, presets. A refused setting shows the reason.

import { html, nothing, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';

/**
 * @typedef {Record<string, string | number | boolean>} Values
 * `fixed`: sizes and seed are those of a trained model, and only the switches can be set.
 * @typedef {{values: Values, error: {parameter: string, message: string} | null, fixed: boolean}} ControlsData
 * @typedef {{
 *   onChange: (patch: Values) => void, onPreset: (name: 'default' | 'base') => void, onReset: () => void,
 * }} ControlsOptions
 *
 * @typedef {{name: string, label: string, choices?: Record<string, string>}} Field
 */

/** @type {Record<string, string>} */
const LAYERS = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [String(i + 1), String(i + 1)]));

/** @type {Field[]} */
const SIZES = [
  {
    name: 'kind',
    label: 'Architecture',
    choices: { encoder: 'Encoder', decoder: 'Decoder', 'encoder-decoder': 'Encoder–decoder' },
  },
  { name: 'layers', label: 'Layers', choices: LAYERS },
  { name: 'heads', label: 'Heads' },
  { name: 'd_model', label: 'd_model' },
  { name: 'd_ff', label: 'd_ff' },
];

/** @type {Field[]} */
const SWITCHES = [
  { name: 'scoreScale', label: 'Divide scores by √d_k' },
  { name: 'causal', label: 'Causal mask' },
  { name: 'residual', label: 'Residual connections' },
];

/** @type {Field[]} */
const CHOICES = [
  { name: 'positions', label: 'Positions', choices: { sinusoidal: 'Sinusoidal', learned: 'Learned', none: 'None' } },
  { name: 'norm', label: 'LayerNorm', choices: { post: 'Post (paper)', pre: 'Pre', none: 'None' } },
  {
    name: 'activation',
    label: 'Activation',
    choices: { relu: 'ReLU', gelu: 'GELU', 'gelu-tanh': 'GELU (tanh)', none: 'None (linear)' },
  },
];

/**
 * @param {HTMLElement} root
 * @param {ControlsOptions} options
 */
export function create(root, { onChange, onPreset, onReset }) {
  /** @param {ControlsData} data */
  function template({ values, error, fixed }) {
    /** @param {string} name */
    const wrong = (name) => error?.parameter === name;
    /** @param {string} name */
    const message = (name) =>
      wrong(name) ? html`<p class="error" id="error-${name}" role="alert">${error?.message}</p>` : nothing;
    /** @param {string} name */
    const describedBy = (name) => (wrong(name) ? `error-${name}` : nothing);

    /** @param {Field} field */
    const input = ({ name, label, choices }) => html`<div class="field">
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
          : html`<input id="set-${name}" type="number" inputmode="numeric" min="0" step="1"
            aria-invalid=${wrong(name)} aria-describedby=${describedBy(name)}
            .value=${live(Number.isNaN(values[name]) ? '' : String(values[name]))}
            @change=${(/** @type {Event} */ event) => onChange({ [name]: target(event).valueAsNumber })}>`
      }
      ${message(name)}
    </div>`;

    /** @param {Field} field */
    const box = ({ name, label }) => html`<div class="field check">
      <input id="set-${name}" type="checkbox" .checked=${live(Boolean(values[name]))}
        aria-invalid=${wrong(name)} aria-describedby=${describedBy(name)}
        @change=${(/** @type {Event} */ event) => onChange({ [name]: target(event).checked })}>
      <label for="set-${name}">${label}</label>
      ${message(name)}
    </div>`;

    const switches = html`<fieldset><legend>Switches</legend>${SWITCHES.map(box)}${CHOICES.map(input)}</fieldset>`;
    if (fixed) return html`${switches}<button type="button" class="wide" @click=${onReset}>As trained</button>`;
    return html`
      <div class="buttons" role="group" aria-label="Presets">
        <button type="button" @click=${() => onPreset('default')}>Default size</button>
        <button type="button" @click=${() => onPreset('base')}>Base size</button>
        <button type="button" @click=${onReset}>Reset all</button>
      </div>
      <fieldset><legend>Size</legend>${SIZES.map(input)}</fieldset>
      <fieldset><legend>Weights</legend>
        ${input({ name: 'seed', label: 'Seed' })}
        <button type="button" class="wide" @click=${() => onChange({ seed: randomSeed() })}>Random seed</button>
      </fieldset>
      ${switches}`;
  }

  return {
    /** @param {ControlsData} data */
    update(data) {
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
