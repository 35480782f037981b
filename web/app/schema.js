// Explore's state, one plain, serialisable object, and its schema: a row for each key with its initial value, its name
// and codec in the address, and its control. The C core's headers declare a model's settings (choices, ranges,
// defaults, labels); the build reads them into dist/generated/settings.js.

import { isAtWord, isIntervention } from '../engine/interventions.js';
import { choiceLabel, defaultOf, settingNamed } from '../engine/model-settings.js';
import { PLAN_FIELDS, neuronRole, pinOf } from '../engine/plan.js';
import { MAX_CHARACTERS, kept } from '../engine/tokens.js';
import * as kit from '../kit/address.js';
import { between, flag, integer, integers, listOf, matching, nullable, number, oneOf } from '../kit/address.js';
import { CATALOGUE, entryOf, isModel } from '../models/catalogue.js';

/**
 * @typedef {'encoder' | 'decoder' | 'encoder-decoder'} Architecture
 * @typedef {'encoder' | 'decoder' | 'cross'} AttentionKind
 * @typedef {'weights' | 'scores' | 'scaled' | 'masked'} Quantity
 * @typedef {'activation' | 'pre_activation' | 'up' | 'product'} FfnQuantity the last two of a gated network
 * @typedef {'effect' | 'contribution' | 'index' | 'token' | 'similar' | 'active'} NeuronOrder
 * @typedef {import('../draw/neuron-map.js').Colours} NeuronColours
 *
 * The model settings that the reader can change; names and values are those of `createModel`.
 * @typedef {Pick<import('../../dist/generated/settings.js').Config,
 *   'layers' | 'heads' | 'keyValueHeads' | 'headWidth' | 'd_model' | 'd_ff' | 'ffn' | 'scoreScale' | 'causal' |
 *   'positions' | 'norm' | 'normKind' | 'qkNorm' | 'residual' | 'activation'
 * > & {kind: Architecture, seed: number, decoderLayers?: number}} Settings
 * `decoderLayers`: of a trained encoder–decoder that has others than `layers`.
 *
 * The selected head; `mean`: the mean of its layer's heads instead, or of all heads of its kind.
 * @typedef {{kind: AttentionKind, layer: number, head: number, mean?: boolean | 'all'}} Selection
 *
 * @typedef {{stack: 'encoder' | 'decoder', layer: number, neuron: number, name: string}} NeuronName
 *
 * Where the maps' cursors stand; the row is shared by all maps of one stack. `neuron`, `feature`: null until the reader
 * chooses one, the strongest of the row.
 * @typedef {{row: number, key: number, neuron: number | null, feature: number | null, dimension: number}} Cursor
 *
 * The options by which `continue` draws its words.
 * @typedef {{temperature: number, topK: number, seed: number, length: number}} Writing
 *
 * Where the reader stands in the model graph: the node and the norm last chosen, and what the maps of the
 * embedding and the stream show; `stage` is the stream map's cursor.
 * @typedef {{
 *   node: import('../explore/shared/graph.js').NodeKind | 'heads' | 'beams', sublayer: number,
 *   embedding: 'embedding' | 'input',
 *   stream: 'norms' | 'changes' | 'cosines', stage: number,
 * }} GraphState
 *
 * @typedef {import('../engine/interventions.js').Intervention} Intervention
 *
 * The part of the state that makes a plan; pinned, it is computed beside the present one.
 * @typedef {Pick<State, 'model' | 'text' | 'targetText' | 'settings' | 'written' | 'interventions'>} Pinned
 *
 * `menu` is the sentence of `translate`, `written` what `continue` added to the text, or
 * how a target of the reader's begins; `grown`: so many tokens of the target are shown, null: all;
 * `beams`: of the search, null: as the model's files say; `follow`: the
 * next result moves to the word asked for and the head that attends from it to the answer, `row`: in the head that
 * there is; `own`: whether the reader
 * chose the row and the key himself, since the text was another; `opening`: how far the first opening has come;
 * `weight`:
 * the selected one, to be edited; `pinned`: the second plan, shown beside the present one;
 * `tensor`: the one that is kept by its name; `layout`: the views of the chosen node, or all of them; `book`: the
 * number of the open lesson, 0 the one last read, from 101 a puzzle; `trail`: the one
 * that plays, as its link has it, '' for none, at its `step`; `embed`: the page is a figure in somebody's article;
 * `lines`: whether the workspace shows the head as lines in the map's place; `lineHeads`: the heads drawn as lines
 * together, none: the one of the map;
 * `brush`: the rows that are selected together;
 * `decision`: whether the reader asked what decided the answer, and the ablations and patches that stood then; `swap`:
 * the token and the word that takes its place there, '' as found; `alone`: what parts add to the logit of the answer,
 * not to its lead over the runner-up; `parts`: what each head and FFN adds, or what is left of the answer without it,
 * its output 0 or its mean; `partsHere`: at the answer's token alone;
 * `plays`: when another place led to a weight that is to be played, 0: none did;
 * `neuronCard`: whether the card of the cursor's neuron is open, null until the reader says: open in sight;
 * `face`: of a layer's neurons and of the stream after it; `found`: the dictionaries whose features the reader has
 * asked for, by their names; `ready`: those that the worker has;
 * `neuronNames`: that the reader gave; `neuronOff`: what changes over the corpus without the chosen neuron is asked.
 *
 * @typedef {{
 *   model: import('../models/catalogue.js').ModelName, menu: import('../models/sentences.js').MenuState, writing:
 *   Writing,
 *   written: number[], grown: number | null,
 *   beams: {width: number | null, penalty: number | null}, follow: boolean | 'row', own: {row: boolean, key: boolean},
 *   text: string, targetText: string, settings: Settings, selection: Selection,
 *   quantity: Quantity, colours: 'auto' | 'linear' | 'root', ffnQuantity: FfnQuantity, cursor: Cursor, graph:
 *   GraphState,
 *   neuronOrder: NeuronOrder, ffnColours: NeuronColours, neuronCard: boolean | null, neuronNames: NeuronName[],
 *   neuronOff: boolean, face: 'neurons' | 'features', found: string, ready: string[],
 *   interventions: Intervention[], decision: Intervention[] | null, swap: string, alone: boolean,
 *   parts: 'adds' | 'off' | 'mean', partsHere: boolean,
 *   weight: {name: string, row: number, column: number}, pinned: Pinned | null,
 *   tensor: string | null, layout: 'workspace' | 'page', book: number | null,
 *   trail: string, step: number, embed: boolean, plays: number,
 *   brush: number[], lines: boolean, lineHeads: number[],
 *   opening: import('../explore/shared/opening.js').Stage,
 * }} State
 */

