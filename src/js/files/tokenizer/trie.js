import { unread } from './settings.js';

/** Letters of all words, counted once where words begin alike; XLM-R has some 700,000. */
const MOST_PLACES = 2 ** 22;

/** Words by their letters: finds those that begin at a place of a text, in one walk. */
export class Trie {
  /** Where a letter leads from a place, by both. @type {Map<number, number>} */
  #next = new Map();
  /** What stands at a place where a word ends. @type {Map<number, number>} */
  #values = new Map();

  /**
   * @param {string} word
   * @param {number} value of the last one, where a word is added twice
   */
  add(word, value) {
    let place = 0;
    for (let i = 0; i < word.length; i++) {
      const key = place * 65536 + word.charCodeAt(i);
      let next = this.#next.get(key);
      if (next === undefined) {
        next = this.#next.size + 1;
        if (next > MOST_PLACES) unread(next, 'so many letters of all tokens are not read here');
        this.#next.set(key, next);
      }
      place = next;
    }
    this.#values.set(place, value);
  }

  /** The place to which a text leads, -1 where no word begins so. @param {string} text */
  place(text) {
    let place = 0;
    for (let i = 0; i < text.length && place >= 0; i++) place = this.next(place, text.charCodeAt(i));
    return place;
  }

  /** @param {number} place @param {number} code of a letter @returns {number} -1: no word goes on so */
  next(place, code) {
    return this.#next.get(place * 65536 + code) ?? -1;
  }

  /** @param {number} place @returns {number | undefined} */
  value(place) {
    return this.#values.get(place);
  }

  /**
   * The longest word that begins at a place of a text.
   * @param {string} text
   * @param {number} from
   * @param {number} [start] the place of letters that come before
   * @returns {{end: number, value: number} | null}
   */
  longest(text, from, start = 0) {
    let [end, value] = [-1, 0];
    for (let at = from, place = start; at < text.length && place >= 0;) {
      place = this.next(place, text.charCodeAt(at++));
      const found = this.#values.get(place);
      if (found !== undefined) [end, value] = [at, found];
    }
    return end < 0 ? null : { end, value };
  }
}
