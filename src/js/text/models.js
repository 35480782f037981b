// From words to ids.
import { GlassformerError } from '../errors.js';
import { bpeOf } from './bpe.js';
import { countOf, flagOf, refuse, textOf, unread } from './settings.js';
import { Trie } from './trie.js';

/** @typedef {import('./settings.js').Step} Step */
/** @typedef {(word: string, ids: number[]) => void} Model adds the ids of a word */

/** @param {string} text @returns {never} */
function unknown(text) {
  throw new GlassformerError('token', 'text', text, 'the vocabulary has no token for it');
}

/** @param {string} text */
const isAstral = (text) => /[\ud800-\udbff]/.test(text);

/**
 * Devlin et al. 2018: the longest token that begins a word, then the longest that goes on.
 * @param {Step} model
 * @param {Map<string, number>} vocab
 * @returns {Model}
 */
function wordPieceOf(model, vocab) {
  const unk = vocab.get(textOf(model, 'unk_token'));
  const most = countOf(model, 'max_input_chars_per_word');
  const trie = new Trie();
  for (const [token, id] of vocab) trie.add(token, id);
  const inside = trie.node(textOf(model, 'continuing_subword_prefix'));
  return (word, ids) => {
    const start = ids.length;
    const length = isAstral(word) ? Array.from(word).length : word.length;
    let at = 0;
    while (length <= most && at < word.length) {
      const found = trie.longest(word, at, at ? inside : 0);
      if (!found) break;
      ids.push(found.value);
      at = found.end;
    }
    if (at === word.length) return;
    ids.length = start;
    ids.push(unk ?? unknown(word));
  };
}

/** @param {Step} model @param {Map<string, number>} vocab @returns {Model} */
function wordLevelOf(model, vocab) {
  const unk = vocab.get(textOf(model, 'unk_token'));
  return (word, ids) => void ids.push(vocab.get(word) ?? unk ?? unknown(word));
}

/** The extra cost of an unknown character over the least likely token. */
const UNKNOWN_COST = 10;
const encoder = new TextEncoder();

/**
 * The likeliest row of tokens: Kudo 2018.
 * @param {object} of
 * @param {Trie} of.trie ids by tokens
 * @param {number[]} of.scores by id
 * @param {number} of.unk stands for an unknown letter; -1: such a letter is refused
 * @param {number} of.worst its score
 * @param {boolean} [of.isSingle] sums are of single precision, as SentencePiece has them
 * @returns {(word: string) => {token: string, id: number}[]} unknown letters in a row are one
 */
export function likeliest({ trie, scores, unk, worst, isSingle = false }) {
  /** Ids of the likeliest tokens that end at each place, and where they begin. @param {string} word */
  function paths(word) {
    const best = new (isSingle ? Float32Array : Float64Array)(word.length + 1);
    const begin = new Int32Array(word.length + 1).fill(-1);
    const last = new Int32Array(word.length + 1);
    const reach = (
      /** @type {number} */ end,
      /** @type {number} */ from,
      /** @type {number} */ score,
      /** @type {number} */ id,
    ) => {
      if (begin[end] >= 0 && score <= best[end]) return;
      best[end] = score;
      begin[end] = from;
      last[end] = id;
    };
    for (let from = 0, size; from < word.length; from += size) {
      size = Number(word.codePointAt(from)) > 0xffff ? 2 : 1;
      let isKnown = false;
      for (let at = from, node = 0; at < word.length && node >= 0;) {
        node = trie.next(node, word.charCodeAt(at++));
        const id = trie.value(node);
        if (id === undefined) continue;
        reach(at, from, scores[id] + best[from], id);
        isKnown ||= at - from === size;
      }
      if (isKnown) continue;
      if (unk < 0) unknown(word.slice(from, from + size));
      reach(from + size, from, worst + best[from], unk);
    }
    return { begin, last };
  }

  return (word) => {
    const { begin, last } = paths(word);
    /** @type {{token: string, id: number}[]} */
    const tokens = [];
    for (let end = word.length; end > 0; end = begin[end]) {
      const token = word.slice(begin[end], end);
      const id = last[end];
      const next = tokens.at(-1);
      if (id === unk && next?.id === unk) next.token = token + next.token;
      else tokens.push({ token, id });
    }
    return tokens.reverse();
  };
}

/**
 * A Unigram of the library in Rust.
 * @param {Step} model
 * @param {Map<string, number>} vocab
 * @returns {Model}
 */
function unigramOf(model, vocab) {
  const scores = model.vocab.map((/** @type {any} */ entry, /** @type {number} */ id) =>
    Array.isArray(entry) && typeof entry[1] === 'number' ? entry[1] : refuse(entry, `vocab[${id}] must have a score`),
  );
  const unk = (model.unk_id ?? null) === null ? -1 : countOf(model, 'unk_id');
  if (unk >= scores.length) refuse(unk, 'unk_id must be an id');
  const usesBytes = flagOf(model, 'byte_fallback', false);
  const worst =
    scores.reduce((/** @type {number} */ a, /** @type {number} */ b) => Math.min(a, b), Infinity) - UNKNOWN_COST;
  const trie = new Trie();
  for (const [token, id] of vocab) if (token) trie.add(token, id);
  const find = likeliest({ trie, scores, unk, worst });
  return (word, ids) => {
    for (const { token } of find(word)) {
      const id = vocab.get(token);
      const bytes =
        id === undefined && usesBytes
          ? Array.from(encoder.encode(token), (byte) =>
              vocab.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
            )
          : [undefined];
      if (id !== undefined) ids.push(id);
      else if (bytes.every((byte) => byte !== undefined)) for (const byte of bytes) ids.push(Number(byte));
      else ids.push(unk);
    }
  };
}

/**
 * @param {Step} model its type is one of these
 * @param {Map<string, number>} vocab
 * @returns {Model}
 */
export function modelOf(model, vocab) {
  if (model.type === 'WordPiece') return wordPieceOf(model, vocab);
  if (model.type === 'WordLevel') return wordLevelOf(model, vocab);
  if (model.type === 'BPE') return bpeOf(model, vocab, unknown);
  if (model.type === 'Unigram') return unigramOf(model, vocab);
  return unread(model.type, 'this model is not read here');
}
