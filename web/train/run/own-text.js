// A text of the reader's own as a task.

import { makeText } from 'glassformer/tasks';

/**
 * @typedef {'words' | 'characters'} Level
 * @typedef {ReturnType<typeof makeText>['split']} Split
 * @typedef {{text: string, level: Level}} Source
 */

/** What of a text the page holds out, unless a link or a file of before says otherwise. */
export const HELD_OUT = 'unseen';
const ROWS_SHOWN = 3; // its rows are long

/**
 * @param {string} text
 * @param {Level} level
 * @param {any} [heldOut] as `makeText` takes it
 * @throws {import('glassformer').GlassformerError} where the text is too short
 */
export function ownText(text, level, heldOut = HELD_OUT) {
  return { ...makeText(text, { level, heldOut }), rowsShown: ROWS_SHOWN, source: { text, level } };
}
