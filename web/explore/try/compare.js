// The pinned state beside the present one, and their difference: a head and the FFN, those that differ most or
// those that are selected.

import { heightOfMap } from '../shared/map-height.js';
import { meanOfHeads } from '../shared/mean.js';
import { arrange } from '../shared/order.js';
import { attention, attentionKinds, attentionName, ffnName } from '../../engine/plan.js';
import { differsMost } from './largest.js';
import * as view from './compare-view.js';
import { neuronAt } from '../shared/neuron-at.js';
import { coloursOf, selectedIn, wordsOf } from '../shared/words.js';
import { neuronOrder } from '../shared/neuron-order.js';

/**
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../index.js').State} State
 * @typedef {import('./largest.js').Place} Place
 */

/** @type {import('../index.js').Panel<import('./compare-view.js').CompareData>} */
export const compare = {
  name: 'compare',
  required: ({ plan: { settings }, state: { quantity, ffnQuantity } }) =>
    attentionKinds(settings).flatMap(({ kind }) =>
      Array.from({ length: settings.layers }, (_, layer) => [
        attentionName(kind, layer, 'weights'),
        attentionName(kind, layer, quantity),
        ...(settings.d_ff > 0 && kind !== 'cross' ? [ffnName(kind, layer, ffnQuantity)] : []),
      ]).flat(),
    ),
  present({ result, state, scheme, pinned: second }) {
    if (!state.pinned) return null;
    if (!second) return { problem: 'The pinned state could not be computed.', selected: [], most: null, scheme };
    const problem = difference(result, second, state);
    const selected = problem ? [] : [attentionPair(result, second, state), ffnPair(result, second, state)];
    const isPart = [result, second].some(({ facts }) => facts.part !== null); // then the largest is not searched for
    const places = isPart ? { head: null, ffn: null } : differsMost(result, second, state.ffnQuantity);
    if (!places) return undefined;
    const most = [
      ...(places.head ? [attentionPair(result, second, withSelection(state, places.head))] : []),
      ...(places.ffn ? [ffnPair(result, second, withSelection(state, places.ffn))] : []),
    ];
    if ([...selected, ...most].includes(undefined)) return undefined;
    /** @param {(ReturnType<typeof attentionPair | typeof ffnPair>)[]} pairs */
    const maps = (pairs) =>
      pairs.flatMap((pair) => (pair ? [{ ...pair, parts: partsOf(pair.now, result, state) }] : []));
    return {
      problem,
      scheme,
      selected: maps(selected),
      most: {
        maps: maps(most),
        head: result.plan.settings.heads && !isPart ? places.head && inWords(result, places.head) : undefined,
        neuron: isPart ? undefined : places.ffn && inWords(result, places.ffn, result.plan.settings.d_ff),
      },
    };
  },
  create(root, { get, set, selection }) {
    /**
     * Moves the cursor there, and to another head where the axes are other ones or it is to be `selected`.
     * @param {import('./compare-view.js').Spot} spot
     * @param {import('./compare-view.js').What} what
     */
    function go({ place, row, column }, what, selected = false) {
      const chosen = /** @type {import('../../app/schema.js').Selection} */ (place);
      const [to, from] = [chosen, selection()].map(({ kind }) => (what === 'head' ? kind : attention(kind).stack));
      set({
        ...(selected || to !== from ? { selection: chosen } : {}),
        cursor: { ...get().cursor, row, [what === 'head' ? 'key' : 'neuron']: column },
      });
    }
    return view.create(root, { onCursor: go, onSelect: (spot, what) => go(spot, what, true), height: heightOfMap });
  },
};

/** The state as if that place were selected. @param {State} state @param {Place} place */
const withSelection = (state, { kind, layer, part }) => ({ ...state, selection: { kind, layer, head: part } });

/**
 * Where the largest difference lies: the words of its cell, and the way there.
 * @param {Result} result
 * @param {Place} place
 * @param {number} [neurons] of a layer; 0: it is a head
 * @returns {import('./compare-view.js').Most}
 */
function inWords(result, { kind, layer, part, at, difference }, neurons = 0) {
  const { title, stack } = attention(kind);
  const { rowWords, columnWords } = wordsOf(result, kind);
  const columns = neurons || columnWords.length;
  const [row, column] = [Math.floor(at / columns), at % columns];
  const several = attentionKinds(result.plan.settings).length > 1;
  return {
    title: [
      ...(several ? [(neurons ? stack : title).toLowerCase()] : []),
      `layer ${layer + 1}`,
      ...(neurons ? [] : [`head ${part + 1}`]),
    ].join(', '),
    from: rowWords[row],
    to: neurons ? `neuron ${column}` : columnWords[column],
    difference,
    spot: { place: { kind, layer, head: part }, row, column },
  };
}

