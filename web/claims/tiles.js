// All cards as tiles, coloured by what surprised the reader, and the score.

import { html, nothing } from 'lit-html';
import { shortValue } from '../draw/short.js';
import { writeAddress } from './schema.js';
import { scoreOf, surprise, surpriseText, testedOf } from './score.js';
import { shownClaims } from './state.js';
import { spoken } from './words.js';

/** @typedef {import('./state.js').ClaimsState} ClaimsState */

/** @param {ClaimsState} state */
export function tiles(state) {
  const { claims, answers, address } = state;
  const { cards } = address;
  const all = answers.all();
  const tile = (/** @type {import('./worker.js').ClaimData} */ claim) => {
    const answer = all.get(claim.number);
    const value = surprise(claim, answer);
    const said = value === null ? unsaid(answer) : surpriseText(value);
    return html`<li>
      <a
        href=${writeAddress({ number: claim.number, cards })}
        class="claims-tile"
        data-surprise=${value === null ? (answer?.verdict ? 'none' : nothing) : said}
        aria-current=${claim.number === address.number ? 'page' : nothing}
        title="${spoken(claim.name)}: ${said}"
        >${claim.place}<span class="visually-hidden">, ${spoken(claim.name)}: ${said}</span></a
      >
    </li>`;
  };
  return html`<nav class="claims-tiles" aria-label=${cards ? 'Cards of your class' : 'All cards'}>
    <ol>
      ${shownClaims(state).map(tile)}
    </ol>
    <p class="hint">
      The colour shows how much the result surprised you. ${key('as you said')} ${key('unsure')} ${key('a surprise')}
      <a href=${writeAddress({ view: 'list' })}>${cards ? `All ${claims.size}` : 'All claims'}</a>
    </p>
    <p class="hint">
      Score: the mean Brier score of your bets. 0 is perfect, 0.67 is a third for each verdict, 2 is sure and wrong.
    </p>
  </nav>`;
}

/** Why a card has no surprise. @param {import('./answers.js').Answer | undefined} answer */
const unsaid = (answer) =>
  !answer?.verdict ? 'not tested' : answer.predicted === null ? 'tested without a bet' : 'bet without a probability';

/** @param {string} name */
const key = (name) => html`<span class="claims-key"><span data-surprise=${name}></span>${name}</span>`;

/** How the reader's bets fared. @param {ClaimsState} state */
export function standing(state) {
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
