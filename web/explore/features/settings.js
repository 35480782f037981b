// The model's settings: sizes, architecture, switches, presets; of a trained model only the switches. A refused setting
// shows the reason.

import { html } from 'lit-html';
import { CONTROLS, PRESETS, changeSettings, defaultState, openingState } from '../../app/schema.js';
import { choiceLabel, labelOf } from '../../engine/model-settings.js';
import { field } from '../../kit/field.js';
import { fold } from '../../kit/fold.js';
import { aboutOf } from '../../models/about.js';
import { LABELS } from '../../models/catalogue.js';

/**
 * @typedef {Record<string, string | number | boolean>} Values
 * @typedef {import('../../app/schema.js').Control} Control
 * The number that was edited last, as it was typed, over these settings; without them once it is set.
 * @typedef {{name: string, text: string, over: Values | null}} Typed
 */

/** The settings in one line, while the fold is closed. @type {import('../index.js').InputFeature} */
export const settingsFacts = {
  name: 'settings-facts',
  slot: 'settings-facts',
  input: true,
  render({ state: { settings }, modelInfo }) {
    const { layers, heads, keyValueHeads, d_model, ffn, norm, normKind, positions, activation } = settings;
    const isBeside = norm === 'pre' && settings.residual && modelInfo?.config.parallel;
    const facts =
      `${layers} ${layers === 1 ? 'layer' : 'layers'}, ${heads} ${heads === 1 ? 'head' : 'heads'}` +
      `${keyValueHeads ? ` (${keyValueHeads} of keys and values)` : ''}, d_model ${d_model}, ` +
      `${positions === 'rotary' ? 'rotary, ' : ''}${norm === 'none' ? 'no' : norm} ` +
      `${choiceLabel('normKind', normKind)}, ${ffn === 'gated' ? 'gated ' : ''}${activation}` +
      (isBeside ? ', FFN beside attention' : '');
    return html`${facts.replaceAll('NaN', 'empty')}`;
  },
};

/** The catalogue's description of a trained model. @type {import('../index.js').InputFeature} */
export const about = {
  name: 'about',
  slot: 'about',
  input: true,
  render: ({ state: { model } }) =>
    model === 'untrained'
      ? null
      : html`<p id="about"><strong>${LABELS[model].label}</strong>: <span>${aboutOf(model).about}</span></p>`,
};

/** @type {import('../index.js').InputFeature} */
export const settings = {
  name: 'controls',
  slot: 'controls',
  input: true,
  local: { typed: null },
  render({ state, modelInfo, error: refused, local }, { get, set, local: remember }) {
    const { layout } = state;
    const values = /** @type {Values} */ (state.settings);
    const typed = typedOver(values, local.typed);
    const error = problemOf(values, typed) ?? refused;
    const wide = matchMedia('(min-width: 62rem)');
    /** @param {Values} patch */
    const change = (patch) => set(changeSettings(get(), patch));
    function reset() {
      const { model } = get();
      const opening = openingState(model, modelInfo);
      set(model === 'untrained' ? { ...defaultState(), layout: get().layout } : { settings: opening.settings });
    }

    /** @param {Control} control */
    const input = ({ name, label, choices, low, high, group }) =>
      field({
        id: `set-${name}`,
        problemId: `error-${name}`,
        label,
        low,
        high,
        step: 1,
        kind: group === 'switch' ? 'flag' : choices ? 'choice' : 'number',
        className: group === 'switch' ? 'field check' : 'field',
        choices: choices && Object.entries(choices),
        value: typed?.name === name ? typed.text : written(values[name]),
        problem: error?.parameter === name && error.message,
        onInput: (text) => remember({ typed: { name, text, over: get().settings } }),
        onChange(/** @type {string | boolean} */ given) {
          if (typeof given === 'boolean') return change({ [name]: given });
          if (choices) return change({ [name]: likeNow(values[name], given) });
          change({ [name]: numberOf(given) });
          remember({ typed: { name, text: given, over: null } });
        },
      });

    /** @param {Control['group']} group */
    const inputs = (group) => CONTROLS.filter((each) => each.group === group).map(input);

    const switches = html`<fieldset><legend>Switches</legend>${inputs('switch')}${inputs('choice')}</fieldset>`;
    // The workspace shows one line until it is opened; the reason of a refusal stands at its field.
    const opened = { key: layout, isOpen: layout === 'page' && wide.matches };
    const reason = { key: refused, isOpen: refused && refused.parameter in values ? true : undefined };
    return html`<div id="controls" ${fold(opened)} ${fold(reason)}>${
      modelInfo
        ? html`${switches}<button type="button" class="wide" @click=${reset}>Restore trained settings</button>`
        : html`
      <div class="buttons" role="group" aria-label="Presets">
        <button type="button" @click=${() => change(PRESETS.default)}>Default size</button>
        <button type="button" @click=${() => change(PRESETS.base)}>Base size</button>
        <button type="button" @click=${reset}>Reset all</button>
      </div>
      <fieldset><legend>Size</legend>${inputs('size')}</fieldset>
      <fieldset><legend>Weights</legend>
        ${inputs('seed')}
        <button type="button" class="wide" @click=${() => change({ seed: randomSeed() })}>Random seed</button>
      </fieldset>
      ${switches}`
    }</div>`;
  },
};

