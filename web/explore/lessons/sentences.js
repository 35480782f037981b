// The sentences of a page with its numbers in them.

import { withMinus } from '../../draw/typeset.js';
import { tried } from './facts.js';

/**
 * @typedef {import('./pages.js').Page} Page
 * @typedef {import('./facts.js').Facts} Facts
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
 * @param {Page['numbers']} numbers
 * @param {Facts | null} facts null: they are on their way
 * @returns {Values}
 */
export const valuesOf = (numbers, facts) =>
  Object.fromEntries(
    Object.entries(numbers).map(([name, read]) => [name, facts ? tried(() => read(facts)) : undefined]),
  );

/** Whether each number of a sentence is there. @param {Page['numbers']} numbers @param {Values} values */
export const areThere = (numbers, values) =>
  Object.keys(numbers).every((name) => typeof values[name] === 'string' || Number.isFinite(values[name]));

/**
 * @param {string} sentence
 * @param {Values} values
 * @returns {import('./page-view.js').Piece[]}
 */
export const sentenceOf = (sentence, values) =>
  sentence.split(/(\*\*[^*]+\*\*|`[^`]+`|\{\w+[%#]?\})/).map((part) => {
    if (part.startsWith('**')) return { bold: part.slice(2, -2) };
    if (part.startsWith('`')) return { formula: part.slice(1, -1) };
    const [, name, form] = /^\{(\w+)([%#]?)\}$/.exec(part) ?? [];
    if (!name) return part;
    const value = values[name];
    if (typeof value === 'string') return { word: value };
    return { name, number: value === undefined ? '…' : written(value, form) };
  });
