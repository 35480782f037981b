// The figure of a run in a template: panels with legend and readout, and all numbers as tables.

import { html, nothing, render, svg } from 'lit-html';
import { hueOf } from '../../draw/color.js';
import { announceFigure } from '../../draw/figure.js';
import { addStyle } from '../../kit/feature.js';
import { component } from '../../kit/component.js';
import { format } from '../numbers.js';
import { spoken, words } from '../wording.js';
import { createMaps } from './maps.js';
import style from './picture.css';
import { DASHES, classOf, createPlot, dot } from './plot.js';
import { tablesOf } from './tables.js';

/**
 * `first`: a panel before those of the run, as of the reader's guess; `name`: under which it can be saved.
 * @typedef {import('../../../src/claims/shared/picture.js').Panel} Panel
 * @typedef {{panels: readonly Panel[], first?: Panel | null, name: string}} Figure
 * @typedef {(scheme: import('../../draw/color.js').Scheme) => void} Paint
 */

/** One colour a series, of those that tell heads apart. @param {import('../../draw/color.js').Scheme} scheme */
const hues = (scheme) => [0, 1, 2, 3].map((i) => `.picture-hue-${i}{--hue:${hueOf(scheme, i).color}}`).join('');
addStyle(`${hues('light')}@media (prefers-color-scheme:dark){${hues('dark')}}${style}`);

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Redraws when the run or the guess changes. @type {(figure: Figure) => unknown} */
export const picture = component((root) => {
  /** @type {readonly Panel[] | null} */
  let drawn = null;
  let guess = '';
  /** @type {Paint[]} */
  let paints = [];
  const paint = () => paints.forEach((each) => each(dark.matches ? 'dark' : 'light'));
  dark.addEventListener('change', paint);
  return {
    /** @param {Figure} figure */
    update({ panels, first = null, name }) {
      const said = JSON.stringify(first);
      if (drawn === panels && guess === said) return;
      [drawn, guess, paints] = [panels, said, []];
      const all = [...(first ? [first] : []), ...panels];
      const box = document.createElement('div');
      box.className = 'picture';
      render(
        figure(all, (each) => paints.push(each)),
        box,
      );
      paint();
      root.replaceChildren(box);
      const element = /** @type {Element} */ (box.querySelector('.picture-panels'));
      requestAnimationFrame(() => announceFigure(box, { name, element, tables: () => all.flatMap(tablesOf) }));
    },
    destroy: () => dark.removeEventListener('change', paint),
  };
});

/** @param {Panel[]} panels @param {(paint: Paint) => void} onMaps */
function figure(panels, onMaps) {
  /** The tables are made when they are asked for. @param {Event} event */
  const open = ({ currentTarget }) => {
    const box = /** @type {HTMLElement} */ (/** @type {Element} */ (currentTarget).lastElementChild);
    render(panels.flatMap(tablesOf).map(tableView), box);
  };
  return html`<div class="picture-panels">${panels.map((panel) => panelOf(panel, onMaps))}</div>
    <details class="picture-numbers" @toggle=${open}>
      <summary>Numbers of the figure</summary>
      <div></div>
    </details>`;
}

/** @param {Panel} panel @param {(paint: Paint) => void} onMaps */
function panelOf(panel, onMaps) {
  const { kind } = panel;
  const isWide = kind === 'maps' ? panel.columns * panel.maps.length > 40 : kind === 'rows' && panel.wide;
  const readout = document.createElement('p');
  readout.className = 'picture-readout';
  readout.ariaLive = 'polite';
  /** @param {string} text */
  const read = (text) => render(words(text || panel.note || ''), readout);
  read('');
  const maps = kind === 'maps' ? createMaps(panel, read) : null;
  if (maps) onMaps(maps.paint);
  return html`<figure class="picture-panel${isWide ? ' wide' : ''}">
    <figcaption>${words(panel.title)}</figcaption>
    ${kind !== 'maps' && panel.series?.length ? legendOf(panel, panel.series) : nothing}
    ${maps ? maps.element : createPlot(/** @type {any} */ (panel), read)} ${readout}
  </figure>`;
}

/**
 * @param {Exclude<Panel, {kind: 'maps'}>} panel
 * @param {readonly import('../../../src/claims/shared/picture.js').Series[]} series
 */
const legendOf = (panel, series) =>
  html`<ul class="picture-legend">
    ${series.map(({ name, target }, s) => {
      const lines = panel.kind === 'curves' ? panel.lines.filter((line) => line.series === s) : [];
      const dash = target ? '1 3' : DASHES[s % 4];
      return html`<li>
        <svg viewBox="0 0 24 12" aria-hidden="true" class=${classOf(s, target)}>
          ${
            lines.some(({ joined }) => joined)
              ? svg`<path class="picture-line" d="M0 6H24" stroke-dasharray=${dash} />`
              : nothing
          }
          ${panel.kind === 'rows' || lines.some(({ dots }) => dots) ? dot(s, 12, 6) : nothing}
        </svg>
        <span>${words(name)}</span>
      </li>`;
    })}
  </ul>`;

/** @param {import('../../draw/figure.js').Table} table */
const tableView = ({ name, rows, columns, data }) =>
  html`<div class="table-scroll" tabindex="0" role="region" aria-label=${spoken(name)}>
    <table>
      <caption>
        ${words(name)}
      </caption>
      <thead>
        <tr>
          <td></td>
          ${columns.map((column) => (column ? html`<th scope="col">${words(column)}</th>` : html`<td></td>`))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row, r) => html`<tr>
            ${row ? html`<th scope="row">${words(row)}</th>` : html`<td></td>`}
            ${columns.map((_, c) => {
              const value = data[r * columns.length + c];
              return html`<td>${value === '' ? '' : format(Number(value))}</td>`;
            })}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
