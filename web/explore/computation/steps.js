// The four rows of one weight, with two significant digits.

import { html, nothing } from 'lit-html';
import { bar } from '../../draw/bar.js';
import { bars, limitsOf } from '../../draw/bars.js';
import { formatShare } from '../../draw/share.js';
import { shortValue } from '../../draw/short.js';
import { restOf } from './standing.js';
import { softmaxOf, termsOf, weightedOf } from './terms.js';

/**
 * @typedef {import('./view.js').ComputationData} ComputationData
 * @typedef {import('./view.js').Frame} Frame
 */

const RIVALS = 2;

/**
 * The query's or the key's word in its colour, which lights where it stands elsewhere.
 * @param {Pick<ComputationData, 'row' | 'rowWord' | 'column' | 'columnWords'>} data @param {'query' | 'key'} what
 */
export const word = ({ row, rowWord, column, columnWords }, what) =>
  what === 'query'
    ? html`<bdi class=${classOf(rowWord, 'query')} data-row=${row}>${rowWord}</bdi>`
    : html`<bdi class=${classOf(columnWords[column], 'key')} data-key=${column}>${columnWords[column]}</bdi>`;

/** Punctuation stands in quotes. @param {string} text @param {string} name */
const classOf = (text, name) => `${name} word ${/[\p{L}\p{N}]/u.test(text) ? '' : 'quoted'}`;

/** @param {ComputationData} data @param {number} at */
export const other = ({ columnWords }, at) =>
  html`<bdi class=${classOf(columnWords[at], '')} data-key=${at}>${columnWords[at]}</bdi>`;

/** The other keys that are not masked, the strongest first. @param {ComputationData} data */
function rivalsOf({ masked, column }) {
  return [...masked.keys()]
    .filter((at) => at !== column && masked[at] > -Infinity)
    .sort((a, b) => masked[b] - masked[a])
    .slice(0, RIVALS);
}

/**
 * @param {ComputationData} data
 * @param {Frame} frame
 * @param {number | null} dimension that is pointed at
 * @param {Record<'point' | 'leave' | 'move', (event: any) => void>} on
 */
export function steps(data, { row, terms }, dimension, on) {
  const rows = [products(data, terms, dimension, on), scaling(data), softmax(data), values(data)];
  return html`<ol class="why-steps">${rows.map(
    ({ name, content, number, note }, at) => html`<li class="why-step ${name} ${at > row ? 'ahead' : ''}">
      ${content}<div class="why-result">${number}<p>${note}</p></div></li>`,
  )}</ol>`;
}

/** @param {string} text */
const big = (text) => html`<strong class="why-number">${text}</strong>`;

/**
 * @param {ComputationData} data @param {number} terms how many are summed
 * @param {number | null} dimension @param {Parameters<typeof steps>[3]} on
 */
function products(data, terms, dimension, on) {
  const { query, key, scores, column, row } = data;
  const all = termsOf(data);
  const size = all.length;
  const limits = limitsOf(query, key);
  const at = dimension ?? all.reduce((best, term, d) => (Math.abs(term) > Math.abs(all[best]) ? d : best), 0);
  const factors = html`<span class="query">${shortValue(query[at])}</span> ×
    <span class="key">${shortValue(key[at])}</span>`;
  const partial = terms < size;
  const sum = partial ? all.subarray(0, terms).reduce((so, term) => so + term, 0) : scores[column];
  return {
    name: 'products',
    content: html`<div class="why-terms" role="slider" tabindex="0" aria-label="Dimension" aria-valuemin="0"
      aria-valuemax=${size - 1} aria-valuenow=${at}
      aria-valuetext="${at}: ${shortValue(query[at])} × ${shortValue(key[at])} = ${shortValue(all[at])}"
      @pointermove=${on.point} @pointerdown=${on.point} @pointerleave=${on.leave} @blur=${on.leave} @keydown=${on.move}>
      <span class="why-label" data-row=${row}>query of ${word(data, 'query')}</span>
      ${bars(query, limits, { name: 'query', dimension, row })}
      <span class="why-label" data-key=${column}>key of ${word(data, 'key')}</span>
      ${bars(key, limits, { name: 'key', dimension, key: column })}
      <span class="why-label">product</span>
      ${bars(all, limitsOf(all), { name: 'product', dimension, count: terms })}</div>`,
    number: big(shortValue(sum)),
    note: partial
      ? `sum of ${terms} of ${size}`
      : dimension === null
        ? html`largest${all[at] < 0 ? ' in size' : ''}: ${factors}`
        : html`dimension ${at}: ${factors} = ${shortValue(all[at])}`,
  };
}

