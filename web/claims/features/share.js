// Shares a card: its code, its link, the link for a class.

import { html } from 'lit-html';
import { copyText, saveFile } from '../../export/file.js';
import { writeAddress } from '../schema.js';
import { codeOf } from '../code.js';
import { NONE_COPIED, copyLink, linkField, say } from '../copy-link.js';
import style from './share.css';

/** @typedef {import('../worker.js').ClaimData} ClaimData */

/** @type {import('../index.js').Feature} */
export const share = {
  name: 'share',
  slot: 'below',
  view: 'card',
  style,
  local: NONE_COPIED,
  render({ state, claim, local }, { local: remember }) {
    if (!claim) return null;
    const { number } = claim;
    const { params, cards } = state.address;
    /** @param {boolean} predict */
    const copy = (predict) => {
      const address = writeAddress({ number, params, predict, cards }, claim);
      return copyLink(new URL(address, location.href).href, remember);
    };
    return html`<details class="claims-fold claims-share">
      <summary>Share, projector</summary>
      <div class="buttons">
        <button type="button" @click=${() => copyCode(number, codeOf(claim, params), remember)}>Copy as code</button>
        <button type="button" @click=${() => copy(false)}>Copy link</button>
        <button
          type="button"
          title="Whoever opens it sees nothing measured before a bet"
          @click=${() => copy(true)}
        >
          Copy link that asks first
        </button>
        <a href=${writeAddress({ view: 'projector', number, params, cards }, claim)}>Projector</a>
      </div>
      <p class="hint" role="status">${local.said}</p>
      ${linkField(local)}
    </details>`;
  },
};

/** @param {number} number @param {string} code @param {import('../copy-link.js').Remember} remember */
async function copyCode(number, code, remember) {
  const isCopied = await copyText(code);
  if (!isCopied) saveFile(`claim-${number}.mjs`, code);
  say(isCopied ? 'Code copied.' : 'No clipboard here: the code is saved as a file.', remember);
}
