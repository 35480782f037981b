// Where the cursor stands in a stack, also in one that is not selected.

import { selectedIn, visibleWords } from './words.js';

/**
 * Its row; in the other stack of a cross-attention it is the key, in one out of sight the same number.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../../app/schema.js').State} state
 * @param {import('../../engine/plan.js').Stack} stack
 */
export function placeIn(result, state, stack) {
  const { stack: rows, columnStack, row, key } = selectedIn(result, state);
  const tokens = result.plan.tokens[stack];
  const words = tokens ? visibleWords(tokens.words) : [];
  const names = tokens?.predicted ? visibleWords(tokens.predicted.words) : words;
  const at = stack === rows ? row : stack === columnStack ? key : Math.min(state.cursor.row, words.length - 1);
  return { at, words, names, ids: tokens?.ids ?? [] };
}
