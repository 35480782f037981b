// A page of the book.

import { html, nothing, render } from 'lit-html';
import { beginAtTop, turnButtons } from '../../draw/page-turn.js';

/**
 * `text`: pieces of sentences; a string, or one of these. `done`: of the page; `seen`: what the reader saw then;
 * `completed`: of each page; `isOwn`: the model's text is that of the page.
 * @typedef {string | {bold: string} | {formula: string} | {word: string} | {number: string, name: string}} Piece
 * @typedef {{
 *   number: number, title: string, titles: string[], text: Piece[][], task: string, done: boolean, seen: Piece[],
 *   completed: boolean[], isOwn: boolean, story: boolean,
 *   doubt: {sentence: string, verdict: string, why: string} | null,
 * }} PageData
 * @typedef {{
 *   onTurn: (page: number) => void, onLeave: () => void, onAgain: () => void, onStory: (story: boolean) => void,
 *   onWhere: () => void,
 * }} BookOptions
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

/**
 * @param {HTMLElement} root
 * @param {BookOptions} options
 */
export function create(root, { onTurn, onLeave, onAgain, onStory, onWhere }) {
  const atTop = beginAtTop(root);
  return {
    /** @param {PageData} data */
    update({ number, title, titles, text, task, done, seen, completed, isOwn, doubt, story }) {
      const count = completed.filter(Boolean).length;
      render(
        html`
        <div class="book-head">
          <details class="side-contents book-contents">
            <summary>Contents</summary>
            <ol>${titles.map(
              (each, i) => html`<li><button type="button" aria-current=${i + 1 === number ? 'page' : nothing}
                @click=${() => onTurn(i + 1)}>${each}${
                  completed[i] ? html` <span role="img" aria-label="done">✓</span>` : nothing
                }</button></li>`,
            )}</ol>
          </details>
          <button type="button" class="book-story" aria-pressed=${story} @click=${() => onStory(!story)}
            title="Large type, one idea on the screen">Projector</button>
          <button type="button" class="book-close" @click=${onLeave} title="Close the book: all is as it was before"
            >Close</button>
        </div>
        <p class="book-count">Page ${number} of ${titles.length}${count ? `, ${count} done` : ''}</p>
        <h2 id="book-title" aria-live="polite">${title}</h2>
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
        }
        ${turnButtons('book-turn', { number, count: titles.length, onTurn, onAgain })}`,
        root,
      );
      atTop(number);
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
