import { GlassformerError } from './errors.js';
import {
  choice, flag, integer, isObject, number, optional, readOptions, refuseType, seed,
} from './tensor.js';

/** @typedef {import('./load.js').Core} Core */

/**
 * @typedef {{name: string, type: string, choices: string[], fallback: number, low: number,
 *   high: number}} Setting one row of the table in src/model/config.h
 * @typedef {Record<string, string | number | boolean>} Config a complete configuration
 * @typedef {Record<string, unknown>} Settings what a caller wants: settings by name, and `seed`
 */

/** Of struct config_field (src/model/config.h): four words, then three doubles. */
const FIELD_BYTES = 40;

const CONFIG_ERROR = -1000;

/**
 * The settings of a model with the defaults of one kind, as the C core declares them.
 * @param {Core} core
 * @param {number} kind index of the choice
 * @returns {Setting[]}
 */
export function readSettings({ functions, memory }, kind) {
  return memory.withScratch((scratch) => {
    const field = scratch.room('uint8', FIELD_BYTES);
    return Array.from({ length: functions.gf_config_count() }, (_, index) => {
      functions.gf_config_field(field, kind, index);
      const [name, choices, type] = memory.view('uint32', field, 3);
      const [fallback, low, high] = memory.view('float64', field + 16, 3);
      return {
        name: memory.text(name),
        choices: memory.text(choices).split('|'),
        type: String.fromCharCode(type),
        fallback,
        low,
        high,
      };
    });
  });
}

/**
 * The setting of that name; its ranges and choices serve the operations too.
 * @param {Setting[]} settings
 * @param {string} name
 * @returns {Setting}
 */
export function settingOf(settings, name) {
  const found = settings.find((setting) => setting.name === name);
  if (!found) throw new GlassformerError('format', 'wasm', name, 'the module lacks a setting');
  return found;
}

/**
 * Completes and checks what the caller wants of a model.
 * @param {Core} core
 * @param {unknown} options settings by name, and `seed`
 * @returns {{config: Config, words: Int32Array, seed: number, settings: Setting[]}}
 */
export function readConfig(core, options) {
  if (!isObject(options)) refuseType('config', options, 'an object of settings');
  const kinds = settingOf(core.settings, 'kind').choices;
  const kind = options.kind === undefined ? kinds[0] : choice(kinds, 'config')(options.kind, 'kind');
  const settings = readSettings(core, kinds.indexOf(kind));
  /** @type {Record<string, import('./tensor.js').Reader<any>>} */
  const readers = { seed: optional(seed, 0) };
  for (const setting of settings) readers[setting.name] = readerOf(setting);
  const { seed: given, ...config } = readOptions(options, readers);
  const words = Int32Array.from(settings, (setting) => wordOf(setting, config[setting.name]));
  return { config: Object.freeze(config), words, seed: given, settings };
}

/**
 * The handle, or the error that names the setting which the C core refused.
 * @param {number} answer of gf_model_create
 * @param {Setting[]} settings
 * @param {Config} config
 * @returns {number}
 */
export function createdHandle(answer, settings, config) {
  if (answer >= 0) return answer;
  const setting = settings[CONFIG_ERROR - answer];
  if (!setting) throw new GlassformerError('memory', 'config', undefined, 'not enough memory');
  const { name } = setting;
  const why = name === 'heads' ? `must divide d_model = ${config.d_model}` : 'does not fit the other settings';
  throw new GlassformerError('config', name, config[name], why);
}

/**
 * @param {Setting} setting
 * @returns {import('./tensor.js').Reader<string | number | boolean>}
 */
function readerOf({ type, choices, fallback, low, high }) {
  if (type === 'c') return optional(choice(choices, 'config'), choices[fallback]);
  if (type === 'b') return optional(flag, fallback === 1);
  if (type === 'i') return optional(integer(low, high, 'config'), fallback);
  return optional(number(low, high, 'config'), fallback);
}

/**
 * @param {Setting} setting
 * @param {string | number | boolean} value
 * @returns {number} the 32-bit word of struct config
 */
function wordOf({ type, choices }, value) {
  if (type === 'c') return choices.indexOf(String(value));
  if (type === 'f') return new Int32Array(Float32Array.of(Number(value)).buffer)[0];
  return Number(value);
}
