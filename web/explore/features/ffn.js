// The FFN of the selected layer: tokens × neurons, before or after the activation function, or of a gated network gate,
// up and their product; with the neurons in the chosen order.

import { html, nothing } from 'lit-html';
import { menu } from '../../kit/controls.js';
import { math, row as inRow, sub } from '../../draw/math.js';
import { neuronMap, zerosOf } from '../../draw/neuron-map.js';
import { valueLabel } from '../../engine/interventions.js';
import { attention, ffnName, neuronRole, shownOfFfn } from '../../engine/plan.js';
import { markedMap } from '../../kit/map.js';
import { functionName, functionTitle, partNames, neuronAt } from '../shared/neuron-at.js';
import { chooseRow } from '../shared/cursor.js';
import { corpusNames, isRead, neuronOrder } from '../shared/neurons.js';
import { arrange } from '../shared/order.js';
import { tall } from '../shared/map-height.js';
import { selectedIn } from '../shared/words.js';

/** @typedef {import('../../app/schema.js').State} State */

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
 * Derived values that the order of the columns needs beside the map.
 * @type {Record<string, (plan: import('../../engine/plan.js').Plan, place: string) => string[]>}
 */
const NEEDS = { similar: (_, place) => [`@similar/${place}`], active: corpusNames };

const count = new Intl.NumberFormat('en');

/** @type {import('../index.js').Feature} */
export const ffn = {
  name: 'ffn',
  needs({ plan, state: { selection, ffnQuantity, neuronOrder: arrangement = 'index' } }) {
    const { kind, layer } = selection;
    const place = `${attention(kind).stack}/${layer}`;
    const need = NEEDS[arrangement]?.(plan, place) ?? [];
    const shown = ffnName(kind, layer, shownOfFfn(ffnQuantity, plan.settings));
    return plan.settings.d_ff > 0 ? [shown, ...need] : [];
  },
  render({ result, state, scheme }, { get, set, result: latest }) {
    const { settings } = result.plan;
    const { d_ff: neurons } = settings;
    const { selection, kind, stack, rowWords: words, row } = selectedIn(result, state);
    const { layer } = selection;
    if (neurons === 0) return panel(result.plan, nothing, markedMap(null, tall(MAP)));
    const quantity = shownOfFfn(state.ffnQuantity, settings);
    const isGated = settings.ffn === 'gated';
    const quantities = partNames(settings);
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
      ...(isGated && { called: quantities[quantity] }),
      label: (i) => [numberAt(i), changed.get(numberAt(i))].join(' ').trim(),
    });
    const marks = [...changed].map(([neuron, how]) => ({
      row: null,
      column: columnOf(neuron),
      text: `neuron ${neuron} ${how}`,
    }));
    const menus = [
      menu('Show', quantities, quantity, (next) => set({ ffnQuantity: next }), { className: 'quantity' }),
      menu('Order by', ARRANGEMENTS, state.neuronOrder, (next) => set({ neuronOrder: next }), {
        className: 'arrangement',
      }),
    ];
    const colours = menu('Colours', COLOURS, state.ffnColours, (next) => set({ ffnColours: next }), {
      className: 'colours',
    });
    const fact = zeros(data, neurons, quantity === neuronRole(settings));
    const head = html`<div class="view-head"><p class="view-title">${title}</p>
      ${menus}</div>`;
    const below = html`<div class="view-head">${colours}
      <p class="view-fact">${fact}${overCorpus(result, `${stack}/${layer}`)}</p></div>`;
    function onCursor(/** @type {import('../../draw/map.js').Cell} */ cell) {
      const { cursor, own } = chooseRow(get(), cell.row, latest());
      // Pinning a neuron opens its card, unless the reader has closed it.
      set({ own, cursor: { ...cursor, neuron: numberAt(cell.column) }, neuronCard: get().neuronCard ?? true });
    }
    return panel(result.plan, head, html`${markedMap([shown, marks], tall({ ...MAP, onCursor }))}${below}`);
  },
  blank: ({ plan }) => panel(plan, nothing, markedMap(null, tall(MAP))),
};

const MAP = { min: 2, max: 44, empty: 'No FFN to show: no tokens, or d_ff is 0.', onCursor() {} };

/** @param {import('../../engine/plan.js').Plan} plan @param {unknown} head @param {unknown} shown */
function panel({ settings: { activation, ffn: kind }, config }, head, shown) {
  const [isGated, title] = [kind === 'gated', functionTitle(activation)];
  const inputs = isGated ? 'gates' : 'pre-activations';
  return html`<section class="panel picture" aria-labelledby="ffn-title">
    <h2 id="ffn-title">Feed-forward network</h2>
    <div id="ffn">${head}${shown}</div>
    <div class="explain">
      <p class="formula">${formula(kind, activation, config.ffnBias !== false)}</p>
      <p>
        The same network is applied to each token separately.
        ${
          isGated
            ? `Two linear maps make a gate and an “up” for each neuron, which gives their product: ${
                activation === 'none' ? 'the gate' : `${title} of the gate`
              } times up.`
            : nothing
        }
        ${
          activation === 'relu'
            ? html`ReLU sets negative ${inputs} to 0<span class="only-untrained"
                >: with random weights, about half of them</span
              >.`
            : activation !== 'none'
              ? `${title} moves negative ${inputs} smoothly towards 0.`
              : isGated
                ? nothing
                : 'Without an activation function, the two linear maps are equivalent to one.'
        }
      </p>
    </div>
  </section>`;
}

/** @param {string} kind @param {string} activation @param {boolean} biased */
function formula(kind, activation, biased) {
  const bias = (/** @type {number} */ which) => (biased ? ['+', sub('b', which)] : []);
  const linear = (/** @type {number} */ which) => inRow('x', sub('W', which), ...bias(which));
  if (kind !== 'gated') return math('FFN', '(', 'x', ')', '=', 'f', '(', linear(1), ')', sub('W', 2), ...bias(2));
  const up = biased ? inRow('(', linear(3), ')') : linear(3);
  return math(
    ...['FFN', '(', 'x', ')', '=', '(', functionName(activation), '(', linear(1), ')', '×', up, ')', sub('W', 2)],
    ...bias(2),
  );
}

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
 * Gives the share of the map that is exactly zero, and the number of neurons that are zero for every token.
 * @param {Float32Array} data counted once
 * @param {number} neurons
 * @param {boolean} isOutput whether these values are what the neurons give
 */
function zeros(data, neurons, isOutput) {
  const known = facts.get(data);
  if (known) return known;
  const { share, dead } = zerosOf(data, neurons);
  const about = `; ${dead} of ${neurons} neurons ${dead === 1 ? 'is' : 'are'} 0 at every token (dead on this text)`;
  const fact = `${share} of the values are exactly 0${isOutput ? about : ''}.`;
  facts.set(data, fact);
  return fact;
}

/**
 * Counts the neurons that are never active over the model's corpus, if that has been read.
 * @param {import('../../engine/results.js').Result} result @param {string} place stack and layer
 */
function overCorpus({ plan, derived }, place) {
  /** @type {import('../shared/corpus.js').CorpusAnswer | undefined} */
  const corpus = derived.get(`@corpus/${place}`);
  if (!isRead(corpus) || !plan.model || corpus.starts.length < 2) return nothing; // or it is the text itself
  const dead = corpus.active.filter((share) => share === 0).length;
  return ` On the corpus of ${count.format(corpus.tokens)} tokens, ${dead} neurons are dead.`;
}
