// The FFN of the selected layer: tokens × neurons, before or after the activation function, with the neurons in the
// chosen order.

import { html, nothing } from 'lit-html';
import { menu } from '../../draw/controls.js';
import { math, sub } from '../../draw/math.js';
import { neuronMap, zerosOf } from '../../draw/neuron-map.js';
import { valueLabel } from '../../engine/interventions.js';
import { choiceLabel } from '../../engine/model-settings.js';
import { attention, ffnName } from '../../engine/plan.js';
import { markedMap } from '../../kit/map.js';
import { chooseRow } from '../shared/cursor.js';
import { neuronAt } from '../shared/neuron-at.js';
import { isRead, neuronOrder } from '../shared/neuron-order.js';
import { arrange } from '../shared/order.js';
import { selectedIn } from '../shared/words.js';

/** @typedef {import('../../app/schema.js').State} State */

/** @type {Record<State['ffnQuantity'], string>} */
const QUANTITIES = { activation: 'Activations', pre_activation: 'Pre-activations' };

/** @type {Record<State['neuronOrder'], string>} */
const ARRANGEMENTS = {
  index: 'neuron number',
  token: 'value at the selected token',
  similar: 'similarity',
  active: 'frequency of activation',
};

/** @type {Record<State['ffnColours'], string>} */
const COLOURS = { linear: 'Linear', root: 'Square root' };

/**
 * What the columns' order takes beside the map.
 * @type {Record<string, string>}
 */
const NEEDS = { similar: 'similar', active: 'corpus' };

const count = new Intl.NumberFormat('en');

/** @type {import('../index.js').Feature} */
export const ffn = {
  name: 'ffn',
  needs({ plan: { settings }, state: { selection, ffnQuantity, neuronOrder: arrangement = 'index' } }) {
    const { kind, layer } = selection;
    const need = NEEDS[arrangement];
    const names = [ffnName(kind, layer, ffnQuantity), ...(need ? [`@${need}/${attention(kind).stack}/${layer}`] : [])];
    return settings.d_ff > 0 ? names : [];
  },
  render({ result, state, scheme }, { get, set, result: latest }) {
    const { settings } = result.plan;
    const { d_ff: neurons } = settings;
    const { selection, kind, stack, rowWords: words, row } = selectedIn(result, state);
    const { layer } = selection;
    if (neurons === 0) return panel(settings, nothing, markedMap(null, MAP));
    const quantity = state.ffnQuantity;
    const values = result.tensors.get(ffnName(kind, layer, quantity))?.data;
    const order = neuronOrder(result, state);
    if (!values || order === undefined) return undefined;
    const numberAt = (/** @type {number} */ column) => (order ? order[column] : column);
    const columnOf = (/** @type {number} */ neuron) => (order ? order.indexOf(neuron) : neuron);
    const data = order ? arrange(values, neurons, order) : values;
    const title = `${stack === 'encoder' ? 'Encoder' : 'Decoder'}, layer ${layer + 1}`;
    const changed = changedNeurons(state, stack, layer, neurons);
    const shown = neuronMap({
      ...{ title, quantity, words, neurons, data, scheme, numberAt },
      cursor: { row, column: columnOf(neuronAt(result, state)) },
      root: state.ffnColours === 'root',
      label: (i) => [numberAt(i), changed.get(numberAt(i))].join(' ').trim(),
    });
    const marks = [...changed].map(([neuron, how]) => ({
      row: null,
      column: columnOf(neuron),
      text: `neuron ${neuron} ${how}`,
    }));
    const menus = [
      menu('Show', QUANTITIES, quantity, (next) => set({ ffnQuantity: next }), { className: 'quantity' }),
      menu('Order by', ARRANGEMENTS, state.neuronOrder, (next) => set({ neuronOrder: next }), {
        className: 'arrangement',
      }),
      menu('Colours', COLOURS, state.ffnColours, (next) => set({ ffnColours: next }), { className: 'colours' }),
    ];
    const head = html`<div class="view-head"><p class="view-title">${title}</p>
      ${menus}
      <p class="view-fact">${zeros(data, neurons, quantity)}${overCorpus(result, `${stack}/${layer}`)}</p></div>`;
    function onCursor(/** @type {import('../../draw/map.js').Cell} */ cell) {
      const { cursor, own } = chooseRow(get(), cell.row, latest());
      // Pinning a neuron opens its card, unless the reader has closed it.
      set({ own, cursor: { ...cursor, neuron: numberAt(cell.column) }, neuronCard: get().neuronCard ?? true });
    }
    return panel(settings, head, markedMap([shown, marks], { ...MAP, onCursor }));
  },
  blank: ({ plan }) => panel(plan.settings, nothing, markedMap(null, MAP)),
};

