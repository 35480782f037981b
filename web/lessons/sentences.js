// The sentences of a lesson with its numbers in them.

import { html } from 'lit-html';
import { withMinus } from '../draw/typeset.js';
import { tried } from './numbers.js';

/**
 * @typedef {import('./index.js').Numbers} Numbers
 * @typedef {Record<string, number | string | undefined>} Values undefined: on its way
 */

const whole = new Intl.NumberFormat('en');

/** @param {number} value @param {string} form */
function written(value, form) {
  if (Number.isNaN(value)) return '…';
  const text =
    form === '#' ? whole.format(value) : form === '%' ? `${(100 * value).toFixed(1)}\u00a0%` : value.toFixed(2);
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

/** @param {string} sentence @param {Values} values */
export const sentenceOf = (sentence, values) =>
  sentence.split(/(\*\*[^*]+\*\*|`[^`]+`|\{\w+[%#]?\})/).map((part) => {
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
    if (part.startsWith('`')) return formula(part.slice(1, -1));
    const [, name, form] = /^\{(\w+)([%#]?)\}$/.exec(part) ?? [];
    if (!name) return part;
    const value = values[name];
    if (typeof value === 'string') return html`<bdi class="quoted">${value}</bdi>`;
    return html`<b class="number" data-number=${name}>${value === undefined ? '…' : written(value, form)}</b>`;
  });
