// Numbers for reading, not for checking: two significant digits.

import { formatValue } from './canvas.js';
import { typeset, withMinus } from './typeset.js';

const LEAST = 1e-4;

/** @param {number} value */
export function shortValue(value) {
  if (value === -Infinity) return '−∞';
  if (!value || !Number.isFinite(value)) return value === 0 ? '0' : formatValue(value);
  const text = value.toPrecision(2);
  const size = Math.abs(Number(text));
  if (size < LEAST) return '≈ 0';
  return size < 1e6 ? withMinus(size < 10 ? text : Number(text).toLocaleString('en')) : typeset(value.toExponential(1));
}
