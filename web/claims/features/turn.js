// The cards before and after; the arrow keys turn to them.

import { html, nothing } from 'lit-html';
import { isHere, writeAddress } from '../schema.js';
import { shownClaims } from '../state.js';
import { spoken } from '../wording.js';

/** @type {import('../index.js').Feature} */
export const turn = {
  name: 'turn',
  slot: 'card-end',
  view: 'card',
  begin: () => addEventListener('keydown', onKey),
  render({ state, claim }) {
    const { predict, cards } = state.address;
    const order = shownClaims(state);
    const at = order.findIndex((each) => each === claim);
    /** @param {number} to @param {string} text @param {string} rel */
    const link = (to, text, rel) => {
      const other = order[to];
      if (!other) return nothing;
      const href = writeAddress({ number: other.number, predict, cards });
      return html`<a rel=${rel} href=${href} title=${spoken(other.name)}>${text}</a>`;
    };
    return html`<nav class="claims-turn" aria-label="Neighbours">
      ${link(at - 1, '← Previous', 'prev')} ${link(at + 1, 'Next →', 'next')}
    </nav>`;
  },
};

/** @param {KeyboardEvent} event */
function onKey({ key, target, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented }) {
  const rel = { ArrowRight: 'next', ArrowLeft: 'prev' }[key];
  if (!rel || !isHere() || defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return;
  if (target !== document.body && !(target instanceof Element && target.closest('.claims'))) return;
  if (target instanceof Element && target.closest('input, select, textarea, [role=application]')) return;
  /** @type {HTMLElement | null} */ (document.querySelector(`.claims a[rel=${rel}]`))?.click();
}