const INDEX = integer(0, 1e6);

/** So many neurons have a column each in their map; of more the first have one, the rest one together. */
export const FEW_NEURONS = 128;

/**
 * `initial`: in the untrained playground; `size`: of an untrained model only; `view`: what the reader has selected, so
 * that a link with it does not follow the answer; `control`: where and under which label it can be set.
 * @typedef {kit.Field & {size?: boolean, view?: boolean, control?: Control}} Field
 *
 * A control of the settings. `choices` are labels by value; without them it is a number from `low` to `high`, or a
 * checkbox.
 * @typedef {{
 *   group: 'size' | 'seed' | 'switch' | 'choice', name: string, label: string, low?: number, high?: number,
 *   choices?: Record<string, string>,
 * }} Control
 */

/**
 * A setting of the model as the C core declares it.
 * @param {string} setting
 * @param {Control['group']} group
 * @param {{codec?: kit.Codec, choices?: string[], address?: string}} [own] what this page has otherwise
 * @returns {Field}
 */
function setting(setting, group, { codec, choices, address = setting } = {}) {
  const { type, choices: all, label, low, high } = settingNamed(setting);
  const names = choices ?? (type === 'c' ? all : undefined);
  const labels = names && Object.fromEntries(names.map((each) => [each, choiceLabel(setting, each)]));
  return {
    path: `settings.${setting}`,
    address,
    initial: defaultOf(setting),
    codec: codec ?? (type === 'b' ? flag : type === 'c' ? oneOf(...(names ?? [])) : number),
    size: group === 'size' || group === 'seed',
    control: { group, name: setting, label, low, high, ...(labels ? { choices: labels } : {}) },
  };
}

