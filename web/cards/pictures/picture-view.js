// Draws what pictureOf made of a run: panels with legend and readout, and all numbers as tables.

import { hueOf } from '../../draw/color.js';
import { addStyle } from '../../draw/style.js';
import { format } from '../numbers.js';
import { createMaps, labelOf } from './maps.js';
import style from './picture.css';
import { DASHES, classOf, createPlot, dot, make } from './plot.js';

/**
 * @typedef {import('./picture.js').Panel} Panel
 * @typedef {import('./picture.js').Picture} Picture
 * @typedef {import('./picture.js').Series} Series
 */

/** One colour a series, of those that tell heads apart. @param {import('../../draw/color.js').Scheme} scheme */
const hues = (scheme) => [0, 1, 2, 3].map((i) => `.picture-hue-${i}{--hue:${hueOf(scheme, i).color}}`).join('');
addStyle(`${hues('light')}@media (prefers-color-scheme:dark){${hues('dark')}}${style}`);

/** @param {Picture} picture @returns {HTMLElement} */
export function createPicture({ panels }) {
  const root = element('div', 'picture');
  const figures = element('div', 'picture-panels');
  figures.append(...panels.map(panelOf));
  root.append(figures, numbersOf(panels));
  return root;
}

/** @param {string} tag @param {string} name @param {string} [content] */
function element(tag, name, content = '') {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = content;
  return made;
}

/** @param {Panel} panel */
function panelOf(panel) {
  const isWide = panel.kind === 'maps' && panel.columns * panel.maps.length > 40;
  const figure = element('figure', `picture-panel${isWide ? ' wide' : ''}`);
  const readout = element('p', 'picture-readout');
  readout.ariaLive = 'polite';
  const read = (/** @type {string} */ text) => {
    readout.textContent = text || panel.note || '';
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
      item.append(sample, name);
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
  details.addEventListener('toggle', () => details.append(...panels.flatMap(tablesOf)), { once: true });
  return details;
}

/** @param {Panel} panel @returns {HTMLElement[]} */
export function tablesOf(panel) {
  if (panel.kind === 'maps') {
    const { columns, rowAxis, columnAxis, maps } = panel;
    return maps.map(({ title, values }) =>
      table(
        `${panel.title}: ${title}`,
        ['', ...Array.from({ length: columns }, (_, c) => `${columnAxis.title} ${labelOf(columnAxis, c)}`)],
        Array.from({ length: values.length / columns }, (_, r) => [
          `${rowAxis.title} ${labelOf(rowAxis, r)}`,
          ...values.slice(r * columns, (r + 1) * columns).map(format),
        ]),
      ),
    );
  }
  const name = (/** @type {number} */ s, /** @type {string} */ label) =>
    [panel.series?.[s].name, label].filter(Boolean).join(', ');
  if (panel.kind === 'rows')
    return [
      table(
        panel.title,
        ['', panel.x.title],
        panel.rows.flatMap(({ label, marks }) =>
          [...new Set(marks.map(({ series }) => series))].map((s) => [
            [label, panel.series?.[s].name].filter(Boolean).join(', '),
            marks
              .filter(({ series }) => series === s)
              .map(({ value }) => format(value))
              .join(' · '),
          ]),
        ),
      ),
    ];
  const { x, y, lines } = panel;
  if (lines.every(({ points }) => points.length === 1))
    return [
      table(
        panel.title,
        ['', x.title, y.title],
        lines.map(({ series, label, points: [[px, py]] }) => [name(series, label), format(px), format(py)]),
      ),
    ];
  const places = [...new Set(lines.flatMap(({ points }) => points.map(([px]) => px)))].sort((a, b) => a - b);
  const known = lines.map(({ points }) => new Map(points));
  return [
    table(
      `${panel.title}: ${y.title}`,
      [x.title, ...lines.map(({ series, label }) => name(series, label))],
      places.map((place) => [
        format(place),
        ...known.map((values) => (values.has(place) ? format(Number(values.get(place))) : '')),
      ]),
    ),
  ];
}

/** @param {string} title @param {string[]} head @param {string[][]} rows */
function table(title, head, rows) {
  const box = element('div', 'table-scroll');
  box.tabIndex = 0;
  box.role = 'region';
  box.ariaLabel = title;
  const made = document.createElement('table');
  const caption = made.createCaption();
  caption.textContent = title;
  const cell = (/** @type {string} */ tag, /** @type {string} */ scope, /** @type {string} */ content) => {
    const one = element(content ? tag : 'td', '', content);
    if (content && scope) one.setAttribute('scope', scope);
    return one;
  };
  const line = (/** @type {HTMLElement[]} */ cells) => {
    const row = document.createElement('tr');
    row.append(...cells);
    return row;
  };
  made.createTHead().append(line(head.map((one) => cell('th', 'col', one))));
  made
    .createTBody()
    .append(
      ...rows.map(([first, ...rest]) => line([cell('th', 'row', first), ...rest.map((one) => cell('td', '', one))])),
    );
  box.append(made);
  return box;
}
