// The list of interventions: the changes that a run makes to the model. Plain data; intervene.js
// makes them in a model.

import { SWITCHES, defaultOf, settingNamed } from './model-settings.js';

/**
 * @typedef {import('../app/schema.js').AttentionKind} AttentionKind
 * @typedef {import('../app/schema.js').Settings} Settings
 *
 * `to`: the number put in its place; 'mean': the mean over the text's tokens as they are without any
 * head, neuron or cell set.
 * @typedef {{what: 'temperature', value: number}} TemperatureIntervention divides the scores of all heads
 * @typedef {{what: 'head', kind: AttentionKind, layer: number, head: number, to: 0 | 'mean'}} HeadIntervention
 * A head or an FFN at one token alone; `to` may be the ids of another text, of which it is what that part gives there.
 * @typedef {{what: 'headAt', kind: AttentionKind, layer: number, head: number, row: number,
 *   to: 0 | 'mean' | number[]}} HeadAtIntervention
 * @typedef {{what: 'ffnAt', kind: AttentionKind, layer: number, row: number, to: 0 | 'mean' | number[]}}
 *   FfnAtIntervention
 * @typedef {{what: 'neuron', kind: AttentionKind, layer: number, neuron: number, to: number | 'mean'}}
 *   NeuronIntervention
 * @typedef {{what: 'neurons', kind: AttentionKind, layer: number, first: number, last: number, to: 0}}
 *   NeuronsIntervention
 * @typedef {{what: 'cell', kind: AttentionKind, layer: number, head: number, row: number, key: number, to: number}}
 *   CellIntervention
 * @typedef {{what: 'weight', name: string, row: number, column: number, value: number}} WeightIntervention
 * The residual stream of one token, taken from a pass over other tokens (`from`: their ids), or the mean over the
 * text's tokens; `after` so many layers; `share`: of what is taken, the rest is the token's own.
 * @typedef {{
 *   what: 'patch', kind: 'encoder' | 'decoder', after: number, row: number, from: number[] | 'mean', share: number,
 * }} StreamIntervention
 * A node gives nothing (an attention, an FFN) or what it reads (a norm; `sublayer` 0 and 4: outside the layers).
 * @typedef {{
 *   what: 'skip', node: 'attention' | 'ffn' | 'norm', kind: AttentionKind, layer: number, sublayer: number, to: 0,
 * }} SkipIntervention
 * Two tokens trade the positions that are added to their embeddings.
 * @typedef {{what: 'swap', kind: 'encoder' | 'decoder', row: number, to: number}} SwapIntervention
 * A feature of a dictionary at one token: `part`: of which it takes the vectors apart, a layer's neurons or the stream
 * after it; `seed`: that trained it; `to`: factor of its value, or the ids of another text that gives it; `feature`:
 * null: all features, of another text.
 * @typedef {{
 *   what: 'feature', kind: 'encoder' | 'decoder', layer: number, part: 'ffn' | 'out', seed: number,
 *   feature: number | null, row: number, to: number | number[],
 * }} FeatureIntervention
 * The output is read from the residual stream after `to` layers.
 * @typedef {{what: 'exit', kind: 'encoder' | 'decoder', to: number}} ExitIntervention
 * @typedef {TemperatureIntervention | HeadIntervention | HeadAtIntervention | FfnAtIntervention |
 *   NeuronIntervention | NeuronsIntervention | CellIntervention | StreamIntervention | SkipIntervention |
 *   SwapIntervention | ExitIntervention | FeatureIntervention | WeightIntervention} Intervention
 */

/** Neurons, and tokens of another text, that a link may name. */
const MOST = 16384;

const isCount = (/** @type {unknown} */ value) => Number.isInteger(value) && Number(value) >= 0;
const isText = (/** @type {unknown} */ value) => Array.isArray(value) && value.length <= MOST && value.every(isCount);

