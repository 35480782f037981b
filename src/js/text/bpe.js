// Byte pairs (Sennrich et al. 2016), merged as the library in Rust merges them.
import { flagOf, listOf, refuse, textOf, unread } from './settings.js';

/** Words that are remembered, and their letters. */
const MOST_WORDS = 10_000;
const LONGEST_WORD = 256;
/** Above all ids. */
const MOST_IDS = 2 ** 20;

const encoder = new TextEncoder();

/**
 * @param {import('./settings.js').Step} model
 * @param {Map<string, number>} vocab
 * @param {(text: string) => never} unknown
 * @returns {import('./models.js').Model}
 */
export function bpeOf(model, vocab, unknown) {
  const texts = ['unk_token', 'continuing_subword_prefix', 'end_of_word_suffix'].map((name) => textOf(model, name, ''));
  const [unk, prefix, suffix] = texts;
  const hasUnk = (model.unk_token ?? null) !== null;
  const [fuses, usesBytes, ignoresMerges] = ['fuse_unk', 'byte_fallback', 'ignore_merges'].map((name) =>
    flagOf(model, name, false),
  );
  if (model.dropout) unread(model.dropout, 'dropout of a BPE');
  const merges = mergesOf(model, vocab, prefix);
  const bytes = Array.from({ length: 256 }, (_, byte) => vocab.get(`<0x${hex(byte)}>`));

  /** @param {string} word @returns {number[]} of its letters */
  function lettersOf(word) {
    /** @type {number[]} */
    const ids = [];
    let waiting = -1;
    const letters = Array.from(word);
    letters.forEach((letter, i) => {
      const text = `${i ? prefix : ''}${letter}${i === letters.length - 1 ? suffix : ''}`;
      const id = vocab.get(text);
      if (id !== undefined) {
        if (waiting >= 0) ids.push(waiting);
        waiting = -1;
        ids.push(id);
        return;
      }
      // As in Rust, an unknown that waits stays behind these bytes.
      const fallback = usesBytes ? Array.from(encoder.encode(text), (byte) => bytes[byte] ?? -1) : [-1];
      if (!fallback.includes(-1)) for (const byte of fallback) ids.push(byte);
      else if (hasUnk) {
        if (waiting >= 0 && !fuses) ids.push(waiting);
        waiting = vocab.get(unk) ?? unknown(letter);
      }
    });
    if (waiting >= 0) ids.push(waiting);
    return ids;
  }

  /** @type {Map<string, number[]>} */
  const known = new Map();
  return (word, ids) => {
    const whole = ignoresMerges ? vocab.get(word) : undefined;
    if (whole !== undefined) {
      ids.push(whole);
      return;
    }
    let parts = known.get(word);
    if (!parts) {
      parts = merged(lettersOf(word), (left, right) => merges.get(keyOf(left, right)));
      if (known.size >= MOST_WORDS) known.clear();
      if (word.length <= LONGEST_WORD) known.set(word, parts);
    }
    for (const id of parts) ids.push(id);
  };
}

/** @param {number} byte */
const hex = (byte) => byte.toString(16).toUpperCase().padStart(2, '0');

/** @typedef {Map<number, {rank: number, id: number}>} Merges by the pair that they merge */

/** @param {number} left @param {number} right */
const keyOf = (left, right) => left * MOST_IDS + right;

/**
 * @param {import('./settings.js').Step} model
 * @param {Map<string, number>} vocab
 * @param {string} prefix
 * @returns {Merges}
 */
function mergesOf(model, vocab, prefix) {
  /** @type {Merges} */
  const merges = new Map();
  const list = listOf(model, 'merges');
  const isOld = typeof list[0] === 'string';
  const lines = isOld ? list.filter((line) => !(typeof line === 'string' && line.startsWith('#version'))) : list;
  lines.forEach((line, rank) => {
    const pair = isOld && typeof line === 'string' ? line.split(' ') : line;
    if (!Array.isArray(pair) || pair.length !== 2) return refuse(line, `merges[${rank}] must be two tokens`);
    const [left, right] = pair.map((token) => vocab.get(token) ?? refuse(token, `merges[${rank}] names no token`));
    if (!pair[1].startsWith(prefix)) unread(pair[1], `merges[${rank}] without continuing_subword_prefix`);
    const whole = pair[0] + pair[1].slice(prefix.length);
    const id = vocab.get(whole) ?? refuse(whole, `merges[${rank}] makes no token`);
    merges.set(keyOf(left, right), { rank, id });
  });
  return merges;
}

/**
 * Merges the pair of the least rank, of several the first, until none is left. The pairs wait in a heap, so a long word
 * takes no square of its length.
 * @param {number[]} ids
 * @param {(left: number, right: number) => {rank: number, id: number} | undefined} mergeOf
 * @returns {number[]}
 */
export function merged(ids, mergeOf) {
  if (ids.length < 2) return ids;
  const count = ids.length;
  const next = Int32Array.from(ids, (_, i) => i + 1);
  const previous = Int32Array.from(ids, (_, i) => i - 1);
  const isGone = new Uint8Array(count);
  /** @type {Heap<{rank: number, at: number, id: number}>} */
  const heap = new Heap((a, b) => a.rank - b.rank || a.at - b.at);
  const push = (/** @type {number} */ at) => {
    const merge = mergeOf(ids[at], ids[next[at]]);
    if (merge) heap.push({ rank: merge.rank, at, id: merge.id });
  };
  for (let at = 0; at < count - 1; at++) push(at);
  for (let top; (top = heap.pop());) {
    const { at, id } = top;
    const right = next[at];
    if (isGone[at] || right >= count || mergeOf(ids[at], ids[right])?.id !== id) continue;
    ids[at] = id;
    isGone[right] = 1;
    next[at] = next[right];
    if (next[at] < count) previous[next[at]] = at;
    if (previous[at] >= 0) push(previous[at]);
    if (next[at] < count) push(at);
  }
  return ids.filter((_, at) => !isGone[at]);
}

/**
 * Gives back the least first.
 * @template T
 */
class Heap {
  /** @type {T[]} */
  #items = [];
  #compare;

  /** @param {(a: T, b: T) => number} compare */
  constructor(compare) {
    this.#compare = compare;
  }

  /** @param {T} item */
  push(item) {
    const items = this.#items;
    let at = items.length;
    for (let above; at > 0 && this.#compare(item, items[(above = (at - 1) >> 1)]) < 0; at = above)
      items[at] = items[above];
    items[at] = item;
  }

  /** @returns {T | undefined} */
  pop() {
    const items = this.#items;
    const [top] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (let below; (below = 2 * at + 1) < items.length; at = below) {
      if (below + 1 < items.length && this.#compare(items[below + 1], items[below]) < 0) below++;
      if (this.#compare(items[below], last) >= 0) break;
      items[at] = items[below];
    }
    items[at] = last;
    return top;
  }
}
