// The page's whole state: one plain, serialisable object and who is told of its changes.

/**
 * @typedef {'encoder' | 'decoder' | 'encoder-decoder'} Architecture
 * @typedef {'encoder' | 'decoder' | 'cross'} AttentionKind
 * @typedef {'weights' | 'scores' | 'scaled' | 'masked'} Quantity
 * @typedef {'activation' | 'pre_activation'} FfnQuantity
 *
 * What the reader can set of the model; names and values are those of `createModel`.
 * @typedef {{
 *   kind: Architecture, layers: number, heads: number, d_model: number, d_ff: number,
 *   scoreScale: boolean, causal: boolean, positions: 'sinusoidal' | 'learned' | 'none',
 *   norm: 'pre' | 'post' | 'none', residual: boolean,
 *   activation: 'relu' | 'gelu' | 'gelu-tanh' | 'none', seed: number,
 * }} Settings
 *
 * The head that is looked at.
 * @typedef {{kind: AttentionKind, layer: number, head: number}} Selection
 *
 * Where the maps' cursors stand; the row is shared by all maps of one stack.
 * @typedef {{row: number, key: number, neuron: number, dimension: number}} Cursor
 *
 * @typedef {{
 *   text: string, targetText: string, settings: Settings, selection: Selection,
 *   quantity: Quantity, colours: 'linear' | 'root', ffnQuantity: FfnQuantity, cursor: Cursor,
 * }} State
 */

/** @type {Settings} */
const SETTINGS = {
  kind: 'encoder', layers: 2, heads: 4, d_model: 64, d_ff: 256, scoreScale: true, causal: false,
  positions: 'sinusoidal', norm: 'post', residual: true, activation: 'relu', seed: 0,
};

/** Sizes to start from; 'base' is the base model of Vaswani et al. 2017, table 3. */
export const PRESETS = {
  default: { layers: 2, heads: 4, d_model: 64, d_ff: 256 },
  base: { layers: 6, heads: 8, d_model: 512, d_ff: 2048 },
};

/** @returns {State} */
export function defaultState() {
  return {
    text: 'The creek was cold and the spunky dog wanted to jump over it.',
    targetText: 'Der Bach war kalt und der muntere Hund wollte hinüberspringen.',
    settings: { ...SETTINGS },
    selection: { kind: 'encoder', layer: 0, head: 0 },
    quantity: 'weights',
    colours: 'linear',
    ffnQuantity: 'activation',
    cursor: { row: 12, key: 1, neuron: 0, dimension: 0 },
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
 * The nearest selection that exists in a model of these settings.
 * @param {Selection} selection
 * @param {Settings} settings
 * @returns {Selection}
 */
export function clampSelection(selection, { kind, layers, heads }) {
  const exists = kind === 'encoder-decoder' || selection.kind === kind;
  return {
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