/** @param {ComputationData} data */
function scaling({ query, scaled, masked, weights, column, scale, temperature }) {
  const isMasked = masked[column] === -Infinity;
  const notes = [
    ...(scale === 1 ? ['switched off'] : []),
    ...(temperature === 1 ? [] : [`temperature ${temperature}`]),
  ];
  return {
    name: 'scale',
    content: html`<span class="why-label">${`÷ √${query.length}${temperature === 1 ? '' : ` ÷ ${temperature}`}`}</span>
      ${
        isMasked
          ? html`<p class="why-masked">masked: score −∞${weights[column] ? '' : ', weight exactly 0'}</p>`
          : nothing
      }`,
    number: big(shortValue(isMasked ? -Infinity : scaled[column])),
    note: notes.join(', '),
  };
}

/** @param {ComputationData} data */
function softmax(data) {
  const { masked, weights, columnWords, column } = data;
  const rivals = rivalsOf(data);
  const listed = [column, ...rivals];
  const rest = restOf(data, listed);
  const restWeight = rest.reduce((so, at) => so + weights[at], 0);
  const line = (/** @type {number} */ at) => html`<li data-key=${at} class=${at === column ? 'here' : ''}>
    <bdi class=${classOf(columnWords[at], at === column ? 'key' : '')}>${columnWords[at]}</bdi>
    <span>${shortValue(masked[at])}</span>${bar(weights[at])}<span>${formatShare(weights[at])}</span></li>`;
  return {
    name: 'softmax',
    content: html`<span class="why-label">softmax</span><ul class="why-rivals">
      ${listed.map(line)}
      ${
        rest.length
          ? html`<li><span class="why-rest">${`${rest.length} other key${rest.length > 1 ? 's' : ''}`}</span>
          ${bar(restWeight)}<span>${formatShare(restWeight)}</span></li>`
          : nothing
      }</ul>`,
    number: big(formatShare(weights[column])),
    note: comparison(data, rivals[0]),
  };
}

/** How the weight compares with the strongest other. @param {ComputationData} data @param {number | undefined} rival */
function comparison(data, rival) {
  const { masked, weights, column } = data;
  const { isSet, weight } = softmaxOf(data);
  if (isSet) return `set by an intervention; the softmax gave ${formatShare(weight)}`;
  if (rival === undefined || masked[column] === -Infinity) return '';
  if (!weights[rival] || Number.isNaN(weights[column])) return '';
  const times = html`${shortValue(weights[column] / weights[rival])} times ${other(data, rival)}`;
  const lead = masked[column] - masked[rival];
  if (softmaxOf({ ...data, column: rival }).isSet) return times; // which then does not follow from the scores
  if (!lead) return html`as much as ${other(data, rival)}`;
  return html`${times}: it ${lead < 0 ? 'trails' : 'leads'} by ${shortValue(Math.abs(lead))}`;
}

/** @param {ComputationData} data */
function values(data) {
  const { value, norms, head, off, set, place, column } = data;
  const total = norms.reduce((so, each) => so + each, 0);
  return {
    name: 'values',
    content: html`<span class="why-label" data-key=${column}>× <span class="value">value</span></span>
      ${bars(weightedOf(data), limitsOf(value), { name: 'value', key: column, whole: value })}`,
    number: html`<strong class="why-number" data-head=${`${place} ${head}`}>${formatShare(
      total ? norms[head] / total : 0,
    )}</strong>`,
    note: off.includes(head)
      ? 'head off: it adds nothing'
      : `head ${head + 1}’s share of what attention adds${set ? '; set by an intervention' : ''}`,
  };
}
