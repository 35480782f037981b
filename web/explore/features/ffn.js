// The FFN of the selected layer: tokens × neurons, before or after the activation function, or of a gated network gate,
// up and their product; with the neurons in the chosen order. Of many neurons the first have columns that are wide
// enough for their numbers, and all others share the last one, which leads on to the next.

import { html, nothing } from 'lit-html';
import { FEW_NEURONS } from '../../app/schema.js';
import { menu } from '../../kit/controls.js';
import { acting } from '../../kit/figure.js';
import { math, row as inRow, sub } from '../../draw/math.js';
import { neuronMap, withOthers, zerosOf } from '../../draw/neuron-map.js';
import { formatShare, shortValue } from '../../draw/numbers.js';
import { valueLabel } from '../../engine/interventions.js';
import { attention, ffnName, neuronRole, shownOfFfn } from '../../engine/plan.js';
import { markedMap } from '../../kit/map.js';
import { functionName, functionTitle, partNames, neuronAt } from '../shared/neuron-at.js';
import { chooseRow } from '../shared/cursor.js';
import { faceTabs } from '../shared/dictionary.js';
import {
  arrangementOf,
  arrangements,
  contributionsIn,
  corpusIn,
  effectsIn,
  isRead,
  neuronOrder,
  orderNames,
  shownNeurons,
} from '../shared/neurons.js';
import { arrange } from '../shared/order.js';
import { heightOfMap, tall } from '../shared/map-height.js';
import { selectedIn, visibleWords } from '../shared/words.js';
import style from './ffn.css';

/** @typedef {import('../../app/schema.js').State} State */

/** @type {Record<State['ffnColours'], string>} */
const COLOURS = { linear: 'Linear', root: 'Square root', symlog: 'Symmetric logarithm', neuron: 'By neuron' };

const count = new Intl.NumberFormat('en');

/** @type {Set<State['neuronOrder']>} */
const AT_TOKEN = new Set(/** @type {const} */ (['effect', 'contribution', 'token']));

/** Pixels of a column with its number, where labels have 13 px, and of the labels beside the columns. */
const COLUMN = 15;
const LABELS = 104;
const FONT = 13;
const MOST = 64; // columns
const LOW = 240; // px, the least height of the map
const BELOW = 6.75; // rem, of the value, the legend and the line that turns the pages

