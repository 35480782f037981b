// All cards as tiles, coloured by what surprised the reader, and what the score means.

import { html, nothing } from 'lit-html';
import { writeAddress } from '../schema.js';
import { surprise, surpriseText } from '../score.js';
import { shownClaims } from '../state.js';
import { spoken } from '../words.js';
import style from './score.css';

/** @type {import('../index.js').Feature} */
export const score = {
  name: 'score',
  slot: 'below',
  view: 'card',
  style,
  render({ state, claim: here }) {
    const { claims, answers, address } = state;
    const { cards } = address;
    const all = answers.all();
    /** @param {import('../worker.js').ClaimData} claim */
    const tile = (claim) => {
      const answer = all.get(claim.number);
      const value = surprise(claim, answer);
      const said = value === null ? unsaid(answer) : surpriseText(value);
      return html`<li>
        <a
          href=${writeAddress({ number: claim.number, cards })}
          class="claims-tile"
          data-surprise=${value === null ? (answer?.verdict ? 'none' : nothing) : said}
          aria-current=${claim === here ? 'page' : nothing}
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
  },
};

/** Why a card has no surprise. @param {import('../answers.js').Answer | undefined} answer */
const unsaid = (answer) =>
  !answer?.verdict ? 'not tested' : answer.predicted === null ? 'tested without a bet' : 'bet without a probability';

/** @param {string} name */
const key = (name) => html`<span class="claims-key"><span data-surprise=${name}></span>${name}</span>`;
