// A card for a projector: large type, one idea on the screen, turned by the arrow keys.

import { html, nothing } from 'lit-html';
import { isHere, writeAddress } from '../address.js';
import { isFresh, shownClaims } from '../state.js';
import { bounds, rowsOf, span } from '../numbers.js';
import { showPicture } from '../pictures/show.js';
import { progressBar } from '../progress.js';
import { isContrast, switchesText } from '../switches.js';
import { NAMES, word } from '../verdict.js';
import css from './projector.css';
import { addStyle } from '../../draw/style.js';
import { onPageKey } from '../../shared/page-keys.js';
import { words } from '../words.js';

/**
 * @typedef {import('../state.js').ClaimsState} ClaimsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').ClaimsActions} ClaimsActions
 */

const SENTENCE = 0;
const VERDICT = 2; // the first screen on which something measured is seen
/** @typedef {(state: ClaimsState, claim: ClaimData, actions: ClaimsActions) => unknown} Screen */
/** @type {readonly Screen[]} */
const SCREENS = [sentence, choices, verdict, figure, numbers, change];

/** @param {() => void} update draws the page anew */
export function create(update) {
  addStyle(css);
  let screen = SENTENCE;
  /** @type {number | null} the card that is shown */
  let shown = null;
  /** What was drawn last. @type {{state: ClaimsState, actions: ClaimsActions} | null} */
  let last = null;
  addEventListener('keydown', onKey);

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (last?.state.address.view === 'projector' && isHere()) onPageKey(event, { turn, leave });
  }

  function leave() {
    if (!last || shown === null) return;
    const { address, claims } = last.state;
    location.hash = writeAddress({ number: shown, params: address.params, cards: address.cards }, claims.get(shown));
  }

  /** To the screen before or after; beyond the last, to the next card. @param {1 | -1} by */
  function turn(by) {
    if (!last) return;
    const { state, actions } = last;
    const next = screen + by;
    if (next < SENTENCE || next >= SCREENS.length) {
      const order = shownClaims(state);
      const to = order[order.findIndex(({ number }) => number === shown) + by];
      const { cards } = state.address;
      if (to) location.hash = writeAddress({ view: 'projector', number: to.number, cards });
      return;
    }
    screen = next;
    const claim = state.claims.get(shown ?? NaN);
    if (claim && screen >= VERDICT) run(state, claim, actions);
    update();
    /** @type {HTMLElement | null} */ (document.querySelector('.claims-screen'))?.focus({ preventScroll: true });
  }

  /** @param {ClaimsState} state @param {ClaimsActions} actions @returns {unknown} */
  return (state, actions) => {
    last = { state, actions };
    const claim = state.claims.get(state.address.number ?? NaN);
    if (!claim) return nothing;
    if (claim.number !== shown) [shown, screen] = [claim.number, SENTENCE];
    const order = shownClaims(state);
    return html`<article class="claims-projector" aria-label="Card ${claim.number}">
      <div class="claims-screen" tabindex="-1" aria-live="polite">${SCREENS[screen](state, claim, actions)}</div>
      <div class="claims-screens">
        <button type="button" @click=${() => turn(-1)} ?disabled=${!screen && order[0] === claim}>← Back</button>
        <span class="hint">${words(claim.name)}, ${screen + 1} of ${SCREENS.length}</span>
        <button type="button" @click=${leave} title="Escape">Close</button>
        <button
          type="button"
          @click=${() => turn(1)}
          ?disabled=${screen === SCREENS.length - 1 && order[order.length - 1] === claim}
        >
          Next →
        </button>
      </div>
    </article>`;
  };
}

/** @param {ClaimsState} state @param {ClaimData} claim @param {ClaimsActions} actions */
function run(state, claim, actions) {
  if (!state.revealed) actions.onReveal();
  else if (state.progress === null && !resultOf(state)) actions.onRun();
}

/** What was found at these switches. @param {ClaimsState} state */
const resultOf = (state) => (isFresh(state) ? state.result : null);

/** @type {Screen} */
function sentence(_, { sentence: text, saidBy }) {
  return html`<h3>${words(text)}</h3>
    <p class="hint">Said by: ${words(saidBy)}</p>`;
}

/** @type {Screen} */
function choices(_, { choices: all }) {
  return html`<h3>What do you expect?</h3>
    <ol class="claims-letters">
      ${all.map(({ label }) => html`<li>${words(label)}</li>`)}
    </ol>`;
}

/** @param {ClaimsState} state @param {ClaimsActions} actions */
function waiting({ progress }, { onRun }) {
  return progress === null
    ? html`<button type="button" class="claims-main" @click=${onRun}>Run</button>`
    : html`<p>${progressBar(progress, 'Progress of the experiment')}</p>`;
}

/** @type {Screen} */
function verdict(state, claim, actions) {
  const result = resultOf(state);
  if (!result) return waiting(state, actions);
  return html`<p>${word(result.outcome)}</p>
    <p>${words(result.outcome.found)}</p>
    <p>${words(claim.why)}</p>
    <p class="hint">${words(switchesText(claim, result.params))}</p>`;
}

/** @type {Screen} */
function figure(state, claim, actions) {
  const result = resultOf(state);
  return result ? html`<div class="claims-figure">${showPicture(claim, result)}</div>` : waiting(state, actions);
}

/** @type {Screen} */
function numbers(state, claim, actions) {
  const result = resultOf(state);
  if (!result) return waiting(state, actions);
  return html`<h3>Measured now</h3>
    <dl>
      ${rowsOf(claim, result).map(
        ({ label, values, range, share }) => html`<div>
          <dt>${words(label)}</dt>
          <dd>
            <strong>${span(values, share)}</strong>${
              range ? html` <span class="hint">reference ${bounds(range, share)}</span>` : nothing
            }
          </dd>
        </div>`,
      )}
    </dl>`;
}

/** @type {Screen} */
function change(state, claim, actions) {
  const { contrast, contrastKind: kind } = claim;
  const isSet = isContrast(claim, state.address.params);
  return html`<h3>${NAMES[kind]}</h3>
    <p>${words(switchesText(claim, contrast))}</p>
    <button type="button" class="claims-main" @click=${() => actions.onSwitches(isSet ? {} : contrast)}>
      ${isSet ? 'Back to the sentence' : `Run the ${kind}`}
    </button>
    ${isSet ? verdict(state, claim, actions) : nothing}`;
}
