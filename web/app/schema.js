// The page's whole state: one plain, serialisable object and who is told of its changes.

import { CATALOGUE } from '../models/catalogue.js';
import { compose, firstMenus } from '../models/sentences.js';

/**
 * @typedef {'encoder' | 'decoder' | 'encoder-decoder'} Architecture
 * @typedef {'encoder' | 'decoder' | 'cross'} AttentionKind
 * @typedef {'weights' | 'scores' | 'scaled' | 'masked'} Quantity
 * @typedef {'activation' | 'pre_activation'} FfnQuantity
 * @typedef {'index' | 'token' | 'similar' | 'active'} NeuronOrder
 *
 * What the reader can set of the model; names and values are those of `createModel`.
 * @typedef {{
 *   kind: Architecture, layers: number, heads: number, d_model: number, d_ff: number,
 *   scoreScale: boolean, causal: boolean, positions: 'sinusoidal' | 'learned' | 'none',
 *   norm: 'pre' | 'post' | 'none', residual: boolean,
 *   activation: 'relu' | 'gelu' | 'gelu-tanh' | 'none', seed: number,
 * }} Settings
 *
 * The head that is looked at; `mean`: the mean of its layer's heads instead.
 * @typedef {{kind: AttentionKind, layer: number, head: number, mean?: boolean}} Selection
 *
 * Where the maps' cursors stand; the row is shared by all maps of one stack.
 * @typedef {{row: number, key: number, neuron: number, dimension: number}} Cursor
 *
 * How `continue` draws its words.
 * @typedef {{temperature: number, topK: number, seed: number, length: number}} Writing
 *
 * Where the reader stands on the model's way (web/way.js): the part and the norm last chosen, and
 * what the maps of the embedding and the stream show; `stage` is the stream map's cursor.
 * @typedef {{
 *   part: import('../explore/model-graph/graph.js').Station, place: number, embedding: 'embedding' | 'input',
 *   stream: 'norms' | 'changes' | 'cosines', stage: number,
 * }} Way
 *
 * @typedef {import('../engine/interventions.js').Change} Change
 *
 * What makes a plan; pinned, it is computed beside the present one.
 * @typedef {Pick<State, 'model' | 'text' | 'targetText' | 'settings' | 'written' | 'changes'>} Pinned
 *
 * `menu` is the sentence of `translate`, `written` what `continue` added to the text; `follow`: the
 * next picture moves to the word asked for and the head that looks from it to the answer; `weight`:
 * the one that is looked at, to be edited; `pinned`: the second plan, shown beside the present one;
 * `tensor`: the one that is kept by its name;
 * `lineHeads`: the heads drawn as lines together, none: the one of the map;
 * `brush`: the rows whose weights are summed; `several`: a plain click on a token adds it to them;
 * `neuronCard`: whether the card of the cursor's neuron is open, null until the reader says.
 *
 * @typedef {{
 *   model: import('../models/catalogue.js').ModelName, menu: import('../models/sentences.js').MenuState, writing: Writing,
 *   written: number[], follow: boolean,
 *   text: string, targetText: string, settings: Settings, selection: Selection,
 *   quantity: Quantity, colours: 'auto' | 'linear' | 'root', ffnQuantity: FfnQuantity, cursor: Cursor, way: Way,
 *   neuronOrder: NeuronOrder, ffnColours: 'linear' | 'root', neuronCard: boolean | null,
 *   changes: Change[], weight: {name: string, row: number, column: number}, pinned: Pinned | null,
 *   tensor: string | null,
 *   brush: number[], several: boolean, lineHeads: number[],
 * }} State
 */

/** @type {Settings} */
const SETTINGS = {
  kind: 'encoder',
  layers: 2,
  heads: 4,
  d_model: 64,
  d_ff: 256,
  scoreScale: true,
  causal: false,
  positions: 'sinusoidal',
  norm: 'post',
  residual: true,
  activation: 'relu',
  seed: 0,
};

