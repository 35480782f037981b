// The numbers of one equation, printed so that a reader who computes with them finds the printed result.

import { shortValue } from './short.js';
import { withMinus } from './typeset.js';

/**
 * A result: its value as it was computed, and what it is of the operands and the results before, in this order;
 * `isShort`: with two digits that count, as a quotient that is only read.
 * @typedef {{value: number, from: (known: number[]) => number, isShort?: boolean}} Step
 * @typedef {{operands: string[], results: string[]}} Printed
 */

const MOST_DECIMALS = 4;
const MORE = 3; // decimals that are tried, at least
const LARGEST = 1e6;
/** What an equation may miss by of float32, or it is another one, as with a number that was set by hand. */
const NEAR = 1e-3;

/** Decimals by which a number has so many digits that count. @param {number} value @param {number} digits */
const decimals = (value, digits) => (value ? digits - 1 - Math.floor(Math.log10(Math.abs(value))) : 0);

/** With so many decimals, and the thousands apart. @param {number} value @param {number} places */
export function fixed(value, places) {
  const [whole, ...part] = value.toFixed(places).split('.');
  return withMinus([whole.replace(/\B(?=(\d{3})+$)/g, ','), ...part].join('.'));
}

/**
 * Operands and results with the same decimals: the fewest by which the printed operands give the printed results, and
 * these are the computed ones, else miss them by less than one in the last place. Where neither is, the results are
 * those of the printed operands. Numbers that no equation joins are printed by themselves.
 * @param {readonly number[]} operands
 * @param {readonly Step[]} steps
 * @param {number} [fewest] decimals; left out, two digits of each result and one of each operand count
 * @returns {Printed}
 */
export function equation(operands, steps, fewest) {
  const values = [...operands, ...steps.map(({ value }) => value)];
  if (!values.every((value) => Number.isFinite(value) && Math.abs(value) < LARGEST)) {
    const all = values.map(shortValue);
    return { operands: all.slice(0, operands.length), results: all.slice(operands.length) };
  }
  const wanted = [
    ...operands.map((value) => decimals(value, 1)),
    ...steps.map(({ value, isShort }) => (isShort ? 0 : decimals(value, 2))),
  ];
  const first = fewest ?? Math.min(MOST_DECIMALS, Math.max(0, ...wanted));
  const tries = Array.from({ length: Math.max(MORE, MOST_DECIMALS - first + 1) }, (_, i) =>
    printedWith(values, operands.length, steps, first + i),
  );
  const { printed } =
    tries.find(({ isExact }) => isExact) ?? tries.find(({ isNear }) => isNear) ?? tries[tries.length - 1];
  return printed;
}

/**
 * @param {readonly number[]} values @param {number} count of operands @param {readonly Step[]} steps
 * @param {number} places
 */
function printedWith(values, count, steps, places) {
  const known = values.slice(0, count).map((value) => Number(value.toFixed(places)));
  const operands = values.slice(0, count).map((value) => fixed(value, places));
  const unit = 10 ** -places;
  let [isExact, isNear] = [true, true];
  const results = steps.map(({ value, from, isShort }, i) => {
    const holds = Math.abs(from(values.slice(0, count + i)) - value) <= NEAR * Math.max(1, Math.abs(value));
    const again = holds ? from(known) : value;
    const computed = Number.isFinite(again) ? again : value; // as a divisor that is printed as 0 gives none
    const read = isShort ? computed : Number(computed.toFixed(places));
    known.push(read);
    const text = isShort ? shortValue(computed) : fixed(computed, places);
    if (text !== (isShort ? shortValue(value) : fixed(value, places))) isExact = false;
    if (Math.abs(read - value) >= (isShort ? Math.abs(value) / 10 : unit)) isNear = false;
    return text;
  });
  return { printed: { operands, results }, isExact, isNear };
}

/** In brackets where a sign before it would be doubled. @param {string} text */
export const bracketed = (text) => (text.startsWith('−') ? `(${text})` : text);
