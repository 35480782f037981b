// The order in which the neurons of a layer stand, wherever they are shown.

import { descending } from './order.js';
import { ffnName } from '../../engine/plan.js';
import { selectedIn } from './words.js';

/**
 * @param {import('./corpus.js').CorpusAnswer | undefined} corpus
 * @returns {corpus is Extract<import('./corpus.js').CorpusAnswer, {active: Float32Array}>}
 */
export const isRead = (corpus) => Boolean(corpus && !('unfinished' in corpus));

/**
 * The neuron that stands in each place.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @returns {Int32Array | null | undefined} null: as they are numbered; undefined: what it takes is not here yet
 */
export function neuronOrder(result, state) {
  const { d_ff } = result.plan.settings;
  const {
    selection: { layer },
    kind,
    stack,
    row,
  } = selectedIn(result, state);
  const data = result.tensors.get(ffnName(kind, layer, state.ffnQuantity))?.data;
  /** @type {import('./corpus.js').CorpusAnswer | undefined} */
  const corpus = result.derived.get(`@corpus/${stack}/${layer}`);
  switch (state.neuronOrder) {
    case 'token':
      return data && descending(data, d_ff, row);
    case 'similar':
      return result.derived.get(`@similar/${stack}/${layer}`)?.order;
    case 'active':
      return isRead(corpus) ? descending(corpus.active, d_ff) : null; // until it is read, as they are numbered
    default:
      return null;
  }
}
