// Explains a neuron at a token: the token's vector times its key, through the activation function, times its
// value, to the words that it makes more and less likely.

import { html, nothing } from 'lit-html';
import { bar } from '../../draw/bars.js';
import { equation } from '../../draw/equation.js';
import { inlineMath, letter, space } from '../../draw/math.js';
import { shortValue } from '../../draw/numbers.js';
import { standingAt } from '../../engine/interventions.js';
import { attention, ffnName, neuronRole } from '../../engine/plan.js';
import { unitOf } from '../../models/catalogue.js';
import { examplesIn, inContext, reading, seesCorpus } from '../shared/examples.js';
import { functionName, neuronAt } from '../shared/neuron-at.js';
import { amongRow, nodeWhy, productRow, vectorRow } from '../shared/node-why.js';
import { corpusIn, corpusNames, isRead, neuronsName, saidByNeuron } from '../shared/neurons.js';
import { wordIn } from '../../draw/why.js';
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
    const column = (/** @type {Float32Array} */ data) =>
      Float32Array.from(rowWords, (_, each) => data[each * count + n]);
    const at = row * count + n;
    const word = wordIn(rowWords[row], 'query', { row });
    const name = functionName(settings.activation);
    const isSet = state.interventions.some((each) => changes(each, kind, layer, n));
    const skip = /** @type {const} */ ({ what: 'skip', node: 'ffn', kind: stack, layer, sublayer: 0, to: 0 });
    const isSkipped = standingAt(state.interventions, skip);
    const length = Math.abs(given[at]) * neurons.norms[n];
    const added = why.value.map((value) => value * given[at]);
    const bias = (/** @type {number} */ value) => (value ? `with its bias ${shortValue(value)}` : '');
    const printed = printedOf({ pre: pre[at], act: act[at], up: up?.[at], given: given[at] });
    const vector = { label: html`vector of ${word}`, vector: why.x };
    return {
      of: `${stack} ${layer} ${rowWords}`,
      at: `neuron ${n} at ${rowWords[row]}, ${row}`,
      numbers: [given, given[at]],
      title: `Why ${printed.given}?`,
      formula: formula(name, settings.ffn, why),
      line: html`In layer ${layer + 1}, neuron ${n} ${standing(column(given), row, word, unitOf(plan.model))}`,
      rows: [
        productRow({
          label: up ? 'gate' : 'product',
          query: vector,
          key: { label: html`<span class="key">key</span> of ${n}`, vector: why.key },
          value: pre[at],
          shown: printed.pre,
          note: bias(why.bias) || (up ? 'the gate' : 'their product'),
        }),
        ...(up && why.up
          ? [
              productRow({
                label: 'up',
                query: { ...vector, isShown: false }, // as in the row above
                key: { label: html`second <span class="key">key</span>`, vector: why.up },
                value: up[at],
                shown: printed.up,
                note: bias(why.upBias) || `what ${name} of the gate multiplies`,
              }),
            ]
          : []),
        amongRow({
          label: up ? `${name} × up` : name,
          values: column(up ? given : pre),
          row,
          value: given[at],
          shown: printed.given,
          note: isSet ? 'set by an intervention' : passes(settings, pre[at], printed),
        }),
        vectorRow({
          name: 'value',
          label: html`× <span class="value">value</span>`,
          spoken: 'value',
          vector: added,
          value: length,
          note: isSkipped
            ? 'this FFN is switched off: it adds nothing'
            : html`length ${settings.residual ? html`added to ${word}` : 'of its part of what the FFN gives'}`,
        }),
        ...(neurons.words
          ? [
              inWords(
                saidByNeuron(neurons, n, {
                  vocabulary: modelInfo?.outputVocabulary ?? [],
                  model: plan.model,
                  most: WORDS,
                }),
                given[at],
              ),
            ]
          : []),
        firesIn(result, { place: `${stack}/${layer}`, stack, neuron: n, modelInfo }, set),
      ],
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
 * Says on which side of 0 it is at the word, and at how many others it is above.
 * @param {Float32Array} values @param {number} row @param {unknown} word @param {string} unit
 */
function standing(values, row, word, unit) {
  const count = values.length - 1;
  const above = values.filter((value, i) => i !== row && value > 0).length;
  const others = `${above} of the ${count} other ${unit}${count > 1 ? 's' : ''}`;
  if (values[row] > 0) return html`is above 0 at ${word}${count ? `, and at ${others}` : ''}.`;
  return html`is ${values[row] < 0 ? 'below ' : ''}0 at ${word}${count ? `, above 0 at ${others}` : ''}.`;
}

/**
 * Activation, up and their product as they are printed.
 * @param {{pre: number, act: number, up: number | undefined, given: number}} of
 * @returns {{pre: string, given: string, act?: string, up?: string}}
 */
function printedOf({ pre, act, up, given }) {
  if (up === undefined) return { pre: shortValue(pre), given: shortValue(given) };
  const { operands, results } = equation([act, up], [{ value: given, from: ([a, b]) => a * b }]);
  return { pre: shortValue(pre), act: operands[0], up: operands[1], given: results[0] };
}

/** @param {Settings} settings @param {number} pre @param {ReturnType<typeof printedOf>} printed */
function passes({ activation }, pre, { act, up }) {
  if (up !== undefined) return `${act} × ${up}`;
  if (activation === 'relu') return pre > 0 ? 'above 0: it passes' : 'not above 0: silent';
  return activation === 'none' ? 'unchanged' : `${functionName(activation)} of ${shortValue(pre)}`;
}

/** @param {string} name @param {string} kind @param {import('../derived/why.js').NeuronWhy} why */
function formula(name, kind, { bias, upBias }) {
  const [x, w] = [letter('x', 'query'), letter('w', 'key')];
  const plus = (/** @type {number} */ value, /** @type {string} */ b) => (value ? ['+', b] : []);
  const up = kind === 'gated' ? ['(', x, '·', letter('u', 'key'), ...plus(upBias, 'c'), ')', space('0.1em')] : [];
  return inlineMath(name, '(', x, '·', w, ...plus(bias, 'b'), ')', ...up, space('0.2em'), letter('v', 'value'));
}

/**
 * Where in the corpus it is strongest; the corpus is read once the reader sees this.
 * @param {import('../../engine/results.js').Result} result
 * @param {{
 *   place: string, stack: import('../../engine/plan.js').Stack, neuron: number,
 *   modelInfo: import('../../engine/plan.js').ModelInfo | undefined,
 * }} of
 * @param {import('../index.js').Tools['set']} set
 * @returns {import('../shared/node-why.js').Row}
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

/**
 * Which words its value makes more and less likely; where it gives less than 0, the other way round.
 * @param {ReturnType<typeof saidByNeuron>} said @param {number} given
 * @returns {import('../shared/node-why.js').Row}
 */
function inWords(said, given) {
  const [more, less] = given < 0 ? [said.suppresses, said.promotes] : [said.promotes, said.suppresses];
  const most = Math.max(...[...more, ...less].map(({ value }) => Math.abs(value)), 1e-9);
  /** @param {string} title @param {typeof more} list */
  const side = (title, list) =>
    html`<div><span class="why-label">${title}</span><ul>${list.map(
      ({ word, value }) => html`<li><bdi>${word}</bdi>${bar(Math.abs(value) / most)}</li>`,
    )}</ul></div>`;
  return {
    label: 'in words',
    show: () => ({
      name: 'in-words',
      content: html`<span class="why-label">in words</span>
        <div class="why-words">${side('more likely', more)}${side('less likely', less)}</div>`,
      number: nothing,
      note: 'before later layers',
    }),
  };
}
