// Explains a neuron at a token, step by step (web/draw/neuron-why.js), and where in the corpus it is strongest.

import { html, nothing } from 'lit-html';
import { neuronQuestion } from '../../draw/neuron-why.js';
import { shortValue } from '../../draw/numbers.js';
import { standingAt } from '../../engine/interventions.js';
import { attention, ffnName, neuronRole } from '../../engine/plan.js';
import { unitOf } from '../../models/catalogue.js';
import { examplesIn, inContext, reading, seesCorpus } from '../shared/examples.js';
import { functionName, neuronAt } from '../shared/neuron-at.js';
import { nodeWhy } from '../shared/node-why.js';
import { corpusIn, corpusNames, isRead, neuronsName, saidByNeuron } from '../shared/neurons.js';
import { selectedIn } from '../shared/words.js';

const WORDS = 3;
const EXAMPLES = 2;
const AROUND = 5; // words on either side of an example's

/** @typedef {import('../../engine/plan.js').Plan['settings']} Settings */

/** Roles of the tensors that the panel reads. @param {Settings} settings */
const rolesOf = (settings) =>
  /** @type {import('../../app/schema.js').FfnQuantity[]} */ ([
    'pre_activation',
    'activation',
    ...(settings.ffn === 'gated' ? ['up', 'product'] : []),
  ]);

/** @param {string} stack @param {number} layer @param {number} row @param {number | null} neuron */
const whyName = (stack, layer, row, neuron) => `@why-neuron/${stack}/${layer}/${row}/${neuron ?? 'strongest'}`;

export const neuronWhy = nodeWhy(
  'neuron-why',
  ({ plan, state }) => {
    const { kind, layer } = state.selection;
    const { row = 0, neuron = null } = state.cursor ?? {};
    const { stack } = attention(kind);
    return plan.settings.d_ff > 0
      ? [
          ...rolesOf(plan.settings).map((role) => ffnName(kind, layer, role)),
          neuronsName(plan, `${stack}/${layer}`, state),
          whyName(stack, layer, row, neuron),
          ...(reading.isSeen ? corpusNames(plan, `${stack}/${layer}`) : []),
        ]
      : [];
  },
  ({ result, state, modelInfo }, { set }) => {
    const { plan, tensors, derived } = result;
    const { settings } = plan;
    const { selection, kind, stack, rowWords, row } = selectedIn(result, state);
    const { layer } = selection;
    const { d_ff: count } = settings;
    if (!count) return null;
    const [pre, act, up, product] = rolesOf(settings).map((role) => tensors.get(ffnName(kind, layer, role))?.data);
    /** @type {import('../derived/neuron.js').NeuronsAnswer | undefined} */
    const neurons = derived.get(neuronsName(plan, `${stack}/${layer}`, state));
    /** @type {import('../derived/why.js').NeuronWhy | undefined} */
    const why = derived.get(whyName(stack, layer, state.cursor.row, state.cursor.neuron));
    const given = neuronRole(settings) === 'product' ? product : act;
    if (!pre || !act || !given || !neurons || !why) return undefined;
    const n = neuronAt(result, state);
    const name = functionName(settings.activation);
    const isSet = state.interventions.some((each) => changes(each, kind, layer, n));
    const skip = /** @type {const} */ ({ what: 'skip', node: 'ffn', kind: stack, layer, sublayer: 0, to: 0 });
    const isSkipped = Boolean(standingAt(state.interventions, skip));
    return {
      ...neuronQuestion({
        ...{ layer, neuron: n, name, settings, why, pre, act, up, given, row, rowWords, isSet, isSkipped },
        norm: neurons.norms[n],
        unit: unitOf(plan.model),
        said: neurons.words
          ? saidByNeuron(neurons, n, { vocabulary: modelInfo?.outputVocabulary ?? [], model: plan.model, most: WORDS })
          : null,
        more: [firesIn(result, { place: `${stack}/${layer}`, stack, neuron: n, modelInfo }, set)],
      }),
      of: `${stack} ${layer} ${rowWords}`,
    };
  },
);

/**
 * @param {import('../../engine/interventions.js').Intervention} change
 * @param {import('../../app/schema.js').AttentionKind} kind @param {number} layer @param {number} n
 */
function changes(change, kind, layer, n) {
  if (change.what !== 'neuron' && change.what !== 'neurons') return false;
  const isHere = change.layer === layer && attention(change.kind).stack === attention(kind).stack;
  return isHere && (change.what === 'neuron' ? change.neuron === n : change.first <= n && n <= change.last);
}

/**
 * Where in the corpus it is strongest; the corpus is read once the reader sees this.
 * @param {import('../../engine/results.js').Result} result
 * @param {{
 *   place: string, stack: import('../../engine/plan.js').Stack, neuron: number,
 *   modelInfo: import('../../engine/plan.js').ModelInfo | undefined,
 * }} of
 * @param {import('../index.js').Tools['set']} set
 * @returns {import('../../draw/why-rows.js').Row}
 */
function firesIn(result, { place, stack, neuron, modelInfo }, set) {
  const corpus = corpusIn(result, place);
  const list = () => {
    if (!isRead(corpus)) return html`<li>…</li>`;
    const { top } = examplesIn(corpus, neuron, result.plan, stack, modelInfo);
    if (!top.length) return html`<li>nothing of the corpus</li>`;
    return top
      .slice(0, EXAMPLES)
      .map((each) => html`<li>${inContext(each, AROUND)} <span class="number">${shortValue(each.value)}</span></li>`);
  };
  return {
    label: 'fires in',
    show: () => ({
      name: 'fires-in',
      content: html`<span class="why-label" ${seesCorpus(set)}>fires in</span><ul class="why-examples">${list()}</ul>`,
      number: nothing,
      note: '',
    }),
  };
}
