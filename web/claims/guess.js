// The reader's guess of the number that decides: a place on an axis, and how far it is from what was measured.

import { equation } from '../draw/equation.js';
import { formatShare, shortValue } from '../draw/numbers.js';
import { valueOf } from './schema.js';
import { format, span } from './numbers.js';

/**
 * @typedef {import('../../src/claims/index.js').Claim} Claim
 * @typedef {import('../../src/claims/index.js').Guess &
 *   {known: import('../../src/claims/index.js').Expected}} Guess `known`: about the number
 * `values`: measured; `labels`: of which seed.
 * @typedef {{guess: Guess, value: number, values: readonly number[], labels: readonly string[]}} Guessed
 */

/** Places of the axis beside its beginning. */
export const PLACES = 100;

/** @param {Claim} claim @returns {Guess | null} */
export function guessOf({ guess, expected, inputs }) {
  const isOwn = (/** @type {import('./schema.js').Params} */ at = {}) =>
    inputs.every((input) => (at[input.name] ?? input.default) === input.default);
  const known = expected.find(({ name, at }) => name === guess?.name && isOwn(at));
  return guess && known ? { ...guess, known } : null;
}

/** The number at a place. @param {Guess} guess @param {number} place 0 to PLACES */
export function valueAt({ from, to, log }, place) {
  const share = place / PLACES;
  return Number((log ? from * (to / from) ** share : from + share * (to - from)).toPrecision(log ? 2 : 3));
}

/** @param {Guess} guess @param {number} value */
export const guessText = ({ known }, value) => (known.share ? formatShare(value) : format(value));

/**
 * @param {Claim} claim @param {number | null} value the reader's
 * @param {Pick<import('./kept-answers.js').Answer, 'comparisons' | 'params'> & {outcome?: {kind: string}}} result
 * @returns {Guessed | null} null: no guess, or not the sentence's own run
 */
export function guessedOf(claim, value, { outcome, comparisons, params }) {
  const guess = guessOf(claim);
  const measured = comparisons.find(({ label }) => label === guess?.known.label);
  if (!guess || value === null || !measured || (outcome && outcome.kind !== 'sentence')) return null;
  const { values } = measured;
  const [first, count] = ['seed', 'seeds'].map((name) => Number(valueOf(claim, params, name)));
  const labelOf = (/** @type {number} */ i) => (values.length === count ? `seed ${first + i}` : `value ${i + 1}`);
  return { guess, value, values, labels: values.map((_, i) => (values.length > 1 ? labelOf(i) : '')) };
}

/** As `format` prints it, with at most three digits. @param {number} value */
const asPrinted = (value) => Number(value.toPrecision(value >= 1e-3 && value < 1e6 ? 3 : 2));

/**
 * “Your guess: 30.0 %. Measured: 79.1 to 86.0 %. That is 49.1 points too low.” What is printed gives how far it is off.
 * @param {Guessed} guessed
 */
export function missText({ guess, value, values }) {
  const { known, from, to, log } = guess;
  const rounded = values.map(asPrinted);
  const said = `Your guess: ${guessText(guess, value)}. Measured: ${span(rounded, known.share)}.`;
  const read = log ? rounded : values;
  const [low, high] = [Math.min(...read), Math.max(...read)];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return said;
  const end = value < low ? low : value > high ? high : value;
  const off = Math.abs(end - value);
  const step = log ? value * ((to / from) ** (1 / PLACES) - 1) : (to - from) / PLACES;
  if (off <= step / 2) return `${said} ${low === high ? 'You are right' : 'That is within what was measured'}.`;
  const way = value < end ? 'low' : 'high';
  if (log) return `${said} That is ${shortValue(Math.max(end / value, value / end))} times too ${way}.`;
  const [whole, unit, points] = known.share ? [100, '\u00a0%', ' points'] : [1, '', ''];
  const { operands, results } = equation(
    [value, low, high].map((each) => whole * each),
    [{ value: whole * off, from: ([own, least, most]) => (value < end ? least - own : own - most) }],
    Math.max(known.share ? 1 : 0, Math.ceil(-Math.log10(whole * step))),
  );
  const [own, ...ends] = operands;
  const measured = [...new Set(ends)].join(' to ');
  return `Your guess: ${own}${unit}. Measured: ${measured}${unit}. That is ${results[0]}${points} too ${way}.`;
}

/** The axis of the guess with what was measured. @param {Guessed} guessed */
export const panelOf = ({ guess, value, values, labels }) =>
  /** @type {import('../../src/claims/shared/picture.js').Rows} */ ({
    kind: 'rows',
    wide: true,
    title: 'Your guess and what was measured',
    x: { title: guess.known.label, low: guess.from, high: guess.to, log: guess.log, percent: guess.known.share },
    rows: [{ label: 'measured', marks: values.map((one, i) => ({ series: 0, label: labels[i], value: one })) }],
    levels: [{ name: `your guess: ${guessText(guess, value)}`, at: value }],
  });
