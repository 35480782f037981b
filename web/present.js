// From the last good answer and the state to what each view is given.

import { meanOfHeads } from './mean.js';
import { attention, attentionKinds, attentionName, ffnName, positionsName } from './plan.js';
import { clampSelection } from './state.js';
import { visible } from './tokens.js';

/** Keys up to which the colours begin linear. */
const LINEAR_KEYS = 32;

/**
 * The last good answer: the plan it belongs to and the tensors that have arrived.
 * @typedef {{
 *   plan: import('./plan.js').Plan, tensors: Map<string, import('./worker.js').Tensor>,
 *   hidden: Record<string, Uint8Array>, facts: import('./worker.js').Facts,
 * }} Picture
 *
 * @typedef {import('./plan.js').Stack} Stack
 */

/**
 * The data of each view: null where there is nothing to show, undefined where it has yet to arrive.
 * @param {Picture} picture
 * @param {import('./state.js').State} state
 * @param {import('./draw/color.js').Scheme} scheme
 */
export function present({ plan: { tokens, settings }, tensors, hidden }, state, scheme) {
  const selection = clampSelection(state.selection, settings);
  const { kind, layer, head } = selection;
  const { stack, columns: columnStack, title } = attention(kind);
  const rowWords = predictedWords(tokens[stack]);
  const columnWords = shownWords(tokens[columnStack]);
  const row = Math.min(state.cursor.row, rowWords.length - 1);
  const key = Math.min(state.cursor.key, columnWords.length - 1);

  /** @param {Stack} each @param {string} name */
  const strip = (each, name) => {
    const own = tokens[each];
    if (!own) return null;
    const { words, ids } = own.predicted ?? own.shown ?? own;
    const at = each === stack ? row : each === columnStack ? key : null;
    return {
      title: name, words: visibleWords(words), ids, fresh: own.fresh ?? 0,
      selected: at === null || !own.shown ? at : placeShown(own.shown.ids, at),
    };
  };
  const both = tokens.encoder && tokens.decoder;
  const layers = attentionKinds(settings).flatMap(each => Array.from({ length: settings.layers }, (_, l) => {
    const { data, shape: [, heads, rows, columns] } = /** @type {import('./worker.js').Tensor} */ (
      tensors.get(attentionName(each.kind, l, 'weights')));
    return { kind: each.kind, kindTitle: each.title, layer: l, heads, rows, columns, data, hidden: hidden[each.kind] };
  }));
  // over many keys an average weight is white on a linear scale, so until the reader chooses:
  const crowded = layers.some(each => each.columns > LINEAR_KEYS);
  const colours = state.colours === 'auto' ? (crowded ? 'root' : 'linear') : state.colours;
  const map = tensors.get(attentionName(kind, layer, state.quantity));
  const size = rowWords.length * columnWords.length;
  const ffn = tensors.get(ffnName(kind, layer, state.ffnQuantity));
  const positions = tensors.get(positionsName(kind));

  return {
    encoder: strip('encoder', tokens.decoder?.predicted ? 'English, as the model reads it' : both ? 'Source tokens' : 'Tokens'),
    decoder: strip('decoder', tokens.decoder?.predicted ? 'French, as the model wrote it' : both ? 'Target tokens' : 'Tokens'),
    heads: { layers, selected: selection, colours, scheme },
    heatmap: map && {
      title: `${title}, layer ${layer + 1}, ${selection.mean ? `mean of ${settings.heads} heads` : `head ${head + 1} of ${settings.heads}`}`,
      mean: Boolean(selection.mean),
      quantity: state.quantity, colours, rowWords, columnWords, scheme, hidden: hidden[kind],
      layerData: map.data, data: selection.mean ? meanOfHeads(map.data, size) : map.data.subarray(head * size, (head + 1) * size), cursor: { row, column: key },
    },
    ffn: settings.d_ff === 0 ? null : ffn && {
      title: `${stack === 'encoder' ? 'Encoder' : 'Decoder'}, layer ${layer + 1}`, quantity: state.ffnQuantity,
      words: rowWords, neurons: settings.d_ff, data: ffn.data, scheme,
      cursor: { row, column: Math.min(state.cursor.neuron, settings.d_ff - 1) },
    },
    positions: settings.positions === 'none' ? null : positions && {
      title: `${settings.positions === 'learned' ? 'Learned' : 'Sinusoidal'} positions`, words: rowWords,
      dimensions: settings.d_model, data: positions.data, sinusoidal: settings.positions === 'sinusoidal', scheme,
      cursor: { row, column: Math.min(state.cursor.dimension, settings.d_model - 1) },
    },
  };
}

/**
 * What a click on a token means: its row of the large map, its column in cross-attention, or, where
 * it is on neither axis, the self-attention of its own stack. A word that the model does not get
 * has no row.
 * @param {import('./state.js').State} state
 * @param {Stack} stack
 * @param {number} index in the strip
 * @param {import('./plan.js').Tokens | null} [tokens] of the strip
 * @returns {Partial<import('./state.js').State>}
 */
export function chooseToken({ selection, cursor, settings }, stack, index, tokens = null) {
  const ids = tokens?.shown?.ids;
  if (ids && ids[index] === null) return {};
  const place = ids ? ids.slice(0, index).filter(id => id !== null).length : index;
  const { stack: rows, columns } = attention(clampSelection(selection, settings).kind);
  if (stack === rows) return { cursor: { ...cursor, row: place } };
  if (stack === columns) return { cursor: { ...cursor, key: place } };
  return { selection: { ...selection, kind: stack }, cursor: { ...cursor, row: place } };
}

/**
 * The cursor after an edit: places behind it move along, so that the pinned words stay pinned.
 * @param {import('./state.js').Cursor} cursor
 * @param {readonly string[]} before words of the rows and columns
 * @param {readonly string[]} after
 */
export function moveWithText(cursor, before, after) {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before[prefix] === after[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shorter - prefix && before.at(-1 - suffix) === after.at(-1 - suffix)) suffix++;
  /** @param {number} place */
  const moved = place => (place < before.length && place >= before.length - suffix ? place + after.length - before.length : place);
  return { ...cursor, row: moved(cursor.row), key: moved(cursor.key) };
}

/**
 * Where in the strip the model's token of that place stands.
 * @param {(number | null)[]} ids
 * @param {number} place
 */
function placeShown(ids, place) {
  let count = -1;
  return ids.findIndex(id => id !== null && ++count === place);
}

/** @type {WeakMap<readonly string[], string[]>} */
const shown = new WeakMap();

/**
 * The words as they are written; the same array for the same words, so that views can tell.
 * @param {string[]} words
 */
function visibleWords(words) {
  const made = shown.get(words) ?? words.map(visible);
  shown.set(words, made);
  return made;
}

/** @param {import('./plan.js').Tokens | null} tokens */
const shownWords = tokens => (tokens ? visibleWords(tokens.words) : []);

/**
 * What the rows are called: what is said there, where the model wrote it.
 * @param {import('./plan.js').Tokens | null} tokens
 */
const predictedWords = tokens => (tokens ? visibleWords(tokens.predicted?.words ?? tokens.words) : []);