/** Sizes to start from; 'base' is the base model of Vaswani et al. 2017, table 3. */
export const PRESETS = {
  default: { layers: 2, heads: 4, d_model: 64, d_ff: 256 },
  base: { layers: 6, heads: 8, d_model: 512, d_ff: 2048 },
};

/** @returns {State} the untrained playground */
export function defaultState() {
  return {
    model: 'untrained',
    menu: firstMenus(),
    writing: { temperature: 0.8, topK: 0, seed: 0, length: 30 },
    written: [],
    follow: false,
    text: 'The creek was cold and the spunky dog wanted to jump over it.',
    targetText: 'Der Bach war kalt und der muntere Hund wollte hinüberspringen.',
    settings: { ...SETTINGS },
    selection: { kind: 'encoder', layer: 0, head: 0 },
    quantity: 'weights',
    colours: 'auto',
    ffnQuantity: 'activation',
    neuronOrder: 'index',
    ffnColours: 'linear',
    neuronCard: null,
    cursor: { row: 12, key: 1, neuron: 0, dimension: 0 },
    way: { part: 'attention', place: 1, embedding: 'input', stream: 'norms', stage: 0 },
    changes: [],
    weight: { name: '', row: 0, column: 0 },
    pinned: null,
    tensor: null,
    brush: [],
    several: false,
    lineHeads: [],
  };
}

/**
 * How the page opens on a trained model.
 * @param {import('../models/catalogue.js').TrainedName} model
 * @param {Record<string, any>} config of the model
 * @returns {State}
 */
export function trainedState(model, config) {
  const state = defaultState();
  const { input, text } = CATALOGUE[model];
  const { kind } = config;
  const settings = /** @type {Settings} */ (
    Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, config[name] ?? 0]))
  );
  const cross = kind === 'encoder-decoder';
  return {
    ...state,
    model,
    settings,
    text: input === 'menus' ? compose(state.menu).text : text,
    selection: cross
      ? { kind: 'cross', layer: config.decoderLayers - 1, head: 0, mean: true }
      : { kind, layer: 0, head: 0 },
    cursor: { row: 1, key: 1, neuron: 0, dimension: 0 },
    neuronOrder: 'similar',
    follow: !cross,
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
  const { kind } = settings;
  if (kind === state.settings.kind) return { settings };
  return {
    settings: { ...settings, causal: patch.causal ?? kind !== 'encoder' },
    selection: { kind: kind === 'decoder' ? 'decoder' : kind === 'encoder' ? 'encoder' : 'cross', layer: 0, head: 0 },
  };
}

/**
 * The part of a state that makes its plan, to keep it as it is.
 * @param {State} state
 * @returns {Pinned}
 */
export const pinOf = ({ model, text, targetText, settings, written, changes }) => ({
  model,
  text,
  targetText,
  settings,
  written,
  changes,
});

/**
 * The state whose plan is the second one: what is looked at is that of the present state.
 * @param {State} state
 * @returns {State | null}
 */
export const pinnedState = (state) => state.pinned && { ...state, ...state.pinned, pinned: null };

/**
 * The nearest selection that exists in a model of these settings.
 * @param {Selection} selection
 * @param {Settings} settings
 * @returns {Selection}
 */
export function clampSelection(selection, { kind, layers, heads }) {
  const exists = kind === 'encoder-decoder' || selection.kind === kind;
  return {
    ...selection,
    kind: exists ? selection.kind : /** @type {AttentionKind} */ (kind),
    layer: Math.min(selection.layer, layers - 1),
    head: Math.min(selection.head, heads - 1),
  };
}

/**
 * @param {State} initial
 */
export function createStore(initial) {
  let state = initial;
  /** @type {Set<(state: State, previous: State) => void>} */
  const listeners = new Set();
  return {
    get: () => state,
    /** @param {Partial<State>} patch */
    set(patch) {
      const previous = state;
      state = { ...state, ...patch };
      for (const listener of [...listeners]) listener(state, previous);
    },
    /** @param {(state: State, previous: State) => void} listener */
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
