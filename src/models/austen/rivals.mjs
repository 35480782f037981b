// Compares austen with gzip, and with the best that counting can do.
import { gzipSync } from 'node:zlib';

const DISCOUNT = 0.75;

/** @param {string} text @returns {number} bits per byte of the text alone: gzip sees nothing of what was learnt from */
export const gzipBits = (text) => (gzipSync(text, { level: 9 }).length * 8) / Buffer.byteLength(text);

/**
 * An n-gram model with interpolated Kneser-Ney smoothing and one discount (Chen and Goodman 1999, section 2.7; Ney et
 * al. 1994): shorter contexts count in how many different ones a token was seen.
 */
export class Ngrams {
  /** Of each order from 1 on, by context: how often each token follows, and their sum. */
  #orders;
  #vocabulary;

  /** @param {readonly (readonly number[])[]} texts of token ids @param {number} order @param {number} vocabulary */
  constructor(texts, order, vocabulary) {
    this.#vocabulary = vocabulary;
    this.#orders = Array.from({ length: order }, () => /** @type {Map<string, Followers>} */ (new Map()));
    for (const ids of texts) {
      for (let at = 0; at < ids.length; at++) this.#see(ids, at, Math.min(order, at + 1));
    }
  }

  /**
   * Counts the longest gram that ends here, and a shorter one where a longer one is new.
   * @param {readonly number[]} ids @param {number} at @param {number} order
   */
  #see(ids, at, order) {
    for (let n = order; n > 0; n--) {
      const context = ids.slice(at - n + 1, at).join(' ');
      let followers = this.#orders[n - 1].get(context);
      if (!followers) this.#orders[n - 1].set(context, (followers = { sum: 0, counts: new Map() }));
      const before = followers.counts.get(ids[at]) ?? 0;
      followers.counts.set(ids[at], before + 1);
      followers.sum++;
      if (before) return;
    }
  }

  /** @param {readonly number[]} ids @param {number} at @returns {number} of ids[at], after those before it */
  probability(ids, at) {
    let result = 1 / this.#vocabulary;
    for (let n = 1; n <= Math.min(this.#orders.length, at + 1); n++) {
      const followers = this.#orders[n - 1].get(ids.slice(at - n + 1, at).join(' '));
      if (!followers) break;
      const { sum, counts } = followers;
      const seen = Math.max((counts.get(ids[at]) ?? 0) - DISCOUNT, 0);
      result = (seen + DISCOUNT * counts.size * result) / sum;
    }
    return result;
  }

  /** @param {readonly number[]} ids @returns {number} nats of all but the first, which has nothing before it */
  loss(ids) {
    return ids.reduce((sum, _, at) => (at ? sum - Math.log(this.probability(ids, at)) : 0), 0);
  }
}

/** @typedef {{sum: number, counts: Map<number, number>}} Followers */
