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
import { axesOf, axisOf, hiddenOn, layOut, nearest, overlaps } from '../shared/laid-over.js';
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
 * `rows`, `columns`: the index that stands in each place, −1: none does; undefined: the same.
 * @typedef {'head' | 'ffn'} What
 * @typedef {readonly (string | undefined)[]} Words undefined: a place of the other text alone
 * @typedef {{
 *   what: What, title: string, isWeights: boolean, rowWords: Words, columnWords: Words, rows?: number[],
 *   columns?: number[], cursor: {row: number, column: number},
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
 * @param {[then: Result, now: Result]} both @param {Place | null} found @param {What} what
 * @param {import('../index.js').Tools} tools
 */
function sentence([then, result], found, what, { get, set }) {
  const isHead = what === 'head';
  if (!found) return html`<p>${isHead ? 'No attention weight differs.' : 'No neuron differs.'}</p>`;
  const { kind, layer, part, at, difference: most } = found;
  const { title, stack } = attention(kind);
  const axes = axesOf(then, result, kind);
  const [wordsThen, words] = [then, result].map((each) => wordsOf(each, kind));
  const width = isHead ? (axes.columns?.now.length ?? words.columnWords.length) : result.plan.settings.d_ff;
  const [line, place] = [Math.floor(at / width), at % width];
  const [rowThen, row] = indicesAt(axes.rows, line);
  const [columnThen, column] = indicesAt(isHead ? axes.columns : null, place);
  const several = attentionKinds(result.plan.settings).length > 1;
  const name = [
    ...(several ? [(isHead ? title : stack).toLowerCase()] : []),
    `layer ${layer + 1}`,
    ...(isHead ? [`head ${part + 1}`] : []),
  ].join(', ');
  const word = html`<bdi class="quoted">${both(wordsThen.rowWords[rowThen], words.rowWords[row])}</bdi>`;
  const key = () =>
    html`<bdi class="quoted">${both(wordsThen.columnWords[columnThen], words.columnWords[column])}</bdi>`;
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
  const { rows, columns } = axesOf(second, result, selectedIn(result, state).kind);
  const [now, pinned] = SIDES.map((side, i) => attentionOf(both[i], state, rows?.[side], columns?.[side]));
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
  const { rows } = axesOf(second, result, selectedIn(result, state).kind);
  const [now, pinned] = SIDES.map((side, i) => ffnOf([result, second][i], state, order, rows?.[side]));
  return now && pinned && { now, pinned };
}

/** The order in which both results are given. */
const SIDES = /** @type {const} */ (['now', 'then']);

/** @param {import('../shared/laid-over.js').Axis} axis @param {number} at @returns {[then: number, now: number]} */
const indicesAt = (axis, at) => (axis ? [axis.then[at], axis.now[at]] : [at, at]);

/**
 * A word, or both where the texts differ: before / now; with its sign one that a text has alone.
 * @param {string | undefined} then @param {string | undefined} now
 */
const both = (then, now) =>
  now === undefined ? `− ${then}` : then === undefined ? `+ ${now}` : then === now ? now : `${then} / ${now}`;

/** Names a place. @param {Words} then @param {Words} now */
const bothWords = (then, now) => (/** @type {number} */ at) => both(then[at], now[at]);

/** Of the difference (0), before (1) and now. @param {Words} then @param {Words} now @param {number} which */
const labels = (then, now, which) => (/** @type {number} */ at) =>
  (which && (which === 1 ? then : now)[at]) || both(then[at], now[at]);

/** By place, where a text may have no word. @template T @param {T[]} all @param {number[] | undefined} at */
const placed = (all, at) => at?.map((each) => /** @type {T | undefined} */ (all[each])) ?? all;

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
    if (!overlaps(axisOf(then[side], now[side])))
      return `The texts have ${one} and ${two} tokens and share no word, so they cannot be compared.`;
  }
  const [one, two] = [then, now].map(
    ({ selection: { kind, layer, head } }) => `${kind} layer ${layer + 1}, head ${head + 1}`,
  );
  return one === two ? '' : `The selected head does not exist in both states (${one}; ${two}).`;
}

/**
 * @param {Result} result @param {State} state
 * @param {number[]} [rows] that stand in each place @param {number[]} [columns]
 * @returns {Side | undefined}
 */