/** The typed number, unless the setting has changed since. @param {Values} values @param {Typed | null} typed */
const typedOver = (values, typed) =>
  typed && (typed.over === values || values[typed.name] === numberOf(typed.text)) ? typed : null;

/**
 * Why a number that is being typed cannot be, in the words of the worker, said before that is asked.
 * @param {Values} settings
 * @param {Typed | null} typed
 */
function problemOf(settings, typed) {
  const control = typed && CONTROLS.find(({ name }) => name === typed.name);
  if (!control) return null;
  const { name, label, low = -Infinity, high = Infinity } = control;
  const value = numberOf(typed.text);
  const values = { ...settings, [name]: value };
  /** @param {string} message */
  const problem = (message) => ({ parameter: name, message });
  if (!Number.isInteger(value) || value < low || value > high)
    return problem(
      `${label} must be an integer from ${low}${high === Infinity ? '' : ` to ${high}`}, ` +
        `not ${Number.isNaN(value) ? 'empty' : value}.`,
    );
  const { d_model: width, heads, headWidth, keyValueHeads: groups } = values;
  if (HEADS.has(name) && !headWidth && Number(heads) && Number(width) % Number(heads) !== 0)
    return problem(`${labelOf('heads')} must divide d_model = ${width}, not ${heads}.`);
  return HEADS.has(name) && Number(groups) && Number(heads) % Number(groups) !== 0
    ? problem(`${labelOf('keyValueHeads')} must divide the ${heads} heads, not ${groups}.`)
    : null;
}

const HEADS = new Set(['heads', 'd_model', 'headWidth', 'keyValueHeads']);

/** @param {string} text of a field for numbers */
const numberOf = (text) => (text === '' ? NaN : Number(text));

/** @param {unknown} value */
const written = (value) => (Number.isNaN(value) ? '' : value);

/** A choice as the setting has it now: a number or a word. @param {unknown} now @param {string} value */
const likeNow = (now, value) => (typeof now === 'number' ? Number(value) : value);

const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000;

/** @type {import('../index.js').Feature} */
export const untrained = {
  name: 'untrained',
  slot: 'main',
  first: true,
  render: ({ result }) => note(result.plan),
  blank: ({ plan }) => note(plan),
};

/** @param {import('../index.js').Plan} plan */
const note = ({ model, settings: { seed } }) =>
  model
    ? null
    : html`<p class="untrained" id="untrained">
      <strong>These weights are untrained</strong>: random (Xavier uniform, embeddings normal), seed
      <b id="seed">${seed}</b>. The maps show structure (masks, positions, softmax), not meaning.</p>`;
