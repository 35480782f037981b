// The strip of a trail that plays: the sentence, the question or what came of it, the turn of slides.

import { html, nothing, render } from 'lit-html';
import { formatShare } from '../../draw/share.js';

/**
 * `asked`: the question, null: it is not asked any more, or not known yet; `outcome`: once the step is shown; `now`:
 * what the model says at `word`; `right` of `predicted` predictions agreed.
 * @typedef {{
 *   number: number, count: number, sentence: string, right: number, predicted: number,
 *   asked: {text: string, at: string, choices: string[]} | null,
 *   outcome: {guess: string | null, right: string | null, agreed: boolean | null} | null,
 *   now: {words: string[], share: number, word: string, isNext: boolean} | null,
 * }} PlayerData
 */

/** @param {string} text */
const word = (text) => html`<bdi class="quoted">${text}</bdi>`;

/**
 * @param {HTMLElement} root
 * @param {{onGuess: (word: string | null) => void, onTurn: (way: 1 | -1) => void, onLeave: () => void}} options
 */
export function create(root, { onGuess, onTurn, onLeave }) {
  return {
    /** @param {PlayerData} data */
    update(data) {
      const { number, count, sentence, asked, outcome, right, predicted } = data;
      render(
        html`
        <div class="trail-slide">
          <p class="trail-count">${number} of ${count}${
            predicted ? html`<span class="trail-score">, ${right} of ${predicted} predictions right</span>` : nothing
          }</p>
          <p class="trail-words" dir="auto" aria-live="polite">${sentence}</p>
          <div class="trail-answer" aria-live="polite">${
            outcome ? shown(data) : asked ? questionOf(asked, onGuess) : html`<p>Computing…</p>`
          }</div>
        </div>
        <div class="trail-turn">
          <button type="button" ?disabled=${number === 1} @click=${() => onTurn(-1)}>← Back</button>
          ${
            outcome
              ? html`<button type="button" class="trail-main" ?disabled=${number === count}
                  @click=${() => onTurn(1)}>Next →</button>`
              : html`<button type="button" @click=${() => onGuess(null)}>Just show me</button>`
          }
          <button type="button" title="Escape" @click=${onLeave}>Explore from here</button>
        </div>`,
        root,
      );
    },
    /** Goes on to what comes after the answer. */
    focusNext() {
      const next = root.querySelector('.trail-main:enabled');
      /** @type {HTMLElement} */ (next ?? root).focus({ preventScroll: true });
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** @param {NonNullable<PlayerData['asked']>} asked @param {(word: string) => void} onGuess */
const questionOf = ({ text, at, choices }, onGuess) => html`<p id="trail-question" dir="auto">${text}${
  at ? html` ${word(at)}?` : nothing
}</p>
  <div class="buttons" role="group" aria-labelledby="trail-question">${choices.map(
    (choice) =>
      html`<button type="button" class="trail-choice" dir="auto" @click=${() => onGuess(choice)}>${choice}</button>`,
  )}</div>`;

/** @param {PlayerData} data */
function shown({ outcome, now, number, count }) {
  return html`${
    now
      ? html`<p class="trail-says">${now.isNext ? 'After' : 'At'} ${word(now.word)} the model says
          <strong><bdi>${now.words[0]}</bdi></strong>, <span class="number">${formatShare(now.share)}</span>.</p>`
      : nothing
  }
    ${outcome ? verdict(outcome, now?.words[0]) : nothing}
    ${number === count ? html`<p class="hint">This is the last step.</p>` : nothing}`;
}

/** @param {NonNullable<PlayerData['outcome']>} outcome */
/**
 * @param {NonNullable<PlayerData['outcome']>} outcome
 * @param {string | undefined} said the answer that stands there already
 */
function verdict({ guess, right, agreed }, said) {
  const answer = right !== null && right !== said ? html`The answer: <strong><bdi>${right}</bdi></strong>.` : nothing;
  if (guess === null) return answer === nothing ? nothing : html`<p>${answer}</p>`;
  const mark = agreed === null ? '' : agreed ? '✓ ' : '✗ ';
  return html`<p class="trail-guess" data-agreed=${String(agreed)}>${mark}You predicted <bdi>${guess}</bdi>${
    agreed ? ': right.' : '.'
  } ${answer}</p>`;
}