/** Top-k needs one number more. */
const ACTIVATIONS = settingNamed('activation').choices.filter((each) => each !== 'top-k');

const LAYERS = Array.from({ length: 12 }, (_, i) => String(i + 1));

/** @type {kit.Codec} of a longer one its beginning */
const text = { write: String, read: kept };
const name = matching(/^[\w.]{0,200}$/);

/** Layer and head, counted from 1 as in the titles. @type {kit.Codec} */
const layerAndHead = {
  write: ({ layer, head }) => `${layer + 1}.${head + 1}`,
  read(value) {
    const [, layer, head] = /^([1-9]\d{0,3})\.([1-9]\d{0,4})$/.exec(value) ?? [];
    return layer ? { layer: Number(layer) - 1, head: Number(head) - 1 } : undefined;
  },
};

/** Of a layer's heads, or of all. @type {kit.Codec} */
const MEAN = {
  write: (value) => (value === 'all' ? value : flag.write(value)),
  read: (value) => (value === 'all' ? value : flag.read(value)),
};

/** Letters of a name that the reader gives. */
export const LONGEST_NAME = 40;

/** @param {any} value @returns {boolean} */
const isNeuronName = ({ stack, layer, neuron, name: given }) =>
  (stack === 'encoder' || stack === 'decoder') &&
  [layer, neuron].every((each) => Number.isInteger(each) && each >= 0) &&
  typeof given === 'string' &&
  given.length > 0 &&
  given.length <= LONGEST_NAME;

/** In links of before all lessons stood in one list. @param {string} puzzle its number */
function puzzleBook(puzzle) {
  return /^\d\d?$/.test(puzzle) ? 100 + Math.max(1, Number(puzzle)) : undefined;
}

