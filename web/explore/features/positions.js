// The positions that are added to the embeddings of the selected stack, and how alike they are by their offset.

import { formatValue } from '../../draw/numbers.js';
import { html, nothing, render, svg } from 'lit-html';
import { roundLimit, signedScale } from '../../draw/color.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { math, num, row as inRow, sub, sum, sup } from '../../draw/math.js';
import { cells, headRow } from '../../draw/table.js';
import { addsPositions, attention, positionsName } from '../../engine/plan.js';
import { component } from '../../kit/component.js';
import { map } from '../../kit/map.js';
import { tall } from '../shared/map-height.js';
import { printedWave, waveOf } from '../shared/wave.js';
import { selectedIn } from '../shared/words.js';
import style from './positions.css';

/** @typedef {{x: number, y: number}[]} Points dot products of the cursor's position with each one, by their offset */

/** @param {import('../../engine/plan.js').AttentionKind} kind */
const dotsName = (kind) => `@position-dots/${attention(kind).stack}`;

/** @type {import('../index.js').Feature} */
export const positions = {
  name: 'positions',
  style,
  local: { open: false }, // the table
  needs: ({ plan: { settings }, state: { selection } }) =>
    addsPositions(settings) ? [positionsName(selection.kind), dotsName(selection.kind)] : [],
  render({ result, state, scheme, local }, { moveCursor, local: remember }) {
    const { positions: how, d_model: dimensions } = result.plan.settings;
    if (!addsPositions(result.plan.settings)) return panel(how, map(null, tall(MAP)));
    const { kind, readWords: words, row } = selectedIn(result, state);
    const data = result.tensors.get(positionsName(kind))?.data;
    const dots = result.derived.get(dotsName(kind));
    if (!data || !dots) return undefined;
    const column = Math.min(state.cursor.dimension, dimensions - 1);
    const title = `${how === 'learned' ? 'Learned' : 'Sinusoidal'} positional encoding`;
    const sinusoidal = how === 'sinusoidal';
    return panel(
      how,
      map(
        {
          name: title,
          matrix: {
            rows: words.length,
            columns: dimensions,
            data,
            scheme,
            scale: signedScale(scheme, sinusoidal ? 1 : roundLimit(data)),
          },
          scaleTitle: title,
          rowAxis: { title: 'position', noun: 'position', part: 'row', label: (i) => `${i} ${words[i]}` },
          columnAxis: { title: 'dimension', noun: 'dimension', part: 'dimension', label: String },
          cursor: { row, column },
        },
        tall({ ...MAP, onCursor: (cell) => moveCursor({ row: cell.row, dimension: cell.column }) }),
      ),
      sinusoidal ? formula(row, column, dimensions, data[row * dimensions + column]) : nothing,
      similarity(
        words.map((_, other) => ({ x: other - row, y: dots.data[row * dots.shape[0] + other] })),
        words,
        row,
        local.open,
        ({ currentTarget: { open } }) => remember({ open }),
      ),
    );
  },
  blank: ({ plan }) => panel(plan.settings.positions, map(null, tall(MAP))),
};

const MAP = {
  min: 2,
  max: 44,

  empty: 'No positional encoding to show: no tokens, or it is switched off.',
  onCursor() {},
};

/** The angle p / 10000^(2i/d). */
const ANGLE = ['(', 'p', '/', sup(10000, inRow(2, 'i', '/', 'd')), ')'];

const FORMULAS = html`<p class="formula">
  ${math(sub('PE', inRow('p', ',', 2, 'i')), '=', 'sin', ...ANGLE)}
  ${math(sub('PE', inRow('p', ',', 2, 'i', '+', 1)), '=', 'cos', ...ANGLE)}
  ${math(
    ...[sub('PE', 'p'), '·', sub('PE', inRow('p', '+', 'k')), '=', sum('i')],
    ...['cos', '(', 'k', '/', sup(10000, inRow(2, 'i', '/', 'd')), ')'],
  )}
</p>`;

/** @type {Record<string, string>} */
const ABOUT = {
  sinusoidal:
    'This table is added to the embeddings: its first dimensions change quickly from position to position, its last ' +
    'ones slowly. The similarity of two positions depends only on their distance, so a head can learn “the previous ' +
    'token” once, for all positions.',
  learned:
    'A learned vector for each position is added to the embeddings. In a model that was not trained with them, they ' +
    'are random, and each position is similar only to itself.',
  rotary:
    'Nothing is added to the embeddings here: each layer turns its queries and keys by their positions. Choose a ' +
    'cell of a head to see how.',
  none: 'Nothing is added to the embeddings here: without a mask, reordering the tokens only reorders their vectors.',
};

/** @param {string} how positions are made @param {unknown[]} body */
const panel = (how, ...body) => html`
  <section class="panel picture" aria-labelledby="positions-title">
    <h2 id="positions-title">Positional encoding</h2>
    <div id="positions">${body}</div>
    <div class="explain">
      ${how === 'sinusoidal' ? FORMULAS : nothing}
      <p>Attention by itself ignores the order of the tokens. ${ABOUT[how]}</p>
    </div>
  </section>`;

/**
 * The formula with the cursor's numbers.
 * @param {number} position @param {number} column @param {number} dimensions @param {number} value
 */
