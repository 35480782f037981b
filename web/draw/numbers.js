// Numbers as people read them: shares, short and exact values, powers of ten.

/**
 * A share between 0 and 1 in per cent with two significant digits: "91 %", "5.3 %", "0.72 %". Only nothing is 0 %,
 * and only the whole 100 %.
 * @param {number} share
 */
export const formatShare = (share) => `${percentOf(100 * share)}\u00a0%`;

/** @param {number} percent */
function percentOf(percent) {
  if (percent > 0 && percent < 0.01) return '<0.01';
  if (percent >= 99.5 && percent < 100) return '>99';
  return percent < 10 ? String(Number(percent.toPrecision(2))) : percent.toFixed(0);
}

const LEAST = 1e-4;

/** For reading, not for checking: two significant digits. @param {number} value */
export function shortValue(value) {
  if (value === -Infinity) return '−∞';
  if (!value || !Number.isFinite(value)) return value === 0 ? '0' : formatValue(value);
  const text = value.toPrecision(2);
  const size = Math.abs(Number(text));
  if (size < LEAST) return '≈ 0';
  return size < 1e6 ? withMinus(size < 10 ? text : Number(text).toLocaleString('en')) : typeset(value.toExponential(1));
}

/** With a true minus, which a zero does not get. @param {string} text a number as programs write it */
export const withMinus = (text) => text.replace('-', /[1-9]/.test(text) ? '−' : '');

/** @param {string} text with numbers as programs write them */
export const typeset = (text) =>
  text.replace(
    /(-?\d)(\.\d*?[1-9])?\.?0*e\+?(-?\d+)/g,
    (_, digit, more = '', power) =>
      `${withMinus(digit)}${more}·10${power.replace(/./g, (/** @type {any} */ each) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[each] ?? '⁻')}`,
  );

/**
 * Formats a value for the whole page: four decimals, none from 10,000, a power of ten from a million.
 * @param {number} value
 */
export function formatValue(value) {
  if (Number.isNaN(value)) return 'not a number (NaN)';
  if (!Number.isFinite(value)) return value > 0 ? 'infinity' : 'minus infinity';
  const size = Math.abs(value);
  if (size >= 1e6) return typeset(value.toExponential(4));
  return withMinus(size < 1e4 ? value.toFixed(4) : Math.round(value).toLocaleString('en'));
}

/**
 * A number of a formula that a reader may compute again: five digits that count, and no fewer than four decimals.
 * @param {number} value
 */
export function exactValue(value) {
  if (!value || !(Math.abs(value) < 1)) return formatValue(value);
  const text = value.toPrecision(5);
  return text.includes('e') ? typeset(text) : withMinus(text);
}