/** The order is that of the address. @type {Field[]} */
export const FIELDS = [
  {
    path: 'model',
    address: 'model',
    codec: { write: String, read: (value, { model }) => (isModel(value) ? model : undefined) },
    initial: 'untrained',
  },
  { path: 'own', initial: { row: false, key: false } },
  { path: 'opening', initial: '' },
  { path: 'menu', initial: { pattern: 'crossing', choices: {} } },
  {
    path: 'text',
    address: 'text',
    codec: text,
    initial: 'The creek was cold and the spunky dog wanted to jump over it.',
    implied: (state, base) => withMenuText({ ...base, menu: state.menu }).text,
  },
  {
    path: 'targetText',
    address: 'target',
    codec: text,
    initial: 'Der Bach war kalt und der muntere Hund wollte hinüberspringen.',
  },
  { path: 'written', address: 'written', codec: integers, initial: [] },
  { path: 'grown', initial: null },
  { path: 'beams.width', address: 'beams', codec: nullable(integer(1, 8)), initial: null },
  { path: 'beams.penalty', address: 'penalty', codec: nullable(between(-1, 3)), initial: null },
  setting('kind', 'size', { choices: ['encoder', 'decoder', 'encoder-decoder'] }),
  setting('layers', 'size', { codec: integer(1, LAYERS.length), choices: LAYERS }),
  setting('heads', 'size'),
  setting('keyValueHeads', 'size'),
  setting('headWidth', 'size'),
  setting('d_model', 'size'),
  setting('d_ff', 'size'),
  setting('ffn', 'size', { address: 'network' }), // 'ffn' is what its map shows
  {
    path: 'settings.seed',
    address: 'seed',
    codec: number,
    initial: 0,
    size: true,
    control: { group: 'seed', name: 'seed', label: 'Seed', low: 0 },
  },
  setting('scoreScale', 'switch'),
  setting('causal', 'switch'),
  setting('residual', 'switch'),
  setting('qkNorm', 'switch'),
  setting('positions', 'choice', { choices: ['sinusoidal', 'learned', 'rotary', 'none'] }),
  setting('norm', 'choice', { choices: ['post', 'pre', 'none'] }),
  setting('normKind', 'choice'),
  setting('activation', 'choice', { choices: ACTIVATIONS }),
  {
    path: 'selection.kind',
    address: 'attention',
    codec: oneOf('encoder', 'decoder', 'cross'),
    initial: 'encoder',
    view: true,
  },
  { path: 'selection', address: 'head', codec: layerAndHead, initial: { layer: 0, head: 0 }, view: true },
  { path: 'selection.mean', address: 'mean', codec: MEAN, initial: undefined, view: true },
  { path: 'cursor.row', address: 'row', codec: INDEX, initial: 12, view: true },
  { path: 'cursor.key', address: 'key', codec: INDEX, initial: 1, view: true },
  { path: 'cursor.neuron', address: 'neuron', codec: INDEX, initial: null },
  { path: 'cursor.feature', address: 'feature', codec: INDEX, initial: null },
  { path: 'cursor.dimension', address: 'dimension', codec: INDEX, initial: 0 },
  { path: 'brush', address: 'brush', codec: integers, initial: [] },
  { path: 'lines', address: 'lines', codec: flag, initial: false },
  { path: 'lineHeads', address: 'lineHeads', codec: integers, initial: [] },
  { path: 'quantity', address: 'quantity', codec: oneOf('weights', 'scores', 'scaled', 'masked'), initial: 'weights' },
  { path: 'colours', address: 'colours', codec: oneOf('auto', 'linear', 'root'), initial: 'auto' },
  {
    path: 'ffnQuantity',
    address: 'ffn',
    codec: oneOf('activation', 'pre_activation', 'up', 'product'),
    initial: 'activation',
  },
  {
    path: 'graph.node',
    address: 'part',
    codec: oneOf(
      ...[
        'tokens',
        'heads',
        'beams',
        'embedding',
        'positions',
        'attention',
        'add',
        'norm',
        'ffn',
        'transform',
        'logits',
        'probabilities',
      ],
    ),
    initial: 'attention',
  },
  { path: 'graph.sublayer', address: 'sublayer', codec: integer(0, 4), initial: 1 },
  { path: 'graph.embedding', address: 'embedding', codec: oneOf('embedding', 'input'), initial: 'input' },
  { path: 'graph.stream', address: 'stream', codec: oneOf('norms', 'changes', 'cosines'), initial: 'norms' },
  { path: 'graph.stage', address: 'stage', codec: INDEX, initial: 0 },
  {
    path: 'neuronOrder',
    address: 'neurons',
    codec: oneOf('effect', 'contribution', 'index', 'token', 'similar', 'active'),
    initial: 'contribution',
  },
  { path: 'ffnColours', address: 'ffnColours', codec: oneOf('linear', 'root', 'symlog', 'neuron'), initial: 'linear' },
  { path: 'neuronCard', address: 'card', codec: flag, initial: null },
  { path: 'neuronOff', address: 'neuronOff', codec: flag, initial: false },
  { path: 'face', address: 'face', codec: oneOf('neurons', 'features'), initial: 'neurons' },
  { path: 'found', address: 'found', codec: matching(/^[\w.,]{0,300}$/), initial: '' },
  { path: 'ready', initial: [] },
  { path: 'neuronNames', address: 'called', codec: listOf(isNeuronName), initial: [] },
  { path: 'writing.temperature', address: 'temperature', codec: between(0, 5), initial: 0.8 },
  { path: 'writing.topK', address: 'topK', codec: INDEX, initial: 0 },
  { path: 'writing.seed', address: 'draw', codec: between(0, 2 ** 32 - 1, Number.isInteger), initial: 0 },
  { path: 'writing.length', address: 'length', codec: integer(1, 100), initial: 30 },
  { path: 'menu.pattern', address: 'menu', codec: oneOf('crossing', 'because', 'action', 'state') },
  { path: 'weight.name', address: 'weight.name', codec: name, initial: '' },
  { path: 'weight.row', address: 'weight.row', codec: INDEX, initial: 0 },
  { path: 'weight.column', address: 'weight.column', codec: INDEX, initial: 0 },
  { path: 'interventions', address: 'changes', codec: listOf(isIntervention), initial: [] },
  { path: 'decision', address: 'decision', codec: nullable(listOf(isIntervention)), initial: null },
  { path: 'swap', address: 'swap', codec: matching(/^(\d{1,6}\.\d{0,7})?$/), initial: '' },
  { path: 'alone', address: 'alone', codec: flag, initial: false },
  { path: 'parts', address: 'parts', codec: oneOf('adds', 'off', 'mean'), initial: 'adds' },
  { path: 'partsHere', address: 'here', codec: flag, initial: false },
  { path: 'tensor', address: 'tensor', codec: nullable(name), initial: null },
  { path: 'layout', address: 'layout', codec: oneOf('workspace', 'page'), initial: 'workspace' },
  { path: 'book', address: 'book', codec: nullable(integer(0, 199)), initial: null },
  { path: 'book', address: 'puzzle', codec: { write: () => '', read: puzzleBook } },
  { path: 'trail', address: 'trail', codec: matching(/^[\w-]{0,8000}$/), initial: '' },
  { path: 'step', address: 'step', codec: integer(1, 7), initial: 1 },
  { path: 'embed', address: 'embed', codec: flag, initial: false },
  { path: 'plays', initial: 0 },
  {
    path: 'menu.choices',
    address: 'menu.',
    group: {
      write: (choices, { menu }) => Object.entries(choices).filter(([each, value]) => value !== menu.choices[each]),
      read: (parts, { menu }) => ({
        value: { ...menu.choices, ...Object.fromEntries(parts.filter(isChoice)) },
        refused: parts.filter((each) => !isChoice(each)).map(([each]) => each),
      }),
    },
  },
  {
    path: 'follow',
    address: 'follow',
    codec: {
      write: (value) => (value === 'row' ? value : flag.write(value)),
      read: (value) => (value === 'row' ? value : flag.read(value)),
    },
    initial: false,
    implied: (_, { follow }, names) =>
      follow && !names.some((each) => PLACE.has(each)) && (names.some((each) => VIEW.has(each)) ? 'row' : true),
  },
];

