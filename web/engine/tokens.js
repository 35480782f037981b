// The page's tokenizer: text → words and punctuation marks, each with a row of the embedding table.

import { beginning } from '../kit/letters.js';

/**
 * The tokens that a trained model reads, and all that stand in the text.
 * @typedef {{
 *   words: string[], ids: number[], truncated: boolean, shown: {words: string[], ids: (number | null)[]},
 *   waiting?: boolean, note?: string,
 * }} Read
 * `waiting`: they are another text's, until this one has been cut; `note`: why it was not read.
 */

/** Rows of the page's embedding table. */
export const VOCABULARY = 2048;

/** The longest text that the page hands to the model; equals the default `maxLength`. */
export const MAX_TOKENS = 512;

/** The longest text that a box or a link holds, in UTF-16 code units. */
export const MAX_CHARACTERS = 20_000;

/** A text as far as the page keeps it; no letter is cut in two. @param {string} text */
export const kept = (text) => beginning(text, MAX_CHARACTERS);

// A word (letters, marks, digits; an apostrophe inside), a flag, an emoji with its modifiers and
// joined parts, or any other visible character with its combining marks.
const TOKEN = new RegExp(
  [
    String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*`,
    String.raw`\p{Regional_Indicator}{2}`,
    String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F|\u200D\p{Extended_Pictographic})*`,
    String.raw`\S\p{M}*`,
  ].join('|'),
  'gu',
);
const MASK_OR_TOKEN = new RegExp(String.raw`\[MASK\]|${TOKEN.source}`, 'gu');

/**
 * Splits a text into words and punctuation, at most MAX_TOKENS of them, and gives each its row.
 * Upper and lower case are kept apart: 'The' and 'the' are two words with two rows.
 * @param {string} text
 * @returns {{words: string[], ids: number[], truncated: boolean}}
 */
export function tokenize(text) {
  const { words, truncated } = split(text, TOKEN);
  return { words, ids: assignIds(words), truncated };
}

/**
 * The tokens that a trained model reads, and all that stand in the text. A word that it does not
 * know as written is looked up in small letters; one that it does not know at all has no id, and
 * the model does not get it.
 * @param {string} text
 * @param {readonly string[]} vocabulary words by id; of those in brackets only [MASK] can be typed
 * @param {RegExp} [pattern] of a token, where all of the vocabulary can be typed
 * @returns {Read}
 */
export function readWords(text, vocabulary, pattern) {
  const idOf = idsByWord(vocabulary, pattern);
  const { words, truncated } = split(text, pattern ?? MASK_OR_TOKEN);
  const ids = words.map((word) => idOf.get(word) ?? idOf.get(word.toLowerCase()) ?? null);
  const known = words.filter((_, i) => ids[i] !== null);
  return { words: known, ids: ids.filter((id) => id !== null), truncated, shown: { words, ids } };
}

/**
 * The text with another word in place of one, wherever that stands as a token.
 * @param {string} text
 * @param {string} word
 * @param {string} by
 * @param {RegExp} [pattern] of a token, as `readWords` takes it
 */
export const replaceWord = (text, word, by, pattern = MASK_OR_TOKEN) =>
  text.replace(pattern, (token) => (token === word ? by : token));

/** @type {WeakMap<readonly string[], Map<string, number>>} */
const ID_OF = new WeakMap();

/** @param {readonly string[]} vocabulary @param {RegExp} [pattern] where words in brackets can be typed */
function idsByWord(vocabulary, pattern) {
  const idOf =
    ID_OF.get(vocabulary) ??
    new Map(
      vocabulary.flatMap((word, id) =>
        pattern || word === '[MASK]' || !word.startsWith('[') ? [/** @type {const} */ ([word, id])] : [],
      ),
    );
  ID_OF.set(vocabulary, idOf);
  return idOf;
}

/** @param {string} text @param {RegExp} pattern */
function split(text, pattern) {
  /** @type {string[]} */
  const words = [];
  let truncated = false;
  for (const [word] of text.matchAll(pattern)) {
    truncated = words.length === MAX_TOKENS;
    if (truncated) break;
    words.push(word);
  }
  return { words, truncated };
}

/**
 * A row of the table for each word: its hash, or the next row that no earlier word of this text
 * took (linear probing). Equal words share a row, different words never do, and a word keeps its
 * row in every text in which nothing collides with it.
 * @param {readonly string[]} words with at most `rows` different ones
 * @param {number} [rows]
 */
export function assignIds(words, rows = VOCABULARY) {
  /** @type {Map<string, number>} */
  const idOf = new Map();
  const taken = new Set();
  return words.map((word) => {
    let id = idOf.get(word);
    if (id === undefined) {
      id = hash(word) % rows;
      while (taken.has(id)) id = (id + 1) % rows;
      idOf.set(word, id);
      taken.add(id);
    }
    return id;
  });
}

/**
 * FNV-1a, 32 bits, over UTF-16 code units, finished by the mixer of MurmurHash3 because FNV's low
 * bits alone are weak for short words.
 * @param {string} word
 */
function hash(word) {
  let h = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) h = Math.imul(h ^ word.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
