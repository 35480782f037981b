// On a card of a class: what the reader says after the discussion.

import { html, nothing } from 'lit-html';
import './style.js';
import { claimOf } from '../state.js';
import { VERDICTS } from '../verdict.js';

export function create() {
  /** @param {import('../state.js').ClaimsState} state @param {import('../view.js').ClaimsActions} actions */
  return (state, { onSecond }) => {
    const claim = claimOf(state);
    if (!claim) return nothing;
    const { second } = state.answers.get(claim.number);
    return html`<fieldset class="claims-second">
      <legend>And after the discussion?</legend>
      ${VERDICTS.map((verdict) => {
        const choice = claim.choices.findIndex((each) => each.verdict === verdict);
        return html`<label
          ><input
            type="radio"
            name="claims-second"
            .checked=${choice === second}
            @change=${() => onSecond(choice)}
          />
          ${verdict}</label
        >`;
      })}
    </fieldset>`;
  };
}