const LONGEST_CHOICE = 100;
/** @param {kit.Part} part */
const isChoice = ([each, value]) => each !== '' && value.length < LONGEST_CHOICE;
const PLACE = new Set(['row', 'key']);
const VIEW = new Set(FIELDS.filter(({ view }) => view).map(({ address }) => address));

/** Undo covers all but the pinned state. @type {import('../kit/store.js').Rules} */
export const UNDO = {
  reset: 'model',
  keys: ['menu', 'text', 'targetText', 'settings', 'written', 'interventions'],
  selection: ['cursor', 'brush', 'follow', 'own'],
  text: ['menu', 'text', 'targetText', 'written'],
  changes: ['settings', 'interventions'],
  isSameText: (a, b) => a.text === b.text && a.targetText === b.targetText,
  isApart: (now, { settings, interventions }) =>
    JSON.stringify(now.settings) !== JSON.stringify(settings) || now.interventions.length !== interventions.length,
  isOfAnyText: ({ interventions }) => !interventions.some(isAtWord),
};

/** The controls of the settings, in their order. */
export const CONTROLS = FIELDS.flatMap(({ control }) => control ?? []);

/** Sizes to start from; 'base' is the base model of Vaswani et al. 2017, table 3. */
export const PRESETS = {
  default: { layers: 2, heads: 4, keyValueHeads: 0, headWidth: 0, d_model: 64, d_ff: 256 },
  base: { layers: 6, heads: 8, keyValueHeads: 0, headWidth: 0, d_model: 512, d_ff: 2048 },
};

