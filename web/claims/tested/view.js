// What a card has measured, and the switches to measure it otherwise.

import { html, nothing } from 'lit-html';
import { addStyle } from '../../draw/style.js';
import { found, keptOf } from './found-view.js';
import { createOwnModel } from './own-model.js';
import { showPicture } from '../pictures/show.js';
import { guessedOf } from '../guess.js';
import { progressBar } from '../progress.js';
import { valueOf } from '../schema.js';
import { switches } from './switches-view.js';
import css from './tested.css';
import { claimOf, isFresh } from '../state.js';
import { words } from '../words.js';

/**
 * @typedef {import('../state.js').ClaimsState} ClaimsState
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').ClaimsActions} ClaimsActions
 */

/** @param {() => void} update */
export function create(update) {
  addStyle(css);
  const ownModel = createOwnModel(update);
  return (/** @type {ClaimsState} */ state, /** @type {ClaimsActions} */ actions) => tested(state, actions, ownModel);
}

/** @param {ClaimsState} state @param {ClaimsActions} actions @param {ReturnType<typeof createOwnModel>} ownModel */
function tested(state, actions, ownModel) {
  const { progress, soFar, address, problem, related } = state;
  const claim = claimOf(state);
  if (!claim) return nothing;
  const answer = state.answers.get(claim.number);
  return html`<div class="claims-columns">
    <section class="panel claims-found" aria-labelledby="claims-found" aria-busy=${progress !== null}>
      <h4 id="claims-found" tabindex="-1">What is measured</h4>
      ${progress !== null ? running(state, claim, progress, actions) : nothing}
      ${progress === null && !isFresh(state) && !problem ? waiting(state, claim, actions) : nothing}
      ${soFar ? showPicture(claim, soFar, guessedOf(claim, answer.guess, soFar)) : found(state, claim, actions)}
      ${ownModel(claim, address.params, actions, related)}
      ${related?.matching ? matchingLink(related.matching) : nothing}
    </section>
    ${switches(state, claim, actions)}
  </div>`;
}

/**
 * @param {ClaimsState} state @param {ClaimData} claim @param {number} progress
 * @param {ClaimsActions} actions
 */
const running = ({ address, soFar }, claim, progress, { onCancel }) =>
  html`<p class="claims-running">
    ${progressBar(progress, 'Progress of the experiment')}
    ${
      claim.seeded
        ? html`<span>${soFar?.params.seeds ?? 0} of ${valueOf(claim, address.params, 'seeds')} seeds</span>`
        : nothing
    }
    <button type="button" @click=${onCancel}>Cancel</button>
  </p>`;

/** @param {ClaimsState} state @param {ClaimData} claim @param {ClaimsActions} actions */
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
