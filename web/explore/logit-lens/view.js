// The logit lens: tokens × stages, in each cell the most likely word; below, more words at the pinned token.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { css, probabilityScale } from '../../draw/color.js';
import { inkOn, pixelAt } from '../../draw/ink.js';
import { createLegend } from '../../draw/legend.js';
import { math, sub, sup } from '../../draw/math.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { revealHere } from '../../draw/reveal.js';
import { headRow, scrolled } from '../../draw/table.js';

/**
 * `ids` and `probabilities` of a stage: tokens × `top`, the likeliest first; `after`: the answer is the next word;
 * `normed`: the model's last norm is applied; `bias`, `transform`: as the output head has them; `part`: what the tokens
 * are in the selected attention.
 * @typedef {{
 *   after: boolean, normed: boolean, bias: boolean, transform: boolean, top: number, words: string[], row: number,
 *   stages: {title: string, ids: Int32Array, probabilities: Float32Array}[],
 *   wordOf: (id: number) => string, part: 'row' | 'key' | null, scheme: import('../../draw/color.js').Scheme,
 * }} LensData
 */

const MOST_ROWS = 64;

/**
 * @param {HTMLElement} root
 * @param {{onRow: (row: number) => void}} options
 */
export function create(root, { onRow }) {
  const legend = createLegend();
  const body = document.createElement('div');
  root.append(legend.element, body);
  let rows = 0;
  let shownRow = -1;

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const now = Number(/** @type {HTMLElement} */ (event.currentTarget).dataset.at);
    /** @type {Record<string, number>} */
    const targets = { ArrowUp: now - 1, ArrowDown: now + 1, Home: 0, End: rows - 1 };
    const target = targets[event.key];
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onRow(Math.max(0, Math.min(rows - 1, target)));
    requestAnimationFrame(() => /** @type {HTMLElement | null} */ (root.querySelector('[aria-pressed=true]'))?.focus());
  }

  return {
    /** @param {LensData | null} data */
    update(data) {
      legend.element.hidden = !data;
      if (!data) {
        announceFigure(root, null);
        return render('', body);
      }
      rows = data.words.length;
      const { scheme, stages } = data;
      legend.update(
        { rows: 0, columns: 0, scheme, scale: probabilityScale(scheme), data: stages[0].probabilities },
        'Probability of the most likely token',
      );
      render(html`${grid(data, onRow, onKey)}${list(data)}${formula(data)}`, body);
      announceFigure(root, {
        name: 'Logit lens',
        element: /** @type {Element} */ (body.querySelector('.lens')),
        tables: () => tables(data),
      });
      if (data.row !== shownRow) revealHere(body);
      shownRow = data.row;
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {LensData} data @param {(row: number) => void} onRow @param {(event: KeyboardEvent) => void} onKey */
function grid({ stages, top, words, row, wordOf, scheme, part }, onRow, onKey) {
  const scale = probabilityScale(scheme);
  const from = Math.max(0, Math.min(row - MOST_ROWS / 2, words.length - MOST_ROWS));
  /** @param {LensData['stages'][number]} stage @param {number} at */
  const cell = ({ ids, probabilities }, at) => {
    const pixel = pixelAt(scale, probabilities[at * top]);
    const style = `background-color: ${css(pixel)}; color: ${inkOn(pixel)}`;
    const word = html`<bdi>${wordOf(ids[at * top])}</bdi>`;
    return html`<td .style=${style}>${word} ${probabilities[at * top].toFixed(2)}</td>`;
  };
  return html`<div class="table-scroll"><table class="lens sticky-head">
    <caption>Most likely token and its probability${
      words.length > MOST_ROWS ? `: ${MOST_ROWS} of ${words.length} tokens` : ''
    }</caption>
    ${headRow('token', ...stages.map(({ title }) => title))}
    <tbody>${words.slice(from, from + MOST_ROWS).map(
      (
        word,
        i,
      ) => html`<tr data-row=${part === 'row' ? from + i : nothing} data-key=${part === 'key' ? from + i : nothing}
        class=${from + i === row ? 'here' : ''}>
      <th scope="row"><button type="button" data-at=${from + i} .tabIndex=${from + i === row ? 0 : -1}
        aria-pressed=${from + i === row} @click=${() => onRow(from + i)}
        @keydown=${onKey}><bdi>${word}</bdi></button></th>
      ${stages.map((stage) => cell(stage, from + i))}</tr>`,
    )}</tbody></table></div>`;
}

/** @param {LensData} data */
function list({ after, stages, top, words, row, wordOf }) {
  const places = Array.from({ length: top }, (_, i) => i);
  return scrolled(
    'Predictions at the selected token',
    html`<table class="lens-top">
    <caption>${after ? 'Next token after' : 'At'} <bdi class="quoted">${words[row]}</bdi></caption>
    ${headRow('after', ...places.map((i) => `${i + 1}.`))}
    <tbody>${stages.map(
      ({ title, ids, probabilities }) =>
        html`<tr><th scope="row">${title}</th>${places.map(
          (i) => html`
      <td><bdi>${wordOf(ids[row * top + i])}</bdi> ${formatValue(probabilities[row * top + i])}</td>`,
        )}</tr>`,
    )}</tbody></table>`,
  );
}

/** @param {LensData} data */
function formula({ stages, top, row, wordOf, normed, bias, transform }) {
  const [last] = stages.slice(-1);
  const id = last.ids[row * top];
  const vector = sub('x', 'l');
  const state = normed ? ['LN', '(', vector, ')'] : [vector];
  const output = transform ? ['transform', '(', ...state, ')'] : state;
  return html`<div class="formula live">
    ${math(sub('p', 'l'), '=', 'softmax', '(', ...output, sup('E', 'T'), ...(bias ? ['+', 'b'] : []), ')')}
    <p class="live-numbers">Most likely tokens: <span class="number">${stages.map(
      ({ ids, probabilities }, i) =>
        html`${i ? ' → ' : ''}<bdi>${wordOf(ids[row * top])}</bdi> ${formatValue(probabilities[row * top])}`,
    )}</span>,
    and the model’s prediction is <bdi class="quoted">${wordOf(id)}</bdi>.</p></div>`;
}

/** The most likely tokens of every token, a table for each stage. @param {LensData} data */
const tables = ({ stages, top, words, wordOf }) =>
  stages.map(({ title, ids, probabilities }) =>
    tableOf(
      `Logit lens, ${title}`,
      Array.from({ length: top }, (_, i) => [`${i + 1}. token`, `${i + 1}. probability`]).flat(),
      words.map((word, at) => [
        word,
        ...Array.from({ length: top }, (_, i) => [wordOf(ids[at * top + i]), probabilities[at * top + i]]).flat(),
      ]),
    ),
  );