function attentionOf(result, state, rows, columns) {
  const { selection, kind, title, rowWords, columnWords, row, key } = selectedIn(result, state);
  const { layer, head, mean } = selection;
  const isMasked = state.quantity === 'weights' || state.quantity === 'masked';
  const tensor = result.tensors.get(attentionName(kind, layer, state.quantity));
  const sizes = /** @type {[number, number]} */ ([rowWords.length, columnWords.length]);
  const size = (rows ?? rowWords).length * (columns ?? columnWords).length;
  const data = tensor && layOut(tensor.data, rows, columns, sizes);
  return (
    data && {
      what: 'head',
      isWeights: state.quantity === 'weights',
      rowWords: placed(rowWords, rows),
      columnWords: placed(columnWords, columns),
      ...{ rows, columns },
      title: `${title}, layer ${layer + 1}, ${mean ? 'mean of the heads' : `head ${head + 1}`}, ${state.quantity}`,
      layerData: tensor.data,
      data: mean ? meanOfHeads(data, size) : data.subarray(head * size, (head + 1) * size),
      hidden: hiddenOn(isMasked ? result.hidden[kind] : null, rows, columns, sizes),
      cursor: { row: rows?.indexOf(row) ?? row, column: columns?.indexOf(key) ?? key },
      place: selection,
      order: null,
      colours: coloursOf(state),
    }
  );
}

/**
 * @param {Result} result @param {State} state @param {Int32Array | null} order @param {number[]} [rows]
 * @returns {Side | null | undefined}
 */
function ffnOf(result, state, order, rows) {
  const { settings } = result.plan;
  const { d_ff } = settings;
  const { selection, kind, stack, rowWords, row } = selectedIn(result, state);
  const { layer, head } = selection;
  const quantity = shownOfFfn(state.ffnQuantity, settings);
  const tensor = result.tensors.get(ffnName(kind, layer, quantity));
  const neuron = d_ff && neuronAt(result, state);
  const sizes = /** @type {[number, number]} */ ([rowWords.length, d_ff]);
  const data = tensor && layOut(tensor.data, rows, undefined, sizes);
  return d_ff === 0
    ? null
    : data && {
        what: 'ffn',
        isWeights: false,
        rowWords: placed(rowWords, rows),
        rows,
        columnWords: Array.from(order ?? Array(d_ff).keys(), String),
        title: `FFN, ${stack} layer ${layer + 1}, ${quantity.replace('_', '-')}`,
        layerData: tensor.data,
        data: order ? arrange(data, d_ff, order) : data,
        hidden: hiddenOn(null, rows, undefined, sizes),
        cursor: { row: rows?.indexOf(row) ?? row, column: order ? order.indexOf(neuron) : neuron },
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
        if (!now) return;
        const { place: of, rows, columns, order, cursor } = now;
        const key = order?.[column] ?? nearest(columns, column, cursor.column);
        onCursor({ place: of, row: nearest(rows, line, cursor.row), column: key });
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
          labels(pinned[side], now[side], i),
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
  const key = bothWords(pinned.columnWords, columnWords)(column);
  const isIn = (/** @type {Side} */ { hidden }) => hidden?.[at] !== 2;
  const [by, value] = [differences[at], (/** @type {Side} */ side) => (isIn(side) ? formatValue(side.data[at]) : '–')];
  const { operands, results } =
    isIn(now) && isIn(pinned)
      ? equation([now.data[at], pinned.data[at]], [{ value: by, from: ([a, b]) => a - b }], DECIMALS)
      : { operands: [now, pinned].map(value), results: ['–'] };
  return html`<p class="view-title">${title}</p>
    <p class="compare-readout"><bdi>row ${bothWords(pinned.rowWords, now.rowWords)(line)}, ${NOUN[what]} ${key}</bdi>:
      before <strong class="number">${operands[1]}</strong>,
      now <strong class="number">${operands[0]}</strong>,
      difference <strong class="number">${by > 0 ? '+' : ''}${results[0]}</strong></p>`;
}

/** Now − before, hidden where both are, or where one has no word. @param {Side} now @param {Side} pinned */
const between = (now, pinned) => ({
  difference: now.data.map((value, i) => minus(value, pinned.data[i])),
  hidden: joined(now.hidden, pinned.hidden),
});

/** @param {Uint8Array | null} now @param {Uint8Array | null} then */
const joined = (now, then) => now && then && now.map((flag, i) => (flag | then[i]) & 2 || flag & then[i]);

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
