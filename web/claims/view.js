// The place Claims as it stands on the page: the course, or one card.

import { html, nothing, render } from 'lit-html';
import { card } from './card-view.js';
import { course } from './course-view.js';
import { createLate } from './late.js';

/**
 * @typedef {import('./cards.js').CardsState} CardsState
 * @typedef {{
 *   onChoice: (choice: number) => void, onPredict: () => void, onReveal: () => void, onForget: () => void,
 *   onSwitch: (name: string, text: string) => void, onFlip: () => void,
 *   onRun: () => void, onCancel: () => void, onAgain: () => void, onFigures: () => void,
 *   onModel: ReturnType<typeof import('./client.js').connectClaims>['model'],
 *   onExplore: (model: import('../models/catalogue.js').GivenModel) => Promise<void>,
 *   onSearch: (query: string) => void, onClear: () => () => void,
 * }} CardsActions
 */

/**
 * @param {HTMLElement} root
 * @param {CardsActions} actions
 */
export function createView(root, actions) {
  const place = document.createElement('div');
  place.className = 'claims';
  root.append(place);
  /** @type {CardsState} */
  let shown;
  const update = () => render(template(shown, actions, late), place);
  const late = createLate(update, focus);

  /** Where the reader goes on as soon as it is fetched. */
  let awaited = '';

  /** Where a reader of this place goes on. @param {string} [selector] @param {boolean} [preventScroll] */
  function focus(selector = awaited, preventScroll = true) {
    awaited = '';
    if (!place.contains(document.activeElement) && document.activeElement !== document.body) return;
    /** @type {HTMLElement | null} */
    const target = selector ? place.querySelector(selector) : null;
    if (target) target.focus({ preventScroll });
    else awaited = selector;
  }

  return {
    /** @param {CardsState} state */
    update(state) {
      shown = state;
      update();
    },
    focus,
    /** Follows a link to another card. @param {string} rel */
    turn(rel) {
      /** @type {HTMLElement | null} */ (place.querySelector(`a[rel=${rel}]`))?.click();
    },
  };
}

/**
 * @param {CardsState} state
 * @param {CardsActions} actions
 * @param {ReturnType<typeof createLate>} late
 */
function template(state, actions, late) {
  const { claims, address, notice, problem } = state;
  const claim = claims.get(address.number ?? NaN);
  const { view } = address;
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
        : view !== 'card' && view !== 'course'
          ? late.draw(view, state, actions)
          : claim
            ? html`${card(state, claim, actions, late)} ${late.draw('share', state, actions)}`
            : course(state, actions)
    }
  `;
}
