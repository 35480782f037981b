// Encodings of positions: sinusoids that are added, and rotary ones, by which queries and keys turn.
import { columnsOf } from './attention.js';
import { settingOf } from './config.js';
import { GlassformerError } from '../errors.js';
import { compute, operation } from './ops.js';
import {
  choice,
  expectRank,
  expectShape,
  flag,
  floats,
  integer,
  ints,
  maybe,
  number,
  optional,
  readOptions,
  refuseType,
} from '../arrays/tensor.js';

/** @typedef {import('./start.js').Core} Core */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/** @param {Core} core */
function positionOptions({ settings }) {
  const last = settingOf(settings, 'maxLength').high;
  return { length: maybe(integer(1, last)), start: maybe(integer(0, last)), positions: maybe(ints) };
}

/**
 * Encodes positions with an export of the core.
 * @param {Core} core
 * @param {string} name of its export
 * @param {{positions?: unknown}} given
 * @param {Int32Array} data the positions
 * @param {number} width
 * @param {number[]} angles
 */
function encoded(core, name, given, data, width, angles = []) {
  const last = settingOf(core.settings, 'maxLength').high;
  const at = data.findIndex((position) => position < 0 || position > last);
  if (at >= 0) {
    const from = given.positions ? 'positions' : 'start';
    throw new GlassformerError('range', from, data[at], `position ${at} must be from 0 to ${last}`);
  }
  const shape = [data.length, width];
  return compute(core, name, shape, { data }, ...shape, ...angles);
}

/**
 * @param {Core} core
 * @param {unknown} options
 * @returns {FloatTensor}
 */
export function positionalEncoding(core, options) {
  const { low, high } = settingOf(core.settings, 'd_model');
  const given = readOptions(options, { d_model: integer(low, high), ...positionOptions(core) });
  return encoded(core, 'gf_positions', given, listed(given), given.d_model);
}

/**
 * @param {{positions?: import('../arrays/tensor.js').Tensor<Int32Array>, length?: number, start?: number}} given
 */
function listed({ positions, length, start }) {
  if (!positions) {
    if (length === undefined) refuseType('length', length, 'a number of positions, or `positions`');
    return Int32Array.from({ length }, (_, i) => (start ?? 0) + i);
  }
  expectRank(positions, 1, 1, 'positions');
  const extra = length ?? start;
  if (extra !== undefined) {
    throw new GlassformerError(
      'unknown',
      length === undefined ? 'start' : 'length',
      extra,
      'does not go with positions',
    );
  }
  return positions.data;
}

/** The settings of rotary angles, by the names of the operations' options. @param {Core} core */
const anglesOf = ({ settings }) =>
  settings
    .filter(({ name }) => name.startsWith('rope') && name !== 'ropeWidth')
    .map((setting) => ({ ...setting, name: setting.name[4].toLowerCase() + setting.name.slice(5) }));

/** @param {Core} core @returns {Record<string, import('../arrays/tensor.js').Reader<any>>} */
const angleOptions = (core) =>
  Object.fromEntries(
    anglesOf(core).map(({ name, choices, low, high, fallback }) => [
      name,
      choices[0] ? optional(choice(choices), choices[fallback]) : optional(number(low, high), fallback),
    ]),
  );

/**
 * Cosines and sines, (n, width).
 * @param {Core} core
 * @param {Record<string, any>} given
 * @param {Int32Array} positions
 * @param {number} width
 */
function rotationOf(core, given, positions, width) {
  if (width % 2) throw new GlassformerError('shape', 'headWidth', width, 'must be even: numbers turn in pairs');
  const { lowFrequency: low, highFrequency: high } = given;
  if (low >= high) throw new GlassformerError('range', 'highFrequency', high, `must be above ${low}`);
  const angles = anglesOf(core).map(({ name, choices }) => (choices[0] ? choices.indexOf(given[name]) : given[name]));
  return encoded(core, 'gf_rotation', given, positions, width, angles);
}

/**
 * @param {Core} core
 * @param {unknown} options
 */
export function rotaryTable(core, options) {
  const headWidth = integer(2, settingOf(core.settings, 'd_model').high);
  const given = readOptions(options, { headWidth, ...positionOptions(core), ...angleOptions(core) });
  const { data, shape } = rotationOf(core, given, listed(given), given.headWidth);
  const [n, width] = shape;
  const half = (/** @type {boolean} */ second) => ({
    data: data.filter((_, i) => i % width >= width / 2 === second),
    shape: [n, width / 2],
  });
  return { cos: half(false), sin: half(true) };
}

export const rotary = operation(
  { x: floats },
  (core) => {
    const { start, positions } = positionOptions(core);
    const heads = optional(integer(1, settingOf(core.settings, 'heads').high), 1);
    const no = optional(flag, false);
    const width = maybe(integer(2, settingOf(core.settings, 'ropeWidth').high));
    return { start, positions, ...angleOptions(core), heads, width, interleaved: no, inverse: no };
  },
  (core, { x, heads, width: part, interleaved, inverse, ...given }) => {
    expectRank(x, 2, Infinity, 'x');
    const [T, C] = x.shape.slice(-2);
    const width = columnsOf(heads, C, 'x');
    const turned = part ?? width;
    if (turned > width) throw new GlassformerError('range', 'width', part, `must be at most ${width}, a head's`);
    if (turned % 2 && part) throw new GlassformerError('range', 'width', part, 'must be even: numbers turn in pairs');
    const count = x.data.length / C;
    const { positions: own, start } = given;
    if (own && own.data.length !== count) expectShape(own, [T], 'positions');
    // Of each row, or of the rows of each sequence.
    const each = own ? { positions: { data: own.data, shape: [own.data.length] } } : { length: T };
    const list = listed({ ...each, start });
    const positions = Int32Array.from({ length: count }, (_, row) => list[row % list.length]);
    const table = rotationOf(core, given, positions, turned);
    return compute(core, 'gf_rotate', x.shape, x, table, count, heads, width, turned, interleaved, inverse);
  },
);
