// A short text of the reader's own is repeated until there is enough of it to train on.

import { WORDS } from '../../shared/token-patterns.js';

/** Tokens that a text needs, as `makeText` cuts it into rows. */
export const LEAST = 330;

/** As `makeText` counts them. @param {string} text @param {string} level */
const countOf = (text, level) =>
  level === 'characters' ? Array.from(text.replace(/\s+/g, ' ')).length : (text.match(WORDS)?.length ?? 0);

/**
 * @param {string} text @param {string} level of its tokens
 * @returns {{text: string, own: number, copies: number}} what is trained on; `own`: tokens of one copy
 */
export function repeated(text, level) {
  const own = countOf(text, level);
  if (own >= LEAST || !text.trim()) return { text, own, copies: 1 };
  const trimmed = text.trim();
  const copies = Math.ceil(LEAST / countOf(trimmed, level));
  return copies > 1
    ? { text: `${trimmed}\n`.repeat(copies), own: countOf(trimmed, level), copies }
    : { text, own, copies };
}
