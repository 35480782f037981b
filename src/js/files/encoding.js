// Rows of tokens: cut and filled to one length.
import { GlassformerError } from '../errors.js';
import { choice, flag, integer, maybe, optional, refuseType } from '../arrays/tensor.js';

/**
 * A text as a model reads it: three lists of one length.
 * @typedef {object} Encoding
 * @property {number[]} ids for `forward`
 * @property {string[]} tokens as the vocabulary has them
 * @property {number[]} types for `typeIds` of a BERT: 0, of a second text 1
 */

/**
 * Texts as a model reads them, a row each: `forward` takes ids, types (as `typeIds`) and padding.
 * @typedef {object} EncodedRows
 * @property {number[][]} ids rows of one length, unless `padding` is false
 * @property {string[][]} tokens as the vocabulary has them
 * @property {number[][]} types of a second text 1
 * @property {number[][]} padding 1 = hidden: what fills a row. The opposite of an attention_mask
 */

/**
 * What `encode` takes.
 * @typedef {object} EncodeOptions
 * @property {boolean} [special] false leaves the special tokens out
 * @property {boolean | 'longest' | 'maxLength'} [padding] fills the rows at their end: up to the longest (true), or up
 *   to `maxLength`; default true
 * @property {boolean} [truncation] cuts the end of texts of more than `maxLength` tokens, before special ones
 * @property {number} [maxLength] tokens of a row
 */

/** How rows are read. */
export const ENCODE = {
  special: optional(flag, true),
  /** @type {import('../arrays/tensor.js').Reader<string>} */
  padding: (value = true, name) =>
    typeof value === 'boolean' ? (value ? 'longest' : '') : choice(['longest', 'maxLength'])(value, name),
  truncation: optional(flag, false),
  maxLength: maybe(integer(1, 2 ** 20)),
};

/**
 * Rows cut and filled.
 * @param {(Encoding & {closing: number})[]} rows closing: special tokens that were put behind the text; those that the
 *   text itself ends with are cut like the rest
 * @param {{padding: string, truncation: boolean, maxLength: number | undefined}} options
 * @param {{id: number, token: string}} filler
 * @returns {EncodedRows}
 */
export function fitRows(rows, { padding, truncation, maxLength }, filler) {
  const toMost = padding === 'maxLength';
  if (maxLength === undefined && (truncation || toMost)) refuseType('maxLength', maxLength, 'tokens of a row');
  if (maxLength && !truncation && !toMost) refuseType('truncation', undefined, 'true, to cut texts to maxLength');
  const most = maxLength ?? Infinity;
  const kept = rows.map(({ ids, closing }, row) => {
    const all = [...ids.keys()];
    if (ids.length <= most) return all;
    const text = `texts[${row}]`;
    if (!truncation) throw new GlassformerError('range', text, ids.length, `has more than ${most} tokens`);
    if (closing >= most) throw new GlassformerError('range', 'maxLength', most, `must be above ${closing}`);
    return [...all.slice(0, most - closing), ...all.slice(ids.length - closing)];
  });
  const longest = toMost ? most : padding ? kept.reduce((longest, { length }) => Math.max(longest, length), 0) : 0;
  const rowsOf = (/** @type {(row: Encoding) => any[]} */ of, /** @type {any} */ fill) =>
    kept.map((places, row) => {
      const list = of(rows[row]);
      return [...places.map((at) => list[at]), ...Array(Math.max(longest - places.length, 0)).fill(fill)];
    });
  return {
    ids: rowsOf(({ ids }) => ids, filler.id),
    tokens: rowsOf(({ tokens }) => tokens, filler.token),
    types: rowsOf(({ types }) => types, 0),
    padding: rowsOf(({ ids }) => ids.map(() => 0), 1),
  };
}
