// The numbers of one equation, printed so that a reader who computes with them finds the printed result.

import { shortValue, typeset, withMinus } from './numbers.js';

/**
 * A result: its value as it was computed, and what it is of the operands and the results before, in this order;
 * `isShort`: with two digits that count, as a quotient that is only read.
 * @typedef {{value: number, from: (known: number[]) => number, isShort?: boolean}} Step
 * @typedef {{operands: string[], results: string[]}} Printed
 */

const MOST_DECIMALS = 4;
const MORE = 3; // decimals that are tried, at least
const LARGEST = 1e7; // with decimals: float32 has seven digits
const MOST_DIGITS = 7;
const LEAST = 1e-4;
/** Rounding in float32 stays below this relative difference; a number that was set by hand exceeds it. */
const NEAR = 1e-3;

/** Decimals by which a number has so many digits that count. @param {number} value @param {number} digits */
const decimals = (value, digits) => (value ? digits - 1 - Math.floor(Math.log10(Math.abs(value))) : 0);

/** With so many decimals, and the thousands apart. @param {number} value @param {number} places */
export function fixed(value, places) {
  const [whole, ...part] = value.toFixed(places).split('.');
  return withMinus([whole.replace(/\B(?=(\d{3})+$)/g, ','), ...part].join('.'));
}

/**
 * The rounding and printing of numbers, and a unit of a number's last digit.
 * @typedef {{round: (value: number) => number, print: (value: number) => string, unit: (value: number) => number}} Form
 */

/** @param {number} places @returns {Form} */
const withDecimals = (places) => ({
  round: (value) => Number(value.toFixed(places)),
  print: (value) => fixed(value, places),
  unit: () => 10 ** -places,
});

/** Each with so many digits that count; far from 1 as a power of ten. @param {number} digits @returns {Form} */
const withDigits = (digits) => ({
  round: (value) => Number(value.toPrecision(digits)),
  print(value) {
    const rounded = Number(value.toPrecision(digits)); // first: toLocaleString may round a half to the other side
    const size = Math.abs(rounded);
    return size && (size < LEAST || size >= LARGEST)
      ? typeset(rounded.toExponential(digits - 1))
      : withMinus(rounded.toLocaleString('en', { maximumSignificantDigits: digits }));
  },
  unit: (value) => 10 ** -decimals(value, digits),
});

/**
 * Operands and results with the same decimals, large ones with as many digits that count: the fewest by which the
 * printed operands give the printed results, and these are the computed ones, else miss them by less than one in the
 * last place. Where neither is, the results are those of the printed operands. Infinities are printed by themselves.
 * @param {readonly number[]} operands
 * @param {readonly Step[]} steps
 * @param {number} [fewest] decimals; left out, two digits of each result and one of each operand count
 * @returns {Printed}
 */
export function equation(operands, steps, fewest) {
  const values = [...operands, ...steps.map(({ value }) => value)];
  const exact = values.filter((_, i) => !steps[i - operands.length]?.isShort);
  if (!exact.every(Number.isFinite)) {
    const all = values.map(shortValue);
    return { operands: all.slice(0, operands.length), results: all.slice(operands.length) };
  }
  const tries = formsFor(
    operands,
    steps,
    exact.some((value) => Math.abs(value) >= LARGEST),
    fewest,
  ).map((form) => printedWith(values, operands.length, steps, form));
  const { printed } =
    tries.find(({ isExact }) => isExact) ?? tries.find(({ isNear }) => isNear) ?? tries[tries.length - 1];
  return printed;
}

/**
 * @param {readonly number[]} operands @param {readonly Step[]} steps @param {boolean} areLarge @param {number} [fewest]
 * @returns {Form[]} to be tried in this order
 */
function formsFor(operands, steps, areLarge, fewest) {
  if (areLarge) return Array.from({ length: MOST_DIGITS - 1 }, (_, i) => withDigits(2 + i));
  const wanted = [
    ...operands.map((value) => decimals(value, 1)),
    ...steps.map(({ value, isShort }) => (isShort ? 0 : decimals(value, 2))),
  ];
  const first = fewest ?? Math.min(MOST_DECIMALS, Math.max(0, ...wanted));
  return Array.from({ length: Math.max(MORE, MOST_DECIMALS - first + 1) }, (_, i) => withDecimals(first + i));
}

/**
 * @param {readonly number[]} values @param {number} count of operands @param {readonly Step[]} steps
 * @param {Form} form
 */
function printedWith(values, count, steps, { round, print, unit }) {
  const known = values.slice(0, count).map(round);
  const operands = values.slice(0, count).map(print);
  let [isExact, isNear] = [true, true];
  const results = steps.map(({ value, from, isShort }, i) => {
    const holds = Math.abs(from(values.slice(0, count + i)) - value) <= NEAR * Math.max(1, Math.abs(value));
    const again = holds ? from(known) : value;
    const computed = Number.isFinite(again) ? again : value; // as a divisor that is printed as 0 gives none
    const read = isShort ? computed : round(computed);
    known.push(read);
    const text = isShort ? shortValue(computed) : print(computed);
    if (text !== (isShort ? shortValue(value) : print(value))) isExact = false;
    if (Math.abs(read - value) >= (isShort ? Math.abs(value) / 10 : unit(value))) isNear = false;
    return text;
  });
  return { printed: { operands, results }, isExact, isNear };
}

/** In brackets where a sign before it would be doubled. @param {string} text */
export const bracketed = (text) => (text.startsWith('−') ? `(${text})` : text);
