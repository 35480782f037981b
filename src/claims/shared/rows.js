// Rows of digits and keys, of which each place says what stands at a distance, or what belongs to a key.
import { IGNORE } from 'glassformer/tasks';

const KEYS = 6;

export const DIGITS = 10;

/**
 * A row, and what each place is to say. Digits are 0 to 9, keys stand behind them.
 * @typedef {import('glassformer/tasks').Random} Random
 * @typedef {{ids: number[], labels: number[]}} Row
 * @typedef {(random: Random, length: number) => Row} MakeRow
 */

/** @param {(ids: number[], at: number) => number} answer @returns {MakeRow} */
export const digits = (answer) => (random, length) => {
  const ids = Array.from({ length }, () => random.integer(DIGITS));
  return { ids, labels: ids.map((_, at) => answer(ids, at)) };
};

/** The digit some places back. @param {number} distance */
export const lookBack = (distance) => digits((ids, at) => ids[at - distance] ?? IGNORE);

/** Letters of a row that repeats. */
export const LETTERS = 16;

/**
 * Different letters, again and again: each place is to say the next one. Its letter has been there before from
 * `shortest` to `longest` places on.
 * @param {number} shortest
 * @param {number} longest
 * @param {boolean} [isAskedFirst] whether places of the first round are asked, too
 * @returns {MakeRow}
 */
export const repeats =
  (shortest, longest, isAskedFirst = false) =>
  (random, length) => {
    const count = shortest + random.integer(longest - shortest + 1);
    const unit = random.shuffle(Array.from({ length: LETTERS }, (_, id) => id)).slice(0, count);
    const letters = Array.from({ length: length + 1 }, (_, at) => unit[at % count]);
    return {
      ids: letters.slice(0, length),
      labels: letters.slice(1).map((next, at) => (isAskedFirst || at >= count ? next : IGNORE)),
    };
  };

/** The places after which such a row repeats. @param {Int32Array} ids */
export const periodOf = (ids) => ids.indexOf(ids[0], 1);

/** Keys, each with its digit: that of a key that was there before is asked. @type {MakeRow} */
export function recall(random, length) {
  /** @type {Map<number, number>} */
  const values = new Map();
  const pairs = Array.from({ length: length / 2 }, () => {
    const key = random.integer(KEYS);
    const known = values.get(key);
    const value = known ?? random.integer(DIGITS);
    values.set(key, value);
    return { ids: [DIGITS + key, value], labels: [known ?? IGNORE, IGNORE] };
  });
  return { ids: pairs.flatMap(({ ids }) => ids), labels: pairs.flatMap(({ labels }) => labels) };
}

/**
 * Rows of a length, of which the last places are asked.
 * @param {Random} random
 * @param {MakeRow} row
 * @param {number} length
 * @param {number} count
 * @param {number} [asked] places
 * @returns {any}
 */
export function batchOf(random, row, length, count, asked = length) {
  const rows = Array.from({ length: count }, () => row(random, length));
  const tensor = (/** @type {number[]} */ data) => ({ data: Int32Array.from(data), shape: [count, length] });
  return {
    ids: tensor(rows.flatMap(({ ids }) => ids)),
    labels: tensor(rows.flatMap(({ labels }) => labels.map((label, at) => (at < length - asked ? IGNORE : label)))),
  };
}

/**
 * A decoder of attention alone that reads such rows.
 * @param {object} own layers, positions, seed, the longest row
 * @returns {any}
 */
export const readerOf = (own) => ({
  kind: 'decoder',
  vocabulary: DIGITS + KEYS,
  d_model: 32,
  heads: 2,
  d_ff: 0,
  norm: 'pre',
  finalNorm: true,
  head: 'linear',
  ...own,
});
