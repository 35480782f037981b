// Why: a question, its formula, one line that answers it, the player, and rows that show how; a row plays a second.

import { html, nothing } from 'lit-html';

/**
 * @typedef {import('./player.js').Player} Player
 * @typedef {ReturnType<Player['frame']>} Frame
 *
 * A row; `parts` it plays, of so many `unit`s: of these `done` are shown.
 * @typedef {{name: string, content: unknown, number: unknown, note: unknown}} Step
 *
 * `text`: of the place that is reached.
 * @typedef {{id: string, title: unknown, formula: unknown, line: unknown, text: string}} Said
 */

/** @param {Said} said @param {Frame} frame @param {Player} player */
export const whyHead = (
  { id, title, formula, line, text },
  { position, last, isPlaying },
  player,
) => html`<div class="why-head">
    <h2 id=${id}>${title}</h2>
    <p class="formula">${formula}</p>
    <div class="why-player" role="group" aria-label="Steps of the computation">
      <button type="button" aria-label="Step back" @click=${() => player.step(-1)}>‹</button>
      <button type="button" aria-label="Step forward" @click=${() => player.step(1)}>›</button>
      <button type="button" class="why-play" @click=${player.toggle}>${isPlaying ? 'Pause' : 'Play'}</button>
    </div>
    <p class="why-line">${line}</p>
    <input type="range" min="1" max=${last} .value=${String(position)} aria-label="Place in the computation"
      aria-valuetext=${text}
      @input=${(/** @type {any} */ { target }) => player.seek(Number(target.value))}>
  </div>`;

/** @param {string} text */
export const big = (text) => html`<strong class="why-number">${text}</strong>`;

/** @param {Step[]} rows @param {number} row that is reached */
export const whySteps = (rows, row) =>
  html`<ol class="why-steps">${rows.map(
    ({ name, content, number, note }, at) => html`<li class="why-step ${name} ${at > row ? 'ahead' : ''}">
      ${content}<div class="why-result">${number}<p>${note}</p></div></li>`,
  )}</ol>`;

/**
 * A word in its colour, which lights where it stands elsewhere. Punctuation stands in quotes.
 * @param {string} text @param {'query' | 'key' | ''} name @param {{row?: number, key?: number}} at
 */
export const wordIn = (text, name, { row, key }) =>
  html`<bdi class="${name} word ${/[\p{L}\p{N}]/u.test(text) ? '' : 'quoted'}" data-row=${row ?? nothing}
    data-key=${key ?? nothing}>${text}</bdi>`;
