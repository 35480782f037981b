// A switch for the head, sliders for a weight and the temperature, and the answer before and after.

import { html, nothing, render, svg } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { formatShare } from '../../draw/share.js';

/**
 * `head`, `weight`: null where the mean of several heads is shown; these and `temperature` without attention.
 * `answers`: the likeliest words with their probability as built and now, none while nothing is changed.
 * @typedef {{
 *   head: {name: string, isOn: boolean} | null,
 *   weight: {row: string, key: string, value: number, isSet: boolean} | null,
 *   temperature: number | null, answers: {word: string, before: number, probability: number}[],
 *   canUndo?: boolean, canRedo?: boolean,
 * }} TryData
 */

/** @param {Event} event */
const numberOf = (event) => /** @type {HTMLInputElement} */ (event.target).valueAsNumber;

/**
 * @param {HTMLElement} root
 * @param {{
 *   onHead: (isOn: boolean) => void, onWeight: (to: number | null) => void,
 *   onTemperature: (value: number) => void, onUndo: () => void, onRedo: () => void,
 * }} options `onWeight` null: as computed
 */
export function create(root, { onHead, onWeight, onTemperature, onUndo, onRedo }) {
  return {
    /** @param {TryData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return;
      const { head, weight, temperature, answers, canUndo, canRedo } = data;
      render(
        html`
        <div class="try-controls">
          ${
            head
              ? html`<button type="button" class="switch" role="switch" aria-checked=${head.isOn}
                  aria-label="Head on: ${head.name}" @click=${() => onHead(!head.isOn)}>Head
                  <span class="switch-track"></span> ${head.isOn ? 'on' : 'off'}</button>`
              : nothing
          }
          ${
            weight
              ? html`<label class=${head?.isOn ? '' : 'idle'}><span>Weight <bdi class="is-query">${weight.row}</bdi> →
                  <bdi class="is-key">${weight.key}</bdi></span>
                  <input class="try-weight" type="range" min="0" max="1" step="0.01"
                    .value=${live(String(weight.value))} @input=${(/** @type {Event} */ e) => onWeight(numberOf(e))}>
                  <output>${formatShare(weight.value)}</output></label>`
              : nothing
          }
          ${
            temperature === null
              ? html`<p class="hint">These layers have no attention. “More” changes neurons and vectors.</p>`
              : html`<label><span>Temperature</span>
                  <input class="temperature" type="range" min="-1" max="1" step="0.02"
                    .value=${live(String(Math.log10(temperature)))} aria-valuetext=${String(temperature)}
                    @input=${(/** @type {Event} */ event) =>
                      onTemperature(Number((10 ** numberOf(event)).toPrecision(3)))}>
                  <output>${temperature}</output></label>`
          }
        </div>
        <ol class="try-answers" aria-label="Answer before and after" ?hidden=${!answers.length}>
          ${answers.map(answer)}
        </ol>
        <div class="buttons">
          <button type="button" class="plain" ?disabled=${!canUndo}
            @click=${onUndo}>Undo</button>
          <button type="button" class="plain" ?disabled=${!canRedo} @click=${onRedo}>Redo</button>
          <button type="button" class="plain" ?hidden=${!weight?.isSet}
            @click=${() => onWeight(null)}>Computed weight</button>
        </div>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** A word with the way from its probability before to that now. @param {TryData['answers'][number]} answer */
const answer = ({ word, before, probability }) => html`<li><bdi>${word}</bdi>
  <svg class="try-line" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${svg`
    <rect class="try-scale" y="4.5" width="100" height="1"></rect>
    <rect class="try-way" y="3.5" height="3" x=${100 * Math.min(before, probability)}
      width=${100 * Math.abs(probability - before)}></rect>
    <rect class="try-before" x=${Math.max(0, 100 * before - 0.4)} y="0" width=".8" height="10"></rect>
    <rect class="try-now" x=${Math.max(0, 100 * probability - 0.6)} y="0" width="1.2" height="10"></rect>`}</svg>
  <span class="number">${formatShare(before)} → <b>${formatShare(probability)}</b></span></li>`;
