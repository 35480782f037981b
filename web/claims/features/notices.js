// Notices: parts of the link that cannot be shown, bets that the browser does not keep, a failure of the worker.

import { html, nothing } from 'lit-html';

const KEPT = {
  refused: 'This browser keeps nothing for this page: your bets last until it is closed.',
  full: 'This browser’s storage is full: your bets last until the page is closed.',
  damaged: 'This browser kept bets that could not be read.',
};

/** @type {import('../index.js').Feature} */
export const notices = {
  name: 'notices',
  slot: 'top',
  render({ state, view }, { again }) {
    const { problem } = state;
    const kept = state.answers.problem();
    const notice = [...state.notices, ...(kept ? [KEPT[kept]] : [])].join(' ');
    return html`
      <p class="notices" role="status" ?hidden=${!notice}>${notice}</p>
      ${
        problem
          ? html`<div class="notices claims-problem" role="alert">
              <p>The worker of this page failed: ${problem}</p>
              <button type="button" @click=${again}>Try again</button>
            </div>`
          : nothing
      }
      ${view ? nothing : html`<p class="hint" ?hidden=${Boolean(notice || problem)}>Loading…</p>`}
    `;
  },
};