/** @type {Record<string, (value: any) => boolean>} */
const FIELDS = {
  kind: (value) => ['encoder', 'decoder', 'cross'].includes(value),
  name: (value) => typeof value === 'string',
  value: Number.isFinite,
  to: (value) => value === 'mean' || Number.isFinite(value) || isText(value),
  from: (value) => value === 'mean' || isText(value),
  share: (value) => value >= 0 && value <= 1,
  node: (value) => ['attention', 'ffn', 'norm'].includes(value),
  part: (value) => ['ffn', 'out'].includes(value),
  feature: (value) => value === null || isCount(value),
};

/**
 * The fields of each kind besides `what`; those without their own test are places.
 * @type {Record<Intervention['what'], string[]>}
 */
const FORMS = {
  temperature: ['value'],
  head: ['kind', 'layer', 'head', 'to'],
  headAt: ['kind', 'layer', 'head', 'row', 'to'],
  ffnAt: ['kind', 'layer', 'row', 'to'],
  neuron: ['kind', 'layer', 'neuron', 'to'],
  neurons: ['kind', 'layer', 'first', 'last', 'to'],
  cell: ['kind', 'layer', 'head', 'row', 'key', 'to'],
  patch: ['kind', 'after', 'row', 'from', 'share'],
  skip: ['node', 'kind', 'layer', 'sublayer', 'to'],
  swap: ['kind', 'row', 'to'],
  exit: ['kind', 'to'],
  feature: ['kind', 'layer', 'part', 'seed', 'feature', 'row', 'to'],
  weight: ['name', 'row', 'column', 'value'],
};

/**
 * Whether this is a change: a link may hold anything.
 * @param {any} value
 * @returns {value is Intervention}
 */
export function isIntervention(value) {
  const form = Object.hasOwn(FORMS, value.what) ? FORMS[/** @type {Intervention['what']} */ (value.what)] : null;
  return (
    Boolean(form) &&
    (['headAt', 'ffnAt', 'feature'].includes(value.what) || !Array.isArray(value.to)) &&
    (OWN[/** @type {Intervention['what']} */ (value.what)]?.(value) ?? true) &&
    /** @type {string[]} */ (form).every((name) => (FIELDS[name] ?? isCount)(value[name]))
  );
}

/** Further conditions of one kind. @type {Partial<Record<Intervention['what'], (value: any) => boolean>>} */
const OWN = {
  cell: ({ to }) => to !== 'mean',
  neurons: ({ first, last, to }) => to === 0 && first <= last && last < MOST,
  patch: ({ kind, share }) => kind !== 'cross' && Number.isFinite(share),
  skip: ({ to }) => to === 0,
  swap: ({ kind, to }) => kind !== 'cross' && isCount(to),
  exit: ({ kind, to }) => kind !== 'cross' && isCount(to),
  feature: ({ kind, to, feature }) => kind !== 'cross' && to !== 'mean' && (feature !== null || Array.isArray(to)),
};

/**
 * Where a change acts: two at the same place cannot both hold.
 * @param {Intervention} change
 */
const placeOf = (change) =>
  JSON.stringify(
    Object.entries(change)
      .filter(([name]) => !['to', 'value', 'from', 'share'].includes(name))
      .sort(),
  );

/**
 * The list with a change in it, instead of the one at its place.
 * @param {readonly Intervention[]} interventions
 * @param {Intervention} change
 * @returns {Intervention[]}
 */
export function put(interventions, change) {
  const at = interventions.findIndex((each) => placeOf(each) === placeOf(change));
  if (change.what === 'temperature' && change.value === 1) return without(interventions, at);
  return at < 0 ? [...interventions, change] : interventions.with(at, change);
}

/** @param {readonly Intervention[]} interventions @param {number} index @returns {Intervention[]} */
export const without = (interventions, index) => interventions.filter((_, i) => i !== index);

/**
 * The list with the value at a change's place set, or computed again.
 * @param {readonly Intervention[]} interventions
 * @param {Intervention} change
 * @param {number | 'mean' | number[] | null} to null: as computed
 */
