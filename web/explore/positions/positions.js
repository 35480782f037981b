// The positions that are added to the embeddings of the selected stack, and how alike they are by their offset.

import { html, nothing, render, svg } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { roundLimit, signedScale } from '../../draw/color.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { createMap } from '../../draw/lit-map.js';
import { math, num, row as inRow, sub, sum, sup } from '../../draw/math.js';
import { cells, headRow } from '../../draw/table.js';
import { attention, positionsName } from '../../engine/plan.js';
import { selectedIn } from '../shared/words.js';

/**
 * `points`: the dot product of the cursor's position with each one, by their offset.
 * @typedef {{
 *   title: string, words: string[], dimensions: number, data: Float32Array, sinusoidal: boolean,
 *   scheme: import('../../draw/color.js').Scheme, cursor: {row: number, column: number},
 *   points: {x: number, y: number}[],
 * }} PositionsData
 */

/** @param {import('../../engine/plan.js').AttentionKind} kind */
const dotsName = (kind) => `@position-dots/${attention(kind).stack}`;

/** The angle p / 10000^(2i/d). */
const ANGLE = ['(', 'p', '/', sup(10000, inRow(2, 'i', '/', 'd')), ')'];

/** @type {import('../index.js').Panel<PositionsData>} */
export const positions = {
  name: 'positions',
  slot: 'main',
  nodes: ['positions'],
  section: html`
  <section class="panel" aria-labelledby="positions-title">
    <h2 id="positions-title">Positional encoding</h2>
    <div id="positions"></div>
    <div class="explain">
      <p class="formula" data-when="positions=sinusoidal">
        ${math(sub('PE', inRow('p', ',', 2, 'i')), '=', 'sin', ...ANGLE)}
        ${math(sub('PE', inRow('p', ',', 2, 'i', '+', 1)), '=', 'cos', ...ANGLE)}
        ${math(
          ...[sub('PE', 'p'), '·', sub('PE', inRow('p', '+', 'k')), '=', sum('i')],
          ...['cos', '(', 'k', '/', sup(10000, inRow(2, 'i', '/', 'd')), ')'],
        )}
      </p>
      <p>
        Attention by itself ignores the order of the tokens.
        <span data-when="positions=sinusoidal"
          >This table is added to the embeddings: its first dimensions change quickly from position to position, its
          last ones slowly. The similarity of two positions depends only on their distance, so a head can learn “the
          previous token” once, for all positions.</span
        >
        <span data-when="positions=learned"
          >A learned vector for each position is added to the embeddings. In a model that was not trained with them,
          they are random, and each position is similar only to itself.</span
        >
        <span data-when="positions=none"
          >Nothing is added to the embeddings here: without a mask, reordering the tokens only reorders their
          vectors.</span
        >
      </p>
    </div>
  </section>`,
  required: ({ plan: { settings }, state: { selection } }) =>
    settings.positions === 'none' ? [] : [positionsName(selection.kind), dotsName(selection.kind)],
  present({ result, state, scheme }) {
    const { positions: how, d_model } = result.plan.settings;
    if (how === 'none') return null;
    const { kind, readWords, row } = selectedIn(result, state);
    const tensor = result.tensors.get(positionsName(kind));
    const dots = result.derived.get(dotsName(kind));
    if (!tensor || !dots) return undefined;
    const [count] = dots.shape;
    return {
      title: `${how === 'learned' ? 'Learned' : 'Sinusoidal'} positional encoding`,
      words: readWords,
      dimensions: d_model,
      data: tensor.data,
      sinusoidal: how === 'sinusoidal',
      scheme,
      cursor: { row, column: Math.min(state.cursor.dimension, d_model - 1) },
      points: readWords.map((_, other) => ({ x: other - row, y: dots.data[row * count + other] })),
    };
  },
  create: (root, { moveCursor }) =>
    create(root, { onCursor: ({ row, column }) => moveCursor({ row, dimension: column }) }),
};

/**
 * @param {HTMLElement} root
 * @param {{onCursor: (cell: {row: number, column: number}) => void}} options
 */
