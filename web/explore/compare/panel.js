// The pinned state beside the present one, and their difference: the selected head, the FFN.

import { meanOfHeads } from '../shared/mean.js';
import { arrange } from '../shared/order.js';
import { attentionName, ffnName } from '../../engine/plan.js';
import * as view from './view.js';
import { coloursOf, lookedAt } from '../shared/words.js';
import { neuronOrder } from '../shared/neuron-order.js';

/**
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../index.js').State} State
 */

/** @type {import('../index.js').Panel<import('./view.js').CompareData>} */
export const compare = {
  name: 'compare',
  required: ({
    plan: { settings },
    state: {
      selection: { kind, layer },
      quantity,
      ffnQuantity,
    },
  }) => [attentionName(kind, layer, quantity), ...(settings.d_ff > 0 ? [ffnName(kind, layer, ffnQuantity)] : [])],
  present({ result, state, scheme, pinned: second }) {
    if (!state.pinned) return null;
    if (!second) return { problem: 'The pinned state is not computed, or its model refuses it.', maps: [], scheme };
    const problem = difference(result, second, state);
    if (problem) return { problem, maps: [], scheme };
    const [one, two] = [second, result].map((each) => attentionOf(each, state));
    const order = neuronOrder(result, state); // of both, that a neuron stands in one place
    if (order === undefined) return undefined;
    const [before, after] = [second, result].map((each) => ffnOf(each, state, order));
    if (!one || !two || before === undefined || after === undefined) return undefined;
    return {
      problem: '',
      scheme,
      maps: [{ now: two, pinned: one }, ...(before && after ? [{ now: after, pinned: before }] : [])],
    };
  },
  create: (root, { get, result, moveCursor }) =>
    view.create(root, {
      onCursor({ row, column }, what) {
        const now = result();
        moveCursor(
          what === 'head'
            ? { row, key: column }
            : { row, neuron: (now && neuronOrder(now, get())?.[column]) ?? column },
        );
      },
    }),
};

const SAME_TOKENS = 'only the same tokens can be compared.';

/**
 * Why two results cannot be laid over each other; '': they can.
 * @param {Result} result
 * @param {Result} second
 * @param {State} state
 */
function difference(result, second, state) {
  const [now, then] = [result, second].map((each) => lookedAt(each, state));
  for (const side of /** @type {const} */ (['rowWords', 'columnWords'])) {
    const [one, two] = [then[side], now[side]];
    if (one.length !== two.length)
      return `The pinned state has ${one.length} tokens here, the present one ${two.length}: ${SAME_TOKENS}`;
    const at = two.findIndex((word, i) => word !== one[i]);
    if (at >= 0)
      return `Token ${at} is “${one[at]}” in the pinned state and “${two[at]}” in the present one: ${SAME_TOKENS}`;
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
  } = lookedAt(result, state);
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
      colours: coloursOf(result, state),
    }
  );
}

/** @param {Result} result @param {State} state @param {Int32Array | null} order */
function ffnOf(result, state, order) {
  const { d_ff } = result.plan.settings;
  const {
    selection: { layer },
    kind,
    stack,
    rowWords,
    row,
  } = lookedAt(result, state);
  const tensor = result.tensors.get(ffnName(kind, layer, state.ffnQuantity));
  const neuron = Math.min(state.cursor.neuron, d_ff - 1);
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
        colours: state.ffnColours,
      };
}
