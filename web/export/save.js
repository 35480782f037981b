// The folds under a figure or a tensor: its table, and what can be saved of it.

import { formatValue } from '../draw/numbers.js';
import { paintMatrix } from '../draw/canvas.js';
import * as saveView from './save-view.js';
import * as tableView from './table-view.js';
import { codeOf, sourceOf } from './code.js';
import { copyText, fileName, saveFile } from './file.js';
import { htmlOf } from './html.js';
import { snapshot } from './snapshot.js';
import { svgOf } from './svg.js';
import { csvOf, jsonOf } from './table.js';

/**
 * @typedef {import('../draw/map.js').MapData} MapData
 * @typedef {import('../draw/figure.js').Figure} Figure
 * @typedef {import('../draw/figure.js').Table} Table
 * @typedef {import('./table.js').TensorTable} TensorTable
 * @typedef {import('../engine/results.js').Result} Result
 * @typedef {Pick<import('../explore/index.js').Tools, 'result' | 'pinned'>} Tools
 */

const NO_SOURCE =
  'These numbers are computed from several tensors, so no single tensor holds them. ' +
  '“Any tensor” for experts, under “Save and share”, gives each of them by its name.';
const NO_CODE = 'A change replaces values with their average, which this code cannot express.';

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
          ['', 'masked', '–'][hidden?.[row * columns + column] ?? 0] || formatValue(data[row * columns + column]),
      });
    },
    destroy: view.destroy,
  };
}

/** @param {HTMLElement} root */
export function showTensor(root) {
  const view = tableView.create(root);
  return {
    /** @param {TensorTable | null} table */
    update: (table) =>
      view.update(
        table && {
          caption: table.name,
          rows: table.rows.length,
          columns: table.columns.length,
          rowLabel: (row) => table.rows[row],
          columnLabel: String,
          value: (row, column) => formatValue(table.data[row * table.columns.length + column]),
        },
      ),
    destroy: view.destroy,
  };
}

/** @param {HTMLElement} root @param {Tools} tools */
export function saveFigure(root, { result, pinned }) {
  /** @type {MapData | Figure | null} */
  let shown = null;
  const view = saveView.create(root, {
    onCopy: copyText,
    async onSave(kind) {
      if (!shown) return;
      const tables = 'matrix' in shown ? [tableOfValues(shown, found(shown)?.source.name)] : shown.tables();
      if (kind === 'CSV' || kind === 'JSON') return saveTables(shown.name, kind, tables);
      const image = 'matrix' in shown ? svgOf(shown, imageOf) : snapshot(shown.element, shown.name);
      saveFile(
        nameOf(shown.name, kind),
        kind === 'PNG' ? await pngOf(image) : new Blob([image.svg], { type: 'image/svg+xml' }),
      );
    },
  });

  /** @param {MapData} map */
  function found({ matrix: { data } }) {
    for (const held of [result(), pinned()]) {
      const source = sourceOf(held, data);
      if (held && source) return { result: held, source };
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
    return { code: codeOf(where.result, where.source, { at, label, value: formatValue(data[at]) }), why: NO_CODE };
  }

  /** @param {MapData} map */
  function htmlFor(map) {
    const where = found(map);
    return where && htmlOf(where.result.plan, where.source, map.cursor);
  }

  return {
    /** @param {MapData | Figure | null} next */
    update(next) {
      shown = next;
      const hasCode = next && 'matrix' in next && root.closest('#explore'); // other places have their own code
      view.update(
        next && {
          kinds: ['SVG', 'PNG', 'CSV', 'JSON'],
          code: hasCode ? () => codeFor(next) : null,
          html: hasCode ? htmlFor(next) : null,
        },
      );
    },
    destroy: view.destroy,
  };
}

/** @param {HTMLElement} root */
export function saveTensor(root) {
  /** @type {Table | null} */
  let shown = null;
  const view = saveView.create(root, {
    onCopy: copyText,
    onSave: (kind) => void (shown && saveTables(shown.name, kind, [shown])),
  });
  return {
    /** @param {{table: TensorTable, result: Result} | null} next */
    update(next) {
      shown = next?.table ?? null;
      view.update(next && { kinds: ['CSV', 'JSON'], code: () => codeOfTensor(next.table, next.result) });
    },
    destroy: view.destroy,
  };
}

/** @param {TensorTable} table @param {Result} result */
const codeOfTensor = ({ name, shape, data }, result) => ({
  code: codeOf(result, { name, shape, offset: 0 }, { at: 0, label: 'its first number', value: formatValue(data[0]) }),
  why: NO_CODE,
});

/** @param {MapData} map @param {string} [tensor] that it shows */
const tableOfValues = ({ name, matrix: { rows, columns, data }, rowAxis, columnAxis }, tensor = name) => ({
  name: tensor,
  shape: [rows, columns],
  data,
  rows: Array.from({ length: rows }, (_, i) => rowAxis.label(i)),
  columns: Array.from({ length: columns }, (_, i) => columnAxis.label(i)),
});

/** @param {string} name @param {string} kind */
const nameOf = (name, kind) => `${fileName(name)}.${kind.toLowerCase()}`;

/** @param {string} name @param {string} kind 'CSV' or 'JSON' @param {Table[]} tables */
const saveTables = (name, kind, tables) =>
  saveFile(nameOf(name, kind), kind === 'CSV' ? csvOf(...tables) : jsonOf(...tables));

const SHARP = 2; // canvas pixels for each of the image's

/** The cells of a matrix as an address, one pixel a cell. @param {import('../draw/canvas.js').Matrix} matrix */
function imageOf(matrix) {
  const canvas = document.createElement('canvas');
  paintMatrix(canvas, matrix);
  return canvas.toDataURL();
}

/**
 * @param {{svg: string, width: number, height: number}} image
 * @returns {Promise<Blob>}
 */
async function pngOf({ svg, width, height }) {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width * SHARP;
    canvas.height = height * SHARP;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the image is too large for a PNG')))),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
