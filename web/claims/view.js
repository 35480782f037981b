// The place Claims on the page: the list, or one card.

import { html, nothing, render } from 'lit-html';
import { isHere } from './schema.js';
import { card } from './card-view.js';
import { tiles } from './tiles.js';
import { list } from './list-view.js';
import { createLate } from './late.js';
import { claimOf } from './state.js';

/**
 * @typedef {import('./state.js').ClaimsState} ClaimsState
 * @typedef {{
 *   onChoice: (choice: number) => void, onSure: (sure: number) => void, onGuess: (place: number) => void,
 *   onPredict: () => void, onReveal: () => void, onForget: () => void,
 *   onSwitch: (name: string, text: string) => void, onSwitches: (params: import('./schema.js').Params) => void,
 *   onRun: () => void, onCancel: () => void, onAgain: () => void,
 *   onCell: import('./claims.js').ClaimsClient['cell'],
 *   onModel: import('./claims.js').ClaimsClient['model'],
 *   onExplore: (model: import('../models/catalogue.js').GivenModel) => Promise<void>,
 *   onCards: (cards: readonly number[]) => void, onSearch: (query: string) => void, onClear: () => void,
 * }} ClaimsActions
 */

const KEPT = {
  refused: 'This browser keeps nothing for this page: your bets last until it is closed.',
  full: 'This browser’s storage is full: your bets last until the page is closed.',
  damaged: 'This browser kept bets that could not be read.',
};

/**
 * @param {HTMLElement} root
 * @param {ClaimsActions} actions
 */
export function createView(root, actions) {
  const place = document.createElement('div');
  place.className = 'claims';
  root.append(place);
  /** @type {ClaimsState} */
  let shown;
  /** Where the reader goes on as soon as it is fetched. @type {import('./state.js').Focus | null} */
  let awaited = null;

  function goOn() {
    const to = awaited;
    awaited = null;
    if (!to || (!place.contains(document.activeElement) && document.activeElement !== document.body)) return;
    /** @type {HTMLElement | null} */
    const target = place.querySelector(to.selector);
    if (target) target.focus({ preventScroll: to.scroll !== 'into' });
    else awaited = to;
  }

  const late = createLate(redraw);

  function redraw() {
    render(template(shown, actions, late), place);
    goOn();
  }

  /** The arrow keys turn to the next card and the one before. @param {KeyboardEvent} event */
  function turn({ key, target, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented }) {
    const rel = { ArrowRight: 'next', ArrowLeft: 'prev' }[key];
    if (!rel || !isHere() || defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return;
    if (target !== document.body && !(target instanceof Element && target.closest('.claims'))) return;
    if (target instanceof Element && target.closest('input, select, textarea, [role=application]')) return;
    /** @type {HTMLElement | null} */ (place.querySelector(`a[rel=${rel}]`))?.click();
  }
  addEventListener('keydown', turn);

  return {
    /** @param {ClaimsState} state */
    update(state) {
      const isNew = state.focus !== shown?.focus;
      shown = state;
      render(template(state, actions, late), place);
      if (!isNew) return;
      if (state.focus?.scroll === 'top') scrollTo(0, 0);
      awaited = state.focus;
      goOn();
    },
  };
}

/**
 * @param {ClaimsState} state
 * @param {ClaimsActions} actions
 * @param {ReturnType<typeof createLate>} late
 */
function template(state, actions, late) {
  const { claims, address, notices, answers, problem } = state;
  const claim = claimOf(state);
  const { view } = address;
  const kept = answers.problem();
  const notice = [...notices, ...(kept ? [KEPT[kept]] : [])].join(' ');
  return html`
    <p class="notices" role="status" ?hidden=${!notice}>${notice}</p>
    ${
      problem
        ? html`<div class="notices claims-problem" role="alert">
            <p>The worker of this page failed: ${problem}</p>
            <button type="button" @click=${actions.onAgain}>Try again</button>
          </div>`
        : nothing
    }
    ${
      claims.size === 0
        ? html`<p class="hint" ?hidden=${Boolean(notice || problem)}>Loading…</p>`
        : view !== 'card' && view !== 'list'
          ? late.draw(view, state, actions)
          : claim
            ? html`${card(state, claim, actions, late)} ${share(state, actions, late)} ${tiles(state)}`
            : list(state, actions)
    }
  `;
}

/**
 * The explanation is open beside the measurements, else folded.
 * @param {ClaimsState} state @param {ClaimsActions} actions @param {ReturnType<typeof createLate>} late
 */
const share = (state, actions, late) =>
  state.revealed
    ? late.draw('share', state, actions)
    : html`<details class="claims-more">
        <summary>Share, projector</summary>
        ${late.draw('share', state, actions)}
      </details>`;
