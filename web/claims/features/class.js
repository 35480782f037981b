// For a class: the teacher chooses cards and their order, and takes the link, which holds all of it.

import { html, nothing } from 'lit-html';
import { writeAddress } from '../schema.js';
import { NONE_COPIED, copyLink, linkField } from '../copy-link.js';
import { words } from '../wording.js';
import style from './class.css';

/** @type {import('../index.js').Feature} */
export const forClass = {
  name: 'class',
  slot: 'top',
  view: 'class',
  style,
  local: NONE_COPIED,
  render({ state, local }, { set, write, local: remember }) {
    const { groups, address } = state;
    const { cards = [] } = address;
    const chosen = cards.length ? cards : undefined;
    const href = writeAddress({ cards: chosen });
    const first = cards[0] ?? groups[0]?.claims[0]?.number ?? null;
    /** @param {readonly number[]} next */
    const choose = (next) => {
      set({ address: { ...address, cards: next.length ? next : undefined } });
      write();
    };
    /** @param {number} number */
    const toggle = (number) => {
      remember({ link: '' });
      choose(cards.includes(number) ? cards.filter((each) => each !== number) : [...cards, number]);
    };
    return html`<section class="panel claims-class" aria-labelledby="claims-class">
      <p><a href="#/claims?view=list">All claims</a></p>
      <h3 id="claims-class" tabindex="-1">For a class</h3>
      <p class="hint">Choose cards in the order of your lesson. The link shows your class these cards only.</p>
      <div class="claims-class-bar">
        <button
          type="button"
          class="claims-main"
          ?disabled=${!chosen}
          @click=${() => copyLink(new URL(href, location.href).href, remember)}
        >
          Copy link
        </button>
        ${chosen ? html`<button type="button" @click=${() => choose([])}>Clear</button>` : nothing}
        <span class="hint" role="status">${local.said || chosenText(cards)}</span>
        <span class="claims-class-links">
          ${chosen ? html`<a href=${href}>Open the cards</a>` : nothing}
          <a href=${writeAddress({ view: 'projector', cards: chosen, number: first })}>Projector</a>
        </span>
      </div>
      ${linkField(local)}
      ${groups.map(
        ({ title, claims }) => html`<fieldset>
          <legend>${title}</legend>
          ${claims.map(({ number, place, sentence, long }) => {
            const at = cards.indexOf(number);
            return html`<label class="claims-class-card">
              <input type="checkbox" .checked=${at >= 0} @change=${() => toggle(number)} />
              <span class="claims-class-place">${at >= 0 ? `${at + 1}.` : ''}</span>
              <span>${words(sentence)} <span class="hint">card ${place}${long ? ', takes seconds' : ''}</span></span>
            </label>`;
          })}
        </fieldset>`,
      )}
    </section>`;
  },
};

/** @param {readonly number[]} cards */
const chosenText = ({ length }) =>
  length ? `${length} ${length === 1 ? 'card' : 'cards'} chosen` : 'No card is chosen yet.';
