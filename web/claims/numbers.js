// The numbers of a run as they stand on the page, beside what was measured before.

import { typeset, withMinus } from '../draw/numbers.js';

/**
 * @typedef {import('./worker.js').ClaimData} ClaimData
 * @typedef {import('./worker.js').Finding} Finding
 * @typedef {{
 *   label: string, values: number[], range: readonly [number, number] | null,
 *   allowed: readonly [number, number] | null, within: boolean | null, share?: boolean,
 * }} Row null: nothing is known of it at these switches; `share`: of a whole, in per cent
 */

/**
 * Those that are known at the switches of the run, then those that are known at others.
 * @param {Pick<ClaimData, 'expected'>} claim @param {Pick<Finding, 'numbers' | 'comparisons'>} finding
 * @returns {Row[]}
 */
export function rowsOf({ expected }, { numbers, comparisons }) {
  const compared = new Set(comparisons.map(({ label }) => label));
  const names = new Set(expected.filter(({ label }) => compared.has(label)).map(({ name }) => name));
  const others = expected.filter(
    // the first label is that of the defaults
    ({ name }, i) => !names.has(name) && expected.findIndex((one) => one.name === name) === i,
  );
  return [
    ...comparisons,
    ...others.flatMap(({ name, label, share }) => {
      const values = /** @type {number[]} */ ([numbers[name] ?? []].flat(2));
      return values.length ? [{ label, values, range: null, allowed: null, within: null, share }] : [];
    }),
  ];
}

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const whole = new Intl.NumberFormat('en');

/** Four digits; very small and large ones as a power of ten. @param {number} value */
export function format(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return withMinus(whole.format(value));
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'not a number' : value < 0 ? '−∞' : '∞';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return withMinus(plain.format(value));
  return typeset(value.toExponential(1));
}

/** Each as it is printed; shares without their sign. @param {readonly number[]} values @param {boolean} [share] */
export const listOf = (values, share) =>
  values.map((value) => format(share ? Number((100 * value).toPrecision(4)) : value));

/** Smallest to largest. @param {readonly number[]} values @param {boolean} [share] of a whole, in per cent */
export function span(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = listOf([sorted[0], sorted[sorted.length - 1]], share);
  return `${low === high ? low : `${low} to ${high}`}${share ? ' %' : ''}`;
}

/** From here on a number is beyond single precision, or nearly so. */
const OPEN = 3e38;

/** A range, which may be open. @param {readonly [low: number, high: number]} range @param {boolean} [share] */
export const bounds = ([low, high], share) => (high > OPEN ? `at least ${format(low)}` : span([low, high], share));

/**
 * A range with its tolerance, where that is more than the range; sizes and shares have their own end.
 * @param {readonly [number, number]} range @param {readonly [number, number]} allowed @param {boolean} [share]
 */
export function allowance(range, allowed, share) {
  const [low, high] = allowed;
  if (range.every((end, i) => listOf([end], share)[0] === listOf([allowed[i]], share)[0])) return '';
  if (range[0] >= 0 && low <= 0) return `at most ${span([high], share)}`;
  return share && high >= 1 ? `at least ${span([low], share)}` : bounds(allowed, share);
}
