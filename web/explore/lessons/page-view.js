// What stands on a page of the textbook.

import { html, nothing } from 'lit-html';

/**
 * `text`: pieces of sentences; a string, or one of these. `done`: its task; `seen`: what the reader saw then;
 * `isOwn`: the model's text is that of the page.
 * @typedef {string | {bold: string} | {formula: string} | {word: string} | {number: string, name: string}} Piece
 * @typedef {{
 *   text: Piece[][], task: string, done: boolean, seen: Piece[], isOwn: boolean,
 *   doubt: {sentence: string, verdict: string, why: string} | null,
 * }} PageData
 */

/** A variable with its indices, `d_k`. @param {string} text */
const formula = (text) =>
  html`<span class="book-formula">${text
    .split(/(_\w)/)
    .map((part) => (part.startsWith('_') ? html`<sub>${part.slice(1)}</sub>` : part))}</span>`;

/** @param {Piece} piece */
function piece(piece) {
  if (typeof piece === 'string') return piece;
  if ('bold' in piece) return html`<strong>${piece.bold}</strong>`;
  if ('formula' in piece) return formula(piece.formula);
  if ('word' in piece) return html`<bdi class="quoted">${piece.word}</bdi>`;
  return html`<b class="number" data-number=${piece.name}>${piece.number}</b>`;
}

/** @param {PageData} data @param {() => void} onWhere */
export const pageContent = ({ text, task, done, seen, isOwn, doubt }, onWhere) => html`
  <div class="book-text">${text.map((sentence) => html`<p>${sentence.map(piece)}</p>`)}</div>
  ${
    isOwn
      ? nothing
      : html`<p class="hint">This page speaks of its own text and settings: “Start again” brings
    them back.</p>`
  }
  <p class="book-task" data-done=${done}><span role="img" aria-label=${done ? 'Done' : 'To do'}
    >${done ? '✓' : '▢'}</span> <span>${task}
    <button type="button" class="book-where" @click=${onWhere}>Show where</button></span></p>
  <p class="book-seen" aria-live="polite">${seen.map(piece)}</p>
  ${
    doubt
      ? html`<details class="book-doubt"><summary>To doubt: “${doubt.sentence}”</summary>
        <p><strong>${doubt.verdict}</strong> ${doubt.why}</p></details>`
      : nothing
  }`;
