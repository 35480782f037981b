// Draws how a neuron fires at a token: the token's vector times its key, through the activation function, times its
// value, to the words that it makes more and less likely.

import { html, nothing } from 'lit-html';
import { bar } from './bars.js';
import { equation } from './equation.js';
import { inlineMath, letter, space } from './math.js';
import { shortValue } from './numbers.js';
import { amongRow, productRow, vectorRow } from './why-rows.js';
import { wordIn } from './why.js';

/**
 * @typedef {{ffn: string, activation: string, residual: boolean}} NeuronSettings
 *
 * Vectors of a neuron: it multiplies the token's vector with its key, and in a gated network with a second one (`up`);
 * it adds `value` times its activation.
 * @typedef {{x: Float32Array, key: Float32Array, bias: number, up: Float32Array | null, upBias: number,
 *   value: Float32Array}} NeuronVectors
 *
 * A word of the output and how much the neuron's value adds to its logit.
 * @typedef {{word: string, value: number}} SaidWord
 *
 * `name`: of the activation function; `pre` to `given`: [tokens, neurons] flat, `given` what multiplies the value;
 * `norm`: of the value; `unit`: 'word'; `said`: its words, null: not known; `more`: rows after these.
 * @typedef {{
 *   layer: number, neuron: number, name: string, settings: NeuronSettings, why: NeuronVectors,
 *   pre: Float32Array, act: Float32Array, up: Float32Array | undefined, given: Float32Array, row: number,
 *   rowWords: readonly string[], isSet: boolean, isSkipped: boolean, norm: number, unit: string,
 *   said: {promotes: SaidWord[], suppresses: SaidWord[]} | null, more: import('./why-rows.js').Row[],
 * }} NeuronData
 */

/** The question and its rows. @param {NeuronData} data */
export function neuronQuestion(data) {
  const { layer, neuron: n, name, settings, why, pre, act, up, given, row, rowWords } = data;
  const { isSet, isSkipped, norm, unit, said, more } = data;
  const count = given.length / rowWords.length;
  const at = row * count + n;
  const word = wordIn(rowWords[row], 'query', { row });
  const column = (/** @type {Float32Array} */ all) => Float32Array.from(rowWords, (_, each) => all[each * count + n]);
  const length = Math.abs(given[at]) * norm;
  const added = why.value.map((value) => value * given[at]);
  const bias = (/** @type {number} */ value) => (value ? `with its bias ${shortValue(value)}` : '');
  const printed = printedOf({ pre: pre[at], act: act[at], up: up?.[at], given: given[at] });
  const vector = { label: html`vector of ${word}`, vector: why.x };
  return {
    at: `neuron ${n} at ${rowWords[row]}, ${row}`,
    numbers: [given, given[at]],
    title: `Why ${printed.given}?`,
    formula: formula(name, settings.ffn, why),
    line: html`In layer ${layer + 1}, neuron ${n} ${standing(column(given), row, word, unit)}`,
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
        note: isSet ? 'set by an intervention' : passes(settings, name, pre[at], printed),
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
      ...(said ? [inWords(said, given[at])] : []),
      ...more,
    ],
  };
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

/**
 * @param {NeuronSettings} settings @param {string} name of the function @param {number} pre
 * @param {ReturnType<typeof printedOf>} printed
 */
function passes({ activation }, name, pre, { act, up }) {
  if (up !== undefined) return `${act} × ${up}`;
  if (activation === 'relu') return pre > 0 ? 'above 0: it passes' : 'not above 0: silent';
  return activation === 'none' ? 'unchanged' : `${name} of ${shortValue(pre)}`;
}

/** @param {string} name @param {string} kind @param {NeuronVectors} why */
function formula(name, kind, { bias, upBias }) {
  const [x, w] = [letter('x', 'query'), letter('w', 'key')];
  const plus = (/** @type {number} */ value, /** @type {string} */ b) => (value ? ['+', b] : []);
  const up = kind === 'gated' ? ['(', x, '·', letter('u', 'key'), ...plus(upBias, 'c'), ')', space('0.1em')] : [];
  return inlineMath(name, '(', x, '·', w, ...plus(bias, 'b'), ')', ...up, space('0.2em'), letter('v', 'value'));
}

/**
 * Which words its value makes more and less likely; where it gives less than 0, the other way round.
 * @param {NonNullable<NeuronData['said']>} said @param {number} given
 * @returns {import('./why-rows.js').Row}
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
