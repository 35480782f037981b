// Where the cursor goes when the reader chooses a token or edits the text.

import { attention, clampSelection } from '../../engine/plan.js';

/**
 * What a click on a token means: its row of the large map, its column in cross-attention, or, where
 * it is on neither axis, the self-attention of its own stack. A word that the model does not get
 * has no row.
 * @param {import('../../app/schema.js').State} state
 * @param {import('../../engine/plan.js').Stack} stack
 * @param {number} index in the strip
 * @param {import('../../engine/plan.js').Tokens | null} [tokens] of the strip
 * @returns {Partial<import('../../app/schema.js').State>}
 */
export function chooseToken({ selection, cursor, settings }, stack, index, tokens = null) {
  const ids = tokens?.shown?.ids;
  if (ids && ids[index] === null) return {};
  const place = ids ? ids.slice(0, index).filter((id) => id !== null).length : index;
  const { stack: rows, columns } = attention(clampSelection(selection, settings).kind);
  if (stack === rows) return { cursor: { ...cursor, row: place } };
  if (stack === columns) return { cursor: { ...cursor, key: place } };
  return { selection: { ...selection, kind: stack }, cursor: { ...cursor, row: place } };
}

/**
 * The cursor after an edit: places behind it move along, so that the pinned words stay pinned.
 * @param {import('../../app/schema.js').Cursor} cursor
 * @param {readonly string[]} before words of the rows and columns
 * @param {readonly string[]} after
 */
export function moveWithText(cursor, before, after) {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before[prefix] === after[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shorter - prefix && before.at(-1 - suffix) === after.at(-1 - suffix)) suffix++;
  /** @param {number} place */
  const moved = (place) =>
    place < before.length && place >= before.length - suffix ? place + after.length - before.length : place;
  return { ...cursor, row: moved(cursor.row), key: moved(cursor.key) };
}
