// Tables of a model's predictions: the most likely words, and those after each layer.

import { html, nothing } from 'lit-html';
import { css, probabilityScale } from './color.js';
import { formatValue, typeset } from './numbers.js';
import { MOST_ROWS, cells, firstOf, headRow, scrolled } from './table.js';

/**
 * @typedef {{word: string, logit: number, probability: number}} Candidate
 *
 * `ids` and `probabilities` of a readout: tokens × `top`, the likeliest first.
 * @typedef {{title: string, ids: Int32Array, probabilities: Float32Array}} Readout
 * `isRow`: the tokens are the rows of the selected attention.
 * @typedef {{
 *   readouts: Readout[], top: number, words: readonly string[], row: number, wordOf: (id: number) => string,
 *   scheme: import('./color.js').Scheme, isRow: boolean,
 * }} LensGrid
 */

/** @param {Candidate[]} list the likeliest first */
export const topWords = (list) =>
  scrolled(
    'The most likely tokens',
    html`<table class="top-words">
      ${headRow('token', 'logit z', 'probability', '')}
      <tbody>${list.map(
        (each) => html`<tr><th scope="row"><bdi>${each.word}</bdi></th>
        ${cells(formatValue(each.logit), probability(each.probability))}
        <td class="bar"><meter min="0" max="1" .value=${each.probability} aria-hidden="true"></meter></td></tr>`,
      )}</tbody>
    </table>`,
  );

/** Four decimals, or a power of ten where all four would be 0. @param {number} p */
export const probability = (p) => (p > 0 && p < 5e-5 ? typeset(p.toExponential(2)) : formatValue(p));

/**
 * Moves the row, and the focus with it.
 * @param {KeyboardEvent} event @param {number} rows @param {(row: number) => void} choose
 */
function moveByKey(event, rows, choose) {
  const button = /** @type {HTMLElement} */ (event.currentTarget);
  const table = /** @type {HTMLElement} */ (button.closest('table'));
  const now = Number(button.dataset.at);
  /** @type {Record<string, number>} */
  const targets = { ArrowUp: now - 1, ArrowDown: now + 1, Home: 0, End: rows - 1 };
  const target = targets[event.key];
  if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  choose(Math.max(0, Math.min(rows - 1, target)));
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (table.querySelector('[aria-pressed=true]'))?.focus());
}

/**
 * Tokens × layers: in each cell the most likely word if the model stopped there.
 * @param {LensGrid} data @param {(row: number) => void} choose
 */
export function lensGrid({ readouts, top, words, row, wordOf, scheme, isRow }, choose) {
  const { table: colours } = probabilityScale(scheme);
  const onKey = (/** @type {KeyboardEvent} */ event) => moveByKey(event, words.length, choose);
  const from = firstOf(row, words.length);
  /** @param {Readout} readout @param {number} at */
  const cell = ({ ids, probabilities }, at) => {
    const pixel = colours[Math.round(probabilities[at * top] * (colours.length - 1))];
    const style = `background-color: ${css(pixel)}; color: ${inkOn(pixel)}`;
    const word = html`<bdi>${wordOf(ids[at * top])}</bdi>`;
    return html`<td .style=${style}>${word} ${probabilities[at * top].toFixed(2)}</td>`;
  };
  return html`<div class="table-scroll"><table class="lens sticky-head">
    <caption>Most likely token and its probability${
      words.length > MOST_ROWS ? `: ${MOST_ROWS} of ${words.length} tokens` : ''
    }</caption>
    ${headRow('token', ...readouts.map(({ title }) => title))}
    <tbody>${words.slice(from, from + MOST_ROWS).map(
      (word, i) => html`<tr data-row=${isRow ? from + i : nothing}
        class=${from + i === row ? 'here' : ''}>
      <th scope="row"><button type="button" data-at=${from + i} .tabIndex=${from + i === row ? 0 : -1}
        aria-pressed=${from + i === row} @click=${() => choose(from + i)}
        @keydown=${onKey}><bdi>${word}</bdi></button></th>
      ${readouts.map((readout) => cell(readout, from + i))}</tr>`,
    )}</tbody></table></div>`;
}

/**
 * Black or white, by luminance without sRGB's linear part: no colour here depends on it.
 * @param {number} pixel of a colour table
 */
function inkOn(pixel) {
  const [r, g, b] = [0, 8, 16].map((shift) => ((((pixel >>> shift) & 255) / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff';
}