/** @type {import('../index.js').Feature} */
export const ffn = {
  name: 'ffn',
  style,
  // Pixels of its width, of what is above and below its map, and of its labels; the place of the first column in `of`.
  local: { width: 0, beside: 0, font: FONT, from: 0, of: '' },
  needs({ plan, state }) {
    const { kind, layer } = state.selection;
    const shown = ffnName(kind, layer, shownOfFfn(state.ffnQuantity, plan.settings));
    return plan.settings.d_ff > 0 ? [...new Set([shown, ...orderNames(plan, state)])] : [];
  },
  render({ result, state, scheme, modelInfo, local }, { get, set, local: remember, result: latest }) {
    const { plan } = result;
    const { settings } = plan;
    const { d_ff: neurons } = settings;
    const { selection, kind, stack, rowWords: words, row } = selectedIn(result, state);
    const { layer } = selection;
    if (neurons === 0) return panel(plan, nothing, markedMap(null, tall(MAP)));
    const quantity = shownOfFfn(state.ffnQuantity, settings);
    const quantities = partNames(settings);
    const values = result.tensors.get(ffnName(kind, layer, quantity))?.data;
    const order = neuronOrder(result, state);
    if (!values || order === undefined) return undefined;
    const arrangement = arrangementOf(plan, state);
    const chosen = neuronAt(result, state);
    const isPooled = neurons > FEW_NEURONS;
    const most = columnsThatFit(local);
    const of = [plan.model, stack, layer, arrangement, AT_TOKEN.has(arrangement) ? row : ''].join(' ');
    const from = isPooled && local.of === of && local.from < neurons ? local.from : 0;
    const shown = isPooled ? shownNeurons(order, neurons, { from, most, chosen }) : null;
    const numberAt = (/** @type {number} */ column) => shown?.[column] ?? order?.[column] ?? column;
    const columnOf = (/** @type {number} */ neuron) => (shown ?? order)?.indexOf(neuron) ?? neuron;
    const others = shown ? neurons - shown.length : 0;
    const title = `${stack === 'encoder' ? 'Encoder' : 'Decoder'}, layer ${layer + 1}`;
    const changed = changedNeurons(state, stack, layer, neurons);
    const map = neuronMap({
      ...{ title, quantity, words, scheme, numberAt, others },
      neurons: shown ? shown.length + 1 : neurons,
      data: shown ? withOthers(values, neurons, shown) : order ? arrange(values, neurons, order) : values,
      all: values,
      cursor: { row, column: columnOf(chosen) },
      colours: state.ffnColours,
      ...(settings.ffn === 'gated' && { called: quantities[quantity] }),
      label: (i) => [numberAt(i), changed.get(numberAt(i))].join(' ').trim(),
    });
    const marks = [...changed]
      .filter(([neuron]) => columnOf(neuron) >= 0)
      .map(([neuron, how]) => ({ row: null, column: columnOf(neuron), text: `neuron ${neuron} ${how}` }));
    const menus = [
      menu('Show', quantities, quantity, (next) => set({ ffnQuantity: next }), { className: 'quantity' }),
      menu('Columns', arrangements(plan, state), arrangement, (next) => set({ neuronOrder: next }), {
        className: 'arrangement',
      }),
    ];
    const colours = menu('Colours', COLOURS, state.ffnColours, (next) => set({ ffnColours: next }), {
      className: 'colours',
    });
    const head = html`<div class="view-head"><p class="view-title">${title}</p>
      ${faceTabs(state, plan, 'Neurons', set)}${menus}</div>`;
    const turn = (/** @type {number} */ to) => remember({ of, from: to < 0 || to >= neurons ? 0 : to });
    const pages = shown && {
      ...{ from, others, neurons },
      to: Math.min(neurons, from + most),
      onTurn: (/** @type {1 | -1} */ by) => turn(by < 0 ? Math.max(0, from - most) : from + most),
    };
    const below = html`<div class="view-head">${colours}${pages ? pager(pages) : nothing}</div>
      <p class="view-fact">${orderFact(result, state, { modelInfo, chosen })}${valuesFact(values, neurons, {
        isOutput: quantity === neuronRole(settings),
      })}${overCorpus(result, `${stack}/${layer}`)}</p>`;
    function onCursor(/** @type {import('../../draw/map.js').Cell} */ cell) {
      if (pages && cell.column >= shown.length) return pages.onTurn(1);
      const { cursor, own } = chooseRow(get(), cell.row, latest());
      // Pinning a neuron opens its card, unless the reader has closed it.
      set({ own, cursor: { ...cursor, neuron: numberAt(cell.column) }, neuronCard: get().neuronCard ?? true });
    }
    const options = (/** @type {object} */ own) => ({
      ...{ ...MAP, ...own, onCursor },
      get height() {
        return heightOf(local);
      },
    });
    return panel(
      plan,
      head,
      // Two templates, as a map keeps the direction of its labels.
      shown
        ? html`<div>${markedMap([map, marks], options({ uprightColumns: true, min: COLUMN }))}</div>`
        : html`${markedMap([map, marks], options({}))}`,
      below,
      measuring({ local, remember }),
    );
  },
  blank: ({ plan }) => panel(plan, nothing, markedMap(null, tall(MAP))),
};

const MAP = { min: 2, max: 44, empty: 'No FFN to show: no tokens, or d_ff is 0.', onCursor() {} };

/**
 * The number of columns that fit, beside the chosen one and that of all others.
 * @param {{width: number, font: number}} local
 */
function columnsThatFit({ width, font }) {
  const size = font / FONT;
  return width ? Math.max(1, Math.min(MOST, Math.floor((width / size - LABELS) / COLUMN) - 2)) : MOST;
}

