// How a model continues a text: temperature, top-k, seed, length, and the button.

import { html, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';

/**
 * @typedef {Record<'temperature' | 'topK' | 'seed' | 'length', number>} Writing
 * `prompt`: what it continues; `written`: the words that it has written so far; `joint`: what stands between all words.
 * @typedef {{writing: Writing, vocabulary: number, prompt: string, written: string[], joint?: string}} WriterData
 */

/** As words are printed: marks stand at the word before them. @param {string} word */
const spaceBefore = (word) => (/^[\p{L}\p{N}]/u.test(word) ? ' ' : '');

/**
 * @param {HTMLElement} root
 * @param {{onChange: (patch: Partial<Writing>) => void, onWrite: () => void, onClear: () => void}} options
 */
export function create(root, { onChange, onWrite, onClear }) {
  return {
    /** @param {WriterData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      const { writing, vocabulary, prompt, written, joint } = data;
      /**
       * @param {keyof Writing} name
       * @param {string} label
       * @param {number} max
       * @param {number} step
       * @param {number} [min]
       */
      const field = (name, label, max, step, min = 0) => html`<label>${label}
        <input id="write-${name}" type="number" min=${min} max=${max} step=${step} .value=${live(String(writing[name]))}
          @change=${(/** @type {Event} */ event) => {
            const input = /** @type {HTMLInputElement} */ (event.target);
            const value = Math.min(max, Math.max(min, input.valueAsNumber || 0));
            input.value = String(value);
            onChange({ [name]: step === 1 ? Math.round(value) : value });
          }}></label>`;
      render(
        html`
        <button type="button" class="main" @click=${onWrite}>Generate</button>
        ${field('temperature', 'Temperature', 5, 0.1)}
        ${field('topK', 'Top-k (0: all)', vocabulary, 1)}
        ${field('seed', 'Seed', 4294967295, 1)}
        ${field('length', 'Maximum words', 100, 1, 1)}
        <button type="button" @click=${onClear} ?disabled=${!written.length}>Remove the continuation</button>
        <p class="continuation" ?hidden=${!written.length}>${prompt.trim()}<output
          aria-live="polite" aria-label="Continuation">${written.map(
            (word) => html`<span>${joint ?? spaceBefore(word)}${word}</span>`,
          )}</output></p>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
