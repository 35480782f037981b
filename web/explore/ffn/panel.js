// The FFN of the selected layer.

import { valueLabel } from '../../engine/interventions.js';
import { chooseRow } from '../shared/cursor.js';
import { arrange } from '../shared/order.js';
import { attention, ffnName } from '../../engine/plan.js';
import * as view from './view.js';
import { lookedAt } from '../shared/words.js';
import { isRead, neuronOrder } from '../shared/neuron-order.js';
import { neuronAt } from '../shared/neuron-at.js';
import { section } from './section.js';

/**
 * What the columns' order takes beside the map.
 * @type {Record<string, string>}
 */
const NEEDS = { similar: 'similar', active: 'corpus' };

/** @type {import('../index.js').Panel<import('./view.js').FfnData>} */
export const ffn = {
  name: 'ffn',
  slot: 'views',
  nodes: ['ffn'],
  section,
  required({
    plan: { settings },
    state: {
      selection: { kind, layer },
      ffnQuantity,
      neuronOrder = 'index',
    },
  }) {
    const need = NEEDS[neuronOrder];
    const names = [ffnName(kind, layer, ffnQuantity), ...(need ? [`@${need}/${attention(kind).stack}/${layer}`] : [])];
    return settings.d_ff > 0 ? names : [];
  },
  present({ result, state, scheme }) {
    const { d_ff } = result.plan.settings;
    const {
      selection: { layer },
      kind,
      stack,
      rowWords,
      row,
    } = lookedAt(result, state);
    if (d_ff === 0) return null;
    const data = result.tensors.get(ffnName(kind, layer, state.ffnQuantity))?.data;
    /** @type {import('../shared/corpus.js').CorpusAnswer | undefined} */
    const corpus = result.derived.get(`@corpus/${stack}/${layer}`);
    const order = neuronOrder(result, state);
    if (!data || order === undefined) return undefined;
    const neuron = neuronAt(result, state);
    return {
      title: `${stack === 'encoder' ? 'Encoder' : 'Decoder'}, layer ${layer + 1}`,
      quantity: state.ffnQuantity,
      words: rowWords,
      neurons: d_ff,
      data: order ? arrange(data, d_ff, order) : data,
      scheme,
      changed: new Map(
        state.interventions.flatMap((change) =>
          change.what === 'neuron' &&
          attention(change.kind).stack === stack &&
          change.layer === layer &&
          change.neuron < d_ff
            ? [[change.neuron, valueLabel(change.to)]]
            : [],
        ),
      ),
      order,
      arrangement: state.neuronOrder,
      colours: state.ffnColours,
      dead:
        isRead(corpus) && result.plan.model && corpus.starts.length > 1 // else it is the text itself
          ? { count: corpus.active.filter((share) => share === 0).length, tokens: corpus.tokens }
          : null,
      cursor: { row, column: order ? order.indexOf(neuron) : neuron },
    };
  },
  create: (root, { get, set, result }) =>
    view.create(root, {
      onCursor({ row, neuron }) {
        const { cursor, own } = chooseRow(get(), row, result());
        // Pinning a neuron opens its card, unless the reader has closed it.
        set({ own, cursor: { ...cursor, neuron }, neuronCard: get().neuronCard ?? true });
      },
      onQuantity: (ffnQuantity) => set({ ffnQuantity }),
      onArrange: (neuronOrder) => set({ neuronOrder }),
      onColours: (ffnColours) => set({ ffnColours }),
    }),
};