/** Of the map, so that its last row and all that belongs to it stand in the window. @param {{beside: number}} local */
const heightOf = ({ beside }) =>
  beside && document.documentElement.dataset.layout !== 'page'
    ? Math.max(LOW, Math.min(heightOfMap(), innerHeight - beside))
    : tall(MAP).height;

/**
 * @typedef {{width: number, beside: number, font: number}} Sizes
 * @typedef {{local: Sizes, remember: (sizes: Sizes) => void}} Measuring
 */

/** @param {HTMLElement} element @returns {Sizes} */
function sizesOf(element) {
  const { top } = element.getBoundingClientRect();
  const head = element.querySelector('.view-head')?.getBoundingClientRect().bottom ?? top;
  const root = document.documentElement;
  const grid = element.querySelector('.map-grid');
  return {
    width: element.clientWidth,
    beside: Math.round(head + root.scrollTop + BELOW * (parseFloat(getComputedStyle(root).fontSize) || 16)),
    font: (grid && parseFloat(getComputedStyle(grid).fontSize)) || FONT,
  };
}

/**
 * Measures the space for the map once a frame. The map's own height may bring a scrollbar, and so another width: sizes
 * answered since the last that fitted are not answered again, or two of them would follow each other for ever.
 * @param {HTMLElement} element
 */
function measureSoon(element) {
  /** @type {Measuring} */
  let next;
  let frame = 0;
  /** @type {Set<string>} */
  const answered = new Set();
  function measure() {
    frame = 0;
    const now = sizesOf(element);
    if (!now.width) return; // another node is shown
    const { local, remember } = next;
    const isSame = now.width === local.width && now.beside === local.beside && now.font === local.font;
    const key = JSON.stringify(now);
    if (isSame) answered.clear();
    else if (answered.has(key)) return;
    element.style.setProperty('--beside', `${now.beside}px`);
    if (isSame) return;
    answered.add(key);
    remember(now);
  }
  const soon = () => void (frame ||= requestAnimationFrame(measure));
  const observer = new ResizeObserver(soon);
  observer.observe(element);
  return {
    look(/** @type {Measuring} */ of) {
      next = of;
      soon();
    },
    end() {
      observer.disconnect();
      cancelAnimationFrame(frame);
    },
  };
}

/** @type {WeakMap<HTMLElement, ReturnType<typeof measureSoon>>} */
const measured = new WeakMap();

/** Measures the space for the map when it is drawn, and when its width changes. @type {(of: Measuring) => unknown} */
const measuring = acting(
  (element, of) => {
    const own = measured.get(element) ?? measureSoon(element);
    measured.set(element, own);
    own.look(of);
  },
  (element) => {
    measured.get(element)?.end();
    measured.delete(element);
  },
);

/**
 * Turns to the neurons before and after those that have a column.
 * @param {{from: number, to: number, others: number, neurons: number, onTurn: (by: 1 | -1) => void}} pages
 */
const pager = ({ from, to, others, neurons, onTurn }) => html`<div class="neuron-pages" role="group"
  aria-label="Neurons with a column">
  <button type="button" aria-label="Neurons before" ?disabled=${from === 0} @click=${() => onTurn(-1)}>‹</button>
  <span role="status">${from + 1}–${to} of ${count.format(neurons)}</span>
  <button type="button" ?disabled=${to === neurons} @click=${() => onTurn(1)}>${count.format(others)} others ›</button>
</div>`;

/**
 * Says by what the columns are ordered, and that number of the chosen neuron.
 * @param {import('../../engine/results.js').Result} result @param {State} state
 * @param {{modelInfo: import('../../engine/plan.js').ModelInfo | undefined, chosen: number}} of
 */
