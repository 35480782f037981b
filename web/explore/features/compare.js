// The pinned state and the present one in the place of the map: their difference, and below it both; one cursor for all
// three. First the head and the FFN that differ most; those that are selected are a choice.

import { formatValue } from '../../draw/numbers.js';
import { html, nothing, render } from 'lit-html';
import { positiveScale, roundLimit, signedScale } from '../../draw/color.js';
import { menu } from '../../kit/controls.js';
import { equation } from '../../draw/equation.js';
import { createMap } from '../../kit/map.js';
import { attention, attentionKinds, attentionName, ffnName, shownOfFfn } from '../../engine/plan.js';
import { component } from '../../kit/component.js';
import { effects, namesOfEffects } from '../shared/effects.js';
import { differsMost } from '../shared/largest.js';
import { heightOfMap } from '../shared/map-height.js';
import { meanOfHeads } from '../shared/weights.js';
import { neuronAt } from '../shared/neuron-at.js';
import { neuronOrder } from '../shared/neurons.js';
import { arrange } from '../shared/order.js';
import { coloursOf, selectedIn, wordsOf } from '../shared/words.js';
import style from './compare.css';

const DECIMALS = 4; // as of one value anywhere on the page

/**
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../index.js').State} State
 * @typedef {import('../shared/largest.js').Place} Place
 * @typedef {import('../../app/schema.js').Selection} Selection
 *
 * `layerData`: of all heads, which share one scale; `order`: the neuron that stands in each column, null: as numbered;
 * `parts`: what its rows and columns are in the selected attention and FFN.
 * @typedef {'head' | 'ffn'} What
 * @typedef {{
 *   what: What, title: string, isWeights: boolean, rowWords: string[], columnWords: string[],
 *   cursor: {row: number, column: number},
 *   data: Float32Array, layerData: Float32Array, hidden: Uint8Array | null, colours?: 'linear' | 'root',
 *   place: Selection, order: Int32Array | null,
 * }} Side
 * @typedef {{now: Side, pinned: Side}} Sides
 * @typedef {Sides & {
 *   parts: {row: string | null, column: string | null}, scheme: import('../../draw/color.js').Scheme,
 * }} Pair
 */

/** @type {Record<'most' | 'selected', string>} */
const SHOWN = { most: 'Largest difference', selected: 'Selected head and layer' };

/** @type {import('../index.js').Feature} */
export const compare = {
  name: 'compare',
  style,
  local: { of: null, choice: 'most' }, // chosen for one pinned state
  needs(query) {
    const {
      plan: { settings },
      state: { quantity, ffnQuantity },
    } = query;
    const tensors = attentionKinds(settings).flatMap(({ kind }) =>
      Array.from({ length: settings.layers }, (_, layer) => [
        attentionName(kind, layer, 'weights'),
        attentionName(kind, layer, quantity),
        ...(settings.d_ff > 0 && kind !== 'cross' ? [ffnName(kind, layer, shownOfFfn(ffnQuantity, settings))] : []),
      ]).flat(),
    );
    return [...tensors, ...namesOfEffects(query)];
  },
  render(context, tools) {
    const { result, state, scheme, pinned: second, local } = context;
    if (!state.pinned) return null;
    if (!second) return panel({}, html`<p>The pinned state could not be computed.</p>`, tools);
    const problem = difference(result, second, state);
    const isPart = [result, second].some(({ facts }) => facts.part !== null); // then the largest is not searched for
    const { heads } = result.plan.settings;
    const places = isPart ? { head: null, ffn: null } : differsMost(result, second, state.ffnQuantity);
    if (!places) return undefined;
    const { head, ffn } = places;
    const selected = problem ? [] : [attentionPair(result, second, state), ffnPair(result, second, state)];
    const most = [
      head && attentionPair(result, second, withSelection(state, head)),
      ffn && ffnPair(result, second, withSelection(state, ffn)),
    ];
    if ([...selected, ...most].includes(undefined)) return undefined;
    const differs = most.some(Boolean);
    const isMost = differs && (local.of !== state.pinned || local.choice === 'most');
    const drawn = isMost ? most : differs || isPart ? selected : []; // three identical maps would say nothing
    const pairs = Object.fromEntries(
      drawn.flatMap((pair) =>
        pair ? [[pair.now.what, { ...pair, scheme, parts: partsOf(pair.now, result, state) }]] : [],
      ),
    );
    const choose = (/** @type {keyof typeof SHOWN} */ choice) => tools.local({ of: state.pinned, choice });
    const sentences = html`<div class="compare-most">
      ${heads ? sentence([second, result], head, 'head', tools) : nothing}
      ${sentence([second, result], ffn, 'ffn', tools)}</div>`; // shown only where the largest is
    return panel(
      pairs,
      html`${
        differs
          ? html`<div class="view-head">${menu('Compare', SHOWN, isMost ? 'most' : 'selected', choose, {
              className: 'compared',
            })}</div>`
          : nothing
      }${
        isMost
          ? sentences
          : html`<p>${problem || (differs || isPart ? '' : 'No attention weight and no neuron differs.')}</p>`
      }${effects(context, tools)}`,
      tools,
    );
  },
};

