// The cards of a class, or all in the order of the course, on one printable page: sentence, boxes to tick, space.

import { html, nothing } from 'lit-html';
import { showPicture } from '../pictures/show.js';
import { reasons } from '../reasons.js';
import { shownClaims, shownGroups } from '../state.js';
import { switchesText } from '../switches.js';
import { word } from '../verdict.js';
import './style.js';
import { isChecked } from '../../draw/controls.js';
import { words } from '../words.js';

/** @param {() => void} update draws the page anew */
export function create(update) {
  let found = false;
  let space = true;

  /** @param {import('../state.js').ClaimsState} state @param {import('../view.js').ClaimsActions} actions */
  return (state, { onFigures }) => {
    const { results, figures, address } = state;
    const all = state.answers.all();
    const order = shownClaims(state);
    if (found) onFigures();
    return html`<section class="claims-print" aria-labelledby="claims-print">
      <div class="panel claims-aside">
        <p><a href="#/claims?view=list">All claims</a></p>
        <h3 id="claims-print" tabindex="-1">${address.cards ? 'Cards of your class' : 'All cards'}, to print</h3>
        <div class="claims-options">
          <label
            ><input
              type="checkbox"
              .checked=${space}
              @change=${(/** @type {Event} */ event) => ((space = isChecked(event)), update())}
            />
            Space to write</label
          >
          <label
            ><input
              type="checkbox"
              .checked=${found}
              @change=${(/** @type {Event} */ event) => ((found = isChecked(event)), update())}
            />
            Verdicts and figures of the cards tested here; of long ones run on an earlier visit, the verdict</label
          >
          <button type="button" class="claims-main" @click=${() => print()}>Print</button>
        </div>
        <p class="hint" role="status">${found && figures ? `Computing figures: ${figures} to go` : nothing}</p>
      </div>
      ${shownGroups(state).map(
        ({ title, claims }) => html`<section class="panel">
          <h3>${title}</h3>
          ${claims.map((claim) =>
            sheet(
              claim,
              order.indexOf(claim) + 1,
              found ? all.get(claim.number)?.verdict : null,
              found ? results.get(claim.number) : null,
              space,
            ),
          )}
        </section>`,
      )}
    </section>`;
  };
}

/**
 * @param {import('../worker.js').ClaimData} claim
 * @param {number} place in the course, or among the cards of the class
 * @param {import('../verdict.js').Judged | null | undefined} verdict
 * @param {import('../state.js').Result | null | undefined} result
 * @param {boolean} space
 */
const sheet = (claim, place, verdict, result, space) => html`<article>
  <h4>${place}. ${words(claim.sentence)}</h4>
  <p class="hint">Card ${claim.place}. Said by: ${words(claim.saidBy)}</p>
  <ul>
    ${claim.choices.map(({ label }) => html`<li>${words(label)}</li>`)}
  </ul>
  ${space ? html`<div class="claims-lines" aria-hidden="true"></div>` : nothing}
  ${
    verdict
      ? html`<p>${word(verdict)} ${words(verdict.found)}</p>
    ${reasons(claim)}`
      : nothing
  }
  ${result ? figure(claim, result) : nothing}
</article>`;

/** @param {import('../worker.js').ClaimData} claim @param {import('../state.js').Result} result */
function figure(claim, result) {
  const at = switchesText(claim, result.params);
  return html`${showPicture(claim, result)} ${at ? html`<p class="hint">Figure: ${words(at)}</p>` : nothing}`;
}
