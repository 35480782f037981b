// Finds the word that decided an answer: tries words that fit in the place of others, and orders these swaps by how
// much they turn it. The page searches by the same functions.
import { largest } from '../arrays/arrays.js';

/**
 * A token that another word takes the place of; of the page `id` null: the mean of all tokens' vectors.
 * @typedef {{row: number, id: number | null}} Swap
 *
 * One that was tried: how far the lead of the answer falls, the answer then, and whether it is the word put in.
 * @typedef {Swap & {fall: number, to: number, isCopy: boolean}} Tried
 */

/** A word fits where the model gives it this share of what it leaves to other words than the one that stands there. */
const FITS = 0.02;
/** It leaves out function words, of which the model is certain. */
const FITS_AT_LEAST = 5e-4;
const SWAPS_PER_WORD = 8;

/**
 * Other words that fit in the place of a token, as the model itself says; the best first.
 * @param {number} at its row @param {readonly number[]} ids
 * @param {{row: number, causal: unknown, vocabulary: number, sharesAt: (row: number) => ArrayLike<number>}} given row:
 *   of the answer; sharesAt: the probabilities of a row
 * @returns {{row: number, id: number}[]}
 */
export function fittingAt(at, ids, { row, causal, vocabulary, sharesAt }) {
  const from = causal ? at - 1 : at; // a causal model says there what may follow
  if (from < 0 || at === row) return [];
  const shares = sharesAt(from);
  const least = Math.max(FITS * (1 - shares[ids[at]]), FITS_AT_LEAST);
  return largest(shares, SWAPS_PER_WORD + 1)
    .filter((id) => id !== ids[at] && id < vocabulary && shares[id] >= least)
    .map((id) => ({ row: at, id }));
}

/**
 * @param {Swap} swap @param {ArrayLike<number>} now the probabilities with it
 * @param {{plain: ArrayLike<number>, answer: number}} of
 * @returns {Tried}
 */
export function triedIn(swap, now, { plain, answer }) {
  const [to] = largest(now, 1);
  return { ...swap, fall: leadOf(plain, answer) - leadOf(now, answer), to, isCopy: to === swap.id };
}

/** The lead of an answer over the likeliest other. @param {ArrayLike<number>} probabilities @param {number} answer */
const leadOf = (probabilities, answer) =>
  probabilities[answer] - probabilities[largest(probabilities, 2).find((id) => id !== answer) ?? answer];

/**
 * Swaps, the one first that decides most clearly: other words of the sentence that turn the answer, then those whose
 * own word it becomes, which show where the answer is copied from, then the rest.
 * @param {Tried[]} tried @param {number} answer
 */
export function inOrder(tried, answer) {
  const rank = (/** @type {Tried} */ { to, isCopy }) => (to === answer ? 2 : isCopy ? 1 : 0);
  return tried.slice().sort((a, b) => rank(a) - rank(b) || b.fall - a.fall);
}
