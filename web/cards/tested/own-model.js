// From a card to its own model in Explore: trained anew, with progress, and given up where the reader goes elsewhere.

import { html, nothing } from 'lit-html';
import { valueOf, writeAddress } from '../address.js';

/**
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').CardsActions} CardsActions
 */

/** Where the models of claims open that train some of their own. @type {Record<number, string>} */
const WHERE = {
  13: 'at the neuron that its facts need most',
  14: 'at the place that its first head attends to',
  18: 'at a cell that the causal mask hides',
  19: 'at the digit that the first one said comes from',
};

/** @param {() => void} update */
export function createOwnModel(update) {
  /** @type {{key: string, share: number, controller: AbortController} | null} */
  let running = null;
  let problem = { key: '', text: '' };

  function stop() {
    running?.controller.abort();
    running = null;
  }

  /** @param {ClaimData} claim @param {import('../address.js').Params} params @param {CardsActions} actions */
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
      const [{ exploredModel }, model] = await Promise.all([
        import('../model/explored.js'),
        onModel({ number: claim.number, params, signal, onProgress }),
      ]);
      if (own === running) await onExplore(exploredModel(claim, params, model));
    } catch (error) {
      if (own === running) problem = { key, text: /** @type {Error} */ (error).message };
    }
    if (own !== running) return;
    running = null;
    update();
  }

  /** @param {ClaimData} claim @param {import('../address.js').Params} params @param {CardsActions} actions */
  return (claim, params, actions) => {
    const key = writeAddress({ number: claim.number, params }, claim);
    if (running && running.key !== key) stop();
    if (!WHERE[claim.number]) return nothing;
    // One button, so that it keeps the focus.
    return html`<p class="claims-model">
        <button
          type="button"
          @click=${() => (running ? (stop(), update()) : open(claim, params, actions))}
          >${running ? 'Cancel' : 'Open its model in Explore'}</button
        >
        ${
          running
            ? html`<progress max="1" value=${running.share} aria-label="Training the card’s model"></progress>
                <span>${Math.round(100 * running.share)} %</span>`
            : html`<span class="hint"
                >the model of seed ${valueOf(claim, params, 'seed')}, trained anew, ${WHERE[claim.number]}</span
              >`
        }
      </p>
      <p class="error" role="alert" ?hidden=${problem.key !== key || !problem.text}
        >The model could not be opened in Explore: ${problem.text}</p
      >`;
  };
}
