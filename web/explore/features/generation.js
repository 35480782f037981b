// Continues a text: temperature, top-k, seed, length, the button, and the written text.

import { html } from 'lit-html';
import { createNumberFields } from '../../draw/number-field.js';
import { gapBefore } from '../../draw/sentence.js';
import { hasEnded } from '../../engine/generation.js';
import { entryOf } from '../../models/catalogue.js';
import style from './generation.css';

/**
 * @param {number[]} ids
 * @param {import('../index.js').ModelInfo} modelInfo
 * @param {((ids: readonly number[]) => string) | undefined} decode
 */
const textOf = (ids, { vocabulary }, decode) =>
  decode && ids.length ? [decode(ids)] : ids.map((id) => vocabulary[id]);

let redraw = () => {}; // once a field refuses a number
const number = createNumberFields(() => redraw());

/** @type {import('../index.js').InputFeature} */
export const generation = {
  name: 'generation',
  style,
  begin({ local }) {
    redraw = () => local({});
  },
  render({ state: { model, text, writing, written }, modelInfo }, { get, set, generate, stopGenerating }) {
    if (!modelInfo) return null;
    const { joint, decode } = entryOf(model) ?? {};
    const words = textOf(written, modelInfo, decode);
    const isOver = hasEnded(text, modelInfo);
    /**
     * @param {keyof typeof writing} name @param {string} label
     * @param {number} max @param {number} step @param {number} [min]
     */
    const field = (name, label, max, step, min = 0) =>
      number(
        { name: `write-${name}`, id: `write-${name}`, label, min, max, step, value: String(writing[name]) },
        (value) => set({ writing: { ...get().writing, [name]: value } }),
      );
    function clear() {
      stopGenerating();
      set({ written: [] });
    }
    return html`<div id="generation" class="generation">
      <button type="button" class="main" ?disabled=${isOver} aria-describedby="write-ended"
        @click=${generate}>Generate</button>
      <span class="hint" id="write-ended" ?hidden=${!isOver}>This story has ended: remove its last words.</span>
      <details class="menu" name="bar"><summary>How</summary><div>
        ${field('temperature', 'Temperature', 5, 0.1)}
        ${field('topK', 'Top-k (0: all)', modelInfo.vocabulary.length, 1)}
        ${field('seed', 'Seed', 4294967295, 1)}
        ${field('length', 'Maximum tokens', 100, 1, 1)}
      </div></details>
      <button type="button" @click=${clear} ?hidden=${!words.length}>Remove the continuation</button>
      <p class="continuation" ?hidden=${!words.length}>${text.trim()}<output
        aria-live="polite" aria-label="Continuation">${words.map(
          (word) => html`<span>${joint ?? gapBefore(word)}${word}</span>`,
        )}</output></p></div>`;
  },
};
