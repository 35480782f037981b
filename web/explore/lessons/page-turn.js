// The buttons that turn lessons, and that a new one begins at its top.

import { html } from 'lit-html';

/**
 * @param {{number: number, count: number, onTurn: (number: number) => void, onAgain: () => void}} page
 */
export const turnButtons = ({ number, count, onTurn, onAgain }) => html`<div class="side-turn book-turn">
  <button type="button" ?disabled=${number === 1} @click=${() => onTurn(number - 1)}>← Back</button>
  <button type="button" @click=${() => onAgain()}>Start again</button>
  <button type="button" ?disabled=${number === count} @click=${() => onTurn(number + 1)}>Next →</button>
</div>`;

/**
 * Scrolls to the top and closes the folds when another page has been drawn.
 * @param {HTMLElement} root
 * @returns {(number: number) => void} called with the page that is drawn
 */
export function beginAtTop(root) {
  let shown = 0;
  return (number) => {
    if (shown === number) return;
    shown = number;
    root.scrollTop = 0;
    for (const fold of root.querySelectorAll('details')) fold.open = false;
  };
}
