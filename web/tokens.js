// The page's tokenizer: text → words and punctuation marks, each with a row of the embedding table.

/** Rows of the page's embedding table. */
export const VOCABULARY = 2048;

/** The longest text that the page hands to the model; equals the default `maxLength`. */
export const MAX_TOKENS = 512;

// A word (letters, marks, digits; an apostrophe inside), a flag, an emoji with its modifiers and
// joined parts, or any other visible character with its combining marks.
const TOKEN = new RegExp([
  String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*`,
  String.raw`\p{Regional_Indicator}{2}`,
  String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F|\u200D\p{Extended_Pictographic})*`,
  String.raw`\S\p{M}*`,
].join('|'), 'gu');

/**
 * Splits a text into words and punctuation, at most MAX_TOKENS of them, and gives each its row.
 * Upper and lower case are kept apart: 'The' and 'the' are two words with two rows.
 * @param {string} text
 * @returns {{words: string[], ids: number[], truncated: boolean}}
 */
export function tokenize(text) {
  const words = [];
  let truncated = false;
  for (const [word] of text.matchAll(TOKEN)) {
    truncated = words.length === MAX_TOKENS;
    if (truncated) break;
    words.push(word);
  }
  return { words, ids: assignIds(words), truncated };
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
  return words.map(word => {
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

/**
 * A word as it can be shown: one made only of invisible characters becomes its code points.
 * @param {string} word
 */
export function visible(word) {
  if (!/^[\p{C}\p{Z}\p{M}]+$/u.test(word)) return word;
  return [...word].map(c => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(' ');
}
