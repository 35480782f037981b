// Shows the model's predictions at the pinned token: the most likely tokens, their logits and probabilities, how one
// follows from the other, and any token that the reader types.

import { html, nothing } from 'lit-html';
import { valueOf } from '../../kit/controls.js';
import { tableOf } from '../../draw/figure.js';
import { frac, math, row, space, sub, sum, sup } from '../../draw/math.js';
import { bracketed, equation } from '../../draw/equation.js';
import { probability, topWords } from '../../draw/predictions.js';
import { cells, headRow, scrolled } from '../../draw/table.js';
import { exactValue, formatValue } from '../../draw/numbers.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { figure } from '../../kit/figure.js';
import { visible } from '../../kit/letters.js';
import { logitsOfRow, probabilitiesOfRow } from '../shared/answer-row.js';
import { descending } from '../shared/order.js';
import { placeIn } from '../shared/words.js';
import tableStyle from '../../draw/predictions.css';
import own from './logits.css';

const TOP = 10;
const MOST_FOUND = 8;

/**
 * `after`: the answer is the next token; `bias`: whether the head adds one; `transform`: what it reads is transformed
 * first, as in BERT; `of`: how many tokens there are.
 * @typedef {import('../../draw/predictions.js').Candidate} Candidate
 * @typedef {{
 *   word: string, after: boolean, bias: boolean, transform: boolean, list: Candidate[], of: number,
 * }} LogitsData
 */

/** @type {import('../index.js').Feature} */
export const logits = {
  name: 'logits',
  style: tableStyle + own,
  local: { typed: '' },
  needs: ({ plan: { hasLogits } }) => (hasLogits ? ['logits', PROBABILITIES] : []),
  render({ result, state, modelInfo, local: { typed } }, { local: remember }) {
    const { model, tokens, hasLogits } = result.plan;
    if (!hasLogits)
      return panel(html`<p class="map-empty">This model has no output table, so there are no logits: it ends with the
        last layer’s vectors. Choose a trained model above.</p>`);
    const { at, words } = placeIn(result, state, tokens.decoder ? 'decoder' : 'encoder');
    const [scores, probabilities] = [logitsOfRow(result, at), probabilitiesOfRow(result, at)];
    if (!scores || !probabilities || modelInfo?.name !== model) return undefined;
    const vocabulary = modelInfo.outputVocabulary;
    const order = descending(probabilities, vocabulary.length, 0);
    /** @param {number} id */
    const candidate = (id) => ({ word: visible(vocabulary[id]), probability: probabilities[id], logit: scores[id] });
    const data = {
      word: words[at],
      after: tokens.decoder !== null,
      bias: modelInfo.config.headBias !== false,
      transform: modelInfo.config.headTransform === true,
      list: Array.from(order.subarray(0, TOP), candidate),
      of: vocabulary.length,
    };
    const found = matching(typed, vocabulary).map((id) => ({ ...candidate(id), rank: order.indexOf(id) + 1 }));
    const onType = (/** @type {Event} */ event) => remember({ typed: valueOf(event) });
    return panel(html`${answer(data)}${search(typed, onType, found, data.of)}`, figureOf(data));
  },
  blank: () => panel(html`<p class="map-empty">No tokens, so no prediction.</p>`),
};

/** @param {unknown} body @param {import('../../kit/figure.js').Figure & {select: string} | null} [shown] */
const panel = (body, shown = null) => html`
  <section class="panel picture" aria-labelledby="logits-title">
    <h2 id="logits-title">Logits and probabilities</h2>
    <div id="logits" ${figure(shown)}>${body}</div>
    <p class="hint only-trained">
      A logit is the dot product of the last vector with the word’s row of the output table, plus a bias where the
      model has one. The softmax turns logits into probabilities that sum to 1. Only differences between logits
      count: a logit larger by 1 means a probability e ≈ 2.7 times as large.
    </p>
  </section>`;

/**
 * The words that a reader may mean: the one as it is typed first, then those that begin so, then those with it inside.
 * @param {string} typed
 * @param {readonly string[]} vocabulary
 * @returns {number[]} their ids
 */
function matching(typed, vocabulary) {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return [];
  /** @type {number[][]} */
  const found = [[], [], []];
  vocabulary.forEach((word, id) => {
    const plain = word.toLowerCase().replace(/^(␣|##)/, '');
    const at = plain.indexOf(wanted);
    if (at >= 0) found[plain === wanted ? 0 : at === 0 ? 1 : 2].push(id);
  });
  return found.flat().slice(0, MOST_FOUND);
}

/**
 * Any token by typing it.
 * @param {string} typed
 * @param {(event: Event) => void} onType
 * @param {(Candidate & {rank: number})[]} found
 * @param {number} of
 */
const search = (typed, onType, found, of) => html`
  <p class="find-word"><label>Find a token
    <input type="search" autocomplete="off" spellcheck="false" .value=${typed} @input=${onType}></label>
    <span role="status" class="view-fact">${
      typed.trim() && !found.length ? `None of the ${of.toLocaleString('en')} tokens contains it.` : ''
    }</span></p>
  ${
    found.length
      ? scrolled(
          'Tokens found',
          html`<table class="top-words">
      ${headRow('token', 'logit z', 'probability', 'rank')}
      <tbody>${found.map(
        (each) => html`<tr><th scope="row"><bdi>${each.word}</bdi></th>
        ${cells(formatValue(each.logit), probability(each.probability), each.rank.toLocaleString('en'))}</tr>`,
      )}</tbody></table>`,
        )
      : nothing
  }`;

/** @param {LogitsData} data */
function figureOf({ word, after, list }) {
  const name = `${after ? 'Next token after' : 'Predictions at'} ${word}`;
  return {
    name,
    select: '.top-words',
    tables: () => [
      tableOf(
        name,
        ['logit', 'probability'],
        list.map((each) => [each.word, each.logit, each.probability]),
      ),
    ],
  };
}

/** @param {LogitsData} data */
function answer(data) {
  const { word, after, list } = data;
  const [first, second] = list;
  const printed = equation(
    [first.logit, second?.logit ?? NaN],
    [{ value: first.probability / second?.probability, from: ([a, b]) => Math.exp(a - b), isShort: true }],
    LIST_DECIMALS,
  );
  return html`<p class="view-title">${after ? 'Next token after' : 'At'} <bdi class="quoted">${word}</bdi></p>
    ${topWords(list)}
    <div class="formula live">${formula(data)}
    ${
      second
        ? html`<p class="live-numbers">
      <bdi class="quoted">${first.word}</bdi> over <bdi class="quoted">${second.word}</bdi>:
      <span class="number">e<sup>${printed.operands[0]} − ${bracketed(printed.operands[1])}</sup> =
      ${inFormula(first.probability)} / ${inFormula(second.probability)} ≈
      <b>${printed.results[0]}</b></span></p>`
        : nothing
    }</div>`;
}

/** As in the list beside it. */
const LIST_DECIMALS = 4;

/** @param {LogitsData} data */
const formula = ({ bias, transform }) =>
  math(
    ...[sub('z', 'w'), '='],
    ...(transform ? ['transform', '(', 'x', ')'] : ['x']),
    ...['·', sub('E', 'w')],
    ...(bias ? ['+', sub('b', 'w')] : []),
    ...[',', space('1em')],
    ...[sub('p', 'w'), '=', frac(sup('e', sub('z', 'w')), row(sum('v'), sup('e', sub('z', 'v'))))],
  );

/** The same for a formula, which would not hold with one digit. @param {number} p */
const inFormula = (p) => (p < 5e-5 ? probability(p) : exactValue(p));
