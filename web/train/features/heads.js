// Every head of every layer on one held-out example, and the chosen one as a large map.

import { html } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { paintMatrix } from '../../draw/canvas.js';
import { hueOf, probabilityScale } from '../../draw/color.js';
import { bareMap } from '../../kit/map.js';
import { cellOf } from '../state.js';
import style from './heads.css';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../run/look.js').LayerMaps} LayerMaps
 */

const [HEIGHT, LOW] = [300, 172]; // px, of the map; in a low window the curves are to stand below it
const TILES = 44; // px

/** @type {import('../index.js').Feature} */
export const heads = {
  name: 'heads',
  slot: 'front',
  style,
  render({ state, report: { inspection }, scheme }, { set }) {
    const { maps, ffn } = inspection;
    if (ffn) return null;
    const { layer, head } = state.head;
    const isOne = maps.length === 1 && maps[0].heads === 1;
    const hidden = state.settings.causal ? maskOf(maps[0].size) : null;
    const common = { scale: probabilityScale(scheme), scheme, hidden };
    /** @param {LayerMaps} map @param {number} at */
    const matrixOf = ({ size, data }, at) => {
      const own = data.subarray(at * size * size, (at + 1) * size * size);
      return { ...common, rows: size, columns: size, data: own };
    };
    const { words } = inspection.rows[inspection.example];
    const axis = { label: (/** @type {number} */ i) => words[i] };
    const large = {
      name: `Attention of layer ${layer + 1}, head ${head + 1}`,
      matrix: matrixOf(maps[layer], head),
      scaleTitle: 'attention weight',
      rowAxis: { ...axis, title: 'query', noun: 'query' },
      columnAxis: { ...axis, title: 'key', noun: 'key' },
      cursor: cellOf(state),
    };
    const options = {
      min: 6,
      max: 34,
      get height() {
        return (innerHeight < 800 ? LOW : HEIGHT) - (isOne ? 0 : TILES);
      },
      empty: 'No attention heads.',
      onCursor: (/** @type {TrainState['cell']} */ cell) => set({ cell }),
    };
    /** @param {LayerMaps} map @param {number} at */
    const tile = (map, at) => {
      const isChosen = map.layer === layer && at === head;
      const name = `Layer ${map.layer + 1}, head ${at + 1}${sharedBy(state.settings, at)}`;
      return html`<button type="button" class="head" role="radio" aria-label=${name} title=${name}
        aria-checked=${isChosen} tabindex=${isChosen ? 0 : -1}
        ${underlined(hueOf(scheme, at))} @click=${() => set({ head: { layer: map.layer, head: at } })}><canvas
        ${painted(matrixOf(map, at))}></canvas></button>`;
    };
    return html`<section class="train-maps" aria-labelledby="train-maps-title">
      <h3 id="train-maps-title">Where it attends</h3>
      <div class="train-heads ${state.cell ? '' : 'unpicked'}">
        <div class="heads train-grid" role="radiogroup" aria-label="Heads" ?hidden=${isOne} @keydown=${move}>
          ${maps.map(
            (map) => html`<div class="heads-row">
            <span class="heads-layer" title="Layer ${map.layer + 1}">${map.layer + 1}</span>${Array.from(
              { length: map.heads },
              (_, at) => tile(map, at),
            )}</div>`,
          )}
        </div>
        <div class="train-map">${bareMap(large, options)}</div>
      </div>
    </section>`;
  },
};

/**
 * Which key and value a head has, where others have them, too.
 * @param {import('../state.js').Settings} settings @param {number} head
 */
function sharedBy({ heads, keyValueHeads }, head) {
  if (!keyValueHeads || keyValueHeads === heads) return '';
  return `, key–value head ${1 + Math.floor((head * Number(keyValueHeads)) / Number(heads))}`;
}

/** A template's own style the page's policy would not allow. @param {{color: string, style: string}} hue */
const underlined = ({ color, style: dash }) =>
  ref((tile) => void (tile instanceof HTMLElement && (tile.style.borderBottom = `4px ${dash} ${color}`)));

/** @param {import('../../draw/canvas.js').Matrix} matrix */
const painted = (matrix) => ref((canvas) => canvas && paintMatrix(/** @type {HTMLCanvasElement} */ (canvas), matrix));

/** The arrow keys choose the head beside. @param {KeyboardEvent} event */
function move(event) {
  const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!by) return;
  event.preventDefault();
  const rows = [.../** @type {HTMLElement} */ (event.currentTarget).children].map((each) => [
    ...each.querySelectorAll('button'),
  ]);
  const row = rows.findIndex((all) => all.some((each) => each === event.target));
  const column = rows[row]?.findIndex((each) => each === event.target) ?? -1;
  const next = rows[row + by[0]]?.[column + by[1]];
  next?.click();
  next?.focus();
}

/** @type {Map<number, Uint8Array>} */
const masks = new Map();

/** The cells that a causal mask hides. @param {number} size */
function maskOf(size) {
  const found =
    masks.get(size) ?? Uint8Array.from({ length: size * size }, (_, i) => Number(i % size > Math.floor(i / size)));
  masks.set(size, found);
  return found;
}
