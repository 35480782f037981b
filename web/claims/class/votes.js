// The votes of a class on a card, before and after it was discussed, as bars.

import { html, nothing } from 'lit-html';
import css from './votes.css';
import { MARKS, VERDICTS } from '../verdict.js';
import { bar } from '../../draw/bar.js';
import { addStyle } from '../../draw/style.js';

addStyle(css);

/** How many are for each verdict, in the order of `VERDICTS`. @typedef {readonly number[]} Votes */

/** What a class shows with hands or cards. */
export const LETTERS = ['A', 'B', 'C'];

/** @param {Votes} votes */
export const total = (votes) => votes.reduce((sum, count) => sum + count, 0);

/**
 * A row for each verdict; nothing without votes.
 * @param {Votes} before @param {Votes} after @param {import('../verdict.js').Verdict} [came] what was measured
 */
export function histogram(before, after, came) {
  const lists = [
    { name: 'before', votes: before },
    { name: 'after', votes: after },
  ].filter(({ votes }) => total(votes) > 0);
  if (!lists.length) return nothing;
  return html`<table class="claims-votes">
    <caption class="visually-hidden">
      Votes of the class
    </caption>
    ${VERDICTS.map(
      (verdict, v) => html`<tbody>
        ${lists.map(
          ({ name, votes }, l) => html`<tr data-votes=${name}>
            ${
              l
                ? nothing
                : html`<th scope="rowgroup" rowspan=${lists.length}>
                    ${LETTERS[v]} ${verdict}${came === verdict ? html` <span>${MARKS.true}</span>` : nothing}
                  </th>`
            }
            <td>${name}</td>
            <td class="claims-votes-bar">${bar(votes[v] / total(votes))}</td>
            <td>${votes[v]} <span class="hint">${Math.round((100 * votes[v]) / total(votes))} %</span></td>
          </tr>`,
        )}
      </tbody>`,
    )}
  </table>`;
}
