// A text of the reader's own as a task.

import { makeText } from 'glassformer/tasks';
import { repeated } from '../text/copies.js';

/**
 * @typedef {'words' | 'characters'} Level
 * @typedef {ReturnType<typeof makeText>['split'] & {own: number, copies: number}} Split `own`: tokens of one copy of
 *   the text; `copies`: how often it is repeated, where it is short
 * @typedef {{text: string, level: Level}} Source
 */

/** What of a text the page holds out, unless a link or a file of before says otherwise. */
export const HELD_OUT = 'unseen';
const ROWS_SHOWN = 3; // its rows are long

/**
 * @param {string} text
 * @param {Level} level
 * @param {any} [heldOut] as `makeText` takes it
 * @throws {import('glassformer').GlassformerError} where it has not two different tokens
 */
export function ownText(text, level, heldOut = HELD_OUT) {
  const { text: whole, ...rest } = repeated(text, level);
  const task = makeText(whole, { level, heldOut });
  return { ...task, split: { ...task.split, ...rest }, rowsShown: ROWS_SHOWN, source: { text, level } };
}
