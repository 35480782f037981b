// How a model continues a text: temperature, top-k, seed, length, and the button.

import { html, render } from 'lit-html';
import { createNumberFields } from '../../draw/number-field.js';
import { gapBefore } from '../../draw/sentence.js';

/**
 * @typedef {Record<'temperature' | 'topK' | 'seed' | 'length', number>} Writing
 * `prompt`: what it continues; `hasEnded`: nothing follows that; `written`: the words that it has written so far;
 * `joint`: what stands between all words.
 * @typedef {{
 *   writing: Writing, vocabulary: number, prompt: string, hasEnded: boolean, written: string[], joint?: string,
 * }} WriterData
 */

/**
 * @param {HTMLElement} root
 * @param {{onChange: (patch: Partial<Writing>) => void, onWrite: () => void, onClear: () => void}} options
 */
export function create(root, { onChange, onWrite, onClear }) {
  /** @type {WriterData} */
  let shown;
  const number = createNumberFields(draw);

  function draw() {
    const { writing, vocabulary, prompt, hasEnded, written, joint } = shown;
    /**
     * @param {keyof Writing} name
     * @param {string} label
     * @param {number} max
     * @param {number} step
     * @param {number} [min]
     */
    const field = (name, label, max, step, min = 0) =>
      number(
        { name: `write-${name}`, id: `write-${name}`, label, min, max, step, value: String(writing[name]) },
        (value) => onChange({ [name]: value }),
      );
    render(
      html`
        <button type="button" class="main" ?disabled=${hasEnded} aria-describedby="write-ended"
          @click=${onWrite}>Generate</button>
        <span class="hint" id="write-ended" ?hidden=${!hasEnded}>This story has ended: remove its last words.</span>
        <details class="menu" name="bar"><summary>How</summary><div>
        ${field('temperature', 'Temperature', 5, 0.1)}
        ${field('topK', 'Top-k (0: all)', vocabulary, 1)}
        ${field('seed', 'Seed', 4294967295, 1)}
        ${field('length', 'Maximum tokens', 100, 1, 1)}
        </div></details>
        <button type="button" @click=${onClear} ?hidden=${!written.length}>Remove the continuation</button>
        <p class="continuation" ?hidden=${!written.length}>${prompt.trim()}<output
          aria-live="polite" aria-label="Continuation">${written.map(
            (word) => html`<span>${joint ?? gapBefore(word)}${word}</span>`,
          )}</output></p>`,
      root,
    );
  }

  return {
    /** @param {WriterData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      shown = data;
      draw();
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
