// The settings that the reader can change, in groups, and what is wrong with a value.

import { cutsOf, headText, readHead } from './cuts.js';

/** Where linear and cosine schedules end, of the highest learning rate. */
export const FLOOR = 0.02;
const MOST_SEED = 2 ** 32 - 1;
/** Steps between two measurements on held-out data. */
export const CHECK_EVERY = 25;

/**
 * @typedef {string | number | boolean} Value
 * @typedef {{
 *   name: string, label: string, kind: 'integer' | 'number' | 'choice' | 'flag', low: number, high: number,
 *   choices: [string, string][],
 * }} Field `choices`: value and label
 */

/** @param {string} name @param {string} label @param {number} low @param {number} high @returns {Field} */
const integer = (name, label, low, high) => ({ name, label, kind: 'integer', low, high, choices: [] });
/** @param {string} name @param {string} label @param {number} low @param {number} high @returns {Field} */
const number = (name, label, low, high) => ({ ...integer(name, label, low, high), kind: 'number' });
/** @param {string} name @param {string} label @returns {Field} */
const flag = (name, label) => ({ ...integer(name, label, 0, 1), kind: 'flag' });
/** @param {string} name @param {string} label @param {Record<string, string>} choices @returns {Field} */
const choice = (name, label, choices) => ({
  ...integer(name, label, 0, 0),
  kind: 'choice',
  choices: Object.entries(choices),
});

/** The parts that can be frozen, and the names of their weights. */
export const PARTS = { embedding: /emb/, FFN: /linear\d/ };

/**
 * The weights that stay as they are.
 * @param {Value | undefined} part a key of PARTS; others freeze nothing @param {Iterable<string>} names of all weights
 */
export function frozenOf(part, names) {
  const known = Object.entries(PARTS).find(([each]) => each === part);
  return known ? [...names].filter((name) => known[1].test(name)) : [];
}

/** @type {{title: string, fields: Field[]}[]} */
export const GROUPS = [
  {
    title: 'Model',
    fields: [
      integer('layers', 'Layers', 1, 6),
      integer('heads', 'Heads', 1, 8),
      integer('keyValueHeads', 'Key–value heads (0: one for each head)', 0, 8),
      integer('d_model', 'd_model', 4, 128),
      integer('d_ff', 'd_ff (0: no FFN)', 0, 512),
      choice('positions', 'Positions', {
        none: 'None',
        sinusoidal: 'Sinusoidal',
        learned: 'Learned',
        rotary: 'Rotary (RoPE)',
      }),
      choice('norm', 'Norm', { none: 'None', pre: 'Pre', post: 'Post (paper)' }),
      choice('normKind', 'Kind of norm', { layer: 'LayerNorm', rms: 'RMSNorm' }),
      choice('ffn', 'FFN', { plain: 'Plain', gated: 'Gated' }),
      choice('activation', 'Activation', {
        relu: 'ReLU',
        gelu: 'GELU',
        'gelu-tanh': 'GELU (tanh)',
        silu: 'SiLU',
        none: 'None (linear)',
      }),
      choice('head', 'Output head', { tied: 'Tied', linear: 'Linear' }),
      flag('scoreScale', 'Divide scores by √d_k'),
      flag('residual', 'Residual connections'),
      flag('causal', 'Causal mask'),
      flag('embeddingScale', 'Multiply embeddings by √d_model'),
      flag('embeddingNorm', 'Norm after the embedding'),
      flag('finalNorm', 'Norm after the stack (Pre has it)'),
      flag('normAffine', 'Norm with gain (LayerNorm: and bias)'),
      flag('attentionBias', 'Bias in attention'),
      flag('ffnBias', 'Bias in the FFN'),
      flag('headBias', 'Bias in the output head'),
    ],
  },
  {
    title: 'Training',
    fields: [
      choice('optimizer', 'Optimizer', { adamw: 'AdamW', adam: 'Adam', sgd: 'SGD' }),
      number('learningRate', 'Learning rate', 0, 1000),
      choice('schedule', 'Schedule', { constant: 'Constant', linear: 'Linear', cosine: 'Cosine' }),
      integer('warmup', 'Warm-up steps', 0, 10_000),
      integer('steps', 'Steps', 1, 10_000),
      integer('batch', 'Batch size', 1, 256),
      number('weightDecay', 'Weight decay', 0, 10),
      number('dropout', 'Dropout', 0, 0.9),
      number('labelSmoothing', 'Label smoothing', 0, 0.9),
      number('clip', 'Clip gradients at (0: off)', 0, 1000),
      choice('frozen', 'Frozen (learning rate 0)', { none: 'Nothing', embedding: 'Embedding', FFN: 'FFN' }),
      integer('seed', 'Seed', 0, MOST_SEED),
      choice('heldOut', 'Held-out part', { unseen: 'Phrases that occur once', end: 'The last tenth' }),
    ],
  },
];

export const FIELDS = GROUPS.flatMap(({ fields }) => fields);

