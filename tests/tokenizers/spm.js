// Writes SentencePiece models in protobuf, with a charsmap of one's own: a trie in a double array.

/**
 * type: 1 normal, 2 unknown, 3 control, 4 user-defined
 * @typedef {{piece: string, score: number, type?: number}} Piece
 */

const utf8 = new TextEncoder();

/** @param {number} value */
function varint(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

/** @param {number} id @param {Iterable<number>} bytes */
const message = (id, bytes) => {
  const all = Array.from(bytes);
  return [...varint(id * 8 + 2), ...varint(all.length), ...all];
};
/** @param {number} id @param {number} value */
const number = (id, value) => [...varint(id * 8), ...varint(value)];
/** @param {number} id @param {number} value */
const float = (id, value) => [id * 8 + 5, ...new Uint8Array(Float32Array.of(value).buffer)];

/**
 * @param {Piece[]} pieces
 * @param {{kind?: number, charsmap?: Uint8Array, addsPrefix?: boolean, removesExtra?: boolean, more?: number[]}} [how]
 *   kind: 1 Unigram, 2 BPE; more: further bytes
 */
export function writeSpm(pieces, { kind = 1, charsmap, addsPrefix = true, removesExtra = true, more = [] } = {}) {
  const normalizer = [...number(3, Number(addsPrefix)), ...number(4, Number(removesExtra))];
  /** @type {number[]} */
  const bytes = [];
  for (const { piece, score, type = 1 } of pieces)
    bytes.push(...message(1, [...message(1, utf8.encode(piece)), ...float(2, score), ...number(3, type)]));
  bytes.push(...message(2, number(3, kind)));
  const map = message(2, charsmap ?? []);
  const size = map.length + normalizer.length;
  return Uint8Array.from([...bytes, ...varint(3 * 8 + 2), ...varint(size), ...map, ...normalizer, ...more]);
}

/** Sizes of blocks of a double array: a node's children are where its own place says, but for the last bits. */
const BLOCK = 256;

/**
 * A charsmap of these replacements.
 * @param {Map<string, string>} rules
 * @returns {Uint8Array}
 */
export function writeCharsmap(rules) {
  /** @type {number[]} */
  const texts = [];
  /** @typedef {{next: Map<number, Node>, leaf?: number}} Node */
  /** @type {Node} */
  const root = { next: new Map() };
  /** @type {Map<string, number>} */
  const places = new Map();
  for (const [key, text] of rules) {
    let node = root;
    for (const byte of utf8.encode(key)) {
      const next = node.next.get(byte) ?? { next: new Map() };
      node.next.set(byte, next);
      node = next;
    }
    let place = places.get(text);
    if (place === undefined) {
      places.set(text, (place = texts.length));
      for (const byte of [...utf8.encode(text), 0]) texts.push(byte);
    }
    node.leaf = place;
  }
  /** @type {number[]} */
  const units = [0];
  const taken = new Set([0]);
  /** Children of a node stand at its offset xor their byte, a leaf at 0. @type {[Node, number][]} */
  const waiting = [[root, 0]];
  let first = 1;
  for (let each; (each = waiting.pop());) {
    const [node, at] = each;
    const labels = [...(node.leaf === undefined ? [] : [0]), ...node.next.keys()];
    while (taken.has(first)) first++;
    let base = first ^ labels[0];
    // A distance of more than 21 bits, or one of more than 29 that ends in 8 zeros, has no form.
    const fits = () => labels.every((label) => !taken.has(base ^ label)) && (at ^ base) < 2 ** 21;
    for (let place = first; !fits();) base = ++place ^ labels[0];
    units[at] = (units[at] ?? 0) + (((at ^ base) << 10) >>> 0) + (node.leaf === undefined ? 0 : BLOCK);
    for (const label of labels) {
      taken.add(base ^ label);
      const child = node.next.get(label);
      units[base ^ label] = child ? label : (Number(node.leaf) | 0x80000000) >>> 0;
      if (child) waiting.push([child, base ^ label]);
    }
  }
  const trie = new Uint8Array(Uint32Array.from({ length: units.length }, (_, i) => units[i] ?? 0).buffer);
  return Uint8Array.from([...new Uint8Array(Uint32Array.of(trie.length).buffer), ...trie, ...texts]);
}

/** NFKC of each letter for which it is another one, as `nfkc` of SentencePiece has it. */
export function nfkcRules() {
  /** @type {Map<string, string>} */
  const rules = new Map();
  for (let code = 1; code < 0x30000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const letter = String.fromCodePoint(code);
    const normalized = letter.normalize('NFKC');
    if (normalized !== letter) rules.set(letter, normalized);
    const decomposed = letter.normalize('NFD');
    if (decomposed !== letter && decomposed.normalize('NFKC') === normalized) rules.set(decomposed, normalized);
  }
  return rules;
}
