// One card: the sentence, the reader's prediction; what is measured is fetched with the first card.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { writeAddress } from './address.js';
import { switchesText } from './switches.js';
import { spoken, words } from './words.js';

/**
 * @typedef {import('./state.js').ClaimsState} ClaimsState
 * @typedef {import('./worker.js').ClaimData} ClaimData
 * @typedef {import('./view.js').ClaimsActions} ClaimsActions
 */

/**
 * @param {ClaimsState} state @param {ClaimData} claim @param {ClaimsActions} actions
 * @param {ReturnType<typeof import('./late.js').createLate>} late
 */
export function card(state, claim, actions, late) {
  const { revealed } = state;
  late.fetch('tested');
  return html`<article class="claims-card" aria-labelledby="claims-sentence">
    ${neighbours(state, claim)}
    <header>
      <h3 id="claims-sentence" class="claims-sentence" tabindex="-1">${words(claim.sentence)}</h3>
      <p class="hint">${claim.source}</p>
      ${quotes(claim)}
    </header>
    ${revealed ? late.draw('tested', state, actions) : question(state, claim, actions)}
  </article>`;
}

/** By its words a reader of the texts knows it again. @param {ClaimData} claim */
const quotes = ({ quotes: all = [] }) =>
  all.length
    ? html`<p class="hint">
        As the texts put it: ${all.map((quote, i) => html`${i ? ' · ' : ''}<q>${words(quote)}</q>`)}
      </p>`
    : nothing;

/** The way to other cards. @param {ClaimsState} state @param {ClaimData} claim */
function neighbours({ groups, claims, address }, { number }) {
  const { predict } = address;
  const order = [...claims.keys()];
  const at = order.indexOf(number);
  const group = groups.find((each) => each.claims.some((one) => one.number === number));
  const link = (/** @type {number} */ to, /** @type {string} */ text, /** @type {string} */ rel) => {
    const other = claims.get(order[to]);
    if (!other) return nothing;
    const href = writeAddress({ number: other.number, predict });
    return html`<a rel=${rel} href=${href} title=${spoken(other.name)}>${text}</a>`;
  };
  return html`<nav class="claims-way" aria-label="Cards">
    <a href="#/claims">All claims</a>
    <span class="hint">${group?.title}, ${at + 1} of ${order.length}</span>
    <span class="claims-turn">${link(at - 1, '← Previous', 'prev')} ${link(at + 1, 'Next →', 'next')}</span>
  </nav>`;
}

/** @param {ClaimsState} state @param {ClaimData} claim @param {ClaimsActions} actions */
function question({ choice, address }, claim, { onChoice, onPredict, onReveal }) {
  const at = switchesText(claim, address.params);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onPredict();
  };
  return html`<form class="panel claims-question" @submit=${submit}>
    <fieldset>
      <legend tabindex="-1">What do you expect${at ? words(` (${at})`) : ''}?</legend>
      ${claim.choices.map(
        ({ label }, i) => html`<label class="claims-choice">
          <input
            type="radio"
            name="claims-choice"
            .checked=${live(choice === i)}
            @change=${() => onChoice(i)}
          />
          <span>${words(label)}</span>
        </label>`,
      )}
    </fieldset>
    <div class="buttons">
      <button type="submit" class="claims-main" ?disabled=${choice === null}>Test it</button>
      <button type="button" @click=${onReveal}>Show without predicting</button>
    </div>
  </form>`;
}
