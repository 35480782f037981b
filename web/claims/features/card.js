// The head of a card: the sentence, who says it, what is run, and how the reader's bets fared.

import { html, nothing } from 'lit-html';
import { shortValue } from '../../draw/short.js';
import { scoreOf, testedOf } from '../score.js';
import { shownClaims } from '../state.js';
import { words } from '../words.js';

/** @typedef {import('../state.js').ClaimsState} ClaimsState */

/** @type {import('../index.js').Feature} */
export const card = {
  name: 'card',
  slot: 'card',
  view: 'card',
  render: ({ state, claim }) =>
    claim
      ? html`<header>
          <div class="claims-way">
            <span class="hint">${placeOf(state, claim)}: ${words(claim.name)}</span> ${standing(state)}
          </div>
          <h3 id="claims-sentence" class="claims-sentence" tabindex="-1">${words(claim.sentence)}</h3>
          <p class="hint">Said by: ${words(claim.saidBy)}</p>
          ${(claim.quotes ?? []).map(
            ({ text, from }) => html`<p class="hint">${words(from)}: <q>${words(text)}</q></p>`,
          )}
          <p>Experiment: ${words(claim.experiment)}</p>
        </header>`
      : null,
};

/**
 * “Card 2 of 23”, “Card 2 of 5 of your class”.
 * @param {ClaimsState} state @param {import('../worker.js').ClaimData} claim
 */
const placeOf = ({ claims, address: { cards } }, { number, place }) =>
  cards ? `Card ${cards.indexOf(number) + 1} of ${cards.length} of your class` : `Card ${place} of ${claims.size}`;

/** @param {ClaimsState} state */
function standing(state) {
  const all = state.answers.all();
  const claims = shownClaims(state);
  const { bets, score, streak } = scoreOf(claims, all);
  return html`<p class="claims-standing">
    <span>${testedOf(claims, all).length} of ${claims.length} tested</span>
    ${
      bets
        ? html`<span>streak <strong>${streak}</strong></span>
            <span title="The Brier score punishes a wrong bet by how sure it was: 0 is perfect, 2 the worst"
              >score <strong>${shortValue(score)}</strong></span
            >`
        : nothing
    }
  </p>`;
}
