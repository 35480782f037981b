// The logit lens: the model's answer if it stopped after each layer. Tokens × readouts, in each cell the most likely
// word; below, more words at the selected token.

import { formatValue } from '../../draw/numbers.js';
import { html } from 'lit-html';
import { probabilityScale } from '../../draw/color.js';
import { tableOf } from '../../draw/figure.js';
import { math, sub, sup } from '../../draw/math.js';
import { lensGrid } from '../../draw/predictions.js';
import gridStyle from '../../draw/predictions.css';
import { headRow, scrolled } from '../../draw/table.js';
import { figure, reveal } from '../../kit/figure.js';
import { legend } from '../../kit/chart.js';
import { visible } from '../../kit/letters.js';
import { choosePlace } from '../shared/cursor.js';
import { partOf, placeIn } from '../shared/words.js';
import own from './logit-lens.css';

/**
 * `ids` and `probabilities` of a readout: tokens × `top`, the likeliest first; `after`: the answer is the next word;
 * `normed`: the model's last norm is applied; `bias`, `transform`: as the output head has them; `isRow`: the tokens
 * are the rows of the selected attention; those of the output are never its keys alone.
 * @typedef {import('../derived/logit-lens.js').Lens & {
 *   after: boolean, bias: boolean, transform: boolean, words: string[], row: number,
 *   norm: string, wordOf: (id: number) => string, isRow: boolean,
 *   scheme: import('../../draw/color.js').Scheme,
 * }} LensData
 */

/** @type {import('../index.js').Feature} */
export const lens = {
  name: 'logit-lens',
  style: gridStyle + own,
  needs: ({ plan: { model } }) => (model ? ['@lens'] : []),
  render({ result, state, scheme, modelInfo }, { get, set, result: latest }) {
    if (!result.plan.model || result.facts.part !== null) return null;
    const made = /** @type {import('../derived/logit-lens.js').Lens | {absent: true} | undefined} */ (
      result.derived.get('@lens')
    );
    if (!made || modelInfo?.name !== result.plan.model) return undefined;
    if ('absent' in made) return null;
    const { at, words } = placeIn(result, state, made.stack);
    const vocabulary = modelInfo.outputVocabulary;
    /** @type {LensData} */
    const data = {
      ...made,
      after: made.stack === 'decoder',
      bias: modelInfo.config.headBias !== false,
      norm: modelInfo.config.normKind === 'rms' ? 'RMSNorm' : 'LN',
      transform: modelInfo.config.headTransform === true,
      words,
      row: at,
      isRow: partOf(result, state, made.stack) === 'row',
      scheme,
      wordOf: (id) => visible(vocabulary[id]),
    };
    const choose = (/** @type {number} */ row) => set(choosePlace(get(), made.stack, row, latest()));
    return html`
      <section class="panel picture" aria-labelledby="logit-lens-title">
        <h2 id="logit-lens-title">Logit lens: predictions after each layer</h2>
        <div id="logit-lens" ${figure({ name: 'Logit lens', select: '.lens', tables: () => tables(data) })}>
          <div ${reveal(at)}>${lensGrid(data, choose)}</div>
          ${legend('Probability of the most likely token', {
            scheme,
            scale: probabilityScale(scheme),
            data: made.readouts[0].probabilities,
          })}
          ${list(data)}${formula(data)}
        </div>
        <p class="hint">
          The output layer is applied early: to the residual stream after each layer. Where the prediction changes or
          its probability rises, that layer contributed to it. Early predictions are often unreliable, because the model
          was trained to be read after its last layer only.
        </p>
      </section>`;
  },
};

/** @param {LensData} data */
function list({ after, readouts, top, words, row, wordOf }) {
  const places = Array.from({ length: top }, (_, i) => i);
  return scrolled(
    'Predictions at the selected token',
    html`<table class="lens-top">
    <caption>${after ? 'Next token after' : 'At'} <bdi class="quoted">${words[row]}</bdi></caption>
    ${headRow('after', ...places.map((i) => `${i + 1}.`))}
    <tbody>${readouts.map(
      ({ title, ids, probabilities }) =>
        html`<tr><th scope="row">${title}</th>${places.map(
          (i) => html`
      <td><bdi>${wordOf(ids[row * top + i])}</bdi> ${formatValue(probabilities[row * top + i])}</td>`,
        )}</tr>`,
    )}</tbody></table>`,
  );
}

/** @param {LensData} data */
function formula({ readouts, top, row, wordOf, normed, norm, bias, transform }) {
  const [last] = readouts.slice(-1);
  const id = last.ids[row * top];
  const vector = sub('x', 'l');
  const state = normed ? [norm, '(', vector, ')'] : [vector];
  const output = transform ? ['transform', '(', ...state, ')'] : state;
  return html`<div class="formula live">
    ${math(sub('p', 'l'), '=', 'softmax', '(', ...output, sup('E', 'T'), ...(bias ? ['+', 'b'] : []), ')')}
    <p class="live-numbers">Most likely tokens: <span class="number">${readouts.map(
      ({ ids, probabilities }, i) =>
        html`${i ? ' → ' : ''}<bdi>${wordOf(ids[row * top])}</bdi> ${formatValue(probabilities[row * top])}`,
    )}</span>,
    and the model’s prediction is <bdi class="quoted">${wordOf(id)}</bdi>.</p></div>`;
}

/** The most likely tokens of every token, a table for each readout. @param {LensData} data */
const tables = ({ readouts, top, words, wordOf }) =>
  readouts.map(({ title, ids, probabilities }) =>
    tableOf(
      `Logit lens, ${title}`,
      Array.from({ length: top }, (_, i) => [`${i + 1}. token`, `${i + 1}. probability`]).flat(),
      words.map((word, at) => [
        word,
        ...Array.from({ length: top }, (_, i) => [wordOf(ids[at * top + i]), probabilities[at * top + i]]).flat(),
      ]),
    ),
  );
