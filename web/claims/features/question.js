// The reader's bet: a verdict, how sure, and a guess of the number that decides.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { seedsIn } from '../schema.js';
import { NO_ANSWER } from '../answers.js';
import { PLACES, guessOf, guessText, valueAt } from '../guess.js';
import { SURE } from '../score.js';
import { shuffled } from '../state.js';
import { switchesText } from '../switches.js';
import { words } from '../words.js';
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
    const { choice, sure, address, revealed } = state;
    if (!claim || revealed) return null;
    const at = switchesText(claim, address.params);
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      bet(claim, tools);
    };
    return html`<form class="panel claims-question" @submit=${submit}>
      <fieldset>
        <legend tabindex="-1">Your bet</legend>
        ${at ? html`<p class="hint">This link sets ${words(at)}. Bet on the sentence itself.</p>` : nothing}
        ${shuffled(state, claim).map(
          ({ choice: { label, verdict }, index }) => html`<label class="claims-choice">
            <input
              type="radio"
              name="claims-choice"
              value=${index}
              .checked=${live(choice === index)}
              @change=${() => tools.set({ choice: index })}
            />
            <span><strong>${verdict}</strong> ${words(label)}</span>
          </label>`,
        )}
      </fieldset>
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
      <div class="buttons">
        <button type="submit" class="claims-main" ?disabled=${choice === null}>Bet and run</button>
        <button type="button" @click=${tools.reveal}>Run without a bet</button>
      </div>
    </form>`;
  },
};

/** @param {ClaimData} claim @param {Tools} tools */
function bet(claim, { get, reveal }) {
  const { address, choice, sure, guess: place, answers } = get();
  if (choice === null) return;
  const axis = guessOf(claim);
  const value = axis && place !== null ? valueAt(axis, place) : null;
  const said = { params: seedsIn(address.params), predicted: choice, sure, guess: value };
  answers.set(claim.number, { ...NO_ANSWER, ...said });
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
