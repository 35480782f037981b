// A card for a projector: large type, one idea on the screen, turned by the arrow keys.

import { html, nothing } from 'lit-html';
import { isSame, writeAddress } from '../address.js';
import { bounds, rowsOf, span } from '../numbers.js';
import { showPicture } from '../pictures/show.js';
import { flipLabel, isFlipped, switchesText } from '../switches.js';
import { MARKS } from '../verdict.js';
import css from './projector.css';
import { addStyle } from '../../draw/style.js';
import { words } from '../words.js';

/**
 * @typedef {import('../cards.js').CardsState} CardsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').CardsActions} CardsActions
 */

const SENTENCE = 0;
const VERDICT = 2; // the first screen on which something measured is seen
/** @typedef {(state: CardsState, claim: ClaimData, actions: CardsActions) => unknown} Screen */
/** @type {readonly Screen[]} */
const SCREENS = [sentence, choices, verdict, figure, numbers, change];

/** @param {() => void} update draws the page anew */
export function create(update) {
  addStyle(css);
  let screen = SENTENCE;
  /** @type {number | null} the card that is shown */
  let shown = null;
  /** What was drawn last. @type {{state: CardsState, actions: CardsActions} | null} */
  let last = null;
  addEventListener('keydown', onKey);

  const isHere = () => last?.state.address.view === 'projector' && /^#\/claims\b/.test(location.hash);

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const isField =
      event.target instanceof Element && event.target.matches('input, select, textarea, [role=application]');
    if (!isHere() || isField || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => turn(-1),
      PageUp: () => turn(-1),
      ArrowRight: () => turn(1),
      PageDown: () => turn(1),
      Escape: leave,
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  function leave() {
    if (!last || shown === null) return;
    const { address, claims } = last.state;
    location.hash = writeAddress({ number: shown, params: address.params }, claims.get(shown));
  }

  /** To the screen before or after; beyond the last, to the next card. @param {1 | -1} by */
  function turn(by) {
    if (!last) return;
    const { state, actions } = last;
    const next = screen + by;
    if (next < SENTENCE || next >= SCREENS.length) {
      const order = [...state.claims.keys()];
      const to = order[order.indexOf(shown ?? NaN) + by];
      if (to !== undefined) location.hash = writeAddress({ view: 'projector', number: to });
      return;
    }
    screen = next;
    const claim = state.claims.get(shown ?? NaN);
    if (claim && screen >= VERDICT) run(state, claim, actions);
    update();
    /** @type {HTMLElement | null} */ (document.querySelector('.claims-screen'))?.focus({ preventScroll: true });
  }

  /** @param {CardsState} state @param {CardsActions} actions @returns {unknown} */
  return (state, actions) => {
    last = { state, actions };
    const claim = state.claims.get(state.address.number ?? NaN);
    if (!claim) return nothing;
    if (claim.number !== shown) [shown, screen] = [claim.number, SENTENCE];
    const order = [...state.claims.keys()];
    return html`<article class="claims-projector" aria-label="Card ${claim.number}">
      <div class="claims-screen" tabindex="-1" aria-live="polite">${SCREENS[screen](state, claim, actions)}</div>
      <div class="claims-screens">
        <button type="button" @click=${() => turn(-1)} ?disabled=${!screen && order[0] === shown}>← Back</button>
        <span class="hint">${words(claim.name)}, ${screen + 1} of ${SCREENS.length}</span>
        <button type="button" @click=${leave} title="Escape">Close</button>
        <button
          type="button"
          @click=${() => turn(1)}
          ?disabled=${screen === SCREENS.length - 1 && order[order.length - 1] === shown}
        >
          Next →
        </button>
      </div>
    </article>`;
  };
}

/** @param {CardsState} state @param {ClaimData} claim @param {CardsActions} actions */
function run(state, claim, actions) {
  if (!state.revealed) actions.onReveal();
  else if (state.share === null && !resultOf(state, claim)) actions.onRun();
}

/** What was found at the present switches. @param {CardsState} state @param {ClaimData} claim */
const resultOf = ({ result, address }, claim) =>
  result && isSame(claim, result.params, address.params) ? result : null;

/** @type {Screen} */
function sentence(_, { sentence: text, source }) {
  return html`<h3>${words(text)}</h3>
    <p class="hint">${source}</p>`;
}

/** @type {Screen} */
function choices(_, { choices: all }) {
  return html`<h3>What do you expect?</h3>
    <ol class="claims-letters">
      ${all.map(({ label }) => html`<li>${words(label)}</li>`)}
    </ol>`;
}

/** @param {CardsState} state @param {CardsActions} actions */
function waiting({ share }, { onRun }) {
  return share === null
    ? html`<button type="button" class="claims-main" @click=${onRun}>Run</button>`
    : html`<p>
        <progress max="1" value=${share} aria-label="Progress of the experiment"></progress> ${Math.round(100 * share)}
        %
      </p>`;
}

/** @type {Screen} */
function verdict(state, claim, actions) {
  const result = resultOf(state, claim);
  if (!result) return waiting(state, actions);
  const { verdict: word, why } = result.verdict;
  return html`<p class="claims-word" data-verdict=${word}><span aria-hidden="true">${MARKS[word]}</span>${word}</p>
    <p>${words(why)}</p>
    <p class="hint">${words(switchesText(claim, result.params))}</p>`;
}

/** @type {Screen} */
function figure(state, claim, actions) {
  const result = resultOf(state, claim);
  return result ? html`<div class="claims-figure">${showPicture(claim, result)}</div>` : waiting(state, actions);
}

/** @type {Screen} */
function numbers(state, claim, actions) {
  const result = resultOf(state, claim);
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
  const { flip } = claim;
  if (!flip) return verdict(state, claim, actions);
  const isSet = isFlipped(claim, state.address.params);
  return html`<h3>What would change my mind</h3>
    <p>${words(switchesText(claim, flip.params))}</p>
    <button type="button" class="claims-main" @click=${actions.onFlip}>
      ${isSet ? 'Set it back' : flipLabel(flip.params)}
    </button>
    ${isSet ? verdict(state, claim, actions) : nothing}`;
}
