// A vocabulary of byte pairs (Sennrich et al. 2016, section 3.2) over bytes as GPT-2 writes them (Radford et al. 2019,
// section 2.2), as a tokenizer.json.

/** GPT-2 cuts a text by this before it merges. */
const PIECES = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** The letter that stands for a byte: itself where it can be seen, else one from U+0100 on. */
const LETTERS = (() => {
  const isSeen = (/** @type {number} */ byte) =>
    (byte > 32 && byte < 127) || (byte > 160 && byte < 173) || (byte > 173 && byte < 256);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isSeen(byte) ? byte : next++));
})();

/** @param {string} text @returns {string[]} */
export const piecesOf = (text) => text.match(PIECES) ?? [];

/** @param {string} piece @returns {string[]} a letter for each byte */
const lettersOf = (piece) => Array.from(new TextEncoder().encode(piece), (byte) => LETTERS[byte]);

/**
 * Merges the most frequent pair until the vocabulary is full; of equally frequent ones that which stands first in order
 * of code units, so that the same texts give the same bytes.
 * @param {readonly string[]} texts
 * @param {number} size of the vocabulary, above 256
 * @returns {any} a tokenizer.json
 */
export function trainTokenizer(texts, size) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of texts) for (const piece of piecesOf(text)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  const words = Array.from(counts, ([piece, count]) => ({ parts: lettersOf(piece), count }));
  const pairs = new Pairs();
  words.forEach((word) => pairs.add(word, 1));
  /** @type {string[]} */
  const merges = [];
  const tokens = [...LETTERS];
  while (tokens.length < size) {
    const pair = pairs.mostFrequent();
    if (pair === '') throw new RangeError(`the text gives no more than ${tokens.length} tokens, asked are ${size}`);
    const [left, right] = pair.split(' ');
    merges.push(pair);
    tokens.push(left + right);
    for (const word of pairs.wordsWith(pair)) {
      pairs.add(word, -1);
      word.parts = merge(word.parts, left, right);
      pairs.add(word, 1);
    }
  }
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const model = { type: 'BPE', vocab, merges };
  return { version: '1.0', added_tokens: [], pre_tokenizer: byteLevel, decoder: byteLevel, model };
}

/** @typedef {{parts: string[], count: number}} Word */

/** Counts each pair of neighbours in the text, and lists the words with it. */
class Pairs {
  /** @type {Map<string, {count: number, words: Set<Word>}>} */
  #all = new Map();

  /** @param {Word} word @param {1 | -1} sign -1 takes its pairs away, and leaves it among their words */
  add(word, sign) {
    for (let i = 1; i < word.parts.length; i++) {
      const pair = `${word.parts[i - 1]} ${word.parts[i]}`;
      let known = this.#all.get(pair);
      if (!known) this.#all.set(pair, (known = { count: 0, words: new Set() }));
      known.count += sign * word.count;
      known.words.add(word);
    }
  }

  /** @param {string} pair */
  wordsWith = (pair) => /** @type {{words: Set<Word>}} */ (this.#all.get(pair)).words;

  mostFrequent() {
    let best = '';
    let most = 0;
    for (const [pair, { count }] of this.#all) {
      if (count > most || (count === most && pair < best)) [best, most] = [pair, count];
    }
    return best;
  }
}

/** @param {string[]} parts @param {string} left @param {string} right */
function merge(parts, left, right) {
  if (!parts.includes(left)) return parts;
  const merged = [];
  for (let i = 0; i < parts.length; i++) {
    const isPair = parts[i] === left && parts[i + 1] === right;
    merged.push(isPair ? left + right : parts[i]);
    if (isPair) i++;
  }
  return merged;
}

/**
 * Encodes as `loadTokenizer(json).encode(piece)` does, and remembers each piece: millions of letters take a second.
 * @param {any} json of trainTokenizer
 * @returns {(piece: string) => readonly number[]}
 */
export function encoderOf({ model: { vocab, merges } }) {
  const ranks = new Map(merges.map((/** @type {string} */ pair, /** @type {number} */ i) => [pair, i]));
  /** @type {Map<string, readonly number[]>} */
  const known = new Map();
  return (piece) => {
    let ids = known.get(piece);
    if (!ids) {
      let parts = lettersOf(piece);
      for (;;) {
        const pairs = parts.slice(1).map((right, i) => ranks.get(`${parts[i]} ${right}`) ?? Infinity);
        const rank = pairs.reduce((least, each) => Math.min(least, each), Infinity);
        if (rank === Infinity) break;
        const [left, right] = merges[rank].split(' ');
        parts = merge(parts, left, right);
      }
      ids = parts.map((part) => vocab[part]);
      known.set(piece, ids);
    }
    return ids;
  };
}