function orderFact(result, state, { modelInfo, chosen }) {
  const arrangement = arrangementOf(result.plan, state);
  const { rowWords, row } = selectedIn(result, state);
  const at = html`at <bdi class="quoted">${rowWords[row]}</bdi>`;
  const effects = arrangement === 'effect' ? effectsIn(result, state) : null;
  if (effects) {
    const word = (/** @type {number} */ id) =>
      html`<bdi class="quoted">${visibleWords([modelInfo?.outputVocabulary[id] ?? String(id)])[0]}</bdi>`;
    const { id, against, values } = effects;
    const answer =
      against === null ? html`the logit of ${word(id)}` : html`the lead of ${word(id)} over ${word(against)}`;
    const sign = values[chosen] > 0 ? '+' : '';
    return html`Columns by what each neuron adds directly to ${answer} ${at}, the largest first. Neuron ${chosen}:
      <b class="number" data-number="effect">${sign}${shortValue(values[chosen])}</b>. `;
  }
  if (arrangement !== 'contribution' && arrangement !== 'effect') return nothing;
  const lengths = contributionsIn(result, state);
  return html`Columns by the length of the vector that each neuron adds ${at}, the longest first. Neuron ${chosen}:
    <b class="number" data-number="contribution">${shortValue(lengths?.[chosen] ?? NaN)}</b>. `;
}

/**
 * @param {import('../../engine/plan.js').Plan} plan @param {unknown} head @param {unknown} shown
 * @param {unknown} [below] @param {unknown} [measured]
 */
function panel({ settings: { activation, ffn: kind }, config }, head, shown, below, measured) {
  const [isGated, title] = [kind === 'gated', functionTitle(activation)];
  const inputs = isGated ? 'gates' : 'pre-activations';
  return html`<section class="panel picture" aria-labelledby="ffn-title">
    <h2 id="ffn-title">Feed-forward network</h2>
    <div id="ffn" ${measured}>${head}${shown}${below}</div>
    <div class="explain">
      <p class="formula">${formula(kind, activation, config.ffnBias !== false)}</p>
      <p>
        The same network is applied to each token separately.
        ${config.parallel ? 'It stands beside attention: it reads the layer’s input, as attention does.' : nothing}
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
 * Gives the share of the values that are exactly zero, the number of neurons that are zero for every token, and the
 * share of values below 0.
 * @param {Float32Array} data counted once
 * @param {number} neurons
 * @param {{isOutput: boolean}} of whether these values are what the neurons give
 */
function valuesFact(data, neurons, { isOutput }) {
  const known = facts.get(data);
  if (known !== undefined) return known;
  const { zeros, share, dead } = zerosOf(data, neurons);
  const about = `; ${dead} of ${neurons} neurons ${dead === 1 ? 'is' : 'are'} 0 at every token (dead on this text)`;
  const below = data.reduce((sum, value) => sum + Number(value < 0), 0) / data.length;
  const opposite = ': there a neuron adds the opposite of its value vector';
  const fact = [
    ...(zeros ? [`${share} of the values are exactly 0${isOutput ? about : ''}.`] : []),
    ...(below ? [`${formatShare(below)} of the values are below 0${isOutput ? opposite : ''}.`] : []),
  ].join(' ');
  facts.set(data, fact);
  return fact;
}

/**
 * Counts the neurons that are never active over the model's corpus, if that has been read.
 * @param {import('../../engine/results.js').Result} result @param {string} place stack and layer
 */
function overCorpus(result, place) {
  const { plan } = result;
  const corpus = corpusIn(result, place);
  if (!isRead(corpus) || !plan.model || corpus.starts.length < 2) return nothing; // or it is the text itself
  const never = corpus.active.filter((share) => share === 0).length;
  const { settings } = plan;
  const isGated = settings.ffn === 'gated';
  const on = ` On the corpus of ${count.format(corpus.tokens)} tokens`;
  return settings.activation === 'relu' && !isGated
    ? `${on}, ${never} neurons are dead.`
    : isGated
      ? `${on}, ${partNames(settings).activation} of ${never} neurons is never above 0.`
      : `${on}, ${never} neurons are never above 0.`;
}
