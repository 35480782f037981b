// The sentences of a lesson with its numbers in them.

import { html } from 'lit-html';
import { equation } from '../draw/equation.js';
import { withMinus } from '../draw/numbers.js';
import { tried } from './numbers.js';

/**
 * @typedef {import('./index.js').Numbers} Numbers
 * @typedef {Record<string, number | string | undefined>} Values undefined: on its way
 *
 * Numbers of a sentence that are an equation: what `is` is `from` those of `of`.
 * @typedef {{of: string[], is: string, from: (known: number[]) => number}} Equation
 */

const DECIMALS = 2;

const whole = new Intl.NumberFormat('en');

/** @param {number} value @param {string} form */
function written(value, form) {
  if (Number.isNaN(value)) return '…';
  const text =
    form === '#' ? whole.format(value) : form === '%' ? `${(100 * value).toFixed(1)}\u00a0%` : value.toFixed(DECIMALS);
  return withMinus(text);
}

/**
 * The numbers of sentences as they are now.
 * @param {Numbers} numbers
 * @param {any} facts null: they are on their way
 * @returns {Values}
 */
export const valuesOf = (numbers, facts) =>
  Object.fromEntries(
    Object.entries(numbers).map(([name, read]) => [name, facts ? tried(() => read(facts)) : undefined]),
  );

/** Whether each number of a sentence is there. @param {Numbers} numbers @param {Values} values */
export const areThere = (numbers, values) =>
  Object.keys(numbers).every((name) => typeof values[name] === 'string' || Number.isFinite(values[name]));

/** A variable with its indices, `d_k`. @param {string} text */
const formula = (text) =>
  html`<span class="book-formula">${text
    .split(/(_\w)/)
    .map((part) => (part.startsWith('_') ? html`<sub>${part.slice(1)}</sub>` : part))}</span>`;

/**
 * The numbers of an equation as they are printed; of one that is not here yet, none.
 * @param {Values} values @param {Equation | undefined} is
 * @returns {Record<string, string>}
 */
function printedOf(values, is) {
  if (!is) return {};
  const known = [...is.of, is.is].map((name) => values[name]);
  if (!known.every(Number.isFinite)) return {};
  const [value, ...operands] = /** @type {number[]} */ ([known[known.length - 1], ...known.slice(0, -1)]);
  const printed = equation(operands, [{ value, from: is.from }], DECIMALS);
  return Object.fromEntries([...is.of, is.is].map((name, i) => [name, [...printed.operands, ...printed.results][i]]));
}

/** @param {string} sentence @param {Values} values @param {Equation} [is] */
export function sentenceOf(sentence, values, is) {
  const printed = printedOf(values, is);
  return sentence.split(/(\*\*[^*]+\*\*|`[^`]+`|\{\w+[%#]?\})/).map((part) => {
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
    if (part.startsWith('`')) return formula(part.slice(1, -1));
    const [, name, form] = /^\{(\w+)([%#]?)\}$/.exec(part) ?? [];
    if (!name) return part;
    const value = values[name];
    if (typeof value === 'string') return html`<bdi class="quoted">${value}</bdi>`;
    const text = printed[name] ?? (value === undefined ? '…' : written(value, form));
    return html`<b class="number" data-number=${name}>${text}</b>`;
  });
}
