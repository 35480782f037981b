// The FFN of the selected layer: tokens × neurons, before or after the activation function.

import { html, render } from 'lit-html';
import { roundLimit, signedScale } from '../draw/color.js';
import { createMap } from '../draw/map.js';

/**
 * @typedef {'activation' | 'pre_activation'} FfnQuantity
 * @typedef {{
 *   title: string, quantity: FfnQuantity, words: string[], neurons: number, data: Float32Array,
 *   scheme: import('../draw/color.js').Scheme, cursor: {row: number, column: number},
 * }} FfnData
 */

/** @type {Record<FfnQuantity, string>} */
const QUANTITIES = { activation: 'Activations', pre_activation: 'Pre-activations' };

/**
 * @param {HTMLElement} root
 * @param {{onCursor: (cell: {row: number, column: number}) => void, onQuantity: (quantity: FfnQuantity) => void}} options
 */
export function create(root, { onCursor, onQuantity }) {
  const head = document.createElement('div');
  const body = document.createElement('div');
  head.className = 'view-head';
  root.append(head, body);
  const map = createMap(body, { min: 2, max: 28, height: 330, empty: 'No FFN to show: no tokens, or d_ff is 0.', onCursor });

  /** @type {FfnData | null} */
  let last = null;
  let fact = '';

  return {
    /** @param {FfnData | null} data */
    update(data) {
      head.hidden = !data;
      if (!data) return map.update(null);
      const { title, quantity, words, neurons, scheme, cursor } = data;
      if (data.data !== last?.data) fact = zeros(data);
      last = data;
      render(html`
        <p class="view-title">${title}</p>
        <label><span class="visually-hidden">Show</span>
          <select @change=${(/** @type {Event} */ event) =>
            onQuantity(/** @type {FfnQuantity} */ (/** @type {HTMLSelectElement} */ (event.target).value))}>
            ${Object.entries(QUANTITIES).map(([value, label]) => html`
              <option value=${value} .selected=${value === quantity}>${label}</option>`)}
          </select>
        </label>
        <p class="view-fact">${fact}</p>`, head);
      map.update({
        name: `${title}, ${QUANTITIES[quantity].toLowerCase()}`,
        matrix: { rows: words.length, columns: neurons, data: data.data, scheme, scale: signedScale(scheme, roundLimit(data.data)) },
        scaleTitle: quantity === 'activation' ? 'Activation' : 'Pre-activation',
        rowAxis: { title: 'token', noun: 'row', label: i => words[i] },
        columnAxis: { title: 'neuron', noun: 'neuron', label: String },
        cursor,
      });
    },
    destroy() {
      map.destroy();
      root.replaceChildren();
    },
  };
}

/**
 * How much of the map is exactly zero, and how many neurons are zero for every token.
 * @param {FfnData} data
 */
function zeros({ data, neurons, quantity }) {
  const alive = new Uint8Array(neurons);
  let count = 0;
  for (let i = 0; i < data.length; i++) {
    if (data[i] === 0) count++;
    else alive[i % neurons] = 1;
  }
  const dead = alive.reduce((sum, flag) => sum - flag, neurons);
  const share = `${(100 * count / data.length).toFixed(1)} % of the values are exactly 0`;
  return quantity === 'activation' ? `${share}; ${dead} of ${neurons} neurons are 0 for every token (dead for this text).` : `${share}.`;
}
