// The list of interventions: what stands otherwise in a run than the model has it. Plain data; what
// they do to a model is in lab/change.js.

import { defaultState } from '../app/schema.js';

/**
 * @typedef {import('../app/schema.js').AttentionKind} AttentionKind
 * @typedef {import('../app/schema.js').Settings} Settings
 *
 * `to`: what is put in its place; 'mean': the mean over the text's tokens as they are without any
 * head, neuron or cell set.
 * @typedef {{what: 'temperature', value: number}} TemperatureChange divides the scores of all heads
 * @typedef {{what: 'head', kind: AttentionKind, layer: number, head: number, to: 0 | 'mean'}} HeadChange
 * @typedef {{what: 'neuron', kind: AttentionKind, layer: number, neuron: number, to: number | 'mean'}} NeuronChange
 * @typedef {{what: 'cell', kind: AttentionKind, layer: number, head: number, row: number, key: number, to: number}} CellChange
 * @typedef {{what: 'weight', name: string, row: number, column: number, value: number}} WeightChange
 * @typedef {TemperatureChange | HeadChange | NeuronChange | CellChange | WeightChange} Change
 */

const SWITCHES = /** @type {const} */ (['scoreScale', 'causal', 'positions', 'norm', 'residual', 'activation']);

/** @type {Record<typeof SWITCHES[number], string>} */
const SWITCH_NAMES = {
  scoreScale: 'Scores divided by √d_k',
  causal: 'Causal mask',
  positions: 'Positions',
  norm: 'LayerNorm',
  residual: 'Residual connections',
  activation: 'Activation',
};

/** @type {Record<string, (value: any) => boolean>} */
const FIELDS = {
  kind: (value) => ['encoder', 'decoder', 'cross'].includes(value),
  name: (value) => typeof value === 'string',
  value: Number.isFinite,
  to: (value) => value === 'mean' || Number.isFinite(value),
};

/** What each has beside `what`; those without a test of their own are places. @type {Record<Change['what'], string[]>} */
const FORMS = {
  temperature: ['value'],
  head: ['kind', 'layer', 'head', 'to'],
  neuron: ['kind', 'layer', 'neuron', 'to'],
  cell: ['kind', 'layer', 'head', 'row', 'key', 'to'],
  weight: ['name', 'row', 'column', 'value'],
};

/**
 * Whether this is a change: a link may hold anything.
 * @param {any} value
 * @returns {value is Change}
 */
export function isChange(value) {
  const form = Object.hasOwn(FORMS, value.what) ? FORMS[/** @type {Change['what']} */ (value.what)] : null;
  return (
    Boolean(form) &&
    !(value.what === 'cell' && value.to === 'mean') &&
    /** @type {string[]} */ (form).every((name) =>
      (FIELDS[name] ?? ((each) => Number.isInteger(each) && each >= 0))(value[name]),
    )
  );
}

/**
 * Where a change acts: two at the same place cannot both hold.
 * @param {Change} change
 */
const placeOf = (change) =>
  JSON.stringify(
    Object.entries(change)
      .filter(([name]) => name !== 'to' && name !== 'value')
      .sort(),
  );

/**
 * The list with a change in it, in the stead of the one at its place.
 * @param {readonly Change[]} changes
 * @param {Change} change
 * @returns {Change[]}
 */
export function put(changes, change) {
  const at = changes.findIndex((each) => placeOf(each) === placeOf(change));
  if (change.what === 'temperature' && change.value === 1) return without(changes, at);
  return at < 0 ? [...changes, change] : changes.with(at, change);
}

/** @param {readonly Change[]} changes @param {number} index @returns {Change[]} */
export const without = (changes, index) => changes.filter((_, i) => i !== index);

/**
 * The change that stands at the place of this one.
 * @param {readonly Change[]} changes
 * @param {Change} change
 */
export const standing = (changes, change) => changes.find((each) => placeOf(each) === placeOf(change));

/** @param {readonly Change[]} changes */
export const temperatureOf = (changes) => changes.find((change) => change.what === 'temperature')?.value ?? 1;

/**
 * The switches as the model was trained with them, or, untrained, as the page begins.
 * @param {Settings} settings
 * @param {Record<string, any> | undefined} trained configuration
 * @returns {Partial<Settings>}
 */
export function asBuilt(settings, trained) {
  /** @type {Record<string, any>} */
  const source = trained ?? { ...defaultState().settings, causal: settings.kind !== 'encoder' };
  return Object.fromEntries(SWITCHES.map((name) => [name, source[name]]));
}

/**
 * The switches that stand otherwise.
 * @param {Settings} settings
 * @param {Record<string, any> | undefined} trained
 */
export function switched(settings, trained) {
  const built = asBuilt(settings, trained);
  return SWITCHES.filter((name) => settings[name] !== built[name]).map((name) => ({
    name,
    label: `${SWITCH_NAMES[name]}: ${worded(settings[name])}`,
    value: built[name],
  }));
}

/** @param {string | number | boolean} value */
const worded = (value) => (typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value));

/**
 * A change in words.
 * @param {Change} change
 * @param {(kind: AttentionKind) => {rowWords: readonly string[], columnWords: readonly string[]}} words of the picture
 */
export function labelOf(change, words) {
  if (!isChange(change)) return 'A change that this page does not know';
  switch (change.what) {
    case 'temperature':
      return `Temperature ${change.value}`;
    case 'head':
      return `${where(change)}, head ${change.head + 1}: ${change.to === 'mean' ? 'its mean' : 'off'}`;
    case 'neuron':
      return (
        `${change.kind === 'encoder' ? 'Encoder' : 'Decoder'} layer ${change.layer + 1}, neuron ${change.neuron}: ` +
        `${change.to === 'mean' ? 'its mean' : change.to === 0 ? 'off' : change.to}`
      );
    case 'cell': {
      const { rowWords, columnWords } = words(change.kind);
      const [row, column] = [
        rowWords[change.row] ?? `row ${change.row}`,
        columnWords[change.key] ?? `column ${change.key}`,
      ];
      return `${where(change)}, head ${change.head + 1}, ${row} → ${column}: ${Number(change.to.toFixed(4))}`;
    }
    default:
      return `${change.name}[${change.row}, ${change.column}] = ${change.value}`;
  }
}

/** What stands in the place of what was computed, in a word. @param {number | 'mean'} to */
export const wordOf = (to) => (to === 0 ? 'off' : to === 'mean' ? 'mean' : 'set');

/** @param {{kind: AttentionKind, layer: number}} place */
const where = ({ kind, layer }) =>
  `${{ encoder: 'Encoder', decoder: 'Decoder', cross: 'Cross' }[kind]} layer ${layer + 1}`;