const MAP = { min: 2, max: 28, height: 330, empty: 'No FFN to show: no tokens, or d_ff is 0.', onCursor() {} };

/** @param {import('../../app/schema.js').Settings} settings @param {unknown} head @param {unknown} shown */
const panel = ({ activation }, head, shown) => html`
  <section class="panel" aria-labelledby="ffn-title">
    <h2 id="ffn-title">Feed-forward network</h2>
    <div id="ffn">${head}${shown}</div>
    <div class="explain">
      <p class="formula">
        ${math(
          ...['FFN', '(', 'x', ')', '=', 'f', '(', 'x', sub('W', 1), '+', sub('b', 1), ')', sub('W', 2)],
          ...['+', sub('b', 2)],
        )}
      </p>
      <p>
        The same network is applied to each token separately.
        ${
          activation === 'relu'
            ? html`ReLU sets negative pre-activations to 0<span class="only-untrained"
                >: with random weights, about half of them</span
              >.`
            : activation === 'none'
              ? 'Without an activation function, the two linear maps are equivalent to one.'
              : `${choiceLabel('activation', activation)} moves negative pre-activations smoothly towards 0.`
        }
      </p>
    </div>
  </section>`;

/**
 * One word about each neuron of the layer that is set by hand, by its number.
 * @param {State} state @param {string} stack @param {number} layer @param {number} neurons
 * @returns {Map<number, string>}
 */
const changedNeurons = ({ interventions }, stack, layer, neurons) =>
  new Map(
    interventions.flatMap((change) =>
      change.what === 'neuron' &&
      attention(change.kind).stack === stack &&
      change.layer === layer &&
      change.neuron < neurons
        ? [[change.neuron, valueLabel(change.to)]]
        : [],
    ),
  );

/** @type {WeakMap<Float32Array, string>} */
const facts = new WeakMap();

/**
 * How much of the map is exactly zero, and how many neurons are zero for every token.
 * @param {Float32Array} data counted once
 * @param {number} neurons
 * @param {State['ffnQuantity']} quantity
 */
function zeros(data, neurons, quantity) {
  const known = facts.get(data);
  if (known) return known;
  const { share, dead } = zerosOf(data, neurons);
  const about = `; ${dead} of ${neurons} neurons ${dead === 1 ? 'is' : 'are'} 0 at every token (dead on this text)`;
  const fact = `${share} of the values are exactly 0${quantity === 'activation' ? about : ''}.`;
  facts.set(data, fact);
  return fact;
}

/**
 * How many neurons are never active over the model's corpus, if that has been read.
 * @param {import('../../engine/results.js').Result} result @param {string} place stack and layer
 */
function overCorpus({ plan, derived }, place) {
  /** @type {import('../shared/corpus.js').CorpusAnswer | undefined} */
  const corpus = derived.get(`@corpus/${place}`);
  if (!isRead(corpus) || !plan.model || corpus.starts.length < 2) return nothing; // or it is the text itself
  const dead = corpus.active.filter((share) => share === 0).length;
  return ` On the corpus of ${count.format(corpus.tokens)} tokens, ${dead} neurons are dead.`;
}
