// Shows the words of a result, and finds those at the cursor.

import { attention, clampSelection } from '../../engine/plan.js';
import { shortened, visible } from '../../kit/letters.js';

/** Characters of a word that are shown; one of thousands takes a browser long to lay out at each place. */
const LONGEST = 64;

/** @type {WeakMap<readonly string[], string[]>} */
const shown = new WeakMap();

/**
 * The words as they are written, long ones shortened; the same array for the same words, so that views can tell.
 * @param {string[]} words
 */
export function visibleWords(words) {
  const made = shown.get(words) ?? words.map((word) => shortened(visible(word), LONGEST));
  shown.set(words, made);
  return made;
}

/**
 * The words of an attention's rows and columns. A row is called by what is said there, where the model wrote it.
 * @param {Pick<import('../../engine/results.js').Result, 'plan'>} result
 * @param {import('../../app/schema.js').AttentionKind} kind
 */
export function wordsOf({ plan: { tokens } }, kind) {
  const { stack, columns } = attention(kind);
  const rows = tokens[stack];
  return {
    rowWords: visibleWords(rows?.predicted?.words ?? rows?.words ?? []),
    columnWords: visibleWords(tokens[columns]?.words ?? []),
  };
}

/**
 * The state's selection in a result: the attention, the words of its rows and columns, and the cursor's row and key.
 * `readWords`: the words that the rows' stack reads, where `rowWords` are those it predicts.
 * @param {import('../../engine/results.js').Result} result
 * @param {Pick<import('../../app/schema.js').State, 'selection' | 'cursor'>} state
 */
export function selectedIn(result, { selection: asked, cursor }) {
  const selection = clampSelection(asked, result.plan.settings);
  const { kind, stack, columns, title } = attention(selection.kind);
  const { rowWords, columnWords } = wordsOf(result, kind);
  return {
    selection,
    kind,
    title,
    stack,
    columnStack: columns,
    rowWords,
    columnWords,
    readWords: visibleWords(result.plan.tokens[stack]?.words ?? []),
    row: Math.min(cursor.row, rowWords.length - 1),
    key: Math.min(cursor.key, columnWords.length - 1),
  };
}

/**
 * The role of a stack's tokens in the selected attention, so that every view highlights the same parts.
 * @param {import('../../engine/results.js').Result} result
 * @param {Pick<import('../../app/schema.js').State, 'selection' | 'cursor'>} state
 * @param {import('../../engine/plan.js').Stack} of
 * @returns {'row' | 'key' | null}
 */
export function partOf(result, state, of) {
  const { stack, columnStack } = selectedIn(result, state);
  return of === stack ? 'row' : of === columnStack ? 'key' : null;
}

/**
 * The colours of weights: on a linear scale most cells are white, so until the reader chooses they are those of the
 * square root.
 * @param {Pick<import('../../app/schema.js').State, 'colours'>} state
 * @returns {'linear' | 'root'}
 */
export const coloursOf = ({ colours }) => (colours === 'auto' ? 'root' : colours);

/**
 * Where the cursor stands in a stack: its row; in the other stack of a cross-attention the key, in one out of sight the
 * same number.
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