/** @type {() => State} the untrained playground */
export const defaultState = () => ({ ...kit.initialOf(FIELDS), pinned: null });

/**
 * The state in which the page opens on a model.
 * @param {import('../models/catalogue.js').ModelName} model
 * @param {import('../engine/plan.js').ModelInfo | undefined} modelInfo of a trained one
 */
export const openingState = (model, modelInfo) =>
  model === 'untrained' || !modelInfo ? defaultState() : trainedState(model, modelInfo.config);

/** The state with the sentence that its menus make, where the model's input is menus. @param {State} state */
const withMenuText = (state) => {
  const { compose } = entryOf(state.model) ?? {};
  return compose ? { ...state, text: compose(state.menu).text } : state;
};

/**
 * The state in which the page opens on a trained model.
 * @param {import('../models/catalogue.js').TrainedName} model
 * @param {Record<string, any>} config of the model
 * @returns {State}
 */
export function trainedState(model, config) {
  const state = defaultState();
  const { compose, text, opening } = CATALOGUE[model];
  const { kind } = config;
  const settings = /** @type {any} */ (
    Object.fromEntries(
      Object.keys(state.settings).map((each) => [each, config[each] ?? (each === 'seed' ? 0 : defaultOf(each))]),
    )
  );
  const cross = kind === 'encoder-decoder';
  if (cross && config.decoderLayers !== config.layers) settings.decoderLayers = config.decoderLayers;
  return {
    ...state,
    model,
    settings,
    text: compose?.(state.menu).text ?? text,
    targetText: '',
    selection: cross
      ? { kind: 'cross', layer: config.decoderLayers - 1, head: 0, mean: true }
      : { kind, layer: 0, head: 0 },
    cursor: { row: 1, key: 1, neuron: null, feature: null, dimension: 0 },
    ...(settings.d_ff > FEW_NEURONS ? { ffnColours: 'symlog' } : { neuronOrder: 'similar' }),
    ffnQuantity: neuronRole(settings),
    follow: !cross,
    ...opening,
  };
}

/**
 * Changes settings. A change of architecture brings the mask and the view that belong to it: a
 * decoder is causal, an encoder is not.
 * @param {State} state
 * @param {Partial<Settings>} patch
 * @returns {Partial<State>}
 */
export function changeSettings(state, patch) {
  const settings = { ...state.settings, ...patch };
  const { kind, ffn } = settings;
  const shown = ffn === state.settings.ffn ? {} : { ffnQuantity: neuronRole(settings) };
  if (kind === state.settings.kind) return { settings, ...shown };
  return {
    ...shown,
    settings: { ...settings, causal: patch.causal ?? kind !== 'encoder' },
    selection: { kind: kind === 'decoder' ? 'decoder' : kind === 'encoder' ? 'encoder' : 'cross', layer: 0, head: 0 },
  };
}

/**
 * Moves the cursor to where the reader points.
 * @param {State} state
 * @param {Partial<Cursor>} patch
 * @returns {Pick<State, 'cursor' | 'own'>}
 */
export const moveCursor = ({ cursor, own }, patch) => ({
  cursor: { ...cursor, ...patch },
  own: { row: own.row || 'row' in patch, key: own.key || 'key' in patch },
});

/** Of a link, in characters: four texts of the longest that a box holds, each character written as nine. */
const LONGEST = 750_000;

