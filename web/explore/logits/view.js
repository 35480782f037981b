// The most likely tokens at one place: logits, probabilities, and how one follows from the other.

import { html, nothing, render } from 'lit-html';
import { exactValue, formatValue } from '../../draw/canvas.js';
import { frac, math, row, space, sub, sum, sup } from '../../draw/math.js';
import { valueOf } from '../../draw/controls.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { shortValue } from '../../draw/short.js';
import { cells, headRow } from '../../draw/table.js';
import { typeset } from '../../draw/typeset.js';

/**
 * `after`: the answer is the next token; `bias`: whether the head adds one; `transform`: what it reads is transformed
 * first, as in BERT; `of`: how many tokens there are; `find`: those that a reader types.
 * @typedef {{word: string, logit: number, probability: number}} Candidate
 * @typedef {{
 *   word: string, after: boolean, bias: boolean, transform: boolean, list: Candidate[], of: number,
 *   find: (typed: string) => (Candidate & {rank: number})[],
 * } | {absent: true}} LogitsData
 */

/** @param {HTMLElement} root */
export function create(root) {
  let typed = '';
  /** @type {LogitsData | null} */
  let last = null;
  const view = {
    /** @param {LogitsData | null} data */
    update(data) {
      last = data;
      render(
        !data
          ? html`<p class="map-empty">No tokens, so no prediction.</p>`
          : 'absent' in data
            ? html`<p class="map-empty">This model has no output table, so there are no logits: it ends with the last
              layer’s vectors. Choose a trained model above.</p>`
            : html`${answer(data)}${search(data)}`,
        root,
      );
      announceFigure(root, data && !('absent' in data) ? drawn(data) : null);
    },
    destroy() {
      root.replaceChildren();
    },
  };
  return view;

  /** Any word by typing it. @param {Exclude<LogitsData, {absent: true}>} data */
  function search({ find, of }) {
    const found = find(typed);
    return html`<p class="find-word"><label>Find a token
      <input type="search" autocomplete="off" spellcheck="false" .value=${typed}
        @input=${(/** @type {Event} */ event) => {
          typed = valueOf(event);
          view.update(last);
        }}></label>
      <span role="status" class="view-fact">${
        typed.trim() && !found.length ? `None of the ${of.toLocaleString('en')} tokens contains it.` : ''
      }</span></p>
    ${
      found.length
        ? html`<div class="table-scroll" tabindex="0" role="region" aria-label="Tokens found"><table class="top-words">
      ${headRow('token', 'logit z', 'probability', 'rank')}
      <tbody>${found.map(
        (each) => html`<tr><th scope="row"><bdi>${each.word}</bdi></th>
        ${cells(formatValue(each.logit), probability(each.probability), each.rank.toLocaleString('en'))}</tr>`,
      )}</tbody></table></div>`
        : nothing
    }`;
  }

  /** @param {Exclude<LogitsData, {absent: true}>} data */
  function drawn({ word, after, list }) {
    const name = `${after ? 'Next token after' : 'Predictions at'} ${word}`;
    return {
      name,
      element: /** @type {Element} */ (root.querySelector('.top-words')),
      tables: () => [
        tableOf(
          name,
          ['logit', 'probability'],
          list.map((each) => [each.word, each.logit, each.probability]),
        ),
      ],
    };
  }
}

/** Four decimals, or a power of ten where all four would be 0. @param {number} p */
const probability = (p) => (p > 0 && p < 5e-5 ? typeset(p.toExponential(2)) : formatValue(p));

/** The same for a formula, which would not hold with one digit. @param {number} p */
const inFormula = (p) => (p < 5e-5 ? probability(p) : exactValue(p));

/** @param {number} value */
const bracketed = (value) => (value < 0 ? `(${formatValue(value)})` : formatValue(value));

/** @param {Exclude<LogitsData, {absent: true}>} data */
const formula = ({ bias, transform }) =>
  math(
    ...[
      sub('z', 'w'),
      '=',
      ...(transform ? ['transform', '(', 'x', ')'] : ['x']),
      '·',
      sub('E', 'w'),
      ...(bias ? ['+', sub('b', 'w')] : []),
      ',',
      space('1em'),
    ],
    ...[sub('p', 'w'), '=', frac(sup('e', sub('z', 'w')), row(sum('v'), sup('e', sub('z', 'v'))))],
  );

/** @param {Exclude<LogitsData, {absent: true}>} data */
function answer(data) {
  const { word, after, list } = data;
  const [first, second] = list;
  return html`<p class="view-title">${after ? 'Next token after' : 'At'} <bdi class="quoted">${word}</bdi></p>
    <div class="table-scroll" tabindex="0" role="region" aria-label="The most likely tokens"><table class="top-words">
      ${headRow('token', 'logit z', 'probability', '')}
      <tbody>${list.map(
        (each) => html`<tr><th scope="row"><bdi>${each.word}</bdi></th>
        ${cells(formatValue(each.logit), probability(each.probability))}
        <td class="bar"><meter min="0" max="1" .value=${each.probability} aria-hidden="true"></meter></td></tr>`,
      )}</tbody>
    </table></div>
    <div class="formula live">${formula(data)}
    ${
      second
        ? html`<p class="live-numbers">
      <bdi class="quoted">${first.word}</bdi> over <bdi class="quoted">${second.word}</bdi>:
      <span class="number">e<sup>${formatValue(first.logit)} − ${bracketed(second.logit)}</sup> =
      ${inFormula(first.probability)} / ${inFormula(second.probability)} ≈
      <b>${shortValue(first.probability / second.probability)}</b></span></p>`
        : nothing
    }</div>`;
}
