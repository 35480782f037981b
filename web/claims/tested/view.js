// What a card has measured, and the switches to measure it otherwise.

import { html, nothing } from 'lit-html';
import { isSame } from '../address.js';
import { addStyle } from '../../draw/style.js';
import { found, keptOf } from './found-view.js';
import { createOwnModel } from './own-model.js';
import { switches } from './switches-view.js';
import css from './tested.css';
import { words } from '../words.js';

/**
 * @typedef {import('../cards.js').CardsState} CardsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').CardsActions} CardsActions
 */

/** @param {() => void} update */
export function create(update) {
  addStyle(css);
  const ownModel = createOwnModel(update);
  return (/** @type {CardsState} */ state, /** @type {CardsActions} */ actions) => tested(state, actions, ownModel);
}

/** @param {CardsState} state @param {CardsActions} actions @param {ReturnType<typeof createOwnModel>} ownModel */
function tested(state, actions, ownModel) {
  const { share, result, address, problem, claims, related } = state;
  const claim = claims.get(address.number ?? NaN);
  if (!claim) return nothing;
  const isFresh = result !== null && isSame(claim, result.params, address.params);
  return html`<div class="claims-columns">
    <section class="panel claims-found" aria-labelledby="claims-found" aria-busy=${share !== null}>
      <h4 id="claims-found" tabindex="-1">What is measured</h4>
      ${share !== null ? running(share, actions) : !isFresh && !problem ? waiting(state, claim, actions) : nothing}
      ${found(state, claim, isFresh, actions)} ${ownModel(claim, address.params, actions, related)}
      ${related?.matching ? matchingLink(related.matching) : nothing}
    </section>
    ${switches(state, claim, actions)}
  </div>`;
}

/** @param {number} share @param {CardsActions} actions */
const running = (share, { onCancel }) =>
  html`<p class="claims-running">
    <progress max="1" value=${share} aria-label="Progress of the experiment"></progress>
    <span>${Math.round(100 * share)} %</span>
    <button type="button" @click=${onCancel}>Cancel</button>
  </p>`;

/** @param {CardsState} state @param {ClaimData} claim @param {CardsActions} actions */
function waiting(state, claim, { onRun }) {
  const isKept = keptOf(state, claim) !== null;
  return html`<p class="claims-waiting">
    <button type="button" class="claims-main" @click=${onRun}>${isKept ? 'Run again' : 'Run'}</button>
    <span class="hint">
      ${claim.long ? 'It takes some seconds.' : 'It was not run to its end.'}
      ${isKept ? 'The figure comes with the run.' : nothing}
    </span>
  </p>`;
}

/**
 * The link to the state of another place that shows the same.
 * @param {NonNullable<import('../related.js').Related['matching']>} matching
 */
const matchingLink = ({ place, href, note }) =>
  html`<p class="claims-matching"><a href=${href}>Open in ${place}</a> <span class="hint">${words(note)}</span></p>`;
