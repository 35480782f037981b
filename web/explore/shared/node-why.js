// The panel Why of a node other than attention, and the rows that several of them have.

import { html, nothing } from 'lit-html';
import { bars, limitsOf } from '../../draw/bars.js';
import { tableOf } from '../../draw/figure.js';
import { shortValue } from '../../draw/numbers.js';
import { big, whySteps } from '../../draw/why.js';
import { addStyle } from '../../kit/feature.js';
import { figure } from '../../kit/figure.js';
import style from './node-why.css';
import { createWhy } from './why.js';

/**
 * A row: what it is called where the player is read out, how many parts it plays, and how it is drawn with some done.
 * @typedef {{
 *   label: string, parts?: number, values?: Record<string, Float32Array>,
 *   show: (done: number) => import('../../draw/why.js').Step,
 * }} Row
 *
 * `of`, `at`: what is shown, and which number of it; `numbers`: that the rows follow from.
 * @typedef {{
 *   of: string, at: string, numbers: unknown[], title: string, formula: unknown, line: unknown, rows: Row[],
 * }} Question
 */

addStyle(style);

/**
 * @param {string} name also the id
 * @param {import('../index.js').Feature['needs']} needs
 * @param {(...given: [import('../index.js').Context, import('../index.js').Tools]) => Question | null | undefined} ask
 *   undefined: not all of it is here
 * @returns {import('../index.js').Feature}
 */
export function nodeWhy(name, needs, ask) {
  const why = createWhy();
  return {
    name,
    needs,
    local: {},
    begin: why.begin,
    render(context, tools) {
      const { layout } = context.state;
      const asked = layout === 'page' ? null : ask(context, tools); // there the views say it
      if (!asked) return asked;
      const { of, at, numbers, title, formula, line, rows } = asked;
      const cell = [of, at, ...numbers].join('/');
      const frame = why.frame(
        cell,
        rows.map(({ parts = 1 }) => parts),
      );
      const { row, part, parts } = frame;
      const text = rows[row].label + (part < parts ? `, ${part} of ${parts} products` : '');
      const steps = rows.map(({ show }, i) => show(i < row ? Infinity : i > row ? 0 : part));
      const saved = { name: `${title} ${at}`, select: '.why-steps', tables: () => tablesOf(title, rows) };
      return html`<section class="panel why" aria-labelledby="${name}-title">
        <div id=${name} class="why-body" ${figure(saved)} ${why.playing({ cell, of, at })}>
          ${why.head({ id: `${name}-title`, title, formula, line, text }, frame)}${whySteps(steps, row)}
        </div></section>`;
    },
  };
}

/** The vectors of the rows, a table for each length. @param {string} title @param {Row[]} rows */
function tablesOf(title, rows) {
  const all = rows.flatMap(({ values }) => Object.entries(values ?? {}));
  return [...new Set(all.map(([, { length }]) => length))].map((size) => {
    const own = all.filter(([, { length }]) => length === size);
    const lines = Array.from({ length: size }, (_, i) => [String(i), ...own.map(([, each]) => each[i])]);
    return tableOf(
      title,
      own.map(([name]) => name),
      /** @type {[string, ...(string | number)[]][]} */ (lines),
    );
  });
}

/**
 * The number at the right of a row.
 * @param {number} value @param {string} name of the number @param {string} [shown] as an equation prints it
 */
export const number = (value, name, shown = shortValue(value)) =>
  html`<strong class="why-number" data-number=${name}>${shown}</strong>`;

/**
 * A vector as bars, one dimension of it or its length as the number.
 * @param {{
 *   name: string, label: unknown, spoken: string, vector: Float32Array, limits?: import('../../draw/bars.js').Limits,
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