/** @param {{head?: Pair, ffn?: Pair}} pairs @param {unknown} words @param {import('../index.js').Tools} tools */
function panel({ head = undefined, ffn = undefined }, words, { get, set, selection }) {
  const go = (/** @type {Spot} */ spot, /** @type {What} */ what) =>
    set(goTo(get(), spot, what, attention(selection().kind)));
  /** @param {What} what @param {Pair | undefined} pair @param {unknown} [between] its difference and its two maps */
  const maps = (what, pair, between) =>
    triple(pair ? { pair, between } : null, { what, onCursor: (/** @type {Spot} */ spot) => go(spot, what) });
  return html`<section class="panel compare-panel" aria-labelledby="compare-title">
    <h2 id="compare-title" class="visually-hidden">Before and now</h2>
    <div id="compare" data-shows=${head || ffn ? 'maps' : 'words'}>
      ${maps('head', head, words)}${head ? nothing : html`<div>${words}</div>`}${maps('ffn', ffn)}
    </div>
  </section>`;
}

/**
 * A cell of a map.
 * @typedef {{place: Selection, row: number, column: number}} Spot
 */

/**
 * The cursor there, and another attention where the axes are other ones.
 * @param {State} state @param {Spot} spot @param {What} what @param {ReturnType<typeof attention>} from
 * @returns {Partial<State>}
 */
function goTo({ cursor }, { place, row, column }, what, from) {
  const to = attention(place.kind);
  const isThere = what === 'head' ? to.kind === from.kind : to.stack === from.stack;
  return {
    ...(isThere ? {} : { selection: place }),
    cursor: { ...cursor, row, [what === 'head' ? 'key' : 'neuron']: column },
  };
}

/** The state as if that place were selected. @param {State} state @param {Place} place */
const withSelection = (state, { kind, layer, part }) => ({ ...state, selection: { kind, layer, head: part } });

/**
 * Where the largest difference lies: the words of its cell, and the way there; null: there is none.
 * @param {[then: Result, now: Result]} both @param {Place | null} place @param {What} what
 * @param {import('../index.js').Tools} tools
 */