export const setTo = (interventions, change, to) =>
  to === null
    ? interventions.filter((each) => each !== standingAt(interventions, change))
    : put(interventions, /** @type {Intervention} */ ({ ...change, to }));

/**
 * The change that stands at the place of this one.
 * @param {readonly Intervention[]} interventions
 * @param {Intervention} change
 */
export const standingAt = (interventions, change) => interventions.find((each) => placeOf(each) === placeOf(change));

/** Whether a change is at a word: it holds for one text only. @param {Intervention} change */
export const isAtWord = ({ what }) => ['cell', 'headAt', 'ffnAt', 'patch', 'swap', 'feature'].includes(what);

/** @param {Intervention} change @returns {change is FeatureIntervention} */
export const isOfFeature = (change) => change.what === 'feature';

/**
 * The name of the dictionary that a feature is of: 'encoder.1.out.0'.
 * @param {Pick<FeatureIntervention, 'kind' | 'layer' | 'part' | 'seed'>} of
 */
export const dictionaryOf = ({ kind, layer, part, seed }) => [kind, layer, part, seed].join('.');

/**
 * The heads of a layer whose output is set to 0.
 * @param {readonly Intervention[]} interventions
 * @param {AttentionKind} kind
 * @param {number} layer
 */
export const headsOff = (interventions, kind, layer) =>
  interventions.flatMap((each) =>
    each.what === 'head' && each.kind === kind && each.layer === layer && each.to === 0 ? [each.head] : [],
  );

/** @param {readonly Intervention[]} interventions */
export const temperatureOf = (interventions) =>
  interventions.find((change) => change.what === 'temperature')?.value ?? 1;

/**
 * The switches as the model was trained with them, or, untrained, as the page begins.
 * @param {Settings} settings
 * @param {Record<string, any> | undefined} trained configuration
 * @returns {Partial<Settings>}
 */
export function switchesAsBuilt(settings, trained) {
  /** @type {Record<string, any>} */
  const defaults = Object.fromEntries(SWITCHES.map((name) => [name, defaultOf(name)]));
  const source = trained ?? { ...defaults, causal: settings.kind !== 'encoder' };
  return Object.fromEntries(SWITCHES.map((name) => [name, source[name]]));
}

/**
 * The switches that stand otherwise.
 * @param {Settings} settings
 * @param {Record<string, any> | undefined} trained
 */
export function changedSwitches(settings, trained) {
  const built = switchesAsBuilt(settings, trained);
  return SWITCHES.filter((name) => settings[name] !== built[name]).map((name) => ({
    name,
    label: `${settingNamed(name).label}: ${worded(settings[name])}`,
    value: built[name],
  }));
}

/** @param {string | number | boolean} value */
const worded = (value) => (typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value));

/**
 * A weight that is set, in words.
 * @param {CellIntervention} change
 * @param {{rowWords: readonly string[], columnWords: readonly string[]}} words
 */
export function cellLabel(change, { rowWords, columnWords }) {
  const [row, column] = [
    rowWords[change.row] ?? `row ${change.row}`,
    columnWords[change.key] ?? `column ${change.key}`,
  ];
  return `${where(change)}, head ${change.head + 1}, ${row} → ${column}: ${Number(change.to.toFixed(4))}`;
}

/** The number put in place of the computed one, in a word. @param {number | 'mean' | number[]} to */
export const valueLabel = (to) => (to === 0 ? 'off' : to === 'mean' ? 'mean' : 'set');

/** @param {AttentionKind} kind */
export const nameOf = (kind) => ({ encoder: 'Encoder', decoder: 'Decoder', cross: 'Cross' })[kind];

/** @param {{kind: AttentionKind, layer: number}} sublayer */
export const where = ({ kind, layer }) => `${nameOf(kind)} layer ${layer + 1}`;
