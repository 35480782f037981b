// The FFN of the selected layer.

import { arrange, descending } from '../order.js';
import { attention, ffnName } from '../plan.js';
import * as view from '../views/ffn.js';
import { lookedAt } from '../words.js';

/**
 * What the columns' order takes beside the map.
 * @type {Record<string, string>}
 */
const NEEDS = { similar: 'similar', active: 'corpus' };

/**
 * @param {import('../lab/corpus.js').CorpusAnswer | undefined} corpus
 * @returns {corpus is Extract<import('../lab/corpus.js').CorpusAnswer, {active: Float32Array}>}
 */
const isRead = corpus => Boolean(corpus && !('unfinished' in corpus));

/** @type {import('./index.js').Panel<import('../views/ffn.js').FfnData>} */
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
    const { selection: { layer }, kind, stack, rowWords, row } = lookedAt(picture, state);
    if (d_ff === 0) return null;
    const data = picture.tensors.get(ffnName(kind, layer, state.ffnQuantity))?.data;
    /** @type {import('../lab/corpus.js').CorpusAnswer | undefined} */
    const corpus = picture.lab.get(`@corpus/${stack}/${layer}`);
    const similar = picture.lab.get(`@similar/${stack}/${layer}`)?.order;
    if (!data || (state.neuronOrder === 'similar' && !similar)) return undefined;
    const byActive = isRead(corpus) ? descending(corpus.active, d_ff) : null; // until it is read, as they are numbered
    const order = { index: null, token: descending(data, d_ff, row), similar, active: byActive }[state.neuronOrder];
    const neuron = Math.min(state.cursor.neuron, d_ff - 1);
    return {
      title: `${stack === 'encoder' ? 'Encoder' : 'Decoder'}, layer ${layer + 1}`, quantity: state.ffnQuantity,
      words: rowWords, neurons: d_ff, data: order ? arrange(data, d_ff, order) : data, scheme,
      order, arrangement: state.neuronOrder, colours: state.ffnColours,
      dead: isRead(corpus) && picture.plan.model ? { count: corpus.active.filter(share => share === 0).length, tokens: corpus.tokens } : null,
      cursor: { row, column: order ? order.indexOf(neuron) : neuron },
    };
  },
  create: (root, { get, set }) => view.create(root, {
    onCursor({ row, neuron }) {
      const { cursor, neuronCard } = get();
      set({ cursor: { ...cursor, row, neuron }, neuronCard: neuronCard ?? true }); // who pins one wants to know it
    },
    onQuantity: ffnQuantity => set({ ffnQuantity }),
    onArrange: neuronOrder => set({ neuronOrder }),
    onColours: ffnColours => set({ ffnColours }),
  }),
};
