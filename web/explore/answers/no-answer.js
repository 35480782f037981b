// Why there is no answer, in its place, and sentences to try.

import { html, nothing } from 'lit-html';

/**
 * @typedef {{unknown: number, words: number, tries: string[]}} NoAnswer
 * @param {NoAnswer} data
 * @param {{onTry: (text: string) => void, onAusten: () => void}} actions
 */
export const noAnswer = ({ unknown, words, tries }, { onTry, onAusten }) => html`
  <p class="answers-none">${
    unknown === words
      ? 'The model knows none of these words.'
      : `The model does not know ${unknown} of ${words} words, so it gives no answer.`
  }
  <button type="button" @click=${onAusten}>Read it with Austen, which can read any word (4.6 MB)</button></p>
  ${
    tries.length
      ? html`<div class="buttons answers-tries" role="group" aria-label="Sentences to try"><span
        class="hint">Try</span>${tries.map(
          (text) => html`
        <button type="button" @click=${() => onTry(text)}>${text}</button>`,
        )}</div>`
      : nothing
  }`;
