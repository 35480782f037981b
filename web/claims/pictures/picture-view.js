// Draws the picture of a run: panels with legend and readout, and all numbers as tables.

import { hueOf } from '../../draw/color.js';
import { announceFigure } from '../../draw/figure.js';
import { addStyle } from '../../draw/style.js';
import { format } from '../numbers.js';
import { createMaps } from './maps.js';
import style from './picture.css';
import { DASHES, classOf, createPlot, dot, make } from './plot.js';
import { tablesOf } from './tables.js';
import { spoken } from '../words.js';
import { write } from './words.js';

/**
 * @typedef {import('../../../src/claims/shared/picture.js').Panel} Panel
 * @typedef {import('../../../src/claims/shared/picture.js').Picture} Picture
 * @typedef {import('../../../src/claims/shared/picture.js').Series} Series
 * @typedef {import('../../draw/figure.js').Table} Table
 */

/** One colour a series, of those that tell heads apart. @param {import('../../draw/color.js').Scheme} scheme */
const hues = (scheme) => [0, 1, 2, 3].map((i) => `.picture-hue-${i}{--hue:${hueOf(scheme, i).color}}`).join('');
addStyle(`${hues('light')}@media (prefers-color-scheme:dark){${hues('dark')}}${style}`);

/**
 * @param {Picture} panels
 * @param {string} name under which it can be saved
 * @returns {HTMLElement}
 */
export function createPicture(panels, name) {
  const root = element('div', 'picture');
  const figures = element('div', 'picture-panels');
  figures.append(...panels.map(panelOf));
  root.append(figures, numbersOf(panels));
  const figure = { name, element: figures, tables: () => panels.flatMap(tablesOf) };
  requestAnimationFrame(() => announceFigure(root, figure)); // when it stands on the page
  return root;
}

/** @param {string} tag @param {string} name @param {string} [content] */
function element(tag, name, content = '') {
  const made = document.createElement(tag);
  made.className = name;
  write(made, content);
  return made;
}

/** @param {Panel} panel */
function panelOf(panel) {
  const isWide = panel.kind === 'maps' ? panel.columns * panel.maps.length > 40 : panel.kind === 'rows' && panel.wide;
  const figure = element('figure', `picture-panel${isWide ? ' wide' : ''}`);
  const readout = element('p', 'picture-readout');
  readout.ariaLive = 'polite';
  const read = (/** @type {string} */ text) => {
    write(readout, text || panel.note || '');
  };
  read('');
  const series = panel.kind === 'maps' ? [] : (panel.series ?? []);
  figure.append(
    element('figcaption', '', panel.title),
    ...(series.length ? [legendOf(series, panel)] : []),
    panel.kind === 'maps' ? createMaps(panel, read) : createPlot(panel, read),
    readout,
  );
  return figure;
}

/** @param {Series[]} series @param {Panel} panel */
function legendOf(series, panel) {
  const list = element('ul', 'picture-legend');
  list.append(
    ...series.map(({ name, target }, s) => {
      const item = document.createElement('li');
      const sample = make('svg', { viewBox: '0 0 24 12', 'aria-hidden': 'true', class: classOf(s, target) });
      const lines = panel.kind === 'curves' ? panel.lines.filter((line) => line.series === s) : [];
      if (lines.some(({ joined }) => joined))
        sample.append(
          make('path', { class: 'picture-line', d: 'M0 6H24', 'stroke-dasharray': target ? '1 3' : DASHES[s % 4] }),
        );
      if (panel.kind === 'rows' || lines.some(({ dots }) => dots)) sample.append(dot(s, 12, 6));
      item.append(sample, element('span', '', name));
      return item;
    }),
  );
  return list;
}

/** The numbers as tables, made when they are asked for. @param {Panel[]} panels */
function numbersOf(panels) {
  const details = document.createElement('details');
  details.className = 'picture-numbers';
  details.append(element('summary', '', 'Numbers of the figure'));
  details.addEventListener('toggle', () => details.append(...panels.flatMap(tablesOf).map(tableView)), { once: true });
  return details;
}

/** @param {Table} table */
function tableView({ name, rows, columns, data }) {
  const box = element('div', 'table-scroll');
  box.tabIndex = 0;
  box.role = 'region';
  box.ariaLabel = spoken(name);
  const made = document.createElement('table');
  write(made.createCaption(), name);
  const line = (/** @type {HTMLElement[]} */ ...cells) => {
    const row = document.createElement('tr');
    row.append(...cells);
    return row;
  };
  const title = (/** @type {string} */ content, /** @type {string} */ scope) => {
    const cell = element(content ? 'th' : 'td', '', content);
    if (content) cell.setAttribute('scope', scope);
    return cell;
  };
  made.createTHead().append(line(title('', ''), ...columns.map((column) => title(column, 'col'))));
  const valueAt = (/** @type {number} */ i) => (data[i] === '' ? '' : format(Number(data[i])));
  made
    .createTBody()
    .append(
      ...rows.map((row, r) =>
        line(title(row, 'row'), ...columns.map((_, c) => element('td', '', valueAt(r * columns.length + c)))),
      ),
    );
  box.append(made);
  return box;
}
