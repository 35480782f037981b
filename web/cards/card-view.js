// One card: the sentence, the reader's prediction, what is measured, the verdict, the switches.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { isSame, writeAddress } from './address.js';
import { found } from './found-view.js';
import { matchingLink } from './matching-view.js';
import { switches, switchesText } from './switches-view.js';
import { words } from './words.js';

/**
 * @typedef {import('./cards.js').CardsState} CardsState
 * @typedef {import('./worker.js').ClaimData} ClaimData
 * @typedef {import('./view.js').CardsActions} CardsActions
 */

/** @param {CardsState} state @param {ClaimData} claim @param {CardsActions} actions */
export function card(state, claim, actions) {
  const { revealed } = state;
  return html`<article class="claims-card" aria-labelledby="claims-sentence">
    ${neighbours(state, claim)}
    <header>
      <h3 id="claims-sentence" class="claims-sentence" tabindex="-1">${words(claim.sentence)}</h3>
      <p class="hint">${claim.source}</p>
      ${quotes(claim)}
    </header>
    ${revealed ? tested(state, claim, actions) : question(state, claim, actions)}
  </article>`;
}

/** By its words a reader of the texts knows it again. @param {ClaimData} claim */
const quotes = ({ quotes: all = [] }) =>
  all.length
    ? html`<p class="hint">
        As the texts put it: ${all.map((quote, i) => html`${i ? ' · ' : ''}<q>${words(quote)}</q>`)}
      </p>`
    : nothing;

/** The way to other cards. @param {CardsState} state @param {ClaimData} claim */
function neighbours({ groups, claims, address }, { number }) {
  const { predict } = address;
  const order = [...claims.keys()];
  const at = order.indexOf(number);
  const group = groups.find((each) => each.claims.some((one) => one.number === number));
  const link = (/** @type {number} */ to, /** @type {string} */ text, /** @type {string} */ rel) =>
    to in order
      ? html`<a rel=${rel} href=${writeAddress({ number: order[to], predict })} title=${claims.get(order[to])?.name}
          >${text}</a
        >`
      : nothing;
  return html`<nav class="claims-way" aria-label="Cards">
    <a href="#/claims">All claims</a>
    <span class="hint">${group?.title}, ${at + 1} of ${order.length}</span>
    <span class="claims-turn">${link(at - 1, '← Previous', 'prev')} ${link(at + 1, 'Next →', 'next')}</span>
  </nav>`;
}

/** @param {CardsState} state @param {ClaimData} claim @param {CardsActions} actions */
function question({ choice, address }, claim, { onChoice, onPredict, onReveal }) {
  const at = switchesText(claim, address.params);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    onPredict();
  };
  return html`<form class="panel claims-question" @submit=${submit}>
    <fieldset>
      <legend tabindex="-1">What do you expect${at ? ` (${at})` : ''}?</legend>
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

/** @param {CardsState} state @param {ClaimData} claim @param {CardsActions} actions */
function tested(state, claim, actions) {
  const { share, result, address, problem } = state;
  const isFresh = result !== null && isSame(claim, result.params, address.params);
  return html`<div class="claims-columns">
    <section class="panel claims-found" aria-labelledby="claims-found" aria-busy=${share !== null}>
      <h4 id="claims-found" tabindex="-1">What is measured</h4>
      ${
        share !== null
          ? html`<p class="claims-running">
              <progress max="1" value=${share} aria-label="Progress of the experiment"></progress>
              <span>${Math.round(100 * share)} %</span>
              <button type="button" @click=${actions.onCancel}>Cancel</button>
            </p>`
          : !isFresh && !problem
            ? html`<p class="claims-waiting">
                <button type="button" class="claims-main" @click=${actions.onRun}>Run</button>
                <span class="hint">${claim.long ? 'It takes some seconds.' : 'It was not run to its end.'}</span>
              </p>`
            : nothing
      }
      ${found(state, claim, isFresh, actions)} ${matchingLink(claim, address.params)}
    </section>
    ${switches(state, claim, actions)}
  </div>`;
}
