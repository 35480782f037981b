// Where the cursor goes when the reader chooses a word.

import { strongest } from './choose.js';
import { weightsAt } from './weights.js';
import { moveCursor } from '../../app/schema.js';
import { attention, clampSelection } from '../../engine/plan.js';

/**
 * @typedef {import('../../app/schema.js').State} State
 * @typedef {import('../../engine/plan.js').Stack} Stack
 * @typedef {import('../../engine/results.js').Result} Result
 */

/**
 * The key that the row of the cursor gives the largest weight in the head that is shown.
 * @param {Result | null} result
 * @param {State} state
 * @returns {number | undefined} undefined: its weights are not here
 */
export function strongestKey(result, state) {
  const now = result && weightsAt(result, state);
  if (!now || now.row < 0) return undefined;
  const { data, row, columnWords } = now;
  return strongest(data.subarray(row * columnWords.length, (row + 1) * columnWords.length));
}

/**
 * Another row, and with it the key that it attends to most, unless the reader chose the key.
 * @param {State} state
 * @param {number} row
 * @param {Result | null} result that is shown
 */
export function chooseRow(state, row, result) {
  const { cursor, own } = state;
  const there = { ...state, cursor: { ...cursor, row } };
  const key = own.key ? cursor.key : (strongestKey(result, there) ?? cursor.key);
  return { cursor: { ...cursor, row, key }, own: { ...own, row: true } };
}

/**
 * Handles a click on a token: selects its row of the large map, its column in cross-attention, or, where
 * it is on neither axis, the self-attention of its own stack. A word that the model does not get
 * has no row.
 * @param {State} state
 * @param {Stack} stack
 * @param {number} index in the strip
 * @param {Result | null} [result] that is shown
 * @returns {Partial<State>}
 */
export function chooseToken(state, stack, index, result = null) {
  const ids = result?.plan.tokens[stack]?.shown?.ids;
  if (ids && ids[index] === null) return {};
  return choosePlace(state, stack, ids ? knownBefore(ids, index) : index, result);
}

/**
 * The same for one of the tokens that the model reads.
 * @param {State} state
 * @param {Stack} stack
 * @param {number} place
 * @param {Result | null} result
 * @returns {Partial<State>}
 */
export function choosePlace(state, stack, place, result) {
  const { selection, settings } = state;
  const { stack: rows, columns } = attention(clampSelection(selection, settings).kind);
  if (stack === rows) return chooseRow(state, place, result);
  if (stack === columns) return moveCursor(state, { key: place });
  const other = { ...selection, kind: stack };
  return { ...chooseRow({ ...state, selection: other }, place, result), selection: other };
}

/** The number of words read before a place. @param {readonly (number | null)[]} ids @param {number} place */
export const knownBefore = (ids, place) => ids.slice(0, place).filter((id) => id !== null).length;
