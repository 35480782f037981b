// The neurons that are strongest at the pinned token, and the card of the pinned neuron: what
// excites it, what it says, what it does here.

import { html } from 'lit-html';
import { descending } from '../shared/order.js';
import { choiceLabel } from '../../engine/model-settings.js';
import { attention, ffnName } from '../../engine/plan.js';
import { whenInSight } from '../../shared/in-sight.js';
import { neuronAt } from '../shared/neuron-at.js';
import { STRONGEST, neuronsName } from './name.js';
import * as view from './view.js';
import { lookedAt, visibleWords } from '../shared/words.js';

/**
 * @typedef {import('../../engine/plan.js').Plan} Plan
 * @typedef {import('../../engine/plan.js').ModelInfo} ModelInfo
 * @typedef {import('../../engine/plan.js').Stack} Stack
 */

const WORDS = 5;

let seen = false; // the corpus is read, and the card fetched, for a reader who is there

/** @param {Partial<import('../index.js').State>} state */
const isOpen = ({ neuronCard }) => seen && (neuronCard ?? true);

/** @type {import('../index.js').Panel<import('./view.js').NeuronData<import('./card-view.js').CardData>>} */
export const neuron = {
  name: 'neuron',
  slot: 'why',
  nodes: ['ffn'],
  section: html`
    <section class="panel" aria-labelledby="neuron-title" data-optional>
      <h2 id="neuron-title">Neurons</h2>
      <div id="neuron" hidden></div>
    </section>`,
  required({ plan, state }) {
    const { kind, layer } = state.selection;
    const place = `${attention(kind).stack}/${layer}`;
    const ffn = /** @type {const} */ (['activation', 'pre_activation']).map((role) => ffnName(kind, layer, role));
    const names = [...ffn, neuronsName(plan, place, state)];
    return plan.settings.d_ff > 0 ? [...names, ...(isOpen(state) ? [`@corpus/${place}`] : [])] : [];
  },
  present({ result, state, modelInfo }) {
    const { plan, tensors, derived } = result;
    const { d_ff, activation, residual } = plan.settings;
    const {
      selection: { layer },
      kind,
      stack,
      rowWords,
      row,
    } = lookedAt(result, state);
    if (d_ff === 0) return null;
    const after = tensors.get(ffnName(kind, layer, 'activation'))?.data;
    const before = tensors.get(ffnName(kind, layer, 'pre_activation'))?.data;
    /** @type {import('./derived.js').NeuronsAnswer | undefined} */
    const neurons = derived.get(neuronsName(plan, `${stack}/${layer}`, state));
    if (!after || !before || !neurons) return undefined;
    const { words, norms, gain, which } = neurons;
    const vocabulary = modelInfo && plan.model === modelInfo.name ? modelInfo.outputVocabulary : [];
    /** What a neuron gives each output word. @param {number} n */
    const values = (n) => {
      const at = which ? which.indexOf(n) : n;
      return words && words.data.subarray(at * words.shape[1], (at + 1) * words.shape[1]);
    };
    /** @param {number} n @param {number} count the least ones if negative */
    const said = (n, count) => extremes(values(n), count).map(({ id, value }) => ({ word: vocabulary[id], value }));
    const n = neuronAt(result, state);
    const at = row * d_ff;
    return {
      word: rowWords[row],
      pinned: n,
      open: isOpen(state),
      strongest: [...descending(after, d_ff, row).subarray(0, STRONGEST)]
        .filter((each) => after[at + each] > 0)
        .map((each) => ({ neuron: each, value: after[at + each], promotes: said(each, 1)[0]?.word ?? null })),
      card: {
        word: rowWords[row],
        pinned: n,
        function: functionName(activation),
        before: before[at + n],
        after: after[at + n],
        norm: norms[n],
        promotes: said(n, WORDS),
        suppresses: said(n, -WORDS),
        gain,
        residual,
        silence: words ? null : silence(plan, stack),
        key: keyOf(derived.get(`@corpus/${stack}/${layer}`), n, plan, stack, modelInfo),
      },
    };
  },
  create(root, { get, set }) {
    let watched = false;
    const inner = view.create(root, {
      onPin: (each) => set({ cursor: { ...get().cursor, neuron: each }, neuronCard: true }),
      onToggle: (neuronCard) => set({ neuronCard }),
      fetchCard: async () => (await import('../late.js')).neuronCard,
    });
    return {
      ...inner,
      update(data) {
        inner.update(data);
        if (watched || !data) return;
        watched = true; // not before: an empty page is all in sight
        whenInSight(root, () => {
          seen = true;
          set({}); // the corpus is asked for, the card opened
        });
      },
    };
  },
};

/**
 * The largest of some values above 0, the largest first; with a negative count the smallest below it.
 * @param {Float32Array | null} values
 * @param {number} count
 */
function extremes(values, count) {
  if (!values) return [];
  const order = descending(values, values.length);
  const ids = count > 0 ? order.subarray(0, count) : order.slice(count).reverse();
  return Array.from(ids, (id) => ({ id, value: values[id] })).filter(({ value }) => value * count > 0);
}

/** The activation in a formula: GELU, exact or approximated. @param {string} activation */
const functionName = (activation) =>
  activation === 'none' ? 'id' : choiceLabel('activation', activation).replace(/ \(.*/, '');

/** Why a neuron promotes no words. @param {Plan} plan @param {Stack} stack */
const silence = ({ settings: { kind }, model }, stack) =>
  kind === 'encoder-decoder' && stack === 'encoder' && model
    ? 'An encoder neuron promotes no tokens directly: only the decoder reaches the output table.'
    : 'This model has no output table, so its neurons promote no tokens.';

/**
 * What excites a neuron.
 * @param {import('../shared/corpus.js').CorpusAnswer | undefined} corpus
 * @param {number} neuron
 * @param {Plan} plan
 * @param {Stack} stack
 * @param {ModelInfo | undefined} modelInfo
 * @returns {import('./card-view.js').CardData['key']}
 */
function keyOf(corpus, neuron, { model, tokens }, stack, modelInfo) {
  if (!corpus) return null;
  if ('unfinished' in corpus) return { done: corpus.done, of: corpus.of };
  const { ids, starts, places, values, active } = corpus;
  const vocabulary = (stack === 'decoder' && modelInfo?.targetVocabulary) || modelInfo?.vocabulary;
  const words =
    model && vocabulary ? Array.from(ids, (id) => vocabulary[id]) : visibleWords(tokens[stack]?.words ?? []);
  const count = places.length / active.length;
  const top = [...places.subarray(neuron * count, (neuron + 1) * count)].filter((place) => place >= 0);
  return {
    active: active[neuron],
    tokens: ids.length,
    writes: Boolean(model && stack === 'decoder' && modelInfo?.targetVocabulary),
    trained: Boolean(model),
    sentences: starts.length > 1 ? starts.length : null, // a corpus has many, the text itself is one
    top: top.map((place, i) => {
      const sentence = starts.findLastIndex((start) => start <= place);
      const [from, to] = [starts[sentence], starts[sentence + 1] ?? ids.length];
      return {
        before: words.slice(from, place),
        word: words[place],
        after: words.slice(place + 1, to),
        value: values[neuron * count + i],
      };
    }),
  };
}
