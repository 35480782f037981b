// The table by which SentencePiece normalizes texts (precompiled_charsmap): a trie of UTF-8 in a double array, whose
// leaves lead to what stands in the place of a key. Yata et al. 2007, as the library Darts-clone writes it.
import { refuse } from './settings.js';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Where a node's children are. @param {number} unit */
const offsetOf = (unit) => (unit >>> 10) << ((unit & 512) >>> 6);
const LABEL = 0x800000ff;

export class Charsmap {
  #units;
  #texts;
  /** @type {Map<number, string>} */
  #known = new Map();

  /** @param {Uint8Array} bytes the trie's size, the trie, the texts, each of which ends in a 0 */
  constructor(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = bytes.length < 4 ? 0 : view.getUint32(0, true);
    if (size < 4 || size % 4 || size > bytes.length - 4 || bytes.at(-1) !== 0)
      refuse(bytes.length, 'its precompiled_charsmap is damaged');
    this.#units = Uint32Array.from({ length: size / 4 }, (_, i) => view.getUint32(4 + 4 * i, true));
    this.#texts = bytes.subarray(4 + size);
  }

  /** @param {number} at */
  #unit(at) {
    return this.#units[at] ?? refuse(at, 'its precompiled_charsmap is damaged');
  }

  /**
   * The keys that bytes begin with, from the shortest on.
   * @param {Uint8Array} bytes
   * @param {number} from
   * @returns {Generator<{end: number, text: string}, void>} end of the key, and what stands in its place
   */
  *keys(bytes, from) {
    let node = offsetOf(this.#unit(0));
    for (let at = from; at < bytes.length;) {
      const byte = bytes[at++];
      node ^= byte;
      const unit = this.#units[node] ?? 0;
      if ((unit & LABEL) >>> 0 !== byte) return;
      node ^= offsetOf(unit);
      if ((unit >>> 8) & 1) yield { end: at, text: this.#text(this.#unit(node) & 0x7fffffff) };
    }
  }

  /** @param {number} start */
  #text(start) {
    let text = this.#known.get(start);
    if (text !== undefined) return text;
    const end = this.#texts.indexOf(0, start);
    if (start >= this.#texts.length || end < 0) refuse(start, 'its precompiled_charsmap is damaged');
    text = utf8.decode(this.#texts.subarray(start, end));
    this.#known.set(start, text);
    return text;
  }
}
