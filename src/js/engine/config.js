import { GlassformerError, checked } from '../errors.js';
import { isNamed } from '../arrays/names.js';
import { textsOf, withoutTexts } from './named.js';
import { choice, flag, integer, number, optional, readOptions, seed } from '../arrays/tensor.js';

/** @typedef {import('./start.js').Core} Core */

/** @typedef {import('../../../dist/generated/settings.js').Config} Config */

/**
 * One row of the tables in src/model/config.h and src/train/settings.h, as the running module tells
 * it. The types above are made of the same tables at build (settings.mjs).
 * @typedef {Omit<import('../../../dist/generated/settings.js').Setting, 'label' | 'labels' | 'doc'>} Setting
 */

/**
 * @typedef {object} Seed
 * @property {number} [seed] of the weights, 0 to 4294967295 [0]
 */

/**
 * A caller's settings by name, and the seed of the weights.
 * @typedef {Partial<Config> & Seed} Settings
 */

const CONFIG_ERROR = -1000;

/** Of a loss over logits that a model does not have. */
export const NO_HEAD = "needs a model with a head, as head: 'tied', or outputWidth";

/**
 * The settings of a model with the defaults of one kind, as the C core declares them.
 * @param {Core} core
 * @param {number} kind index of the choice
 * @returns {Setting[]}
 */
export function readSettings(core, kind) {
  const { gf_config_count: count, gf_config_field: describe } = core.functions;
  return readTable(core, count(), (field, index) => describe(field, kind, index));
}

/**
 * The settings of a trainer, as the C core declares them.
 * @param {Pick<Core, 'memory' | 'functions' | 'struct'>} core
 * @returns {Setting[]}
 */
export function readTrainerSettings(core) {
  return readTable(core, core.functions.gf_trainer_count(), core.functions.gf_trainer_field);
}

/**
 * A trainer's settings as the core reads them: one double each, defaults for those not given.
 * @param {Pick<Core, 'memory'>} core
 * @param {import('../arrays/memory.js').Scratch} scratch
 * @param {Setting[]} table
 * @param {Record<string, unknown>} settings
 * @returns {number} pointer
 */
export function putSettings({ memory }, scratch, table, settings) {
  const pointer = scratch.reserve('float64', table.length);
  memory.view('float64', pointer, table.length).set(
    table.map(({ name, choices, fallback }) => {
      const given = settings[name] ?? fallback;
      return typeof given === 'string' ? choices.indexOf(given) : Number(given);
    }),
  );
  return pointer;
}

/**
 * @param {Pick<Core, 'memory' | 'struct'>} core
 * @param {number} length
 * @param {(field: number, index: number) => number} describe writes a struct config_field
 *   (src/model/config.h): four words, then three doubles
 * @returns {Setting[]}
 */
