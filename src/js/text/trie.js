import { unread } from './settings.js';

/** Letters of all words, counted once where words begin alike; XLM-R has some 700,000. */
const MOST_NODES = 2 ** 22;

/** Words by their letters: finds those that begin at a position of a text, in one walk. */
export class Trie {
  /** Where a letter leads from a node, by both. @type {Map<number, number>} */
  #next = new Map();
  /** The value at a node where a word ends. @type {Map<number, number>} */
  #values = new Map();

  /**
   * @param {string} word
   * @param {number} value of the last one, where a word is added twice
   */
  add(word, value) {
    let node = 0;
    for (let i = 0; i < word.length; i++) {
      const key = node * 65536 + word.charCodeAt(i);
      let next = this.#next.get(key);
      if (next === undefined) {
        next = this.#next.size + 1;
        if (next > MOST_NODES) unread(next, 'so many letters of all tokens are not read here');
        this.#next.set(key, next);
      }
      node = next;
    }
    this.#values.set(node, value);
  }

  /** The node to which a text leads, -1 where no word begins so. @param {string} text */
  node(text) {
    let node = 0;
    for (let i = 0; i < text.length && node >= 0; i++) node = this.next(node, text.charCodeAt(i));
    return node;
  }

  /** @param {number} node @param {number} code of a letter @returns {number} -1: no word goes on so */
  next(node, code) {
    return this.#next.get(node * 65536 + code) ?? -1;
  }

  /** @param {number} node @returns {number | undefined} */
  value(node) {
    return this.#values.get(node);
  }

  /**
   * The longest word that begins at a position of a text.
   * @param {string} text
   * @param {number} from
   * @param {number} [start] the node of letters that come before
   * @returns {{end: number, value: number} | null}
   */
  longest(text, from, start = 0) {
    let [end, value] = [-1, 0];
    for (let at = from, node = start; at < text.length && node >= 0;) {
      node = this.next(node, text.charCodeAt(at++));
      const found = this.#values.get(node);
      if (found !== undefined) [end, value] = [at, found];
    }
    return end < 0 ? null : { end, value };
  }
}
