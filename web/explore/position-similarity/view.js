// A curve over whole numbers, with axes, and its numbers as a table.

import { html, nothing, render, svg } from 'lit-html';
import { formatValue } from '../../draw/canvas.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { cells, headRow } from '../../draw/table.js';

/**
 * The dot product of two positions' vectors by their offset.
 * @typedef {{position: number, words: string[], points: {x: number, y: number}[]}} CurveData
 */

const HEIGHT = 200;
const LEFT = 44;
const [RIGHT, TOP, BOTTOM] = [12, 10, 34];
const WIDEST = 720;
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** @param {HTMLElement} root */
export function create(root) {
  /** @type {CurveData | null} */
  let data = null;
  let width = 0; // of the root
  let open = false;

  function draw() {
    root.hidden = !data;
    if (!data || !width) return void announceFigure(root, null);
    const { position, words, points } = data;
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
    /** @param {CurveData | null} next */
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

/** @param {CurveData['points']} points @param {number} width @param {number} position */
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

/** @param {CurveData} data */
function table({ position, words, points }) {
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Dot products by offset"><table>
    <caption>PE(${position}) · PE(${position} + k)</caption>
    ${headRow('k', 'token', 'dot product')}
    <tbody>${points.map(
      ({ x, y }, i) =>
        html`<tr data-row=${i}><th scope="row">${x}</th>${cells(html`<bdi>${words[i]}</bdi>`, formatValue(y))}</tr>`,
    )}</tbody>
  </table></div>`;
}
