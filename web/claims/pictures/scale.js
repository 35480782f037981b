// From numbers to places along an axis, and the numbers that are written beside it.

/** @typedef {import('../../../src/claims/shared/picture.js').Axis} Axis */

/**
 * `share`: 0 to 1 for a number on the axis, its end for what lies beyond; `digits`: of the longest label.
 * @typedef {{share: (value: number) => number, ticks: {at: number, text: string}[]}} Scale
 */

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
/** Room that two neighbouring numbers need, in characters. */
const GAP = 2;

/**
 * @param {Axis} axis
 * @param {readonly number[]} values that are to be on it
 * @param {number} length of the axis in characters, or in lines
 * @param {boolean} [upright]
 * @returns {Scale}
 */
export function scaleOf(axis, values, length, upright) {
  const { log, ticks } = axis;
  const finite = values.filter(Number.isFinite);
  const known = [...(log ? finite.filter((value) => value > 0) : finite), ...(ticks ?? [])];
  const [least, most] = known.length ? [Math.min(...known), Math.max(...known)] : [log ? 0.1 : 0, 1];
  const count = upright ? length / 1.6 : length / 8;
  const [low, high] = ticks
    ? [least, most]
    : log
      ? [Math.min(axis.low ?? Infinity, decade(least, Math.floor)), Math.max(axis.high ?? 0, decade(most, Math.ceil))]
      : ends(Math.min(axis.low ?? Infinity, least), Math.max(axis.high ?? -Infinity, most));
  const place = (/** @type {number} */ value) =>
    log ? Math.log(value / low) / Math.log(high / low || 10) : (value - low) / (high - low || 1);
  const share = (/** @type {number} */ value) => Math.min(1, Math.max(0, log && value <= 0 ? 0 : place(value)));
  const hasZero = log && finite.some((value) => value <= 0);
  const labelSpace = (/** @type {string} */ text) => (upright ? 1.2 : text.length + GAP) / length;
  const textsOf = (/** @type {readonly number[]} */ list) =>
    list.map((at, i) => ({ at, text: hasZero && i === 0 ? '0' : textOf(axis, at) }));
  /** As many as fit; the last of them is among the numbers themselves. @param {ReturnType<typeof textsOf>} texts */
  const fittingOf = (texts) => {
    let end = -Infinity;
    return texts.filter(({ at, text }) => {
      const fits = share(at) - labelSpace(text) / 2 >= end - 1e-9;
      if (fits) end = share(at) + labelSpace(text) / 2;
      return fits;
    });
  };
  if (ticks) return { share, ticks: fittingOf(textsOf(ticks)) };
  // larger steps, until none is left out between two others
  for (let tries = count; ; tries *= 0.8) {
    const texts = textsOf(log ? decades(low, high, tries) : rounds(low, high, tries));
    const fitting = fittingOf(texts);
    if (fitting.length === texts.length || tries <= 1) return { share, ticks: fitting };
  }
}

/** @param {Axis} axis @param {number} value */
export function textOf({ percent, labels, log }, value) {
  if (labels) return labels[value] ?? '';
  if (percent) return `${plain.format(100 * value)} %`;
  const exponent = Math.round(Math.log10(value));
  return log && Math.abs(exponent) > 3 && Math.abs(10 ** exponent / value - 1) < 1e-9
    ? `10${String(exponent).replace(/./g, (sign) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)] ?? '⁻')}`
    : plain.format(value).replace('-', '−');
}

/** @param {number} value @param {(x: number) => number} round */
const decade = (value, round) => 10 ** round(Math.log10(value) + (round === Math.ceil ? -1e-9 : 1e-9));

/** Ends a little beyond the numbers, where these are all the same. @param {number} low @param {number} high */
const ends = (low, high) => (high - low > 1e-12 * Math.abs(high) ? [low, high] : [low - 0.5, high + 0.5]);

/** @param {number} low @param {number} high @param {number} count */
function decades(low, high, count) {
  const [first, last] = [low, high].map((value) => Math.ceil(Math.log10(value) - 1e-9));
  const step = Math.max(1, Math.ceil((last - first) / Math.max(1, count)));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => 10 ** (first + i * step));
}

/** Multiples of 1, 2 or 5 powers of ten. @param {number} low @param {number} high @param {number} count */
function rounds(low, high, count) {
  const least = (high - low) / Math.max(1, count);
  const unit = 10 ** Math.floor(Math.log10(least));
  const step = unit * ([1, 2, 5, 10].find((factor) => factor * unit >= least * (1 - 1e-9)) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}