function sentence([then, result], place, what, { get, set }) {
  const isHead = what === 'head';
  if (!place) return html`<p>${isHead ? 'No attention weight differs.' : 'No neuron differs.'}</p>`;
  const { kind, layer, part, at, difference: most } = place;
  const { title, stack } = attention(kind);
  const [{ rowWords: rowsThen, columnWords: columnsThen }, { rowWords, columnWords }] = [then, result].map((each) =>
    wordsOf(each, kind),
  );
  const columns = isHead ? columnWords.length : result.plan.settings.d_ff;
  const [row, column] = [Math.floor(at / columns), at % columns];
  const several = attentionKinds(result.plan.settings).length > 1;
  const name = [
    ...(several ? [(isHead ? title : stack).toLowerCase()] : []),
    `layer ${layer + 1}`,
    ...(isHead ? [`head ${part + 1}`] : []),
  ].join(', ');
  const word = html`<bdi class="quoted">${bothWords(rowsThen, rowWords)(row)}</bdi>`;
  const key = () => html`<bdi class="quoted">${bothWords(columnsThen, columnWords)(column)}</bdi>`;
  const select = () =>
    set({
      selection: { kind, layer, head: part },
      cursor: { ...get().cursor, row, [isHead ? 'key' : 'neuron']: column },
    });
  return html`<p>${isHead ? 'Weights' : 'Neurons'} differ most in <b>${name}</b>:
    ${isHead ? html`${word} → ${key()}` : html`neuron ${column} at ${word}`}
    <span class="number">${signed(most)}</span>
    <button type="button" @click=${select}>Select this ${isHead ? 'head' : 'neuron'}</button></p>`;
}

/**
 * The parts of the selected attention and FFN that a map's rows and columns show; null: none.
 * @param {Side} side @param {Result} result @param {State} state
 */
function partsOf({ what, place }, result, state) {
  const { stack, columnStack, selection } = selectedIn(result, state);
  const own = attention(place.kind);
  const isOwn = what === 'head' ? own.columns === columnStack : own.stack === stack && place.layer === selection.layer;
  return { row: own.stack === stack ? 'row' : null, column: isOwn ? (what === 'head' ? 'key' : 'neuron') : null };
}

/** @param {Result} result @param {Result} second @param {State} state */
function attentionPair(result, second, state) {
  const both = [result, second];
  if (both.some(({ plan }) => plan.settings.heads === 0)) return null;
  const [now, pinned] = both.map((each) => attentionOf(each, state));
  return now && pinned && { now, pinned };
}

/**
 * Both in one order, that a neuron stands in one place.
 * @param {Result} result
 * @param {Result} second
 * @param {State} state
 */
function ffnPair(result, second, state) {
  const [one, two] = [result, second].map(({ plan }) => shownOfFfn(state.ffnQuantity, plan.settings));
  if (one !== two) return null; // a gated network beside a plain one
  const order = neuronOrder(result, state) ?? null;
  const [now, pinned] = [result, second].map((each) => ffnOf(each, state, order));
  return now && pinned && { now, pinned };
}

/**
 * Names a place by its word, or by both where the texts differ: before / now.
 * @param {readonly string[]} then @param {readonly string[]} now
 */
const bothWords = (then, now) => (/** @type {number} */ at) =>
  then[at] === now[at] ? now[at] : `${then[at]} / ${now[at]}`;

/**
 * Why two results cannot be laid over each other; '': they can.
 * @param {Result} result
 * @param {Result} second
 * @param {State} state
 */
function difference(result, second, state) {
  const [now, then] = [result, second].map((each) => selectedIn(each, state));
  for (const side of /** @type {const} */ (['rowWords', 'columnWords'])) {
    const [one, two] = [then[side].length, now[side].length];
    if (one !== two)
      return `The texts have ${one} and ${two} tokens; only texts with the same number of tokens can be compared.`;
  }
  const [one, two] = [then, now].map(
    ({ selection: { kind, layer, head } }) => `${kind} layer ${layer + 1}, head ${head + 1}`,
  );
  return one === two ? '' : `The selected head does not exist in both states (${one}; ${two}).`;
}