/**
 * The rows of a model: the sizes of a trained one are its file's, and so are its words.
 * @param {import('../engine/plan.js').ModelInfo} [modelInfo] of a trained model
 * @returns {kit.Field[]}
 */
function rowsOf(modelInfo) {
  const words = (modelInfo?.targetVocabulary ?? modelInfo?.vocabulary ?? []).length;
  const isKnown = (/** @type {number} */ id) => id < words;
  const rows = FIELDS.filter(({ size }) => !size || !modelInfo).map((field) =>
    field.path === 'written'
      ? { ...field, problem: (/** @type {number[]} */ ids) => (ids.every(isKnown) ? '' : 'no word has this number') }
      : field,
  );
  const pinnable = rows
    .filter(({ path, address }) => address !== 'model' && PLAN_FIELDS.some((each) => path.split('.')[0] === each))
    .map(({ implied: _, ...row }) => row);
  return [
    ...rows,
    {
      path: 'pinned',
      address: 'pinned.',
      group: {
        write: (pinned, base) => (pinned ? [['model', pinned.model], ...kit.partsOf(pinnable, pinned, base)] : []),
        read(parts, _, base) {
          const rest = parts.filter(([each]) => each !== 'model');
          const isOther = parts.some(([each, value]) => each === 'model' && value !== base.model); // other sizes
          const { state, names, refused } = kit.readParts(rest, pinnable, base);
          const isPinned = !isOther && names.length + parts.length > rest.length;
          return {
            value: isPinned ? pinOf(state) : null,
            refused: [...(isOther ? ['model'] : []), ...refused.map(({ name: each }) => each)],
          };
        },
      },
    },
  ];
}

/** @param {string} hash @returns {string | null} the model that a link names */
export const modelOf = (hash) => kit.partOf(hash, 'model');

/**
 * The link of a state: its model and what differs from how the model opens. One that would be too long names
 * the model only.
 * @param {State} state
 * @param {State} opening of its model
 */
export function writeLink(state, opening) {
  const model = /** @type {kit.Part} */ (['model', state.model]);
  const link = kit.linkOf('explore', [model, ...kit.partsOf(rowsOf(), state, opening)]);
  return link.length <= LONGEST ? link : kit.linkOf('explore', [model]);
}

/**
 * The parts of a link in which neuron=2.53 names the layer too: it opens that FFN.
 * @param {kit.Part[]} parts
 * @returns {kit.Part[]}
 */
function withNeuron(parts) {
  const given = Object.fromEntries(parts);
  const [, layer, neuron] = /^([1-9]\d{0,3})\.(\d+)$/.exec(given.neuron ?? '') ?? [];
  if (!layer) return parts;
  const rest = parts.filter(([each]) => each !== 'neuron' && each !== 'head');
  const head = given.head?.split('.')[1] ?? 1;
  return [
    ...(given.part ? [] : [/** @type {kit.Part} */ (['part', 'ffn'])]),
    ...rest,
    ['head', `${layer}.${head}`],
    ['neuron', neuron],
  ];
}

/**
 * The state of a link, and the names of what could not be read.
 * @param {string} hash
 * @param {State} opening of the link's model
 * @param {import('../engine/plan.js').ModelInfo} [modelInfo] of a trained model
 * @returns {{state: State, refused: string[], cut: number}} `cut`: characters of a text that is too long; 0: none is
 */
export function readLink(hash, opening, modelInfo) {
  if (hash.length > LONGEST) return { state: opening, refused: ['a link longer than this page reads'], cut: 0 };
  const parts = withNeuron(kit.parse(hash).parts);
  const { state, refused } = kit.readParts(parts, rowsOf(modelInfo), opening);
  const texts = parts.filter(([each]) => each === 'text' || each === 'target').map(([, value]) => value.length);
  const longest = texts.reduce((most, length) => Math.max(most, length), 0);
  const cut = longest > MAX_CHARACTERS ? longest : 0;
  return { state, refused: refused.map(({ name: each }) => each), cut };
}
