// One card: the sentence, the reader's prediction; what is measured is fetched with the first card.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { writeAddress } from './schema.js';
import { PLACES, guessOf, guessText, valueAt } from './guess.js';
import { SURE } from './score.js';
import { shownClaims, shuffled } from './state.js';
import { switchesText } from './switches.js';
import { standing } from './tiles.js';
import { spoken, words } from './words.js';

/**
 * @typedef {import('./state.js').ClaimsState} ClaimsState
 * @typedef {import('./worker.js').ClaimData} ClaimData
 * @typedef {import('./view.js').ClaimsActions} ClaimsActions
 */

/**
 * @param {ClaimsState} state @param {ClaimData} claim @param {ClaimsActions} actions
 * @param {ReturnType<typeof import('./late.js').createLate>} late
 */
export function card(state, claim, actions, late) {
  const { revealed } = state;
  late.fetch('tested');
  return html`<article class="claims-card" aria-labelledby="claims-sentence">
    <header>
      <div class="claims-way">
        <span class="hint">${placeOf(state, claim)}: ${words(claim.name)}</span> ${standing(state)}
      </div>
      <h3 id="claims-sentence" class="claims-sentence" tabindex="-1">${words(claim.sentence)}</h3>
      <p class="hint">Said by: ${words(claim.saidBy)}</p>
      ${quotes(claim)}
      <p>Experiment: ${words(claim.experiment)}</p>
    </header>
    ${revealed ? late.draw('tested', state, actions) : question(state, claim, actions)}
    ${revealed && claim.boundary ? late.draw('boundary', state, actions) : nothing}
    ${neighbours(state, claim)}
  </article>`;
}

/** “Card 2 of 23”, “Card 2 of 5 of your class”. @param {ClaimsState} state @param {ClaimData} claim */
const placeOf = ({ claims, address: { cards } }, { number, place }) =>
  cards ? `Card ${cards.indexOf(number) + 1} of ${cards.length} of your class` : `Card ${place} of ${claims.size}`;

/** By its words a reader of the texts knows it again. @param {ClaimData} claim */
const quotes = ({ quotes: all = [] }) =>
  all.map(({ text, from }) => html`<p class="hint">${words(from)}: <q>${words(text)}</q></p>`);

/** The cards before and after. @param {ClaimsState} state @param {ClaimData} claim */
function neighbours(state, claim) {
  const { predict, cards } = state.address;
  const order = shownClaims(state);
  const at = order.indexOf(claim);
  const link = (/** @type {number} */ to, /** @type {string} */ text, /** @type {string} */ rel) => {
    const other = order[to];
    if (!other) return nothing;
    const href = writeAddress({ number: other.number, predict, cards });
    return html`<a rel=${rel} href=${href} title=${spoken(other.name)}>${text}</a>`;
  };
  return html`<nav class="claims-turn" aria-label="Neighbours">
    ${link(at - 1, '← Previous', 'prev')} ${link(at + 1, 'Next →', 'next')}
  </nav>`;
}

/** @param {ClaimsState} state @param {ClaimData} claim @param {ClaimsActions} actions */
function question(state, claim, actions) {
  const { onChoice, onSure, onPredict, onReveal } = actions;
  const { choice, sure, address } = state;
  const at = switchesText(claim, address.params);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onPredict();
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
            @change=${() => onChoice(index)}
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
        @input=${(/** @type {any} */ { target }) => onSure(target.valueAsNumber)}
      />
      <output aria-hidden="true">${sure}\u00a0%</output></label
    >
    ${guess(state, claim, actions)}
    <div class="buttons">
      <button type="submit" class="claims-main" ?disabled=${choice === null}>Bet and run</button>
      <button type="button" @click=${onReveal}>Run without a bet</button>
    </div>
  </form>`;
}

/**
 * The axis of the number that decides, where the card has one. Left alone, it is no guess.
 * @param {ClaimsState} state @param {ClaimData} claim @param {ClaimsActions} actions
 */
function guess({ guess: place }, claim, { onGuess }) {
  const axis = guessOf(claim);
  if (!axis) return nothing;
  const said = place === null ? 'no guess yet' : guessText(axis, valueAt(axis, place));
  const end = (/** @type {number} */ value) =>
    html`<span class="hint" aria-hidden="true">${guessText(axis, value)}</span>`;
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
        @input=${(/** @type {any} */ { target }) => onGuess(target.valueAsNumber)}
      />
      ${end(axis.to)}
    </span>
    <output aria-hidden="true">${said}</output></label
  >`;
}
