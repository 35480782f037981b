// The FFN of the selected layer: tokens × neurons, before or after the activation function, the
// neurons in an order of the reader's choice.

import { html, nothing, render } from 'lit-html';
import { roundLimit, signedScale } from '../../draw/color.js';
import { createMap } from '../../draw/map.js';
import { createMarks } from '../../draw/marks.js';

/**
 * @typedef {'activation' | 'pre_activation'} FfnQuantity
 * @typedef {'index' | 'token' | 'similar' | 'active'} Arrangement
 * @typedef {'linear' | 'root'} Colours
 *
 * `data` and the cursor's column are in the arrangement's order; `order`: the number of the neuron
 * that stands in each column, null: they stand as they are numbered. `dead`: how many are never
 * active over the model's corpus, if that has been read. `changed`: in a word how neurons are, by number.
 * @typedef {{
 *   title: string, quantity: FfnQuantity, words: string[], neurons: number, data: Float32Array,
 *   changed: Map<number, string>, order: Int32Array | null, arrangement: Arrangement, colours: Colours, dead: {count: number, tokens: number} | null,
 *   scheme: import('../../draw/color.js').Scheme, cursor: {row: number, column: number},
 * }} FfnData
 */

/** @type {Record<FfnQuantity, string>} */
const QUANTITIES = { activation: 'Activations', pre_activation: 'Pre-activations' };

/** @type {Record<Arrangement, string>} */
const ARRANGEMENTS = {
  index: 'Number',
  token: 'Value at the pinned token',
  similar: 'Likeness',
  active: 'How often active',
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
      render(
        html`
        <p class="view-title">${title}</p>
        ${select('quantity', 'Show', QUANTITIES, quantity, onQuantity)}
        ${select('arrangement', 'Neurons by', ARRANGEMENTS, arrangement, onArrange)}
        ${select('colours', 'Colours', COLOURS, colours, onColours)}
        <p class="view-fact">${fact}${dead ? ` Over the corpus, ${count.format(dead.tokens)} tokens, ${dead.count} are.` : nothing}</p>`,
        head,
      );
      map.update({
        name: `${title}, ${QUANTITIES[quantity].toLowerCase()}`,
        matrix: {
          rows: words.length,
          columns: neurons,
          data: data.data,
          scheme,
          scale: signedScale(scheme, roundLimit(data.data), colours === 'root'),
        },
        scaleTitle: quantity === 'activation' ? 'Activation' : 'Pre-activation',
        rowAxis: { title: 'token', noun: 'row', label: (i) => words[i] },
        columnAxis: {
          title: 'neuron',
          noun: 'neuron',
          index: numberAt,
          label: (i) => [numberAt(i), changed.get(numberAt(i))].join(' ').trim(),
        },
        cursor,
      });
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
 * @template {string} Choice
 * @param {string} name
 * @param {string} label
 * @param {Record<Choice, string>} choices
 * @param {Choice} now
 * @param {(choice: Choice) => void} onChoose
 */
const select = (name, label, choices, now, onChoose) => html`<label>${label}
  <select class=${name} @change=${(/** @type {Event} */ event) => onChoose(/** @type {Choice} */ (/** @type {HTMLSelectElement} */ (event.target).value))}>
    ${Object.entries(choices).map(([value, text]) => html`<option value=${value} .selected=${value === now}>${text}</option>`)}
  </select></label>`;

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
  const share = `${((100 * count) / data.length).toFixed(1)} % of the values are exactly 0`;
  return quantity === 'activation'
    ? `${share}; ${dead} of ${neurons} neurons are 0 for every token (dead for this text).`
    : `${share}.`;
}
