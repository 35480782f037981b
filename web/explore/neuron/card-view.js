// The card of one neuron: its key (what excites it), its value (which words it promotes), and its values at
// the token, as numbers and as a formula.

import { html, nothing } from 'lit-html';
import { exactValue, formatValue } from '../../draw/canvas.js';
import { math, num, row, sub } from '../../draw/math.js';
import { tableOf } from '../../draw/figure.js';
import { gapBefore, sentenceOf } from '../../draw/sentence.js';
import { formatShare } from '../../draw/share.js';

/**
 * @typedef {{word: string, value: number}} Said
 * @typedef {{before: string[], word: string, after: string[], value: number}} Context
 * @typedef {{
 *   active: number, tokens: number, trained: boolean, sentences: number | null, writes: boolean, top: Context[],
 * }} Excitation over the corpus
 *
 * `before`, `after`: the neuron's pre-activation and activation at the token; `norm`: the length of
 * its value vector; `gain`: a norm's gain is applied between it and the words; `residual`: what the FFN
 * gives is added to what it was given; `silence`: why it promotes
 * none. `key`: null until the corpus has been read; `sentences`: null where the corpus is the text
 * itself; `writes`: the rows of the map are labelled by the words that are written, not those that are read.
 * @typedef {{
 *   word: string, pinned: number, function: string,
 *   before: number, after: number, norm: number,
 *   promotes: Said[], suppresses: Said[], gain: boolean, silence: string | null,
 *   residual: boolean, key: null | {done: number, of: number} | Excitation,
 * }} CardData
 */

const READ_WORD = 'The marked token is the decoder’s input; a row of the map is labelled by the token predicted next.';

const AROUND = 9; // words on either side that give a context

const count = new Intl.NumberFormat('en');

/** @param {CardData} data */
export const card = (data) => html`
  ${formula(data)}
  <p class="neuron-sum">At <bdi class="quoted">${data.word}</bdi> its pre-activation is
    <b class="number" data-number="before">${formatValue(data.before)}</b>, its activation
    <b class="number" data-number="after">${formatValue(data.after)}</b>. It adds a vector of length
    ${exactValue(Math.abs(data.after))} × ${exactValue(data.norm)} =
    <b class="number" data-number="adds">${formatValue(Math.abs(data.after) * data.norm)}</b>.</p>
  <p>Its key w<sub>1</sub> is multiplied with each token’s vector: a large dot product gives a large
    activation. Its value w<sub>2</sub>, times the activation, is
    ${data.residual ? 'added to the token’s residual stream' : 'its part of what the FFN gives'}.</p>
  <div class="neuron-sides">
    <section class="neuron-key"><h3>Key: what activates it</h3>${key(data)}</section>
    <section class="neuron-value"><h3>Value: which tokens it promotes</h3>${value(data)}</section>
  </div>`;

/** The card's numbers. @param {CardData} data */
export const tables = ({ pinned, promotes, suppresses, key: known }) => [
  tableOf(
    `Neuron ${pinned}, tokens`,
    ['logit per unit'],
    [...promotes, ...suppresses].map((each) => [each.word, each.value]),
  ),
  ...(known && 'top' in known
    ? [
        tableOf(
          `Neuron ${pinned}, what activates it`,
          ['activation', 'before', 'after'],
          known.top.map(({ word, value: each, before, after }) => [word, each, before.join(' '), after.join(' ')]),
        ),
      ]
    : []),
];

/** @param {CardData} data */
const formula = ({ pinned, function: f, before, after }) =>
  html`<p class="formula">${math(
    ...['f', '(', 'x', '·', sub('w', row(1, ',', pinned)), '+', sub('b', row(1, ',', pinned)), ')'],
    ...['=', f, '(', num(exactValue(before)), ')'],
    ...['=', num(formatValue(after))],
  )}</p>`;

/** @param {CardData} data */
function key({ key: known }) {
  if (!known) return html`<p class="hint">…</p>`;
  if ('done' in known) return html`<p class="hint">Reading the corpus: ${known.done} of ${known.of} sentences.</p>`;
  const { active, tokens, trained, sentences, writes, top } = known;
  const corpus =
    sentences !== null
      ? `${count.format(sentences)} held-out sentences`
      : trained
        ? 'the text above, as this model comes without one'
        : 'the text itself (untrained model)';
  return html`
    <p class="hint">Above 0 at <b class="number" data-number="active">${formatShare(active)}</b> of the
      ${count.format(tokens)} tokens of the corpus: ${corpus}. ${writes ? READ_WORD : nothing}</p>
    ${
      top.length
        ? html`<ol>${top.map(
            ({ before, word, after, value: each }) => html`<li><span class="number">${formatValue(each)}</span>
      <bdi>${before.length > AROUND ? '… ' : ''}
      ${sentenceOf(before.slice(-AROUND))}${markOf(word, after[0])}${sentenceOf(
        after.slice(0, AROUND),
      )}${after.length > AROUND ? ' …' : ''}</bdi></li>`,
          )}</ol>`
        : html`<p>None: this neuron is never active on the corpus (dead).</p>`
    }`;
}

/** @param {CardData} data */
function value({ promotes, suppresses, gain, silence }) {
  if (silence) return html`<p class="hint">${silence}</p>`;
  const through = gain ? 'the last LayerNorm’s gain and the output table' : 'the output table';
  return html`<p class="hint">Change of each token’s logit per unit of activation: its value through ${through}, without
      ${gain ? 'the norm’s centring and division and ' : ''}the effect of later layers.</p>
    <div class="neuron-words">${words('Promotes', promotes)}${words('Suppresses', suppresses)}</div>`;
}

/** @param {string} title @param {Said[]} list */
const words = (title, list) =>
  html`<div><h4>${title}</h4><ol>${list.map(
    ({ word, value: each }) => html`<li>
  <bdi>${word}</bdi> <span class="number">${formatValue(each)}</span></li>`,
  )}</ol></div>`;

/** @param {string} word @param {string} [next] the word after it */
const markOf = (word, next) => html`${gapBefore(word)}<mark>${word}</mark>${gapBefore(next)}`;
