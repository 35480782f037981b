// The neurons of a layer: their order in every view, and the names of the values that give their words.

import { bySize, descending, once } from './order.js';
import { attention, clampSelection, ffnName, neuronRole, shownOfFfn } from '../../engine/plan.js';
import { entryOf } from '../../models/catalogue.js';
import { selectedIn } from './words.js';

/**
 * @param {import('./corpus.js').CorpusAnswer | undefined} corpus
 * @returns {corpus is Extract<import('./corpus.js').CorpusAnswer, {active: Float32Array}>}
 */
export const isRead = (corpus) => Boolean(corpus && !('unfinished' in corpus));

/**
 * @typedef {import('../../engine/plan.js').Plan} Plan
 * @typedef {import('../index.js').State} State
 */

/**
 * Whether the tokens of the selected stack have an answer.
 * @param {Plan} plan @param {Pick<State, 'selection'>} state
 */
export const hasAnswer = ({ hasLogits, settings, generate }, { selection }) =>
  hasLogits && !(generate && clampSelection(selection, settings).kind === 'encoder');

/**
 * The orders that a reader can choose, in words.
 * @param {Plan} plan @param {Pick<State, 'selection'>} state @returns {Record<State['neuronOrder'], string>}
 */
export const arrangements = (plan, state) =>
  /** @type {any} */ ({
    ...(hasAnswer(plan, state) && { effect: 'by effect on the answer' }),
    contribution: 'by contribution',
    token: 'by value at the token',
    similar: 'by similarity',
    active: 'by how often above 0',
    index: 'by number',
  });

/**
 * The order of the state; without an answer that by contribution stands for that by effect.
 * @param {Plan} plan @param {Pick<State, 'selection'> & Partial<State>} state @returns {State['neuronOrder']}
 */
export const arrangementOf = (plan, state) =>
  state.neuronOrder === 'effect' && !hasAnswer(plan, state) ? 'contribution' : (state.neuronOrder ?? 'index');

/**
 * Derived values that the order of the neurons takes.
 * @param {Plan} plan @param {Pick<State, 'selection'> & Partial<State>} state
 */
export function orderNames(plan, state) {
  const { kind, layer } = state.selection;
  const place = `${attention(kind).stack}/${layer}`;
  const contribution = [neuronsName(plan, place, state), ffnName(kind, layer, neuronRole(plan.settings))];
  /** @type {Partial<Record<State['neuronOrder'], string[]>>} */
  const names = {
    effect: [effectsName(state, layer), ...contribution],
    contribution,
    similar: [`@similar/${place}`],
    active: corpusNames(plan, place),
  };
  return names[arrangementOf(plan, state)] ?? [];
}

/** @param {Partial<State>} state @param {number} layer */
const effectsName = ({ cursor, alone }, layer) => `@attribution/${cursor?.row ?? 0}/${alone ? 1 : ''}/${layer}`;

/**
 * Reads off how much each neuron of the layer adds by itself to the answer's logit, or its lead.
 * @param {import('../../engine/results.js').Result} result @param {State} state
 * @returns {{values: Float32Array, id: number, against: number | null} | null | undefined} null: there is none;
 *   undefined: it is not here yet
 */
export function effectsIn(result, state) {
  const { selection, stack } = selectedIn(result, state);
  /** @type {import('../derived/attribution.js').Attribution | {absent: true} | undefined} */
  const made = result.derived.get(effectsName(state, selection.layer));
  if (!made) return undefined;
  if ('absent' in made) return null;
  const values = made.parts.find(({ kind, layer, neurons }) => neurons && kind === stack && layer === selection.layer);
  return values?.neurons ? { values: values.neurons, id: made.id, against: made.against } : null;
}

/**
 * Length of the vector that each neuron adds at the chosen token: the size of what it gives times its value's length.
 * @param {import('../../engine/results.js').Result} result @param {State} state
 * @returns {Float32Array | undefined} undefined: not here yet
 */
