// The pinned state beside the present one, and their difference: the selected head, the FFN.

import { meanOfHeads } from '../shared/mean.js';
import { arrange } from '../shared/order.js';
import { attentionName, ffnName } from '../../engine/plan.js';
import * as view from './view.js';
import { coloursOf, lookedAt } from '../shared/words.js';
import { neuronOrder } from '../shared/neuron-order.js';

/**
 * @typedef {import('../../engine/results.js').Picture} Picture
 * @typedef {import('../index.js').State} State
 */

/** @type {import('../index.js').Panel<import('./view.js').CompareData>} */
export const compare = {
  name: 'compare',
  part: 'run',
  wants: ({ settings }, { selection: { kind, layer }, quantity, ffnQuantity }) => [
    attentionName(kind, layer, quantity),
    ...(settings.d_ff > 0 ? [ffnName(kind, layer, ffnQuantity)] : []),
  ],
  present(picture, state, scheme, _, second) {
    if (!state.pinned) return null;
    if (!second) return { problem: 'The pinned state is not computed, or its model refuses it.', maps: [], scheme };
    const problem = difference(picture, second, state);
    if (problem) return { problem, maps: [], scheme };
    const [one, two] = [second, picture].map((each) => attentionOf(each, state));
    const order = neuronOrder(picture, state); // of both, that a neuron stands in one place
    if (order === undefined) return undefined;
    const [before, after] = [second, picture].map((each) => ffnOf(each, state, order));
    if (!one || !two || before === undefined || after === undefined) return undefined;
    return {
      problem: '',
      scheme,
      maps: [{ now: two, pinned: one }, ...(before && after ? [{ now: after, pinned: before }] : [])],
    };
  },
  create: (root, { get, picture, moveCursor }) =>
    view.create(root, {
      onCursor({ row, column }, what) {
        const now = picture();
        moveCursor(
          what === 'head'
            ? { row, key: column }
            : { row, neuron: (now && neuronOrder(now, get())?.[column]) ?? column },
        );
      },
    }),
};

/**
 * Why two pictures cannot be laid over each other; '': they can.
 * @param {Picture} picture
 * @param {Picture} second
 * @param {State} state
 */
function difference(picture, second, state) {
  const [now, then] = [picture, second].map((each) => lookedAt(each, state));
  for (const side of /** @type {const} */ (['rowWords', 'columnWords'])) {
    const [one, two] = [then[side], now[side]];
    if (one.length !== two.length)
      return `The pinned state has ${one.length} tokens here, the present one ${two.length}: only the same tokens can be compared.`;
    const at = two.findIndex((word, i) => word !== one[i]);
    if (at >= 0)
      return `Token ${at} is “${one[at]}” in the pinned state and “${two[at]}” in the present one: only the same tokens can be compared.`;
  }
  const [one, two] = [then, now].map(
    ({ selection: { kind, layer, head } }) => `${kind} layer ${layer + 1}, head ${head + 1}`,
  );
  return one === two ? '' : `The selected head does not exist in both states (${one}; ${two}).`;
}

/** @param {Picture} picture @param {State} state */
function attentionOf(picture, state) {
  const {
    selection: { layer, head, mean },
    kind,
    title,
    rowWords,
    columnWords,
    row,
    key,
  } = lookedAt(picture, state);
  const tensor = picture.tensors.get(attentionName(kind, layer, state.quantity));
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
      hidden: state.quantity === 'weights' || state.quantity === 'masked' ? picture.hidden[kind] : null,
      cursor: { row, column: key },
      colours: coloursOf(picture, state),
    }
  );
}

/** @param {Picture} picture @param {State} state @param {Int32Array | null} order */
function ffnOf(picture, state, order) {
  const { d_ff } = picture.plan.settings;
  const {
    selection: { layer },
    kind,
    stack,
    rowWords,
    row,
  } = lookedAt(picture, state);
  const tensor = picture.tensors.get(ffnName(kind, layer, state.ffnQuantity));
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
