// The FFN of the selected layer: tokens × neurons, before or after the activation function, with the
// neurons in the chosen order.

import { html, nothing, render } from 'lit-html';
import { menu } from '../../draw/controls.js';
import { createMap } from '../../draw/lit-map.js';
import { createMarks } from '../../draw/marks.js';
import { neuronMap, zerosOf } from '../../draw/neuron-map.js';

/**
 * @typedef {'activation' | 'pre_activation'} FfnQuantity
 * @typedef {'index' | 'token' | 'similar' | 'active'} Arrangement
 * @typedef {'linear' | 'root'} Colours
 *
 * `data` and the cursor's column are in the arrangement's order; `order`: the number of the neuron
 * in each column, null: in order of their numbers. `dead`: how many are never active over the model's
 * corpus, if that has been read. `changed`: one word about each neuron that is set by hand, by its number.
 * @typedef {{
 *   title: string, quantity: FfnQuantity, words: string[], neurons: number, data: Float32Array,
 *   changed: Map<number, string>, order: Int32Array | null, arrangement: Arrangement, colours: Colours,
 *   dead: {count: number, tokens: number} | null,
 *   scheme: import('../../draw/color.js').Scheme, cursor: {row: number, column: number},
 * }} FfnData
 */

/** @type {Record<FfnQuantity, string>} */
const QUANTITIES = { activation: 'Activations', pre_activation: 'Pre-activations' };

/** @type {Record<Arrangement, string>} */
const ARRANGEMENTS = {
  index: 'neuron number',
  token: 'value at the selected token',
  similar: 'similarity',
  active: 'frequency of activation',
};

/** @type {Record<Colours, string>} */
const COLOURS = { linear: 'Linear', root: 'Square root' };

const count = new Intl.NumberFormat('en');

/**
 * @param {HTMLElement} root
 * @param {{
 *   onCursor: (cell: {row: number, neuron: number}) => void, onQuantity: (quantity: FfnQuantity) => void,
 *   onArrange: (arrangement: Arrangement) => void, onColours: (colours: Colours) => void,
 * }} options
 */
export function create(root, { onCursor, onQuantity, onArrange, onColours }) {
  const head = document.createElement('div');
  const body = document.createElement('div');
  head.className = 'view-head';
  root.append(head, body);
  const map = createMap(body, {
    min: 2,
    max: 28,
    height: 330,
    empty: 'No FFN to show: no tokens, or d_ff is 0.',
    onCursor: pin,
  });
  const marks = createMarks(body);

  /** @type {FfnData | null} */
  let last = null;
  let fact = '';

  /** @param {{row: number, column: number}} cell */
  function pin({ row, column }) {
    onCursor({ row, neuron: last?.order?.[column] ?? column });
  }

  return {
    /** @param {FfnData | null} data */
    update(data) {
      head.hidden = !data;
      if (!data) return map.update(null);
      const { title, quantity, words, neurons, scheme, cursor, order, arrangement, colours, dead, changed } = data;
      const numberAt = (/** @type {number} */ column) => (order ? order[column] : column);
      if (data.data !== last?.data) fact = zeros(data);
      last = data;
      const overCorpus = dead
        ? ` On the corpus of ${count.format(dead.tokens)} tokens, ${dead.count} neurons are dead.`
        : nothing;
      render(
        html`
        <p class="view-title">${title}</p>
        ${menu('Show', QUANTITIES, quantity, onQuantity, { className: 'quantity' })}
        ${menu('Order by', ARRANGEMENTS, arrangement, onArrange, { className: 'arrangement' })}
        ${menu('Colours', COLOURS, colours, onColours, { className: 'colours' })}
        <p class="view-fact">${fact}${overCorpus}</p>`,
        head,
      );
      map.update(
        neuronMap({
          title,
          quantity,
          words,
          neurons,
          data: data.data,
          scheme,
          cursor,
          root: colours === 'root',
          numberAt,
          label: (i) => [numberAt(i), changed.get(numberAt(i))].join(' ').trim(),
        }),
      );
      marks.update(
        [...changed].map(([neuron, how]) => ({
          row: null,
          column: order ? order.indexOf(neuron) : neuron,
          text: `neuron ${neuron} ${how}`,
        })),
        words.length,
        neurons,
      );
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
  const { share, dead } = zerosOf(data, neurons);
  const zeros = `${share} of the values are exactly 0`;
  return quantity === 'activation'
    ? `${zeros}; ${dead} of ${neurons} neurons ${dead === 1 ? 'is' : 'are'} 0 at every token (dead on this text).`
    : `${zeros}.`;
}