/** @param {Result} result @param {State} state @returns {Side | undefined} */
function attentionOf(result, state) {
  const { selection, kind, title, rowWords, columnWords, row, key } = selectedIn(result, state);
  const { layer, head, mean } = selection;
  const tensor = result.tensors.get(attentionName(kind, layer, state.quantity));
  const size = rowWords.length * columnWords.length;
  return (
    tensor && {
      what: 'head',
      isWeights: state.quantity === 'weights',
      rowWords,
      columnWords,
      title: `${title}, layer ${layer + 1}, ${mean ? 'mean of the heads' : `head ${head + 1}`}, ${state.quantity}`,
      layerData: tensor.data,
      data: mean ? meanOfHeads(tensor.data, size) : tensor.data.subarray(head * size, (head + 1) * size),
      hidden: state.quantity === 'weights' || state.quantity === 'masked' ? result.hidden[kind] : null,
      cursor: { row, column: key },
      place: selection,
      order: null,
      colours: coloursOf(state),
    }
  );
}

/** @param {Result} result @param {State} state @param {Int32Array | null} order @returns {Side | null | undefined} */
function ffnOf(result, state, order) {
  const { settings } = result.plan;
  const { d_ff } = settings;
  const { selection, kind, stack, rowWords, row } = selectedIn(result, state);
  const { layer, head } = selection;
  const quantity = shownOfFfn(state.ffnQuantity, settings);
  const tensor = result.tensors.get(ffnName(kind, layer, quantity));
  const neuron = d_ff && neuronAt(result, state);
  return d_ff === 0
    ? null
    : tensor && {
        what: 'ffn',
        isWeights: false,
        rowWords,
        columnWords: Array.from(order ?? Array(d_ff).keys(), String),
        title: `FFN, ${stack} layer ${layer + 1}, ${quantity.replace('_', '-')}`,
        layerData: tensor.data,
        data: order ? arrange(tensor.data, d_ff, order) : tensor.data,
        hidden: null,
        cursor: { row, column: order ? order.indexOf(neuron) : neuron },
        place: { kind, layer, head },
        order,
        colours: state.ffnColours === 'linear' ? 'linear' : 'root',
      };
}

/** @type {Record<What, string>} */
const NOUN = { head: 'column', ffn: 'neuron' };

/** The map of the difference, what is read from it, and below that the maps of before and now. */
const triple = component((root, /** @type {{what: What, onCursor: (spot: Spot) => void}} */ { what, onCursor }) => {
  const isHead = what === 'head';
  root.className = `compare-${what}`;
  const [place, head, words, row] = Array.from({ length: 4 }, () => root.appendChild(document.createElement('div')));
  place.className = 'compare-difference';
  row.className = 'compare-maps';
  const maps = ['Difference', 'Before', 'Now'].map((name, i) => {
    const isLarge = !i && isHead;
    const map = createMap(i ? row.appendChild(document.createElement('div')) : place, {
      ...(isHead ? { flattest: 3, uprightColumns: true, min: 3 } : { min: 2 }),
      empty: 'No tokens.',
      max: isLarge ? 240 : 28,
      get height() {
        return isLarge ? heightOfMap() : 330;
      },
      onHover,
      onCursor({ row: line, column }) {
        const now = last?.pair.now;
        if (now) onCursor({ place: now.place, row: line, column: now.order?.[column] ?? column });
      },
    });
    return { name, map };
  });
  /** @type {({pair: Pair} & ReturnType<typeof between>) | null} made once for two maps */
  let last = null;

  /** @param {Pair} pair */
  function differenceOf(pair) {
    const { now, pinned } = pair;
    if (!last || !isSame(last.pair.now, now) || !isSame(last.pair.pinned, pinned))
      last = { pair, ...between(now, pinned) };
    last.pair = pair; // its cursor may differ
    return last;
  }

  /** Previews in all three what the pointer is over in one. @param {{row: number, column: number} | null} cell */
  function onHover(cell) {
    for (const { map } of maps) map.hover(cell);
    if (last) render(readout(last, cell ?? last.pair.now.cursor), head);
  }

  return {
    /** @param {{pair: Pair, between?: unknown} | null} shown */
    update(shown) {
      root.hidden = !shown;
      render(shown?.between ?? nothing, words);
      if (!shown) return maps.forEach(({ map }) => map.update(null));
      const { pair } = shown;
      const { now, pinned, parts, scheme } = pair;
      const { title, rowWords, columnWords, cursor } = now;
      const contents = contentsOf(pair, differenceOf(pair));
      onHover(null); // a click has moved the cursor there
      maps.forEach(({ name, map }, i) => {
        const [rows, columns] = /** @type {const} */ (['rowWords', 'columnWords']).map((side) =>
          bothWords(i === 2 ? now[side] : pinned[side], i === 1 ? pinned[side] : now[side]),
        );
        map.update({
          name: `${name}: ${title}`,
          scaleTitle: name === 'Difference' ? 'Now − before' : name,
          cursor,
          matrix: { rows: rowWords.length, columns: columnWords.length, scheme, ...contents[i] },
          rowAxis: { title: isHead ? 'query' : 'token', noun: 'row', part: parts.row, label: rows },
          columnAxis: {
            title: isHead ? 'key' : 'neuron',
            noun: NOUN[what],
            part: parts.column,
            value: (each) => String(now.order?.[each] ?? each),
            label: columns,
          },
        });
      });
    },
    destroy() {
      for (const { map } of maps) map.destroy();
    },
  };
});