function readTable({ memory, struct }, length, describe) {
  return Array.from({ length }, (_, index) => {
    describe(struct, index);
    const [name, choices, type] = memory.view('uint32', struct, 3);
    const [fallback, low, high] = memory.view('float64', struct + 16, 3);
    const list = memory.text(choices);
    return {
      name: memory.text(name),
      choices: list ? list.split('|') : [],
      type: /** @type {Setting['type']} */ (String.fromCharCode(type)),
      fallback,
      low,
      high,
    };
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
 * @returns {{config: Config, words: Int32Array, seed: number, settings: Setting[], texts: import('./named.js').Texts}}
 */
export function readConfig(core, options) {
  const kinds = settingOf(core.settings, 'kind').choices;
  const { once, texts } = withoutTexts(options);
  const kind = optional(choice(kinds, 'config'), kinds[0])(isNamed(once) ? once.kind : undefined, 'kind');
  const settings = kind === kinds[0] ? core.settings : readSettings(core, kinds.indexOf(kind));
  const readers = { ...readersOf(settings), seed: optional(seed, 0) };
  const read = readOptions(once, readers);
  const { seed: given, ...config } = /** @type {Config & {seed: number}} */ (/** @type {unknown} */ (read));
  const values = /** @type {Record<string, string | number | boolean>} */ (/** @type {unknown} */ (config));
  const words = Int32Array.from(settings, (setting) => wordOf(setting, values[setting.name]));
  return { config: Object.freeze(config), words, seed: given, settings, texts: textsOf(config, texts) };
}

/**
 * One reader for each setting, with its default.
 * @param {Setting[]} settings
 * @returns {Record<string, import('../arrays/tensor.js').Reader<any>>}
 */
export function readersOf(settings) {
  return Object.fromEntries(settings.map((setting) => [setting.name, readerOf(setting)]));
}

/**
 * The answer, or the error that names the setting which the C core refused.
 * @param {number} answer of gf_model_create or gf_trainer_start
 * @param {Setting[]} settings
 * @param {Record<string, any>} config
 * @param {{full: () => string}} memory
 * @returns {number}
 */
export function configured(answer, settings, config, memory) {
  if (answer >= 0) return answer;
  const setting = settings[CONFIG_ERROR - answer];
  if (!setting) return checked(answer, 'config', undefined, memory);
  const { name } = setting;
  throw new GlassformerError('config', name, config[name], WHY[name]?.(config) ?? 'does not fit the other settings');
}

/** @param {Record<string, any>} config */
const withoutAttention = ({ heads, kind }) =>
  `${heads === 0 ? 'a layer without heads' : `kind ${kind}`} has no attention`;

const needsHead = () => 'needs a head, or outputWidth';

/** Why a setting, in its own range, is refused beside the others: src/model/config.c and src/train/settings.c. */
const WHY = /** @type {Record<string, (config: Record<string, any>) => string>} */ ({
  heads: ({ heads, kind, d_model }) => (heads ? `must divide d_model = ${d_model}` : `kind '${kind}' needs heads`),
  d_ff: ({ heads, kind }) => (heads === 0 ? 'a layer without heads needs neurons' : `kind ${kind} needs at least 1`),
  vocabulary: ({ kind }) => `kind ${kind} takes vectors: leave it out`,
  targetVocabulary: () => 'needs an encoder-decoder with a vocabulary',
  types: () => 'needs an encoder with a vocabulary',
  embeddingNorm: () => 'needs a vocabulary',
  head: () => 'needs an encoder or decoder with a vocabulary',
  headTransform: needsHead,
  window: withoutAttention,
  outputVocabulary: () => "needs head: 'linear'",
  inputWidth: ({ vocabulary, kind }) => (vocabulary ? 'needs vocabulary: 0' : `kind ${kind} takes d_model numbers`),
  outputWidth: ({ head, kind }) => (head === 'none' ? `kind ${kind} gives d_model numbers` : "needs head: 'none'"),
  tiedEmbeddings: () => 'needs an encoder-decoder with one vocabulary',
  keyValueHeads: (config) => (config.heads ? `must divide heads = ${config.heads}` : withoutAttention(config)),
  headWidth: withoutAttention,
  qkNorm: withoutAttention,
  positions: (config) => (config.heads ? 'rotary needs heads of an even width' : withoutAttention(config)),
  ropeHighFrequency: ({ ropeLowFrequency }) => `must be above ropeLowFrequency = ${ropeLowFrequency}`,
  activation: ({ d_ff }) => `top-k needs ${d_ff ? "ffn: 'plain' and no headTransform" : 'neurons'}`,
  ropeWidth: ({ positions, heads, headWidth, d_model }) =>
    positions === 'rotary' ? `must be even, and at most ${headWidth || d_model / heads}` : "needs positions: 'rotary'",
  parallel: ({ kind, norm, residual }) =>
    !/^(encoder|decoder)$/.test(kind)
      ? `kind ${kind} has no attention and FFN in one stack`
      : norm === 'pre' && residual
        ? 'needs heads and neurons'
        : "needs norm: 'pre' and residual: true",
  active: ({ activation, d_ff }) =>
    activation === 'top-k' ? `must be 1 to d_ff = ${d_ff}` : "needs activation: 'top-k'",
  relativeBuckets: (config) => (config.relativeBuckets < 4 ? 'must be 0, or at least 4' : withoutAttention(config)),
  relativeDistance: ({ causal, relativeBuckets: all }) => `must be above ${Math.floor(all / (causal ? 2 : 4))}`,
  headScale: needsHead,
  headPooler: () => 'needs an encoder with a plain head',
  weights: () => '8 and 16 bits need d_model, and the widths of all queries and of all keys, to be multiples of 16',
  steps: ({ schedule, warmup }) => `schedule ${schedule} needs more than warmup = ${warmup}`,
  warmup: ({ schedule }) => `schedule ${schedule} needs at least 1`,
});

/**
 * @param {Setting} setting
 * @returns {import('../arrays/tensor.js').Reader<string | number | boolean>}
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
