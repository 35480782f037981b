// The neurons of a layer: their order in every view, and the names of the values that give their words.

import { descending } from './order.js';
import { ffnName, shownOfFfn } from '../../engine/plan.js';
import { entryOf } from '../../models/catalogue.js';
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
  const { settings } = result.plan;
  const { d_ff } = settings;
  const {
    selection: { layer },
    kind,
    stack,
    row,
  } = selectedIn(result, state);
  const data = result.tensors.get(ffnName(kind, layer, shownOfFfn(state.ffnQuantity, settings)))?.data;
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

/**
 * Names of the values to request of the corpus; none while the page is still fetching it.
 * @param {import('../../engine/plan.js').Plan} plan @param {string} place stack and layer
 */
export const corpusNames = ({ model }, place) => (corpusOf(model)?.state?.() === 'coming' ? [] : [`@corpus/${place}`]);

/** Of a model that came with its file. @param {string | null} model */
export const corpusOf = (model) => entryOf(/** @type {any} */ (model))?.corpus;

/** So many neurons of a token are listed. */
export const STRONGEST = 8;

/** Numbers of what all neurons give all words; where there are more, only those in sight are computed. */
const MOST = 2 ** 25;

/**
 * @param {import('../../engine/plan.js').Plan} plan
 * @param {string} place stack and layer
 * @param {Partial<import('../index.js').State>} state
 */
export function neuronsName({ config, settings }, place, { cursor }) {
  const words = Number(config.outputVocabulary || config.targetVocabulary || config.vocabulary || 0);
  if (settings.d_ff * words <= MOST) return `@neurons/${place}`;
  return `@neurons/${place}/${cursor?.row ?? 0}/${cursor?.neuron ?? ''}`;
}

/**
 * The largest of some values above 0, the largest first; with a negative count the smallest below it.
 * @param {Float32Array | null} values @param {number} most
 */
function extremes(values, most) {
  if (!values) return [];
  const order = descending(values, values.length);
  const ids = most > 0 ? order.subarray(0, most) : order.slice(most).reverse();
  return Array.from(ids, (id) => ({ id, value: values[id] })).filter(({ value }) => value * most > 0);
}

/**
 * The words that a neuron's value makes most and least likely, per unit of what it gives.
 * @param {import('../derived/neuron.js').NeuronsAnswer} neurons
 * @param {number} neuron @param {readonly string[]} vocabulary @param {number} most
 */
export function saidByNeuron({ words, which }, neuron, vocabulary, most) {
  const at = which ? which.indexOf(neuron) : neuron;
  const values = words && words.data.subarray(at * words.shape[1], (at + 1) * words.shape[1]);
  const said = (/** @type {number} */ count) =>
    extremes(values, count).map(({ id, value }) => ({ word: vocabulary[id], value }));
  return { promotes: said(most), suppresses: said(-most) };
}
