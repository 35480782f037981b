// The worker that cuts texts for a checkpoint of the reader's: a stranger made its tokenizer, which may take long.

import { loadTokenizer } from 'glassformer/tokenizers';
import { serve } from 'glassformer/worker';

const MOST_WORDS = 2 ** 20;

/** @type {Awaited<ReturnType<typeof loadTokenizer>>} */
let tokenizer;
/** Of the target: a Marian has another one for it. @type {Pick<typeof tokenizer, 'encode' | 'decode'>} */
let targetTokenizer;

/**
 * `file`: tokenizer.json; `pieces`: the files of a Marian, by their names.
 * @typedef {{file: Blob, pieces?: undefined} | {pieces: Record<string, Blob>, file?: undefined}} Source
 *
 * The facts about a tokenizer that the page needs. `words`: its tokens as they can be read, by id; `marks`: the ids
 * of special tokens, which are no text.
 * @typedef {{
 *   words: string[], marks: number[], special: import('glassformer/tokenizers').SpecialTokens, mask: string | null,
 * }} Facts
 */

serve({
  /** @param {Source & {size: number}} request `size`: rows of the model's table @returns {Promise<Facts>} */
  async open({ file, pieces, size }) {
    if (pieces) await readPieces(pieces);
    else targetTokenizer = tokenizer = await loadTokenizer(file);
    const { special } = tokenizer;
    const words = labels(size);
    return {
      words,
      marks: marksIn(words),
      special,
      mask: special.mask === null ? null : tokenizer.token(special.mask),
    };
  },
  encode: (/** @type {string} */ text) => tokenizer.encode(text).ids,
  decode: (/** @type {number[]} */ ids) => tokenizer.decode(ids),
  encodeTarget: (/** @type {string} */ text) => targetTokenizer.encode(text).ids,
  decodeTarget: (/** @type {number[]} */ ids) => targetTokenizer.decode(ids),
  hide,
});

/** @param {Record<string, Blob>} pieces */
async function readPieces(pieces) {
  const { tokenizersOf } = await import('../../../src/js/files/load-pieces.js');
  const files = Object.entries(pieces).map(async ([name, file]) => [name, new Uint8Array(await file.arrayBuffer())]);
  const made = tokenizersOf(Object.fromEntries(await Promise.all(files)));
  // Whatever a Tokenizer does, these do.
  [tokenizer, targetTokenizer] = /** @type {any[]} */ ([made.tokenizer, made.targetTokenizer]);
}

/** Special tokens stand in brackets, and a text keeps them only where that is asked for. @param {string[]} words */
const marksIn = (words) =>
  words.flatMap((word, id) =>
    /^[<[]/.test(word) && tokenizer.decode([id]) !== tokenizer.decode([id], { special: true }) ? id : [],
  );

/** A row of the table that no token has is called by its number. @param {number} size */
function labels(size) {
  return Array.from({ length: Math.min(Math.max(size, tokenizer.size), MOST_WORDS) }, (_, id) => {
    try {
      return tokenizer.label(id);
    } catch {
      return `#${id}`;
    }
  });
}

/**
 * A text with the mask in place of one of its tokens.
 * @param {string} text
 * @param {number} row
 * @returns {string | null} null: there is none in which that token alone is another
 */
function hide(text, row) {
  const mask = Number(tokenizer.special.mask);
  const idsOf = (/** @type {string} */ each) => tokenizer.encode(each).ids;
  const ids = idsOf(text);
  const small = text.toLowerCase();
  let [start, end] = [-1, 0];
  for (const id of ids.slice(0, row + 1)) {
    const part = tokenizer.token(id).replace(/^##/, '').toLowerCase();
    start = small.indexOf(part, end);
    if (start >= 0) end = start + part.length; // tokens that the tokenizer adds, as [CLS], stand in no text
  }
  if (start < 0 || ids[row] === mask) return null;
  const hidden = text.slice(0, start) + tokenizer.token(mask) + text.slice(end);
  return String(idsOf(hidden)) === String(ids.map((id, i) => (i === row ? mask : id))) ? hidden : null;
}
