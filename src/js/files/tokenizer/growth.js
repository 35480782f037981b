import { GlassformerError } from '../../errors.js';

/** The length that every text may grow to. */
const LEAST = 2 ** 20;
/** Growth that a text may have; NFKC makes at most 18 letters of one, and the bytes of a letter are 3 letters. */
const MOST_TIMES = 32;

/** @param {number} length of the text that is given */
export const mostOf = (length) => Math.max(LEAST, MOST_TIMES * length);

/**
 * A few steps make a letter a text that fills the memory, so each says first how long its result is.
 * @param {number} length
 * @param {number} most
 */
export function expectShort(length, most) {
  if (length <= most) return;
  const why = `the tokenizer's steps would make more than ${most} letters of it`;
  throw new GlassformerError('limit', 'text', undefined, why);
}
