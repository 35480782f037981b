// The FFN of the selected layer.

import { wordOf } from '../../engine/interventions.js';
import { arrange } from '../shared/order.js';
import { attention, ffnName } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';
import { isRead, neuronOrder } from '../shared/neuron-order.js';

/**
 * What the columns' order takes beside the map.
 * @type {Record<string, string>}
 */
const NEEDS = { similar: 'similar', active: 'corpus' };

/** @type {import('../index.js').Panel<import('./view.js').FfnData>} */
export const ffn = {
  name: 'ffn',
  part: 'ffn',
  wants({ settings }, { selection: { kind, layer }, ffnQuantity, neuronOrder = 'index' }) {
    const need = NEEDS[neuronOrder];
    const names = [ffnName(kind, layer, ffnQuantity), ...(need ? [`@${need}/${attention(kind).stack}/${layer}`] : [])];
    return settings.d_ff > 0 ? names : [];
  },
  present(picture, state, scheme) {
    const { d_ff } = picture.plan.settings;
    const {
      selection: { layer },
      kind,
      stack,
      rowWords,
      row,
    } = lookedAt(picture, state);
    if (d_ff === 0) return null;
    const data = picture.tensors.get(ffnName(kind, layer, state.ffnQuantity))?.data;
    /** @type {import('../shared/corpus.js').CorpusAnswer | undefined} */
    const corpus = picture.lab.get(`@corpus/${stack}/${layer}`);
    const order = neuronOrder(picture, state);
    if (!data || order === undefined) return undefined;
    const neuron = Math.min(state.cursor.neuron, d_ff - 1);
    return {
      title: `${stack === 'encoder' ? 'Encoder' : 'Decoder'}, layer ${layer + 1}`,
      quantity: state.ffnQuantity,
      words: rowWords,
      neurons: d_ff,
      data: order ? arrange(data, d_ff, order) : data,
      scheme,
      changed: new Map(
        state.changes.flatMap((change) =>
          change.what === 'neuron' &&
          attention(change.kind).stack === stack &&
          change.layer === layer &&
          change.neuron < d_ff
            ? [[change.neuron, wordOf(change.to)]]
            : [],
        ),
      ),
      order,
      arrangement: state.neuronOrder,
      colours: state.ffnColours,
      dead:
        isRead(corpus) && picture.plan.model
          ? { count: corpus.active.filter((share) => share === 0).length, tokens: corpus.tokens }
          : null,
      cursor: { row, column: order ? order.indexOf(neuron) : neuron },
    };
  },
  create: (root, { get, set }) =>
    view.create(root, {
      onCursor({ row, neuron }) {
        const { cursor, neuronCard } = get();
        set({ cursor: { ...cursor, row, neuron }, neuronCard: neuronCard ?? true }); // who pins one wants to know it
      },
      onQuantity: (ffnQuantity) => set({ ffnQuantity }),
      onArrange: (neuronOrder) => set({ neuronOrder }),
      onColours: (ffnColours) => set({ ffnColours }),
    }),
};