function create(root, { onCursor }) {
  const [body, foot, curve] = ['div', 'div', 'div'].map((tag) => root.appendChild(document.createElement(tag)));
  const similarity = createCurve(curve);
  const map = createMap(body, {
    min: 2,
    max: 28,
    height: 330,
    onCursor,
    empty: 'No positional encoding to show: no tokens, or it is switched off.',
  });
  return {
    /** @param {PositionsData | null} data */
    update(data) {
      similarity.update(data?.points.length ? data : null);
      foot.hidden = !data;
      if (!data) return map.update(null);
      const { title, words, dimensions, sinusoidal, scheme, cursor } = data;
      map.update({
        name: title,
        matrix: {
          rows: words.length,
          columns: dimensions,
          data: data.data,
          scheme,
          scale: signedScale(scheme, sinusoidal ? 1 : roundLimit(data.data)),
        },
        scaleTitle: title,
        rowAxis: { title: 'position', noun: 'position', part: 'row', label: (i) => `${i} ${words[i]}` },
        columnAxis: { title: 'dimension', noun: 'dimension', part: 'dimension', label: String },
        cursor,
      });
      render(
        sinusoidal ? formula(cursor, dimensions, data.data[cursor.row * dimensions + cursor.column]) : nothing,
        foot,
      );
    },
    destroy() {
      map.destroy();
      similarity.destroy();
      root.replaceChildren();
    },
  };
}

/**
 * The formula with the cursor's numbers.
 * @param {{row: number, column: number}} cursor
 * @param {number} dimensions
 * @param {number} value
 */
function formula({ row: position, column }, dimensions, value) {
  const wavelength = sup(10000, inRow(column - (column % 2), '/', dimensions));
  return html`<div class="formula live">${math(
    sub('PE', inRow(position, ',', column)),
    '=',
    ...[column % 2 ? 'cos' : 'sin', '(', position, '/', wavelength, ')'],
    '=',
    num(formatValue(value), 'value'),
  )}</div>`;
}

const HEIGHT = 200;
const LEFT = 44;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 34;
const WIDEST = 720;
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** The dot products with the cursor's position as a curve. @param {HTMLElement} root */
function createCurve(root) {
  root.id = 'position-similarity';
  /** @type {PositionsData | null} */
  let data = null;
  let width = 0; // of the root
  let open = false;

  function draw() {
    root.hidden = !data;
    if (!data || !width) return void announceFigure(root, null);
    const { words, points, cursor } = data;
    const position = cursor.row;
    const [here, next] = points.slice(position);
    const name = `Dot product of position ${position} with every position`;
    render(
      html`<p class="view-title">${name}</p>
      ${chart(points, Math.min(width, WIDEST), position)}
      <p class="live-numbers"><bdi class="quoted">${words[position]}</bdi>, position ${position}, with itself:
        <b class="number">${formatValue(here.y)}</b>${
          next ? html`, with the next: <b class="number">${formatValue(next.y)}</b>` : nothing
        }</p>
      <details @toggle=${toggle}><summary>Values as a table</summary>${open ? table(data) : nothing}</details>`,
      root,
    );
    announceFigure(root, {
      name,
      element: /** @type {Element} */ (root.querySelector('.curve')),
      tables: () => [
        tableOf(
          name,
          ['offset k', 'dot product'],
          points.map(({ x, y }, i) => [words[i], x, y]),
        ),
      ],
    });
  }

  /** @param {Event} event */
  function toggle(event) {
    const now = /** @type {HTMLDetailsElement} */ (event.currentTarget).open;
    if (now === open) return;
    open = now;
    draw();
  }
  const observer = new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    width = contentRect.width;
    requestAnimationFrame(draw); // not here: what changes sizes here is an error in the console
  });
  observer.observe(root);

  return {
    /** @param {PositionsData | null} next */
    update(next) {
      data = next;
      width ||= root.clientWidth;
      draw();
    },
    destroy() {
      observer.disconnect();
      root.replaceChildren();
    },
  };
}

/** @param {PositionsData['points']} points @param {number} width @param {number} position */
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

/** @param {PositionsData} data */
function table({ cursor, words, points }) {
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Dot products by offset"><table>
    <caption>PE(${cursor.row}) · PE(${cursor.row} + k)</caption>
    ${headRow('k', 'token', 'dot product')}
    <tbody>${points.map(
      ({ x, y }, i) =>
        html`<tr data-row=${i}><th scope="row">${x}</th>${cells(html`<bdi>${words[i]}</bdi>`, formatValue(y))}</tr>`,
    )}</tbody>
  </table></div>`;
}
