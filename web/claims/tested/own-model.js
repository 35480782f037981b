// From a card to its own model in Explore: trained anew, with progress, and given up where the reader goes elsewhere.

import { html, nothing } from 'lit-html';
import { valueOf, writeAddress } from '../address.js';

/**
 * @typedef {import('../worker.js').ClaimData} ClaimData
 * @typedef {import('../view.js').CardsActions} CardsActions
 */

/**
 * Where the models of claims open, trained by the claim, or made of its vectors and weights.
 * @type {Record<number, {trained?: boolean, where: string, unless?: [name: string, value: string]}>}
 */
const OPENS = {
  1: { where: 'one query at its largest weight' },
  5: { trained: true, where: 'at the last token’s weight on [BOS]' },
  6: { trained: true, where: 'at the digit that the first place should say' },
  8: { where: 'its network at x = 3' },
  11: { trained: true, where: 'the two heads that say XOR', unless: ['weights', 'frozen'] },
  12: { where: 'the sublayer at the row that is changed' },
  13: { trained: true, where: 'at the neuron that its facts need most' },
  14: { trained: true, where: 'at the place that its first head attends to' },
  15: { where: 'the layer at the largest weight of its first row' },
  16: { trained: true, where: 'at its residual stream' },
  18: { trained: true, where: 'at a cell that the causal mask hides' },
  19: { trained: true, where: 'at the digit that the first one said comes from' },
  21: { where: 'the weights at the row for which others differ most' },
  23: { where: 'the weight of the match among 16 keys' },
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
    const opens = OPENS[claim.number];
    if (!opens) return nothing;
    const [name, value] = opens.unless ?? [];
    if (name && valueOf(claim, params, name) === value) return nothing;
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
                >${
                  opens.trained ? `the model of seed ${valueOf(claim, params, 'seed')}, trained anew, ` : ''
                }${opens.where}</span
              >`
        }
      </p>
      <p class="error" role="alert" ?hidden=${problem.key !== key || !problem.text}
        >The model could not be opened in Explore: ${problem.text}</p
      >`;
  };
}
