// Rows of Why that several nodes have: a vector, a product of two, a number among others.

import { html, nothing } from 'lit-html';
import { bars, limitsOf } from './bars.js';
import { shortValue } from './numbers.js';
import { big } from './why.js';

/**
 * A row: what it is called where the player is read out, how many parts it plays, and how it is drawn with some done.
 * @typedef {{
 *   label: string, parts?: number, values?: Record<string, Float32Array>,
 *   show: (done: number) => import('./why.js').Step,
 * }} Row
 */

/** @param {Row[]} rows @param {import('./why.js').Frame} frame @returns {import('./why.js').Step[]} */
export const stepsOf = (rows, { row, part }) =>
  rows.map(({ show }, i) => show(i < row ? Infinity : i > row ? 0 : part));

/** The place that is reached, in words. @param {Row[]} rows @param {import('./why.js').Frame} frame */
export const placeIn = (rows, { row, part, parts }) =>
  rows[row].label + (part < parts ? `, ${part} of ${parts} products` : '');

/**
 * The number at the right of a row.
 * @param {number} value @param {string} name of the number @param {string} [shown] as an equation prints it
 */
export const number = (value, name, shown = shortValue(value)) =>
  html`<strong class="why-number" data-number=${name}>${shown}</strong>`;

/**
 * A vector as bars, one dimension of it or its length as the number.
 * @param {{
 *   name: string, label: unknown, spoken: string, vector: Float32Array, limits?: import('./bars.js').Limits,
 *   dimension?: number | null, value: number, shown?: string, note?: unknown,
 * }} row
 * @returns {Row}
 */
export const vectorRow = ({ name, label, spoken, vector, limits, dimension = null, value, shown, note = '' }) => ({
  label: spoken,
  values: { [spoken]: vector },
  show: () => ({
    name: 'vector',
    content: html`<span class="why-label">${label}</span>
      ${bars(vector, limits ?? limitsOf(vector), { name, dimension })}`,
    number: number(value, spoken, shown),
    note,
  }),
});

/**
 * The product of two vectors, one dimension after the other, to a number that may also have a bias.
 * @param {{
 *   label: string, query: {label: unknown, vector: Float32Array, isShown?: boolean},
 *   key: {label: unknown, vector: Float32Array},
 *   value: number, shown?: string, note: unknown,
 * }} row
 * @returns {Row}
 */
export function productRow({ label, query, key, value, shown, note }) {
  const terms = Float32Array.from(query.vector, (each, d) => each * key.vector[d]);
  const size = terms.length;
  return {
    label,
    parts: size,
    values: { [`${label}: vector`]: query.vector, [`${label}: key`]: key.vector, [`${label}: product`]: terms },
    show(done) {
      const isPartial = done < size;
      const sum = terms.subarray(0, done).reduce((so, term) => so + term, 0);
      return {
        name: 'products',
        content: html`<div class="why-terms">
          ${
            query.isShown === false
              ? nothing
              : html`<span class="why-label">${query.label}</span>
                ${bars(query.vector, limitsOf(query.vector), { name: 'query' })}`
          }
          <span class="why-label">${key.label}</span>${bars(key.vector, limitsOf(key.vector), { name: 'key' })}
          <span class="why-label">product</span>
          ${bars(terms, limitsOf(terms), { name: 'product', count: done })}</div>`,
        number: isPartial ? big(shortValue(sum)) : number(value, label, shown),
        note: isPartial ? `sum of ${done} of ${size}` : note,
      };
    },
  };
}

/**
 * A number among those of other tokens, on a line.
 * @param {{label: string, values: Float32Array, row: number, value: number, shown?: string, note: unknown}} row
 * @returns {Row}
 */
export function amongRow({ label, values, row, value, shown, note }) {
  const low = Math.min(0, ...values);
  const size = Math.max(0, ...values) - low || 1;
  const x = (/** @type {number} */ each) => (100 * (each - low)) / size;
  const tick = (/** @type {number} */ each, /** @type {string} */ name) =>
    html`<span class="among-dot ${name}" .style=${`inset-inline-start: ${x(each)}%`}></span>`;
  return {
    label,
    show: () => ({
      name: 'among',
      content: html`<span class="why-label">${label}</span>
        <div class="among-line" aria-hidden="true">${tick(0, 'zero')}${[...values].map((each, i) =>
          i === row ? nothing : tick(each, each > 0 ? 'above' : ''),
        )}${tick(values[row], 'here')}</div>`,
      number: number(value, label, shown),
      note,
    }),
  };
}
