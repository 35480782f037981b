// The votes of a class, by card, and as bars. A reload keeps them; closing the tab forgets them.

import { html, nothing } from 'lit-html';
import { MARKS, VERDICTS } from '../verdict.js';
import { bar } from '../../draw/bar.js';

/** How many are for each verdict, in the order of `VERDICTS`. @typedef {readonly number[]} Votes */

const NAME = 'glassformer-votes';
const NONE = VERDICTS.map(() => 0);

/** What a class shows with hands or cards. */
export const LETTERS = ['A', 'B', 'C'];

/** @param {Votes} votes */
export const total = (votes) => votes.reduce((sum, count) => sum + count, 0);

/** @param {unknown} votes */
const isVotes = (votes) =>
  Array.isArray(votes) && votes.length === 3 && votes.every((count) => Number.isInteger(count) && count >= 0);

/** @returns {Map<number, Votes>} */
function read() {
  try {
    const list = JSON.parse(sessionStorage.getItem(NAME) ?? '[]');
    return new Map(list.filter((/** @type {any} */ [, votes]) => isVotes(votes)));
  } catch {
    return new Map();
  }
}

export function createVotes() {
  const all = read();
  return {
    /** @param {number} number of a card */
    get: (number) => all.get(number) ?? NONE,

    /** @param {number} number @param {Votes} votes */
    set(number, votes) {
      all.set(number, votes);
      try {
        sessionStorage.setItem(NAME, JSON.stringify([...all]));
      } catch {
        // refused: they last as long as the page
      }
    },
  };
}

/**
 * A row for each verdict; nothing without votes.
 * @param {Votes} votes @param {import('../verdict.js').Verdict} [came] what was measured
 */
export const histogram = (votes, came) =>
  total(votes)
    ? html`<table class="claims-votes">
        <caption class="visually-hidden">
          Votes of the class
        </caption>
        ${VERDICTS.map(
          (verdict, v) => html`<tr>
            <th scope="row">
              ${LETTERS[v]} ${verdict}${came === verdict ? html` <span>${MARKS.true}</span>` : nothing}
            </th>
            <td class="claims-votes-bar">${bar(votes[v] / total(votes))}</td>
            <td>${votes[v]} <span class="hint">${Math.round((100 * votes[v]) / total(votes))} %</span></td>
          </tr>`,
        )}
      </table>`
    : nothing;
