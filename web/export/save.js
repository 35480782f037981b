// What stands in the folds under a picture or a tensor: its table, and what can be saved of it.

import { formatValue } from '../draw/canvas.js';
import * as saveView from './save-view.js';
import * as tableView from './table-view.js';
import { codeOf, sourceOf } from './code.js';
import { copyText, fileName, saveFile } from './file.js';
import { photograph } from './photograph.js';
import { imageOf, pngOf } from './png.js';
import { svgOf } from './svg.js';
import { csvOf, jsonOf } from './table.js';

/**
 * @typedef {import('../draw/map.js').MapData} MapData
 * @typedef {import('../draw/picture.js').Drawn} Drawn
 * @typedef {import('../draw/picture.js').Sheet} Sheet
 * @typedef {import('../engine/results.js').Result} Result
 * @typedef {Pick<import('../explore/index.js').Tools, 'result' | 'pinned'>} Tools
 */

const NO_SOURCE =
  'These numbers are worked out from several tensors, so no single one has them. “Any tensor” under Keep and share has each by its name.';
const NO_CODE = 'A change here puts a mean in the place of numbers; the code cannot say that.';

/** @param {HTMLElement} root */
export function tableOfMap(root) {
  const view = tableView.create(root);
  return {
    /** @param {MapData | null} map */
    update(map) {
      if (!map) return view.update(null);
      const {
        name,
        matrix: { rows, columns, data, hidden },
        rowAxis,
        columnAxis,
        cursor,
      } = map;
      view.update({
        caption: `${name}. Rows: ${rowAxis.title}, columns: ${columnAxis.title}.`,
        rows,
        columns,
        rowLabel: rowAxis.label,
        columnLabel: columnAxis.label,
        at: cursor,
        value: (row, column) =>
          hidden?.[row * columns + column] ? 'masked' : formatValue(data[row * columns + column]),
      });
    },
    destroy: view.destroy,
  };
}

/** @param {HTMLElement} root */
export function tableOfSheet(root) {
  const view = tableView.create(root);
  return {
    /** @param {import('./sheet.js').TensorSheet | null} sheet */
    update: (sheet) =>
      view.update(
        sheet && {
          caption: sheet.name,
          rows: sheet.rows.length,
          columns: sheet.columns.length,
          rowLabel: (row) => sheet.rows[row],
          columnLabel: String,
          value: (row, column) => formatValue(sheet.data[row * sheet.columns.length + column]),
        },
      ),
    destroy: view.destroy,
  };
}

/** @param {HTMLElement} root @param {Tools} tools */
export function savePicture(root, { result, pinned }) {
  /** @type {MapData | Drawn | null} */
  let shown = null;
  const view = saveView.create(root, {
    onCopy: copyText,
    async onSave(kind) {
      if (!shown) return;
      const sheets = 'matrix' in shown ? [sheetOfMap(shown, found(shown)?.source.name)] : shown.sheets();
      if (kind === 'CSV' || kind === 'JSON') return saveSheets(shown.name, kind, sheets);
      const drawn = 'matrix' in shown ? svgOf(shown, imageOf) : photograph(shown.element, shown.name);
      saveFile(
        nameOf(shown.name, kind),
        kind === 'PNG' ? await pngOf(drawn) : new Blob([drawn.svg], { type: 'image/svg+xml' }),
      );
    },
  });

  /** @param {MapData} map */
  function found({ matrix: { data } }) {
    for (const held of [result(), pinned()]) {
      const source = sourceOf(held, data);
      if (held && source) return { held, source };
    }
    return null;
  }

  /** @param {MapData} map */
  function codeFor(map) {
    const where = found(map);
    if (!where) return { code: null, why: NO_SOURCE };
    const {
      cursor: { row, column },
      matrix: { columns, data },
      rowAxis,
      columnAxis,
    } = map;
    const at = row * columns + column;
    const label = `${rowAxis.noun} ${rowAxis.label(row)}, ${columnAxis.noun} ${columnAxis.label(column)}`;
    return { code: codeOf(where.held, where.source, { at, label, value: formatValue(data[at]) }), why: NO_CODE };
  }

  return {
    /** @param {MapData | Drawn | null} next */
    update(next) {
      shown = next;
      view.update(
        next && { kinds: ['SVG', 'PNG', 'CSV', 'JSON'], code: 'matrix' in next ? () => codeFor(next) : null },
      );
    },
    destroy: view.destroy,
  };
}

/** @param {HTMLElement} root */
export function saveTensor(root) {
  /** @type {Sheet | null} */
  let shown = null;
  const view = saveView.create(root, {
    onCopy: copyText,
    onSave: (kind) => void (shown && saveSheets(shown.name, kind, [shown])),
  });
  return {
    /** @param {{sheet: import('./sheet.js').TensorSheet, result: Result} | null} next */
    update(next) {
      shown = next?.sheet ?? null;
      view.update(next && { kinds: ['CSV', 'JSON'], code: () => codeOfTensor(next.sheet, next.result) });
    },
    destroy: view.destroy,
  };
}

/** @param {import('./sheet.js').TensorSheet} sheet @param {Result} result */
const codeOfTensor = ({ name, shape, data }, result) => ({
  code: codeOf(result, { name, shape, offset: 0 }, { at: 0, label: 'its first number', value: formatValue(data[0]) }),
  why: NO_CODE,
});

/** @param {MapData} map @param {string} [tensor] that it shows */
const sheetOfMap = ({ name, matrix: { rows, columns, data }, rowAxis, columnAxis }, tensor = name) => ({
  name: tensor,
  shape: [rows, columns],
  data,
  rows: Array.from({ length: rows }, (_, i) => rowAxis.label(i)),
  columns: Array.from({ length: columns }, (_, i) => columnAxis.label(i)),
});

/** @param {string} name @param {string} kind */
const nameOf = (name, kind) => `${fileName(name)}.${kind.toLowerCase()}`;

/** @param {string} name @param {string} kind 'CSV' or 'JSON' @param {Sheet[]} sheets */
const saveSheets = (name, kind, sheets) =>
  saveFile(nameOf(name, kind), kind === 'CSV' ? csvOf(...sheets) : jsonOf(...sheets));
