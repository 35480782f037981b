// The order in which the neurons of a layer stand, wherever they are shown.

import { descending } from './order.js';
import { ffnName } from '../../engine/plan.js';
import { lookedAt } from './words.js';

/**
 * @param {import('./corpus.js').CorpusAnswer | undefined} corpus
 * @returns {corpus is Extract<import('./corpus.js').CorpusAnswer, {active: Float32Array}>}
 */
export const isRead = (corpus) => Boolean(corpus && !('unfinished' in corpus));

/**
 * The neuron that stands in each place.
 * @param {import('../../engine/results.js').Picture} picture
 * @param {import('../index.js').State} state
 * @returns {Int32Array | null | undefined} null: as they are numbered; undefined: what it takes is not here yet
 */
export function neuronOrder(picture, state) {
  const { d_ff } = picture.plan.settings;
  const {
    selection: { layer },
    kind,
    stack,
    row,
  } = lookedAt(picture, state);
  const data = picture.tensors.get(ffnName(kind, layer, state.ffnQuantity))?.data;
  /** @type {import('./corpus.js').CorpusAnswer | undefined} */
  const corpus = picture.lab.get(`@corpus/${stack}/${layer}`);
  switch (state.neuronOrder) {
    case 'token':
      return data && descending(data, d_ff, row);
    case 'similar':
      return picture.lab.get(`@similar/${stack}/${layer}`)?.order;
    case 'active':
      return isRead(corpus) ? descending(corpus.active, d_ff) : null; // until it is read, as they are numbered
    default:
      return null;
  }
}
