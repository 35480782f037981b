// The difference of two states in the place of the map, and below it both; one cursor for all three. First what differs
// most.

import { html, nothing, render } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { positiveScale, roundLimit, signedScale } from '../../draw/color.js';
import { menu } from '../../draw/controls.js';
import { createMap } from '../../draw/lit-map.js';

/**
 * @typedef {'head' | 'ffn'} What
 * @typedef {{
 *   what: What, title: string, isWeights: boolean, rowWords: string[], columnWords: string[],
 *   cursor: {row: number, column: number},
 *   data: Float32Array, layerData: Float32Array, hidden: Uint8Array | null, colours?: 'linear' | 'root',
 *   place: unknown, order: Int32Array | null,
 * }} Side
 * @typedef {{now: Side, pinned: Side, parts: {row: string | null, column: string | null}}} Pair
 * A cell of a map: `place` is handed back to who knows it.
 * @typedef {{place: unknown, row: number, column: number}} Spot
 * Where the largest difference lies: in which part, and between which words.
 * @typedef {{title: string, from: string, to: string, difference: number, spot: Spot}} Most
 *
 * `layerData`: of all heads, which share one scale; `order`: the neuron that stands in each column, null: as numbered;
 * `parts`: what its rows and columns are in the selected attention and FFN.
 * `problem`: why the selected parts cannot be compared; `head`, `neuron`: null where none differs; no `head`: no
 * attention.
 * @typedef {{
 *   problem: string, selected: Pair[], most: {maps: Pair[], head?: Most | null, neuron?: Most | null} | null,
 *   scheme: import('../../draw/color.js').Scheme,
 * }} CompareData
 * @typedef {(spot: Spot, what: What) => void} OnSpot
 */

/** @type {Record<'most' | 'selected', string>} */
const SHOWN = { most: 'Largest difference', selected: 'Selected head and layer' };

/**
 * @param {HTMLElement} root
 * @param {{onCursor: OnSpot, onSelect: OnSpot, height: () => number}} options `height`: of the large map, in pixels
 */
export function create(root, { onCursor, onSelect, height }) {
  const head = document.createElement('div');
  const triples = [createTriple(root, 'head', onCursor, height)];
  root.append(head);
  triples.push(createTriple(root, 'ffn', onCursor, height));
  /** @type {CompareData | null} */
  let last = null;
  /** @type {keyof typeof SHOWN} */
  let shown = 'most';

  /** @param {keyof typeof SHOWN} choice */
  function show(choice) {
    shown = choice;
    draw();
  }

  /** @param {Most | null | undefined} most @param {What} what */
  function sentence(most, what) {
    const isHead = what === 'head';
    if (most === undefined) return nothing;
    if (!most) return html`<p>${isHead ? 'No attention weight differs.' : 'No neuron differs.'}</p>`;
    const { title, from, to, difference, spot } = most;
    const word = html`<bdi class="quoted">${from}</bdi>`;
    return html`<p>${isHead ? 'Weights' : 'Neurons'} differ most in <b>${title}</b>:
      ${isHead ? html`${word} → <bdi class="quoted">${to}</bdi>` : html`${to} at ${word}`}
      <span class="number">${signed(difference)}</span>
      <button type="button" @click=${() => onSelect(spot, what)}>Select this ${
        isHead ? 'head' : 'neuron'
      }</button></p>`;
  }

  function draw() {
    const { problem = '', selected = [], most = null, scheme = 'light' } = last ?? {};
    const { maps, head: heads, neuron } = most ?? { maps: [], head: null, neuron: null };
    const isMost = maps.length > 0 && shown === 'most';
    const choice = html`<div class="view-head">${menu('Compare', SHOWN, shown, show, { className: 'compared' })}</div>`;
    const largest = html`<div class="compare-most">${sentence(heads, 'head')}${sentence(neuron, 'ffn')}</div>`;
    const other = problem || (last && !maps.length ? 'No attention weight and no neuron differs.' : '');
    render(html`${maps.length ? choice : nothing}${isMost ? largest : html`<p>${other}</p>`}`, head);
    const drawn = isMost ? maps : maps.length ? selected : []; // three identical maps would say nothing
    root.dataset.shows = drawn.length ? 'maps' : 'words';
    for (const triple of triples) triple.update(drawn.find(({ now }) => now.what === triple.what) ?? null, scheme);
  }

  return {
    /** @param {CompareData | null} data */
    update(data) {
      last = data;
      if (!data) shown = 'most'; // what is pinned next opens there again
      draw();
    },
    destroy() {
      for (const triple of triples) triple.destroy();
      root.replaceChildren();
    },
  };
}

/**
 * @param {HTMLElement} root
 * @param {What} what
 * @param {OnSpot} onCursor
 * @param {() => number} height
 */
