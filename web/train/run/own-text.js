// A text of the reader's own as a task.

import { makeText } from 'glassformer/tasks';

/**
 * @typedef {'words' | 'characters'} Level
 * @typedef {{text: string, level: Level}} Source
 */

const ROWS_SHOWN = 3; // its rows are long

/**
 * @param {string} text
 * @param {Level} level
 * @throws {import('glassformer').GlassformerError} where the text is too short
 */
export function ownText(text, level) {
  return { ...makeText(text, { level }), rowsShown: ROWS_SHOWN, source: { text, level } };
}
