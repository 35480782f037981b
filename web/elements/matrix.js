// Checks matrices, and words the errors.

import { GlassformerError } from '../../src/js/errors.js';

export { GlassformerError };

/** @import { MatrixInput } from './types.js' */

/**
 * A MatrixInput, complete. A signed scale whose `high` is 0 takes its limit from the data.
 * @typedef {object} Parts
 * @property {Float32Array} data
 * @property {number} rows
 * @property {number} columns
 * @property {Uint8Array | null} hidden
 * @property {readonly string[]} rowLabels
 * @property {readonly string[]} columnLabels
 * @property {string} rowTitle
 * @property {string} columnTitle
 * @property {string} label
 * @property {{low: number, high: number, root?: boolean}} scale
 */

const WIDEST = 16384; // the widest canvas that every browser supports

/**
 * @param {import('../../src/js/errors.js').ErrorCode} code
 * @param {string} name
 * @param {unknown} value
 * @param {string | number} needed
 * @returns {never}
 */
function refuse(code, name, value, needed) {
  throw new GlassformerError(code, name, value, `${needed} needed`);
}

/** @type {Rule} */
const SIZE = [(value) => Number.isInteger(value) && value > 0 && value <= WIDEST, `1 to ${WIDEST}`];
/** @type {Rule} */
const TEXT = [(value) => typeof value === 'string', 'text'];
/** @type {Rule} */
const TEXTS = [(value) => value?.every?.(TEXT[0]), 'strings'];
/** @type {Rule} */
const LIST = [(value) => value?.length > 0, 'an array'];

/** @typedef {[fits: (value: any) => boolean, needed: string]} Rule */
/** @type {Record<keyof MatrixInput, Rule>} */
const RULES = {
  data: LIST,
  rows: SIZE,
  columns: SIZE,
  shape: [(value) => value?.every?.(SIZE[0]), 'an array of sizes'],
  rowLabels: TEXTS,
  columnLabels: TEXTS,
  labels: TEXTS,
  rowTitle: TEXT,
  columnTitle: TEXT,
  label: TEXT,
  scale: [
    (value) =>
      value === 'probability' ||
      value === 'root' ||
      value === 'signed' ||
      (Number.isFinite(value?.low) && Number.isFinite(value.high) && value.low < value.high),
    'probability, root, signed or {low, high}',
  ],
  mask: LIST,
};

export const PARTS = /** @type {(keyof MatrixInput)[]} */ (Object.keys(RULES));

/**
 * @param {keyof MatrixInput} name
 * @param {any} value undefined takes the part away
 */
function checkPart(name, value) {
  if (!RULES[name]) refuse('unknown', name, value, `one of ${PARTS}`);
  const [fits, needed] = RULES[name];
  const labels = fits === SIZE[0] && value?.[0] ? `, and ${name.slice(0, -1)}Labels for names,` : '';
  if (value !== undefined && !fits(value)) refuse('type', name, value, needed + labels);
}

/**
 * Rows of values as one list.
 * @param {string} name
 * @param {ArrayLike<any>} list
 * @returns {ArrayLike<any>}
 */
function flatten(name, list) {
  if (!list[0]?.length) return list;
  return Array.from(list).flatMap((row, i) => {
    if (row?.length !== list[0].length) {
      refuse('shape', `${name}[${i}]`, row, list[0].length);
    }
    return [...row];
  });
}

/**
 * The first matrix of a tensor: at 0 of all axes but the last two.
 * @param {MatrixInput} input
 * @returns {MatrixInput}
 */
function firstOf(input) {
  const { data, shape } = /** @type {any} */ (input);
  if (!shape) return input;
  if (shape.reduce((/** @type {number} */ size, /** @type {number} */ axis) => size * axis, 1) !== data.length)
    refuse('shape', 'data', data, shape.join(' × '));
  const [rows, columns] = [1, 1, ...shape].slice(-2);
  return { rows, columns, ...input, data: data.slice(0, rows * columns) };
}

/** @param {number} count */
const numbers = (count) => Array.from({ length: count }, (_, i) => `${i}`);

/**
 * The whole, or null without data, or an error.
 * @param {MatrixInput} input
 * @returns {Parts | null}
 */
export function checkMatrix(input) {
  for (const name in input) checkPart(/** @type {keyof MatrixInput} */ (name), Reflect.get(input, name));
  if (input.data === undefined) return null;
  const {
    data,
    rows: height,
    columns: width,
    labels,
    rowLabels = labels,
    columnLabels = labels,
    rowTitle = 'row',
    columnTitle = 'column',
    label = 'Matrix',
    mask,
    scale,
  } = /** @type {MatrixInput & {data: any}} */ (firstOf(input));
  const flat = flatten('data', data);
  const nested = flat !== data;
  const known = height ?? (nested ? data.length : rowLabels?.length);
  const columns = width ?? (nested ? flat.length / data.length : (columnLabels?.length ?? flat.length / (known ?? 1)));
  const rows = known ?? flat.length / columns;
  if (flat.length !== rows * columns || (nested && data.length !== rows))
    refuse('shape', 'data', data, `${rows} × ${columns}`);
  checkPart('rows', rows);
  checkPart('columns', columns);
  for (let i = 0; i < flat.length; i++)
    if (typeof flat[i] !== 'number') refuse('type', `data[${i}]`, flat[i], 'a number');
  const flags = mask && flatten('mask', mask);
  for (const [name, list, size] of /** @type {const} */ ([
    [rowLabels === labels ? 'labels' : 'rowLabels', rowLabels, rows],
    [columnLabels === labels ? 'labels' : 'columnLabels', columnLabels, columns],
    ['mask', flags, rows * columns],
  ])) {
    if (list && list.length !== size) refuse('shape', name, list, size);
  }
  const own = Float32Array.from(flat); // which does not change any more
  const kind = scale ?? (own.some((value) => value < 0 || value > 1) ? 'signed' : 'probability');
  return {
    data: own,
    rows,
    columns,
    rowTitle,
    columnTitle,
    label,
    rowLabels: rowLabels ?? numbers(rows),
    columnLabels: columnLabels ?? numbers(columns),
    hidden: flags ? Uint8Array.from(flags) : null,
    scale:
      typeof kind === 'object'
        ? { low: kind.low, high: kind.high }
        : { low: 0, high: kind === 'signed' ? 0 : 1, ...(kind === 'root' && { root: true }) },
  };
}
