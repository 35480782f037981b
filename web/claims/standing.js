// Summarizes the reader's bets.

import { html, nothing } from 'lit-html';
import { shortValue } from '../draw/short.js';
import { scoreOf, testedOf } from './score.js';

/**
 * @param {readonly import('./worker.js').ClaimData[]} claims
 * @param {ReadonlyMap<number, import('./kept-answers.js').Answer>} answers
 */
export function standing(claims, answers) {
  const { bets, score, streak } = scoreOf(claims, answers);
  return html`<p class="claims-standing">
    <span>${testedOf(claims, answers).length} of ${claims.length} tested</span>
    ${
      bets
        ? html`<span>streak <strong>${streak}</strong></span>
            <span title="The mean Brier score punishes a wrong bet by how sure it was: 0 is perfect, 2 the worst"
              >score <strong>${shortValue(score)}</strong></span
            >`
        : nothing
    }
  </p>`;
}
