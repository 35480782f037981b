// What a reader takes along from a card: its code, its link, the link for a class.

import { html, nothing } from 'lit-html';
import { writeAddress } from '../schema.js';
import { shownClaims } from '../state.js';
import { codeOf } from './code.js';
import css from './share.css';
import { createStatus } from '../../draw/status-message.js';
import { addStyle } from '../../draw/style.js';
import { copyText, saveFile } from '../../export/file.js';
import { words } from '../words.js';

/** @param {() => void} update draws the page again */
export function create(update) {
  addStyle(css);
  const status = createStatus(update);
  let link = ''; // to be copied by hand, where there is no clipboard

  /** @param {string} address */
  async function copyLink(address) {
    link = (await copyText(address)) ? '' : address;
    status.show(link ? '' : 'Link copied.');
  }

  /** @param {number} number @param {string} code */
  async function copyCode(number, code) {
    const isCopied = await copyText(code);
    if (!isCopied) saveFile(`claim-${number}.mjs`, code);
    status.show(isCopied ? 'Code copied.' : 'No clipboard here: the code is saved as a file.');
  }

  /** @param {import('../state.js').ClaimsState} state */
  return (state) => {
    const { claims } = state;
    const { number, params, cards } = state.address;
    const claim = claims.get(number ?? NaN);
    if (!claim || number === null) return nothing;
    /** @param {boolean} predict */
    const linkOf = (predict) => new URL(writeAddress({ number, params, predict, cards }, claim), location.href).href;
    return html`<footer class="claims-share">
      ${next(state, claim)}
      <div class="buttons">
        <button type="button" @click=${() => copyCode(number, codeOf(claim, params))}>Copy as code</button>
        <button type="button" @click=${() => copyLink(linkOf(false))}>Copy link</button>
        <button
          type="button"
          title="Whoever opens it sees nothing measured before a bet"
          @click=${() => copyLink(linkOf(true))}
        >
          Copy link that asks first
        </button>
        <a href=${writeAddress({ view: 'projector', number, params, cards }, claim)}>Projector</a>
      </div>
      <p class="hint" role="status">${status.message()}</p>
      ${
        link
          ? html`<label class="claims-link"
              >The link <input readonly .value=${link} @focus=${(/** @type {any} */ { target }) => target.select()}
            /></label>`
          : nothing
      }
    </footer>`;
  };
}

/**
 * Where to go next, once the verdict was seen.
 * @param {import('../state.js').ClaimsState} state @param {import('../worker.js').ClaimData} claim
 */
function next(state, claim) {
  const { revealed, result, answers, address } = state;
  const { predict, cards } = address;
  if (!revealed || !(result ?? answers.get(claim.number).verdict)) return nothing;
  const order = shownClaims(state);
  const to = order[order.indexOf(claim) + 1];
  return to
    ? html`<a class="claims-next" href=${writeAddress({ number: to.number, predict, cards })}
        ><strong>Next claim</strong> ${words(to.sentence)}</a
      >`
    : html`<a class="claims-next" href=${writeAddress({ view: 'list', cards })}
        ><strong>That was the last claim</strong> All claims, with what you found</a
      >`;
}