function createTriple(root, what, onCursor, height) {
  const box = document.createElement('div');
  const head = document.createElement('div');
  box.className = `compare-${what}`;
  root.append(box);
  const maps = createMaps(box, head, what, { empty: 'No tokens.', onHover, onCursor: choose }, height);
  const noun = what === 'head' ? 'column' : 'neuron';
  /** @type {({pair: Pair} & ReturnType<typeof between>) | null} made once for two maps */
  let last = null;

  /** @param {Pair} pair */
  function differenceOf(pair) {
    const { now, pinned } = pair;
    if (!last || !isSame(last.pair.now, now) || !isSame(last.pair.pinned, pinned)) {
      last = { pair, ...between(now, pinned) };
    }
    last.pair = pair; // whose cursor may be another
    return last;
  }

  /** @param {{row: number, column: number}} cell */
  function choose({ row, column }) {
    const now = last?.pair.now;
    if (now) onCursor({ place: now.place, row, column: now.order?.[column] ?? column }, what);
  }

  /** Previews in all three what the pointer is over in one. @param {{row: number, column: number} | null} cell */
  function onHover(cell) {
    for (const { map } of maps) map.hover(cell);
    if (last) read(last.pair, cell);
  }

  /** @param {Pair} pair @param {{row: number, column: number} | null} cell instead of the cursor's */
  function read({ now, pinned }, cell) {
    const { title, rowWords, columnWords } = now;
    const { row: line, column } = cell ?? now.cursor;
    const at = line * columnWords.length + column;
    const difference = /** @type {NonNullable<typeof last>} */ (last).difference[at];
    render(
      html`<p class="view-title">${title}</p>
      <p class="compare-readout"><bdi>row ${rowWords[line]}, ${noun} ${columnWords[column]}</bdi>:
        before <strong class="number">${formatValue(pinned.data[at])}</strong>,
        now <strong class="number">${formatValue(now.data[at])}</strong>,
        difference <strong class="number">${signed(difference)}</strong></p>`,
      head,
    );
  }

  return {
    what,
    /** @param {Pair | null} pair @param {import('../../draw/color.js').Scheme} scheme */
    update(pair, scheme) {
      box.hidden = !pair;
      if (!pair) {
        for (const { map } of maps) map.update(null);
        return;
      }
      const { now, parts } = pair;
      const { title, rowWords, columnWords, cursor } = now;
      const contents = contentsOf(pair, differenceOf(pair), scheme);
      onHover(null); // a click has moved the cursor there
      maps.forEach(({ name, map }, i) =>
        map.update({
          name: `${name}: ${title}`,
          scaleTitle: name === 'Difference' ? 'Now − before' : name,
          cursor,
          matrix: { rows: rowWords.length, columns: columnWords.length, scheme, ...contents[i] },
          rowAxis: {
            title: what === 'head' ? 'query' : 'token',
            noun: 'row',
            part: parts.row,
            label: (each) => rowWords[each],
          },
          columnAxis: {
            title: what === 'head' ? 'key' : 'neuron',
            noun,
            part: parts.column,
            value: (each) => String(now.order?.[each] ?? each),
            label: (each) => columnWords[each],
          },
        }),
      );
    },
    destroy() {
      for (const { map } of maps) map.destroy();
    },
  };
}

/**
 * The map of the difference, what is read from it, and below that the maps of before and now.
 * @param {HTMLElement} box
 * @param {HTMLElement} head
 * @param {What} what
 * @param {Pick<import('../../draw/map.js').MapOptions, 'empty' | 'onHover' | 'onCursor'>} options
 * @param {() => number} height of the difference of a head
 */
function createMaps(box, head, what, options, height) {
  const shape = what === 'head' ? { flattest: 3, uprightColumns: true, min: 3 } : { min: 2 };
  const row = document.createElement('div');
  row.className = 'compare-maps';
  return ['Difference', 'Before', 'Now'].map((name) => {
    const place = document.createElement('div');
    const isDifference = name === 'Difference';
    if (isDifference) {
      place.className = 'compare-difference';
      box.append(place, head, row);
    } else row.append(place);
    const isLarge = isDifference && what === 'head';
    const map = createMap(place, {
      ...options,
      ...shape,
      max: isLarge ? 240 : 28,
      get height() {
        return isLarge ? height() : 330;
      },
    });
    return { name, map };
  });
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
 * @param {import('../../draw/color.js').Scheme} scheme
 */
function contentsOf({ now, pinned }, { difference, hidden }, scheme) {
  const limit = now.isWeights ? 1 : Math.max(roundLimit(pinned.layerData), roundLimit(now.layerData));
  const rooted = now.colours === 'root';
  const signed = signedScale(scheme, limit, now.what === 'ffn' && rooted);
  const isSigned = now.what === 'head' || [pinned, now].some(({ data }) => data.some((value) => value < 0));
  const scale = now.isWeights || !isSigned ? positiveScale(scheme, limit, rooted) : signed;
  return [
    { data: difference, hidden, scale: now.isWeights ? signedScale(scheme, limit, rooted) : signed },
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
