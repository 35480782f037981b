// The reader's bet: one tap on a verdict, which runs the experiment. A confidence and a number are optional.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { experiment } from '../experiment.js';
import { seedsIn, switchesText } from '../schema.js';
import { NO_ANSWER } from '../kept-answers.js';
import { PLACES, guessOf, guessText, valueAt } from '../guess.js';
import { SURE } from '../score.js';
import { shuffled } from '../state.js';
import { words } from '../wording.js';
import style from './question.css';

/**
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../index.js').Tools} Tools
 */

/** @type {import('../index.js').Feature} */
export const question = {
  name: 'question',
  slot: 'card',
  view: 'card',
  style,
  render({ state, claim }, tools) {
    const { sure, address, revealed } = state;
    if (!claim || revealed) return null;
    const at = switchesText(claim, address.params);
    return html`<div class="claims-before">
      ${experiment(claim)}
      <section class="claims-question" aria-labelledby="claims-bet">
        <h4 id="claims-bet">Your bet</h4>
        ${at ? html`<p class="hint">This link sets ${words(at)}. Bet on the sentence itself.</p>` : nothing}
        <div class="claims-choices">
          ${shuffled(state, claim).map(
            ({ choice: { label, verdict }, index }) =>
              html`<button type="button" class="claims-choice" value=${index} @click=${() => bet(claim, index, tools)}>
                <strong>${verdict}</strong> <small>${words(label)}</small>
              </button>`,
          )}
        </div>
        <div class="buttons">
          <details class="claims-more">
            <summary>More</summary>
            <label class="claims-sure"
              ><span>How sure?</span>
              <input
                type="range"
                min=${SURE.least}
                max=${SURE.most}
                .value=${live(String(sure))}
                aria-valuetext="${sure} per cent"
                @input=${(/** @type {any} */ { target }) => tools.set({ sure: target.valueAsNumber })}
              />
              <output aria-hidden="true">${sure}\u00a0%</output></label
            >
            ${guess(state.guess, claim, tools)}
          </details>
          <button type="button" @click=${tools.reveal}>Run without a bet</button>
        </div>
      </section>
    </div>`;
  },
};

/** @param {ClaimData} claim @param {number} predicted the choice @param {Tools} tools */
function bet(claim, predicted, { get, reveal }) {
  const { address, sure, guess: place, answers } = get();
  const axis = guessOf(claim);
  const value = axis && place !== null ? valueAt(axis, place) : null;
  answers.set(claim.number, { ...NO_ANSWER, params: seedsIn(address.params), predicted, sure, guess: value });
  reveal();
}

/**
 * The axis of the number that decides, where the card has one. Left alone, it is no guess.
 * @param {number | null} place @param {ClaimData} claim @param {Tools} tools
 */
function guess(place, claim, { set }) {
  const axis = guessOf(claim);
  if (!axis) return nothing;
  const said = place === null ? 'no guess yet' : guessText(axis, valueAt(axis, place));
  /** @param {number} value */
  const end = (value) => html`<span class="hint" aria-hidden="true">${guessText(axis, value)}</span>`;
  return html`<label class="claims-sure"
    ><span>Your guess <span class="hint">${words(axis.known.label)}</span></span>
    <span class="claims-axis">
      ${end(axis.from)}
      <input
        type="range"
        max=${PLACES}
        class=${place === null ? 'claims-unset' : ''}
        .value=${live(String(place ?? PLACES / 2))}
        aria-valuetext=${said}
        @input=${(/** @type {any} */ { target }) => set({ guess: target.valueAsNumber })}
      />
      ${end(axis.to)}
    </span>
    <output aria-hidden="true">${said}</output></label
  >`;
}