export function contributionsIn(result, state) {
  const { plan, tensors, derived } = result;
  const { selection, kind, stack, row } = selectedIn(result, state);
  const { layer } = selection;
  const given = tensors.get(ffnName(kind, layer, neuronRole(plan.settings)))?.data;
  /** @type {import('../derived/neuron.js').NeuronsAnswer | undefined} */
  const neurons = derived.get(neuronsName(plan, `${stack}/${layer}`, state));
  if (!given || !neurons) return undefined;
  const { norms } = neurons;
  return once(norms, `contributions ${row}`, () =>
    norms.map((norm, n) => Math.abs(given[row * norms.length + n]) * norm),
  );
}

/**
 * The neurons that have a column: so many from a place in the order on, and the chosen one before or behind them where
 * it stands elsewhere.
 * @param {Int32Array | null} order @param {number} neurons @param {{from: number, most: number, chosen: number}} which
 */
export function shownNeurons(order, neurons, { from, most, chosen }) {
  const shown = Array.from({ length: Math.min(most, neurons - from) }, (_, i) => order?.[from + i] ?? from + i);
  if (shown.includes(chosen)) return shown;
  return (order ? order.indexOf(chosen) : chosen) < from ? [chosen, ...shown] : [...shown, chosen];
}

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
  const corpus = corpusIn(result, `${stack}/${layer}`);
  switch (arrangementOf(result.plan, state)) {
    case 'effect': {
      const effects = effectsIn(result, state);
      if (effects !== null) return effects && bySize(effects.values, d_ff);
      const contributions = contributionsIn(result, state);
      return contributions && descending(contributions, d_ff);
    }
    case 'contribution': {
      const contributions = contributionsIn(result, state);
      return contributions && descending(contributions, d_ff);
    }
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
 * The name of the value over the corpus that stands now, as far as the reader lets it be read.
 * @param {string | null} model @param {string} place stack and layer
 */
function corpusName(model, place) {
  const { turn, isStopped } = corpusOf(model) ?? {};
  return `@corpus/${place}${turn || isStopped ? `/${turn ?? 0}` : ''}${isStopped ? '/stop' : ''}`;
}

/**
 * Names of the values to request of the corpus; none while the page is still fetching it.
 * @param {import('../../engine/plan.js').Plan} plan @param {string} place stack and layer
 */
export const corpusNames = ({ model }, place) =>
  corpusOf(model)?.state?.() === 'coming' ? [] : [corpusName(model, place)];

/**
 * @param {import('../../engine/results.js').Result} result @param {string} place stack and layer
 * @returns {import('./corpus.js').CorpusAnswer | undefined} undefined: it is not here yet, or not asked for
 */
export const corpusIn = ({ plan, derived }, place) => derived.get(corpusName(plan.model, place));

/**
 * The name of what changes over the corpus without the chosen neuron.
 * @param {import('../../engine/plan.js').Plan} plan @param {string} place @param {number} neuron
 */
export const effectName = ({ model }, place, neuron) =>
  `@neuron-effect/${place}/${neuron}/${corpusOf(model)?.turn ?? 0}`;

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
 * @param {Float32Array | null} values @param {number} most @param {(id: number) => boolean} isText
 */
function extremes(values, most, isText) {
  if (!values) return [];
  const order = descending(values, values.length).filter(isText);
  const ids = most > 0 ? order.subarray(0, most) : order.slice(most).reverse();
  return Array.from(ids, (id) => ({ id, value: values[id] })).filter(({ value }) => value * most > 0);
}

/**
 * The words that a neuron's value makes most and least likely, per unit of what it gives; tokens that are no text, such
 * as [PAD], are left out: a model may never have learned what to say of them.
 * @param {import('../derived/neuron.js').NeuronsAnswer} neurons @param {number} neuron
 * @param {{vocabulary: readonly string[], model: string | null, most: number}} of
 */
export function saidByNeuron({ words, which }, neuron, { vocabulary, model, most }) {
  const at = which ? which.indexOf(neuron) : neuron;
  const values = words && words.data.subarray(at * words.shape[1], (at + 1) * words.shape[1]);
  const special = entryOf(/** @type {any} */ (model))?.special;
  const isText = (/** @type {number} */ id) => !special?.has(id) && !/^\[[A-Z]+\]$/.test(vocabulary[id]);
  const said = (/** @type {number} */ count) =>
    extremes(values, count, isText).map(({ id, value }) => ({ word: vocabulary[id], value }));
  return { promotes: said(most), suppresses: said(-most) };
}
