// The sentences of a page with its numbers in them.

import { Missing } from './look.js';

/**
 * @typedef {import('./pages.js').Page} Page
 * @typedef {import('./look.js').Look} Look
 */

const whole = new Intl.NumberFormat('en');

/** @param {number} value @param {string} form */
function written(value, form) {
  if (Number.isNaN(value)) return '…';
  const text =
    form === '#' ? whole.format(value) : form === '%' ? `${(100 * value).toFixed(1)}\u00a0%` : value.toFixed(2);
  return text.replace('-', '−').replace(/^−(0\.00)$/, '$1');
}

/**
 * What a function of the page says; undefined: what it needs is not here.
 * @template T
 * @param {() => T} read
 */
export function tried(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Missing || error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * @param {Page} page
 * @param {Look | null} look null: the numbers are on their way
 * @returns {import('./view.js').Piece[][]}
 */
export const sentencesOf = ({ text, numbers }, look) =>
  text.map((sentence) =>
    sentence.split(/(\*\*[^*]+\*\*|`[^`]+`|\{\w+[%#]?\})/).map((part) => {
      if (part.startsWith('**')) return { bold: part.slice(2, -2) };
      if (part.startsWith('`')) return { formula: part.slice(1, -1) };
      const [, name, form] = /^\{(\w+)([%#]?)\}$/.exec(part) ?? [];
      if (!name) return part;
      const value = look ? tried(() => numbers[name](look)) : undefined;
      if (typeof value === 'string') return { word: value };
      return { name, number: value === undefined ? '…' : written(value, form) };
    }),
  );
