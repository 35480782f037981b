// From a card to its own model in Explore: with progress, and given up where the reader goes elsewhere.

import { html, nothing } from 'lit-html';
import { writeAddress } from '../schema.js';
import { progressBar } from '../progress.js';
import { inWords } from '../../shared/in-words.js';

/**
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').ClaimsActions} ClaimsActions
 */

/** @param {() => void} update */
export function createOwnModel(update) {
  /** @type {{key: string, share: number, controller: AbortController} | null} */
  let running = null;
  let problem = { key: '', text: '' };

  function stop() {
    running?.controller.abort();
    running = null;
  }

  /** @param {ClaimData} claim @param {import('../schema.js').Params} params @param {ClaimsActions} actions */
  async function open(claim, params, { onModel, onExplore }) {
    const key = writeAddress({ number: claim.number, params }, claim);
    const own = (running = { key, share: 0, controller: new AbortController() });
    const { signal } = own.controller;
    problem = { key, text: '' };
    addEventListener('hashchange', () => own === running && stop(), { once: true });
    update();
    const onProgress = (/** @type {number} */ share) => {
      own.share = share;
      if (own === running) update();
    };
    try {
      const model = await onModel({ number: claim.number, params, signal, onProgress });
      if (own === running) await onExplore(model);
    } catch (error) {
      if (own === running) problem = { key, text: inWords(error) };
    }
    if (own !== running) return;
    running = null;
    update();
  }

  /**
   * @param {ClaimData} claim @param {import('../schema.js').Params} params @param {ClaimsActions} actions
   * @param {import('../related.js').Related | null} related
   */
  return (claim, params, actions, related) => {
    const key = writeAddress({ number: claim.number, params }, claim);
    if (running && running.key !== key) stop();
    if (!related?.ownModel) return nothing;
    // One button, so that it keeps the focus.
    return html`<p class="claims-model">
        <button
          type="button"
          @click=${() => (running ? (stop(), update()) : open(claim, params, actions))}
          >${running ? 'Cancel' : 'Open its model in Explore'}</button
        >
        ${
          running
            ? progressBar(running.share, 'Training the card’s model')
            : html`<span class="hint">${related.ownModel.hint}</span>`
        }
      </p>
      <p class="error" role="alert" ?hidden=${problem.key !== key || !problem.text}
        >The model could not be opened in Explore: ${problem.text}</p
      >`;
  };
}
