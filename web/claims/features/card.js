// The head of a card: the sentence and its source.

import { html } from 'lit-html';
import { writeAddress } from '../schema.js';
import { shownClaims } from '../state.js';
import { standing } from '../score.js';
import { saidBy, words } from '../wording.js';

/** @type {import('../index.js').Feature} */
export const card = {
  name: 'card',
  slot: 'card',
  view: 'card',
  render({ state, claim }) {
    if (!claim) return null;
    const { cards } = state.address;
    return html`<header>
      <div class="claims-way">
        <a href=${writeAddress({ view: 'list', cards })}>${cards ? 'Cards of your class' : 'All claims'}</a>
        <span class="hint">${placeOf(state, claim)}: ${words(claim.name)}</span>
        ${standing(shownClaims(state), state.answers.all())}
      </div>
      <h3 id="claims-sentence" class="claims-sentence" tabindex="-1">${words(claim.sentence)}</h3>
      ${saidBy(claim)}
      ${(claim.quotes ?? []).map(({ text, from }) => html`<p class="hint">${words(from)}: <q>${words(text)}</q></p>`)}
    </header>`;
  },
};

/**
 * “Card 2 of 28”, “Card 2 of 5 of your class”.
 * @param {import('../state.js').ClaimsState} state @param {import('../worker.js').ClaimData} claim
 */
const placeOf = ({ claims, address: { cards } }, { number, place }) =>
  cards ? `Card ${cards.indexOf(number) + 1} of ${cards.length} of your class` : `Card ${place} of ${claims.size}`;