/**
 * What the rows and columns of a map are in the selected attention and FFN.
 * @param {{what: 'head' | 'ffn', place: {kind: import('./largest.js').AttentionKind, layer: number}}} side
 * @param {Result} result
 * @param {State} state
 */
function partsOf({ what, place }, result, state) {
  const { stack, columnStack, selection } = selectedIn(result, state);
  const own = attention(place.kind);
  const isOwn = what === 'head' ? own.columns === columnStack : own.stack === stack && place.layer === selection.layer;
  return { row: own.stack === stack ? 'row' : null, column: isOwn ? (what === 'head' ? 'key' : 'neuron') : null };
}

/** @param {Result} result @param {Result} second @param {State} state */
function attentionPair(result, second, state) {
  const both = [result, second];
  if (both.some(({ plan }) => plan.settings.heads === 0)) return null;
  const [now, pinned] = both.map((each) => attentionOf(each, state));
  return now && pinned && { now, pinned };
}

/**
 * Both in one order, that a neuron stands in one place.
 * @param {Result} result
 * @param {Result} second
 * @param {State} state
 */
function ffnPair(result, second, state) {
  const order = neuronOrder(result, state) ?? null;
  const [now, pinned] = [result, second].map((each) => ffnOf(each, state, order));
  return now && pinned && { now, pinned };
}

const SAME_TOKENS = 'only texts with the same tokens can be compared.';

/**
 * Why two results cannot be laid over each other; '': they can.
 * @param {Result} result
 * @param {Result} second
 * @param {State} state
 */
function difference(result, second, state) {
  const [now, then] = [result, second].map((each) => selectedIn(each, state));
  for (const side of /** @type {const} */ (['rowWords', 'columnWords'])) {
    const [one, two] = [then[side], now[side]];
    if (one.length !== two.length) return `Before: ${one.length} tokens, now: ${two.length}; ${SAME_TOKENS}`;
    const at = two.findIndex((word, i) => word !== one[i]);
    if (at >= 0) return `Token ${at} was “${one[at]}” and is “${two[at]}” now; ${SAME_TOKENS}`;
  }
  const [one, two] = [then, now].map(
    ({ selection: { kind, layer, head } }) => `${kind} layer ${layer + 1}, head ${head + 1}`,
  );
  return one === two ? '' : `The selected head does not exist in both states (${one}; ${two}).`;
}

/** @param {Result} result @param {State} state */
function attentionOf(result, state) {
  const {
    selection: { layer, head, mean },
    kind,
    title,
    rowWords,
    columnWords,
    row,
    key,
  } = selectedIn(result, state);
  const tensor = result.tensors.get(attentionName(kind, layer, state.quantity));
  const size = rowWords.length * columnWords.length;
  return (
    tensor && {
      what: /** @type {const} */ ('head'),
      isWeights: state.quantity === 'weights',
      rowWords,
      columnWords,
      title: `${title}, layer ${layer + 1}, ${mean ? 'mean of the heads' : `head ${head + 1}`}, ${state.quantity}`,
      layerData: tensor.data,
      data: mean ? meanOfHeads(tensor.data, size) : tensor.data.subarray(head * size, (head + 1) * size),
      hidden: state.quantity === 'weights' || state.quantity === 'masked' ? result.hidden[kind] : null,
      cursor: { row, column: key },
      place: { kind, layer, head, mean },
      order: null,
      colours: coloursOf(state),
    }
  );
}

/** @param {Result} result @param {State} state @param {Int32Array | null} order */
function ffnOf(result, state, order) {
  const { d_ff } = result.plan.settings;
  const {
    selection: { layer, head },
    kind,
    stack,
    rowWords,
    row,
  } = selectedIn(result, state);
  const tensor = result.tensors.get(ffnName(kind, layer, state.ffnQuantity));
  const neuron = d_ff && neuronAt(result, state);
  return d_ff === 0
    ? null
    : tensor && {
        what: /** @type {const} */ ('ffn'),
        isWeights: false,
        rowWords,
        columnWords: Array.from(order ?? Array(d_ff).keys(), String),
        title: `FFN, ${stack} layer ${layer + 1}, ${state.ffnQuantity.replace('_', '-')}`,
        layerData: tensor.data,
        data: order ? arrange(tensor.data, d_ff, order) : tensor.data,
        hidden: null,
        cursor: { row, column: order ? order.indexOf(neuron) : neuron },
        place: { kind, layer, head },
        order,
        colours: state.ffnColours,
      };
}
