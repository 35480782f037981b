// For a class: the teacher chooses cards and their order, and takes the link, which holds all of it.

import { html, nothing } from 'lit-html';
import css from './class.css';
import { writeAddress } from '../schema.js';
import { words } from '../words.js';
import { createStatus } from '../../draw/status-message.js';
import { addStyle } from '../../draw/style.js';
import { copyText } from '../../export/file.js';

/** @param {() => void} update draws the page again */
export function create(update) {
  addStyle(css);
  const status = createStatus(update);
  let link = ''; // to be copied by hand, where there is no clipboard

  /** @param {string} address */
  async function copy(address) {
    link = (await copyText(address)) ? '' : address;
    status.show(link ? '' : 'Link copied.');
  }

  /** @param {import('../state.js').ClaimsState} state @param {import('../view.js').ClaimsActions} actions */
  return ({ groups, address: { cards = [] } }, { onCards }) => {
    const chosen = cards.length ? cards : undefined;
    const href = writeAddress({ cards: chosen });
    const first = cards[0] ?? groups[0]?.claims[0]?.number ?? null;
    const of = (/** @type {import('../schema.js').View} */ view) =>
      writeAddress({ view, cards: chosen, number: view === 'projector' ? first : null });
    const toggle = (/** @type {number} */ number) => {
      link = '';
      onCards(cards.includes(number) ? cards.filter((each) => each !== number) : [...cards, number]);
    };
    return html`<section class="panel claims-class" aria-labelledby="claims-class">
      <p><a href="#/claims?view=list">All claims</a></p>
      <h3 id="claims-class" tabindex="-1">For a class</h3>
      <p class="hint">Choose cards in the order of your lesson. The link shows your class these cards only.</p>
      <div class="claims-class-bar">
        <button
          type="button"
          class="claims-main"
          ?disabled=${!cards.length}
          @click=${() => copy(new URL(href, location.href).href)}
        >
          Copy link
        </button>
        ${cards.length ? html`<button type="button" @click=${() => onCards([])}>Clear</button>` : nothing}
        <span class="hint" role="status">${status.message() || chosenText(cards)}</span>
        <span class="claims-class-links">
          ${cards.length ? html`<a href=${href}>Open the cards</a>` : nothing}
          <a href=${of('projector')}>Projector</a>
        </span>
      </div>
      ${
        link
          ? html`<label class="claims-link"
              >The link <input readonly .value=${link} @focus=${(/** @type {any} */ { target }) => target.select()}
            /></label>`
          : nothing
      }
      ${groups.map(
        ({ title, claims }) => html`<fieldset>
          <legend>${title}</legend>
          ${claims.map(({ number, sentence, long }) => {
            const at = cards.indexOf(number);
            return html`<label class="claims-class-card">
              <input type="checkbox" .checked=${at >= 0} @change=${() => toggle(number)} />
              <span class="claims-class-place">${at >= 0 ? `${at + 1}.` : ''}</span>
              <span>${words(sentence)} <span class="hint">card ${number}${long ? ', takes seconds' : ''}</span></span>
            </label>`;
          })}
        </fieldset>`,
      )}
    </section>`;
  };
}

/** @param {readonly number[]} cards */
const chosenText = ({ length }) =>
  length ? `${length} ${length === 1 ? 'card' : 'cards'} chosen` : 'No card is chosen yet.';