function formula(position, column, dimensions, value) {
  const { name } = waveOf(column, dimensions);
  const wavelength = sup(10000, inRow(column - (column % 2), '/', dimensions));
  const printed = printedWave(position, column, dimensions, value);
  // Two formulas, so that the second may go to the next line.
  return html`<div class="formula live">
    ${math(sub('PE', inRow(position, ',', column)), '=', name, '(', position, '/', wavelength, ')')}
    ${math('=', name, '(', num(printed.angle, 'angle'), ')', '=', num(printed.value, 'value'))}
  </div>`;
}

/**
 * The dot products with the cursor's position as a curve.
 * @param {Points} points @param {string[]} words @param {number} position
 * @param {boolean} open the table @param {(event: any) => void} toggle
 */
function similarity(points, words, position, open, toggle) {
  const name = `Dot product of position ${position} with every position`;
  const [here, next] = points.slice(position);
  const tables = () => [
    tableOf(
      name,
      ['offset k', 'dot product'],
      points.map(({ x, y }, i) => [words[i], x, y]),
    ),
  ];
  return html`<div id="position-similarity">
    <p class="view-title">${name}</p>
    ${curve({ name, tables, points, position })}
    <p class="live-numbers"><bdi class="quoted">${words[position]}</bdi>, position ${position}, with itself:
      <b class="number">${formatValue(here.y)}</b>${
        next ? html`, with the next: <b class="number">${formatValue(next.y)}</b>` : nothing
      }</p>
    <details @toggle=${toggle}><summary>Values as a table</summary>${
      open ? rows(points, words, position) : nothing
    }</details>
  </div>`;
}

const HEIGHT = 200;
const LEFT = 44;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 34;
const WIDEST = 720;
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** As wide as its element, so that its letters stay as large as the page's. */
const curve = component((root) => {
  /** @type {{name: string, tables: () => import('../../draw/figure.js').Table[], points: Points, position: number}} */
  let data;
  let width = 0;
  function draw() {
    if (!width) return;
    const { name, tables, points, position } = data;
    render(chart(points, Math.min(width, WIDEST), position), root);
    announceFigure(root, { name, tables, element: /** @type {Element} */ (root.firstElementChild) });
  }
  const observer = new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    width = contentRect.width;
    requestAnimationFrame(draw); // not here: what changes sizes here is an error in the console
  });
  observer.observe(root);
  return {
    update(next) {
      data = next;
      width ||= root.clientWidth;
      draw();
    },
    destroy() {
      observer.disconnect();
      announceFigure(root, null);
    },
  };
});

/** @param {Points} points @param {number} width @param {number} position */
function chart(points, width, position) {
  const last = points.length - 1;
  const first = points[0].x;
  const ys = points.map(({ y }) => y);
  const low = Math.min(0, ...ys);
  const high = Math.max(...ys, low + 1e-6);
  const x = (/** @type {number} */ value) => LEFT + (last ? (value - first) / last : 0.5) * (width - LEFT - RIGHT);
  const y = (/** @type {number} */ value) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((each) => (last / each) * 36 <= width - LEFT - RIGHT) ?? 500;
  const offsets = points.map((point) => point.x).filter((offset) => offset % step === 0);
  const label =
    `Dot product against offset: ${points.length} points, highest ${number.format(Math.max(...ys))}, ` +
    `lowest ${number.format(Math.min(...ys))}. The numbers are in the table below.`;
  const signed = (/** @type {number} */ offset) => (offset > 0 ? `+${offset}` : String(offset).replace('-', '−'));
  return svg`<svg class="curve" width=${width} height=${HEIGHT} viewBox="0 0 ${width} ${HEIGHT}" role="img"
    aria-label=${label}>
    ${[...new Set([low, (low + high) / 2, high])].map(
      (value) => svg`<g class="tick"><line x1=${LEFT} x2=${width - RIGHT} y1=${y(value)} y2=${y(value)} />
      <text x=${LEFT - 6} y=${y(value) + 4} text-anchor="end">${number.format(value).replace('-', '−')}</text></g>`,
    )}
    ${offsets.map(
      (offset) => svg`<text x=${x(offset)} y=${HEIGHT - BOTTOM + 15} text-anchor="middle">${signed(offset)}</text>`,
    )}
    <text x=${(LEFT + width - RIGHT) / 2} y=${HEIGHT - 3} text-anchor="middle">offset k</text>
    <polyline points=${points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(' ')} />
    ${
      points.length <= 64
        ? points.map(
            (point, i) =>
              svg`<circle data-row=${i} class=${point.x === 0 ? 'here' : ''} cx=${x(point.x)} cy=${y(point.y)}
                r=${point.x === 0 ? 5 : 3} />`,
          )
        : svg`<circle class="here" cx=${x(0)} cy=${y(points[position].y)} r="5" />`
    }
  </svg>`;
}

/** @param {Points} points @param {string[]} words @param {number} position */
const rows = (points, words, position) =>
  html`<div class="table-scroll" tabindex="0" role="region" aria-label="Dot products by offset"><table>
    <caption>PE(${position}) · PE(${position} + k)</caption>
    ${headRow('k', 'token', 'dot product')}
    <tbody>${points.map(
      ({ x, y }, i) =>
        html`<tr data-row=${i}><th scope="row">${x}</th>${cells(html`<bdi>${words[i]}</bdi>`, formatValue(y))}</tr>`,
    )}</tbody>
  </table></div>`;
