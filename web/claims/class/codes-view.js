// The bets of a class: the teacher pastes the students' codes and sees each card's votes, before and after.

import { html, nothing } from 'lit-html';
import './style.js';
import { readCodes } from './code.js';
import { histogram } from './votes.js';
import { writeAddress } from '../address.js';
import { shownClaims } from '../state.js';
import { VERDICTS } from '../verdict.js';
import { words } from '../words.js';
import { valueOf } from '../../draw/controls.js';

const MOST_CHARACTERS = 100_000;

/** @param {() => void} update draws the page anew */
export function create(update) {
  let text = ''; // kept nowhere else

  /** @param {import('../state.js').ClaimsState} state */
  return (state) => {
    const claims = shownClaims(state);
    const { cards } = state.address;
    const { read, refused } = readCodes(
      text,
      claims.map(({ number }) => number),
    );
    const onText = (/** @type {Event} */ event) => ((text = valueOf(event)), update());
    return html`<section class="panel claims-class" aria-labelledby="claims-codes">
      <p><a href=${writeAddress({ view: 'class', cards })}>For a class</a></p>
      <h3 id="claims-codes" tabindex="-1">Bets of your class</h3>
      <label class="claims-codes"
        >${cards ? `Codes for your ${cards.length} cards` : `Codes for all ${claims.length} cards`}, one a line; a name
        before it, if you like
        <textarea
          rows="6"
          maxlength=${MOST_CHARACTERS}
          spellcheck="false"
          autocomplete="off"
          .value=${text}
          @input=${onText}
        ></textarea>
      </label>
      <p class="hint">Names and codes stay in this page: nothing is sent or kept.</p>
      <p role="status">
        ${text.trim() ? `${read.length} read${refused.length ? `, ${refused.length} refused` : ''}` : ''}
      </p>
      ${
        refused.length
          ? html`<ul class="claims-refused">
              ${refused.map(
                ({ line, text: what, problem }) => html`<li>Line ${line}, “<bdi>${what}</bdi>”: ${problem}.</li>`,
              )}
            </ul>`
          : nothing
      }
      ${read.length ? claims.map((claim) => votesOn(claim, read, state.answers.get(claim.number).verdict)) : nothing}
    </section>`;
  };
}

/**
 * @param {import('../worker.js').ClaimData} claim @param {ReturnType<typeof readCodes>['read']} read
 * @param {import('../verdict.js').Judged | null} found in this browser
 */
function votesOn({ number, place, sentence }, read, found) {
  const bets = read.flatMap((all) => all.get(number) ?? []);
  const count = (/** @type {'before' | 'after'} */ when) =>
    VERDICTS.map((_, v) => bets.filter((bet) => bet[when] === v).length);
  const sure = bets.flatMap((bet) => bet.sure ?? []);
  const mean = sure.reduce((sum, each) => sum + each, 0) / sure.length;
  return html`<article>
    <h4>Card ${place}: ${words(sentence)}</h4>
    ${
      sure.length
        ? html`<p class="hint">${sure.length} of ${read.length} bet, on average ${Math.round(mean)} % sure.</p>`
        : html`<p class="hint">Nobody bet.</p>`
    }
    ${histogram(count('before'), count('after'), found?.verdict)}
  </article>`;
}
