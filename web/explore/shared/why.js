// The frame of every panel Why: a question, its formula, one line that answers it, the player, and rows that show how;
// a row plays a second.

import { html, nothing } from 'lit-html';
import { addStyle } from '../../kit/feature.js';
import { acting } from '../../kit/figure.js';
import { createPlayer } from './player.js';
import style from './why.css';

addStyle(style);

/**
 * @typedef {ReturnType<ReturnType<typeof createPlayer>['frame']>} Frame
 *
 * A row; `parts` it plays, of so many `unit`s: of these `done` are shown.
 * @typedef {{name: string, content: unknown, number: unknown, note: unknown}} Step
 */

const CHOICES = ['click', 'keydown', 'input'];

/** The reader opens a number by choosing its cell, wherever it stands; what moves while they type does not. */
let chose = false;

/** Notes from now on by what the reader changes the page. */
export function watchChoices() {
  for (const type of CHOICES)
    document.addEventListener(
      type,
      (event) => void (chose = 'key' in event ? event.key === 'Enter' : type === 'click'),
      true,
    );
}

/** The player of one panel. */
export function createWhy() {
  /** @type {ReturnType<typeof createPlayer>} */
  let player;
  return {
    /** @param {{local: (patch: object) => void}} tools */
    begin: ({ local }) => void (player = createPlayer(() => local({}))),
    /** @param {string} cell @param {number[]} rows */
    frame: (cell, rows) => player.frame(cell, rows),
    /**
     * Plays a cell that the reader has chosen, and that to which another place led.
     * @type {(shown: {cell: string, of: string, at: string, plays?: number}) => unknown}
     */
    playing: acting(
      (element, next, before) => {
        const isArrival = next.plays && next.plays !== before?.plays;
        if (next.cell === before?.cell && !isArrival) return;
        const isOpened = isArrival || (chose && before && next.of === before.of && next.at !== before.at);
        if (isOpened && !matchMedia('(prefers-reduced-motion: reduce)').matches) player.open(element.children[0]);
        chose = false;
      },
      () => player.pause(),
    ),
    /**
     * @param {{id: string, title: unknown, formula: unknown, line: unknown, text: string}} said `text`: of the place
     *   that is reached
     * @param {Frame} frame
     */
    head: ({ id, title, formula, line, text }, { position, last, isPlaying }) => html`<div class="why-head">
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
    </div>`,
  };
}

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