/** Settings of the model, by the names of `createModel`; the others are the trainer's, `batch` and `seed`. */
export const MODEL = GROUPS[0].fields.map(({ name }) => name);

/** A setting as Train calls it. @param {string} name */
export const labelOf = (name) => FIELDS.find((each) => each.name === name)?.label;

/**
 * The values of settings that links, files and kept runs leave out: the recipe's, but a text is held out at its end,
 * as it was before there was a choice.
 * @param {Readonly<Record<string, Value>>} recipe
 */
export const unnamed = (recipe) => ('heldOut' in recipe ? { ...recipe, heldOut: 'end' } : recipe);

/**
 * A value as it was typed or stands in a link.
 * @param {Field} field
 * @param {string} text
 * @returns {Value}
 */
export function readValue({ kind }, text) {
  if (kind === 'flag') return text === '1';
  return kind === 'choice' ? text : text.trim() === '' ? NaN : Number(text);
}

/** Before their norms the layers need one after the last. @param {Readonly<Record<string, Value>>} settings */
export const hasFinalNorm = ({ finalNorm, norm }) => Boolean(finalNorm) || norm === 'pre';

/** @param {Value} value */
export const writeValue = (value) => (typeof value === 'boolean' ? String(Number(value)) : String(value));

/** A setting in words. @param {[string, Value]} setting name and value */
export function valueText([name, value]) {
  if (name === 'cut') return `Cut: ${cutsOf({ cut: value }).map(readHead).map(headText).join('; ')}`;
  const field = FIELDS.find((each) => each.name === name);
  const label = field?.label.replace(/ \(0: .*\)/, ''); // removes the meaning of 0
  if (name === 'd_ff' && !value) return 'No FFN';
  if (typeof value === 'boolean') return `${label}: ${value ? 'on' : 'off'}`;
  const choice = field?.choices.find(([each]) => each === value);
  return `${label}: ${choice ? choice[1] : value}`;
}

/**
 * A run in words: differences from the recipe, the seed, changes during the run.
 * @param {Pick<import('../state.js').Before, 'settings' | 'changes'>} run
 * @param {Readonly<Record<string, Value>>} recipe
 */
export function nameOf({ settings, changes }, recipe) {
  const changed = Object.entries(settings).filter(([name, value]) => name !== 'seed' && value !== recipe[name]);
  const later = changes.map(
    ([step, patch]) => `; from step ${step} ${Object.entries(patch).map(valueText).join(', ')}`,
  );
  return `${changed.map(valueText).join(', ') || 'recipe'}; seed ${settings.seed}${later.join('')}`;
}

/** Whether settings are of layers with attention, not of an FFN alone. @param {object} settings */
export const isBlock = (settings) => 'layers' in settings;

/**
 * Why a field cannot have a value; '' where it can.
 * @param {Field} field
 * @param {Value} value
 * @param {Readonly<Record<string, Value>>} settings the others
 */
export function problemOf({ name, kind, low, high, choices }, value, settings) {
  if (kind === 'flag') return typeof value === 'boolean' ? '' : 'must be on or off';
  if (name === 'frozen' && value === 'FFN' && !settings.d_ff) return 'has no FFN to freeze';
  const all = { ...settings, [name]: value };
  const width = Number(all.d_model);
  const heads = Number(all.heads);
  const isOdd = all.positions === 'rotary' && (width / heads) % 2 !== 0;
  if (name === 'positions' && isOdd) return `needs heads of an even width, not ${width / heads}`;
  if (kind === 'choice') return choices.some(([each]) => each === value) ? '' : `must be one of its choices`;
  const wanted = kind === 'integer' ? 'an integer' : 'a number';
  const least = name === 'd_ff' && !isBlock(settings) ? 1 : low;
  const fits = typeof value === 'number' && value >= least && value <= high;
  if (!fits || (kind === 'integer' && !Number.isInteger(value)))
    return `must be ${wanted} from ${least.toLocaleString('en')} to ${high.toLocaleString('en')}`;
  if (name === 'd_model' && width % heads) return `must be a multiple of the number of heads, ${heads}`;
  if (name === 'heads' && width % heads) return `must divide d_model = ${width}`;
  const shared = Number(all.keyValueHeads);
  if (name === 'keyValueHeads' && shared && heads % shared) return `must divide the number of heads, ${heads}`;
  if (name === 'heads' && shared && heads % shared) return `must be a multiple of the key–value heads, ${shared}`;
  if (/^(d_model|heads)$/.test(name) && isOdd) return 'must leave each head an even width, as positions are rotary';
  return '';
}

/**
 * Whether settings can be changed so.
 * @param {Readonly<Record<string, Value>>} settings @param {Readonly<Record<string, Value>>} change
 */
export function isPossible(settings, change) {
  const all = { ...settings, ...change };
  return !FIELDS.some((field) => field.name in all && problemOf(field, all[field.name], all));
}
