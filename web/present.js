// From the last good answer and the state to what each view is given.

import { attention, attentionKinds, attentionName, ffnName, positionsName } from './plan.js';
import { clampSelection } from './state.js';
import { visible } from './tokens.js';

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
  const rowWords = shownWords(tokens[stack]);
  const columnWords = shownWords(tokens[columnStack]);
  const row = Math.min(state.cursor.row, rowWords.length - 1);
  const key = Math.min(state.cursor.key, columnWords.length - 1);

  /** @param {Stack} each @param {string} name */
  const strip = (each, name) => {
    const own = tokens[each];
    return own && {
      title: name, words: shownWords(own), ids: own.ids,
      selected: each === stack ? row : each === columnStack ? key : null,
    };
  };
  const both = tokens.encoder && tokens.decoder;
  const layers = attentionKinds(settings).flatMap(each => Array.from({ length: settings.layers }, (_, l) => {
    const { data, shape: [, heads, rows, columns] } = /** @type {import('./worker.js').Tensor} */ (
      tensors.get(attentionName(each.kind, l, 'weights')));
    return { kind: each.kind, kindTitle: each.title, layer: l, heads, rows, columns, data, hidden: hidden[each.kind] };
  }));
  const map = tensors.get(attentionName(kind, layer, state.quantity));
  const size = rowWords.length * columnWords.length;
  const ffn = tensors.get(ffnName(kind, layer, state.ffnQuantity));
  const positions = tensors.get(positionsName(kind));

  return {
    encoder: strip('encoder', both ? 'Source tokens' : 'Tokens'),
    decoder: strip('decoder', both ? 'Target tokens' : 'Tokens'),
    heads: { layers, selected: selection, colours: state.colours, scheme },
    heatmap: map && {
      title: `${title}, layer ${layer + 1}, head ${head + 1} of ${settings.heads}`,
      quantity: state.quantity, colours: state.colours, rowWords, columnWords, scheme, hidden: hidden[kind],
      layerData: map.data, data: map.data.subarray(head * size, (head + 1) * size), cursor: { row, column: key },
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
 * it is on neither axis, the self-attention of its own stack.
 * @param {import('./state.js').State} state
 * @param {Stack} stack
 * @param {number} index
 * @returns {Partial<import('./state.js').State>}
 */
export function chooseToken({ selection, cursor, settings }, stack, index) {
  const { stack: rows, columns } = attention(clampSelection(selection, settings).kind);
  if (stack === rows) return { cursor: { ...cursor, row: index } };
  if (stack === columns) return { cursor: { ...cursor, key: index } };
  return { selection: { ...selection, kind: stack }, cursor: { ...cursor, row: index } };
}

/** @type {WeakMap<object, string[]>} */
const shown = new WeakMap();

/**
 * The words as they are written; the same array for the same tokens, so that views can tell.
 * @param {{words: string[]} | null} tokens
 */
function shownWords(tokens) {
  if (!tokens) return [];
  const words = shown.get(tokens) ?? tokens.words.map(visible);
  shown.set(tokens, words);
  return words;
}
