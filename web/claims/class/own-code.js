// The reader's bets as a code, for the teacher.

import { html, nothing } from 'lit-html';
import { betsOf, writeCode } from './code.js';
import { shownClaims } from '../state.js';
import { copyText } from '../../export/file.js';

/**
 * @param {import('../state.js').ClaimsState} state
 * @param {(text: string) => void} say
 */
export function ownCode(state, say) {
  const claims = shownClaims(state);
  const bets = betsOf(claims, state.answers.all());
  const count = [...bets.values()].filter(({ before, sure }) => before !== null && sure !== null).length;
  if (!count) return nothing;
  const code = writeCode([...bets.keys()], bets);
  const copy = async () => say((await copyText(code)) ? 'Code copied.' : 'No clipboard here: select the code.');
  return html`<section class="claims-code claims-aside" aria-labelledby="claims-code">
    <h4 id="claims-code">Your bets as a code</h4>
    <p><code>${code}</code> <button type="button" @click=${copy}>Copy code</button></p>
    <p class="hint">
      ${count} of ${claims.length} bets, each with how sure you were, to the nearest 10 %, and your answer after the
      discussion. The code has no name in it, and the page sends it nowhere.
    </p>
  </section>`;
}
