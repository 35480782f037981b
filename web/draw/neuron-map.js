// FFN activations as a map: a row for each token, a column for each neuron.

import { positiveScale, roundLimit, signedScale } from './color.js';
import { withMinus } from './numbers.js';

/** The last two are of a gated network. */
const NAMES = { activation: 'Activation', pre_activation: 'Pre-activation', up: 'Up', product: 'Product' };

/**
 * `called`: the quantity, where a view has other words for it; `numberAt`: the neuron of a column; `label`: the
 * text of its label; `all`: the values of all neurons, which set the scale, where `data` has columns of some; `others`:
 * so many neurons are in its last column.
 * @param {{
 *   title: string, quantity: keyof typeof NAMES, called?: string, words: string[], neurons: number,
 *   data: Float32Array, all?: Float32Array, others?: number,
 *   scheme: import('./color.js').Scheme, cursor: import('./map.js').Cell, colours?: Colours,
 *   numberAt?: (column: number) => number, label?: (column: number) => string,
 * }} shown
 * @returns {import('./map.js').MapData}
 */
export function neuronMap({ title, quantity, words, neurons, data, scheme, cursor, ...more }) {
  const { all = data, others = 0, colours = 'linear', numberAt = (column) => column, label = String, called } = more;
  const isSigned = quantity !== 'activation' || all.some((value) => value < 0);
  const quantityName = called ?? NAMES[quantity];
  const { scaleTitle = '', ...colouring } = colouringOf(colours, { data, all, columns: neurons, isSigned, scheme });
  const isRest = (/** @type {number} */ column) => others > 0 && column === neurons - 1;
  return {
    name: `${title}, ${called ?? `${quantityName.toLowerCase()}s`}`,
    matrix: { rows: words.length, columns: neurons, data, scheme, ...colouring },
    scaleTitle: quantityName + scaleTitle,
    rowAxis: { title: 'token', noun: 'row', part: 'row', label: (i) => words[i] },
    columnAxis: {
      title: 'neuron',
      noun: 'neuron',
      part: 'neuron',
      index: (i) => (isRest(i) ? '…' : numberAt(i)),
      value: (i) => (isRest(i) ? '' : String(numberAt(i))),
      label: (i) => (isRest(i) ? 'rest' : label(i)),
      words: (i) => (isRest(i) ? `the largest of the other ${count.format(others)}` : undefined),
    },
    cursor,
  };
}

/** @typedef {'linear' | 'root' | 'symlog' | 'neuron'} Colours the last: each neuron by its own largest value */

/**
 * The colours of a map, and what its legend adds to the name of the quantity.
 * @param {Colours} colours
 * @param {{data: Float32Array, all: Float32Array, columns: number, isSigned: boolean,
 *   scheme: import('./color.js').Scheme}} of
 * @returns {{scale: import('./color.js').Scale, painted?: Float32Array, scaleTitle?: string}}
 */
function colouringOf(colours, { data, all, columns, isSigned, scheme }) {
  const scaleOf = isSigned ? signedScale : positiveScale;
  if (colours === 'neuron') {
    const painted = once(data, 'by neuron', () => byColumn(data, columns));
    const ticks = isSigned ? ['−100 %', '0', '100 %'] : ['0', '50 %', '100 %'];
    return { painted, scale: { ...scaleOf(scheme, 1), ticks }, scaleTitle: ', of each neuron’s largest' };
  }
  const limit = roundLimit(all);
  if (colours !== 'symlog')
    return {
      scale: scaleOf(scheme, limit, colours === 'root'),
      ...(colours === 'root' && { scaleTitle: ', square root' }),
    };
  const bend = bendOf(all);
  const whole = Math.log1p(limit / bend);
  const painted = once(data, `log ${bend} ${limit}`, () =>
    data.map((value) => (Math.sign(value) * Math.log1p(Math.abs(value) / bend)) / whole),
  );
  const middle = isSigned ? 0 : bend * Math.expm1(whole / 2);
  const ticks = [isSigned ? -limit : 0, middle, limit].map((value) => withMinus(number.format(value)));
  const scaleTitle = `, log beyond ±${number.format(bend)}`;
  return { painted, scale: { ...scaleOf(scheme, 1), ticks }, scaleTitle };
}

const count = new Intl.NumberFormat('en');
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const MOST = 2 ** 14; // values from which the typical one is taken

/**
 * Where a symmetric logarithm bends: the median size of the values other than 0, to one digit.
 * @param {Float32Array} data
 */
export function bendOf(data) {
  const step = Math.ceil(data.length / MOST);
  const sizes = data
    .filter((value, i) => i % step === 0 && value !== 0 && Number.isFinite(value))
    .map(Math.abs)
    .sort();
  return sizes.length ? Number(sizes[sizes.length >> 1].toPrecision(1)) : 1;
}

/** Each column as shares of its largest size. @param {Float32Array} data @param {number} columns */
export function byColumn(data, columns) {
  const largest = new Float32Array(columns);
  data.forEach((value, i) => (largest[i % columns] = Math.max(largest[i % columns], Math.abs(value) || 0)));
  return data.map((value, i) => value && value / largest[i % columns]);
}

/**
 * Chosen columns, and all others as one: of each row their value of largest size.
 * @param {Float32Array} data [rows, columns] @param {number} columns @param {readonly number[]} shown
 */
export const withOthers = (data, columns, shown) =>
  once(data, `others ${shown}`, () => {
    const width = shown.length + 1;
    const made = new Float32Array((data.length / columns) * width);
    const placeOf = new Int32Array(columns).fill(shown.length);
    shown.forEach((column, place) => (placeOf[column] = place));
    data.forEach((value, i) => {
      const at = Math.floor(i / columns) * width + placeOf[i % columns];
      if (value !== value || Math.abs(value) > Math.abs(made[at])) made[at] = value;
    });
    return made;
  });

/** Values by what they were made of, as a view is drawn more often than that changes. @type {WeakMap<object, any>} */
const last = new WeakMap();

/**
 * @template T
 * @param {Float32Array} of @param {string} key @param {() => T} make
 * @returns {T}
 */
function once(of, key, make) {
  if (last.get(of)?.key !== key) last.set(of, { key, made: make() });
  return last.get(of).made;
}

/**
 * Counts the exact zeros of the map, and the neurons that are zero for every token.
 * @param {Float32Array} data
 * @param {number} neurons
 */
export function zerosOf(data, neurons) {
  const alive = new Uint8Array(neurons);
  let zeros = 0;
  for (let i = 0; i < data.length; i++) {
    if (data[i] === 0) zeros++;
    else alive[i % neurons] = 1;
  }
  return {
    zeros,
    share: `${((100 * zeros) / data.length).toFixed(1)} %`,
    dead: alive.reduce((sum, flag) => sum - flag, neurons),
  };
}
