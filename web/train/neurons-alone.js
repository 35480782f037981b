// The neurons of an FFN alone: their number and activation, their values at some inputs, and why one has its value.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { equation } from '../draw/equation.js';
import { neuronMap } from '../draw/neuron-map.js';
import { withMinus } from '../draw/numbers.js';
import { bareMap } from '../kit/map.js';

/**
 * @typedef {import('./run/ffn-tasks.js').Neurons} Neurons
 * @typedef {import('../draw/map.js').Cell} Cell
 */

const COUNTS = [1, 2, 4, 8, 12, 16, 32];
/** @type {Record<string, string>} */
const ACTIVATIONS = { none: 'None (linear)', relu: 'ReLU', gelu: 'GELU' };
/** In a formula. @type {Record<string, string>} */
const FUNCTIONS = { relu: 'ReLU', gelu: 'GELU', 'gelu-tanh': 'GELU', silu: 'SiLU' };

const write = (/** @type {number} */ value) => (value ? withMinus(value.toFixed(2).replace('-0.00', '0.00')) : '0');
/** @param {number[]} input */
export const inputText = (input) => input.map((value) => withMinus(String(value))).join(', ');

/**
 * @param {import('./state.js').TrainState['settings']} settings @param {(name: string, text: string) => void} onField
 */
export function choices({ d_ff, activation }, onField) {
  /** @param {string} name @param {string} label @param {[string, string][]} all @param {string} now */
  const menu = (name, label, all, now) => html`<label class="train-speed">${label}
    <select name="train-ffn-${name}" @change=${(/** @type {any} */ { target }) => onField(name, target.value)}>
      ${(all.some(([value]) => value === now) ? all : [...all, [now, now]]).map(
        ([value, text]) => html`<option value=${value} .selected=${live(value === now)}>${text}</option>`,
      )}
    </select>
  </label>`;
  const counts = COUNTS.map((each) => /** @type {[string, string]} */ ([String(each), String(each)]));
  return html`<div class="train-choice">
    ${menu('d_ff', 'Neurons', counts, String(d_ff))}
    ${menu('activation', 'Activation', Object.entries(ACTIVATIONS), String(activation))}
  </div>`;
}

/**
 * A row for each input, a column for each neuron.
 * @param {Neurons} neurons @param {string} activation @param {Cell | null} cursor of the reader
 * @param {import('../draw/color.js').Scheme} scheme @param {(cursor: Cell) => void} onCursor
 */
export function map({ inputs, activations, dead }, activation, cursor, scheme, onCursor) {
  const count = dead.length;
  const shown = neuronMap({
    title: 'FFN alone',
    quantity: 'activation',
    words: inputs.map(inputText),
    neurons: count,
    data: activations,
    scheme,
    cursor: cursor ?? { row: 0, column: 0 },
  });
  const data = { ...shown, rowAxis: { ...shown.rowAxis, title: 'input' } };
  const lost = dead.filter(Boolean).length;
  return html`<div class="train-excited ${cursor ? '' : 'unpicked'}">
      ${bareMap(data, { min: 2, max: 30, height: 210, empty: '', onCursor })}
    </div>
    ${
      activation === 'relu'
        ? html`<p><strong class="train-dead">${lost} of ${count} neurons ${lost === 1 ? 'is' : 'are'}
            dead:</strong> 0 at every training input.</p>`
        : nothing
    }`;
}

/**
 * From the input to what one neuron adds to the output.
 * @param {Neurons} neurons @param {string} activation @param {Cell} cursor @param {string} target
 */
export function why({ inputs, activations, weights, outgoing, bias, outputs, dead }, activation, cursor, target) {
  const { row, column } = cursor;
  const input = inputs[row];
  const own = weights[column];
  const name = FUNCTIONS[activation];
  const valueAt = (/** @type {number} */ at) => activations[at * dead.length + column];
  const count = input.length;
  const sumOf = (/** @type {ArrayLike<number>} */ of) =>
    input.reduce((total, each, i) => total + each * of[i], of[count]);
  const best = inputs.reduce((most, _, at) => (valueAt(at) > valueAt(most) ? at : most), 0);
  const value = valueAt(row);
  // A reader can compute all but GELU again from what is printed.
  const isGiven = Boolean(name) && activation !== 'relu';
  const valueIn = (/** @type {number[]} */ known) =>
    isGiven ? known[count + 2] : name ? Math.max(0, sumOf(known)) : sumOf(known);
  const { operands, results } = equation(
    [...own.slice(0, count + 1), outgoing[column], ...(isGiven ? [value] : [])],
    [
      { value: sumOf(own), from: sumOf },
      { value, from: valueIn },
      { value: value * outgoing[column], from: (known) => valueIn(known) * known[count + 1] },
    ],
  );
  const [sum, given, added] = results;
  const terms = [...input.map((each, i) => `${operands[i]} × ${withMinus(String(each))}`), operands[count]];
  const formula = `${terms.join(' + ').replaceAll('+ −', '− ')} = ${sum}`;
  const part = `Times its outgoing weight ${operands[count + 1]} it adds ${added}.`;
  return html`<p>
    <strong>Why ${given}?</strong> Neuron ${column} at ${inputText(input)}:
    ${formula}${name ? `; ${name} makes it ${given}` : ''}. ${part} All ${dead.length} neurons and the output’s
    bias ${write(bias)} sum to ${write(outputs[row])}; the target is ${target}.
    ${
      dead[column]
        ? 'It is dead: where its value is 0, no gradient reaches its weights.'
        : `Of these inputs ${inputText(inputs[best])} excites it most: ${write(valueAt(best))}.`
    }
  </p>`;
}
