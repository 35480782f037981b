// Puts under every map of the page, whoever made it, its table and what can be done with it.

import { formatValue } from '../draw/canvas.js';
import * as saveView from '../views/save.js';
import * as tableView from '../views/table.js';
import { copyText, fileName, saveFile } from './file.js';

/**
 * @typedef {import('../draw/map.js').MapData} MapData
 * @typedef {import('../pictures.js').Picture} Picture
 */

const NO_SOURCE = 'These numbers are worked out from several tensors, so no single one has them. “Any tensor” under Keep and share has each by its name.';
export const NO_CODE = 'A change here puts a mean in the place of numbers; the code cannot say that.';

/** @param {Pick<import('../panels/index.js').Tools, 'picture' | 'pinned'>} tools */
export function putFeet({ picture, pinned }) {
  /** @type {WeakMap<HTMLElement, (map: MapData | null) => void>} */
  const feet = new WeakMap();
  document.addEventListener('mapchange', event => {
    const root = /** @type {HTMLElement} */ (event.target);
    const update = feet.get(root) ?? make(root);
    feet.set(root, update);
    update(/** @type {CustomEvent<MapData | null>} */ (event).detail);
  });

  /** @param {HTMLElement} root */
  function make(root) {
    const foot = document.createElement('div');
    const [tableRoot, saveRoot] = ['div', 'div'].map(tag => foot.appendChild(document.createElement(tag)));
    foot.className = 'map-foot';
    root.append(foot);
    /** @type {MapData | null} */
    let map = null;
    const table = tableView.create(tableRoot);
    const save = saveView.create(saveRoot, { onSave: kind => saveMap(kind, /** @type {MapData} */ (map)), onCopy: copyText });
    return (/** @type {MapData | null} */ next) => {
      map = next;
      table.update(next && tableOf(next));
      save.update(next && { name: next.name, kinds: ['SVG', 'PNG', 'CSV', 'JSON'], code: () => codeFor(next) });
    };
  }

  /** @param {MapData} map */
  async function found({ matrix: { data } }) {
    const { sourceOf } = await import('./lazy.js');
    for (const held of [picture(), pinned()]) {
      const source = sourceOf(held, data);
      if (held && source) return { held, source };
    }
    return null;
  }

  /** @param {MapData} map */
  async function codeFor(map) {
    const where = await found(map);
    if (!where) return { code: null, why: NO_SOURCE };
    const { cursor: { row, column }, matrix: { columns, data }, rowAxis, columnAxis } = map;
    const at = row * columns + column;
    const label = `${rowAxis.noun} ${rowAxis.label(row)}, ${columnAxis.noun} ${columnAxis.label(column)}`;
    const { codeOf } = await import('./lazy.js');
    return { code: codeOf(where.held, where.source, { at, label, value: formatValue(data[at]) }), why: NO_CODE };
  }

  /** @param {string} kind @param {MapData} map */
  async function saveMap(kind, map) {
    const name = `${fileName(map.name)}.${kind.toLowerCase()}`;
    const { csvOf, jsonOf, pictureOf } = await import('./lazy.js');
    if (kind === 'SVG' || kind === 'PNG') return saveFile(name, await pictureOf(map, kind));
    const { matrix: { rows, columns, data }, rowAxis, columnAxis } = map;
    const sheet = {
      name: (await found(map))?.source.name ?? map.name, shape: [rows, columns], data,
      rows: Array.from({ length: rows }, (_, i) => rowAxis.label(i)), columns: Array.from({ length: columns }, (_, i) => columnAxis.label(i)),
    };
    saveFile(name, kind === 'CSV' ? csvOf(sheet) : jsonOf(sheet));
  }
}

/** @param {MapData} map @returns {import('../views/table.js').TableData} */
const tableOf = ({ name, matrix: { rows, columns, data, hidden }, rowAxis, columnAxis, cursor }) => ({
  caption: `${name}. Rows: ${rowAxis.title}, columns: ${columnAxis.title}.`, rows, columns, rowLabel: rowAxis.label, columnLabel: columnAxis.label, at: cursor,
  value: (row, column) => (hidden?.[row * columns + column] ? 'masked' : formatValue(data[row * columns + column])),
});
