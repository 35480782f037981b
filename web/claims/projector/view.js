// A card for a projector: large type, one idea on the screen, turned by the arrow keys.

import { html, nothing } from 'lit-html';
import { isHere, writeAddress } from '../schema.js';
import { shownClaims } from '../state.js';
import css from './projector.css';
import { resultOf, screensOf } from './screens.js';
import { createVotes } from './votes.js';
import { addStyle } from '../../draw/style.js';
import { onPageKey } from '../../shared/page-keys.js';
import { words } from '../words.js';

/**
 * @typedef {import('../state.js').ClaimsState} ClaimsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').ClaimsActions} ClaimsActions
 */

const FIRST = 'vote'; // of its screens this one alone shows nothing measured

/** @param {() => void} update draws the page again */
export function create(update) {
  addStyle(css);
  let screen = FIRST;
  /** @type {number | null} the card that is shown */
  let shown = null;
  const allVotes = createVotes();
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
    location.hash = writeAddress({ ...address, view: 'card', number: shown }, claims.get(shown));
  }

  /** To the screen before or after; beyond the last, to the next card. @param {1 | -1} by */
  function turn(by) {
    if (!last) return;
    const { state, actions } = last;
    const names = [...screensOf(state).keys()];
    const next = names[names.indexOf(screen) + by];
    if (!next) {
      const order = shownClaims(state);
      const to = order[order.findIndex(({ number }) => number === shown) + by];
      const { cards } = state.address;
      if (to) location.hash = writeAddress({ view: 'projector', number: to.number, cards });
      return;
    }
    screen = next;
    if (screen !== FIRST) run(state, actions);
    update();
    /** @type {HTMLElement | null} */ (document.querySelector('.claims-screen'))?.focus({ preventScroll: true });
  }

  /** @param {ClaimsState} state @param {ClaimsActions} actions @returns {unknown} */
  return (state, actions) => {
    last = { state, actions };
    const claim = state.claims.get(state.address.number ?? NaN);
    if (!claim) return nothing;
    if (claim.number !== shown) [shown, screen] = [claim.number, FIRST];
    const order = shownClaims(state);
    const screens = screensOf(state);
    const draw = screens.get(screen) ?? screens.get(FIRST);
    const at = [...screens.keys()].indexOf(screen);
    const votes = allVotes.get(claim.number);
    /** @type {import('./screens.js').Shown['onVotes']} */
    const onVotes = (at, count) => {
      allVotes.set(claim.number, votes.with(at, count));
      update();
    };
    return html`<article class="claims-projector" aria-label="Card ${claim.place}">
      <div class="claims-screen" tabindex="-1" aria-live="polite">
        ${draw?.({ state, claim, actions, votes, onVotes, onNext: () => turn(1) })}
      </div>
      <div class="claims-screens">
        <button type="button" @click=${() => turn(-1)} ?disabled=${!at && order[0] === claim}>← Back</button>
        <span class="hint">${words(claim.name)}, ${at + 1} of ${screens.size}</span>
        <button type="button" @click=${leave} title="Escape">Close</button>
        <button
          type="button"
          @click=${() => turn(1)}
          ?disabled=${at === screens.size - 1 && order[order.length - 1] === claim}
        >
          Next →
        </button>
      </div>
    </article>`;
  };
}

/** @param {ClaimsState} state @param {ClaimsActions} actions */
function run(state, actions) {
  if (!state.revealed) actions.onReveal();
  else if (state.progress === null && !resultOf(state)) actions.onRun();
}
