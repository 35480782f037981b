// All parts of a model, a row for each layer: the map of each head, the activations of its FFN, and below each a bar.

import { html, nothing } from 'lit-html';
import { css, signedScale } from './color.js';
import { paintHeads } from './head-maps.js';
import { paintNeurons } from './neuron-tile.js';
import { withMinus } from './numbers.js';
import { pooledTo } from './pooled.js';

/**
 * A layer from 0: the weights of its heads, flat, and the activations of its FFN, if they are here; `parts`: the bars
 * of its heads, and `ffn`, that of the FFN.
 * @template {{value: number}} P
 * @typedef {{
 *   layer: number, data: Float32Array | null, activations?: Float32Array | null, parts: (P | undefined)[], ffn?: P,
 * }} Layer
 */

/**
 * `size`: of a map; `hidden`: its cells under the mask; `kinds`: how many grids stand together, and their rows;
 * `selected`: null where it is in another grid; `most`: the largest bar; `said`: a bar in words; `open`: head null is
 * the FFN.
 * @template {{value: number}} P
 * @typedef {{
 *   title: string, heads: number, neurons: number, hasFfn: boolean, size: {rows: number, columns: number},
 *   layers: Layer<P>[], kinds: {count: number, rows: number}, selected: {layer: number, head: number} | null,
 *   hidden: Uint8Array, isRoot: boolean, scheme: import('./color.js').Scheme, most: number, said: (part: P) => string,
 *   open: (layer: number, head: number | null) => void,
 * }} Grid
 */

/**
 * @template {{value: number}} P
 * @param {Grid<P>} grid
 * @param {unknown} [acts] on the grid, such as painting it (paintParts)
 */
export function partsGrid({ title, heads, layers, kinds, hasFfn, selected, scheme, most, said, open }, acts) {
  const columns = heads + (hasFfn ? 1 : 0);
  const heading = Array.from({ length: columns }, (_, i) => html`<span>${i < heads ? i + 1 : 'FFN'}</span>`);
  return html`<div class="all-heads" role="group" aria-label=${title} @keydown=${onKey}
    .style=${`--heads: ${columns}; --rows: ${kinds.rows}; --kinds: ${kinds.count}`}
    ${acts}><div class="all-heads-columns" aria-hidden="true">${heading}</div>${layers.map(
      ({ layer, parts, ffn }) => html`<div class="all-heads-row"><canvas class="all-heads-maps"></canvas>
        <span class="all-heads-layer">${layer + 1}</span>${parts.map((part, head) => {
          const isHere = layer === selected?.layer && head === selected.head;
          return html`<button type="button" class="head" data-at="${layer} ${head}" aria-pressed=${isHere}
            .tabIndex=${isHere || (!selected && !layer && !head) ? 0 : -1}
            aria-label="${title}, layer ${layer + 1}, head ${head + 1}${part ? `: ${said(part)}` : ''}"
            @click=${() => open(layer, head)}
            ><span class="head-map"></span>${headBar(part?.value, most, scheme)}</button>`;
        })}${
          hasFfn
            ? html`<button type="button" class="head all-heads-ffn" data-at="${layer} ${heads}" .tabIndex=${-1}
                aria-label="FFN, layer ${layer + 1}${ffn ? `: ${said(ffn)}` : ''}"
                @click=${() => open(layer, null)}
                ><canvas class="all-heads-neurons"></canvas>${headBar(ffn?.value, most, scheme)}</button>`
            : nothing
        }</div>`,
    )}</div>`; // prettier-ignore
}

/**
 * Paints the maps of a grid that is laid out.
 * @param {Element} element of the grid
 * @param {Pick<Grid<any>, 'heads' | 'neurons' | 'size' | 'layers' | 'hidden' | 'isRoot' | 'scheme'>} grid
 */
export function paintParts(element, { heads, neurons, size, layers, hidden, isRoot, scheme }) {
  const marks = Array(heads).fill(null);
  const rows = element.querySelectorAll('.all-heads-row');
  paintHeads(
    rows,
    layers.map(({ data }) => ({ ...size, data, hidden, marks })),
    scheme,
    isRoot,
  );
  rows.forEach((row, i) => {
    const { activations } = layers[i];
    const canvas = /** @type {HTMLCanvasElement | null} */ (row.querySelector('.all-heads-neurons'));
    if (canvas && activations) paintNeurons(canvas, fitted(canvas, activations, neurons), scheme);
  });
}

/** Activations in few columns, and how few. @type {WeakMap<Float32Array, import('./pooled.js').Pooled>} */
const pooled = new WeakMap();

/**
 * As many columns as the canvas shows, made once, as the view is drawn more often than they change.
 * @param {HTMLCanvasElement} canvas @param {Float32Array} data @param {number} neurons
 */
function fitted(canvas, data, neurons) {
  const width = Math.max(1, Math.floor(canvas.getBoundingClientRect().width * devicePixelRatio));
  const known = pooled.get(data);
  if (known?.columns === Math.min(width, neurons)) return known;
  const made = pooledTo(width, data, neurons);
  pooled.set(data, made);
  return made;
}

/** Arrow keys move among the heads. @param {KeyboardEvent} event */
function onKey(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const from = /** @type {HTMLElement} */ (event.target);
  if (!step || !from.dataset.at || event.altKey || event.ctrlKey || event.metaKey) return;
  const [layer, head] = from.dataset.at.split(' ').map(Number);
  const grid = /** @type {HTMLElement} */ (event.currentTarget);
  event.preventDefault();
  const next = grid.querySelector(`[data-at="${layer + step[0]} ${head + step[1]}"]`);
  /** @type {HTMLElement | null} */ (next)?.focus();
}

/**
 * From the middle to the right or to the left; undefined: there is no number.
 * @param {number | undefined} value @param {number} most @param {import('./color.js').Scheme} scheme
 */
export function headBar(value, most, scheme) {
  if (value === undefined || !most) return nothing;
  const { table } = signedScale(scheme, 1);
  const width = (50 * Math.abs(value)) / most;
  const side = value < 0 ? `right: 50%` : `left: 50%`;
  const colour = css(table[value < 0 ? 20 : table.length - 21]);
  return html`<span class="added"><span .style=${`${side}; width: ${width}%; background: ${colour}`}></span></span>`;
}

/** @param {number} value @param {string} text of it, without a plus */
export const withSign = (value, text) => `${value > 0 ? '+' : ''}${text}`;

/** With two decimals and its sign. @param {number} value */
export const signed = (value) => withSign(value, withMinus(value.toFixed(2)));