/**
 * The three numbers of a cell.
 * @param {{pair: Pair} & ReturnType<typeof between>} shown @param {{row: number, column: number}} cell
 */
function readout({ pair: { now, pinned }, difference: differences }, { row: line, column }) {
  const { what, title, columnWords } = now;
  const at = line * columnWords.length + column;
  const { operands, results } = equation(
    [now.data[at], pinned.data[at]],
    [{ value: differences[at], from: ([a, b]) => a - b }],
    DECIMALS,
  );
  const key = bothWords(pinned.columnWords, columnWords)(column);
  return html`<p class="view-title">${title}</p>
    <p class="compare-readout"><bdi>row ${bothWords(pinned.rowWords, now.rowWords)(line)}, ${NOUN[what]} ${key}</bdi>:
      before <strong class="number">${operands[1]}</strong>,
      now <strong class="number">${operands[0]}</strong>,
      difference <strong class="number">${differences[at] > 0 ? '+' : ''}${results[0]}</strong></p>`;
}

/** Now − before, hidden where both are. @param {Side} now @param {Side} pinned */
const between = (now, pinned) => ({
  difference: now.data.map((value, i) => minus(value, pinned.data[i])),
  hidden:
    now.hidden && pinned.hidden && now.hidden.map((flag, i) => flag & /** @type {Uint8Array} */ (pinned.hidden)[i]),
});

/**
 * Numbers and colours of the three maps: the difference, before and now.
 * @param {Pair} pair
 * @param {ReturnType<typeof between>} difference
 */
function contentsOf({ now, pinned, scheme }, { difference: data, hidden }) {
  const limit = now.isWeights ? 1 : Math.max(roundLimit(pinned.layerData), roundLimit(now.layerData));
  const rooted = now.colours === 'root';
  const signedColours = signedScale(scheme, limit, now.what === 'ffn' && rooted);
  const isSigned = now.what === 'head' || [pinned, now].some((each) => each.data.some((value) => value < 0));
  const scale = now.isWeights || !isSigned ? positiveScale(scheme, limit, rooted) : signedColours;
  return [
    { data, hidden, scale: now.isWeights ? signedScale(scheme, limit, rooted) : signedColours },
    { data: pinned.data, hidden: pinned.hidden, scale },
    { data: now.data, hidden: now.hidden, scale },
  ];
}

/** Whether two hold the same numbers. @param {Side} a @param {Side} b */
const isSame = (a, b) =>
  a.data.buffer === b.data.buffer && a.data.byteOffset === b.data.byteOffset && a.hidden === b.hidden;

/** Two cells that a mask hides do not differ. @param {number} a @param {number} b */
const minus = (a, b) => (a === b ? 0 : a - b);

/** @param {number} value */
const signed = (value) => `${value > 0 ? '+' : ''}${formatValue(value)}`;
