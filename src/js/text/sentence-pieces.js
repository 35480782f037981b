// Cuts texts into pieces as the library SentencePiece does (Kudo and Richardson 2018).
import { merged } from './bpe.js';
import { Charsmap } from './charsmap.js';
import { likeliest } from './models.js';
import { expectShort, mostOf, unread } from './settings.js';
import { Trie } from './trie.js';

/** @typedef {import('../formats/spm.js').SentencePieceModel} SentencePieceModel */

const encoder = new TextEncoder();
const SPACE = '\u2581';
/** The extra cost of an unknown letter over the least likely piece. */
const UNKNOWN_COST = 10;

/** A letter for each byte. @param {Uint8Array} bytes */
const lettersOf = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/** Bytes of the letter that begins with a byte. @param {number} first */
const sizeOf = (first) => (first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);

/**
 * @param {SentencePieceModel} model
 * @returns {(text: string) => string}
 */
function normalizerOf({ charsmap, pieces, addsPrefix, removesExtra }) {
  const map = charsmap && new Charsmap(charsmap);
  const own = pieces.filter(({ type }) => type === 'user-defined');
  const kept = new Trie();
  own.forEach(({ piece }, i) => kept.add(lettersOf(encoder.encode(piece)), i));
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  return (text) => {
    const bytes = encoder.encode(text);
    const letters = own.length ? lettersOf(bytes) : '';
    /** The text in the place of the longest key, and where the key ends. @param {number} from */
    const next = (from) => {
      const found = own.length ? kept.longest(letters, from) : null;
      let best;
      if (!found && map) for (const key of map.keys(bytes, from)) best = key;
      if (best) return best;
      const end = found?.end ?? from + sizeOf(bytes[from]);
      return { end, text: utf8.decode(bytes.subarray(from, end)) };
    };
    let at = 0;
    for (let first; removesExtra && at < bytes.length && (first = next(at)).text === ' ';) at = first.end;
    if (at === bytes.length) return '';
    const parts = addsPrefix ? [SPACE] : [];
    const most = mostOf(text.length);
    let length = 0;
    for (let wasSpace = removesExtra; at < bytes.length;) {
      const { end, text: part } = next(at);
      const rest = wasSpace ? part.replace(/^ +/, '') : part;
      if (rest) wasSpace = removesExtra && rest.endsWith(' ');
      expectShort((length += rest.length), most);
      parts.push(rest.replaceAll(' ', SPACE));
      at = end;
    }
    const whole = parts.join('');
    return removesExtra ? whole.replace(/(?<!\u2581)\u2581+$/, '') : whole;
  };
}

/**
 * The pieces of a text by their likelihood.
 * @param {SentencePieceModel} model
 * @returns {(text: string) => string[]}
 */
function unigramOf({ pieces }) {
  const trie = new Trie();
  const normal = pieces.filter(({ type }) => type === 'normal').map(({ score }) => score);
  const least = normal.reduce((low, each) => Math.min(low, each), Infinity);
  const most = normal.reduce((high, each) => Math.max(high, each), 0);
  const scores = pieces.map(({ piece, score, type }, id) => {
    if (/^(normal|user-defined)$/.test(type)) trie.add(piece, id);
    return type === 'user-defined' ? encoder.encode(piece).length * most - 0.1 : score;
  });
  const unk = pieces.findIndex(({ type }) => type === 'unknown');
  const worst = Math.fround(least - UNKNOWN_COST);
  const find = likeliest({ trie, scores, unk, worst, isSingle: true });
  return (text) => find(text).map(({ token }) => token);
}

/**
 * The pieces of a text by merging pairs, the one of the best score first.
 * @param {SentencePieceModel} model
 * @returns {(text: string) => string[]}
 */
function bpeOf({ pieces }) {
  const own = new Trie();
  /** @type {Map<string, number>} */
  const ids = new Map();
  pieces.forEach(({ piece, type }, id) => {
    if (type === 'unused') unread(piece, 'an unused piece of a BPE');
    if (type === 'user-defined') own.add(piece, id);
    if (/^(normal|user-defined)$/.test(type)) ids.set(piece, id);
  });
  return (text) => {
    const tokens = pieces.map(({ piece }) => piece);
    const others = new Map();
    /** @type {number[]} */
    const letters = [];
    for (let at = 0; at < text.length;) {
      const found = own.longest(text, at);
      const letter = found ? text.slice(at, found.end) : String.fromCodePoint(Number(text.codePointAt(at)));
      at += letter.length;
      const id = ids.get(letter) ?? others.get(letter) ?? tokens.push(letter) - 1;
      if (id >= pieces.length) others.set(letter, id);
      letters.push(id);
    }
    const isFrozen = (/** @type {number} */ id) => pieces[id]?.type === 'user-defined';
    const merges = (/** @type {number} */ left, /** @type {number} */ right) => {
      const id = isFrozen(left) || isFrozen(right) ? undefined : ids.get(tokens[left] + tokens[right]);
      return id === undefined ? undefined : { rank: -pieces[id].score, id };
    };
    /** @type {string[]} */
    const parts = [];
    let wasUnknown = false;
    for (const id of merged(letters, merges)) {
      const isUnknown = id >= pieces.length;
      if (isUnknown && wasUnknown) parts.push(parts.pop() + tokens[id]);
      else parts.push(tokens[id]);
      wasUnknown = isUnknown;
    }
    return parts;
  };
}

/**
 * @param {SentencePieceModel} model
 * @returns {(text: string) => string[]} pieces of a text; unknown letters side by side are one
 */
export function piecesOf(model) {
  const normalize = normalizerOf(model);
  const cut = model.kind === 'bpe' ? bpeOf(model) : unigramOf(model);
  return (text) => cut(normalize(text));
}
