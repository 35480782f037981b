import { GlassformerError } from '../js/errors.js';
import { seedOf } from './check.js';

const TWO_32 = 0x100000000;
const MASK_64 = 0xffffffffffffffffn;

/**
 * Random numbers, the same bits on every machine: xoshiro128++ (Blackman and Vigna 2021), its state
 * filled by splitmix64 (Steele et al. 2014), as in src/kernel/rng.c.
 * @example
 * import { Random } from 'glassformer/tasks';
 * const random = new Random(7, 'a stream of its own');
 * random.next() === new Random(7, 'a stream of its own').next(); // → true
 */
export class Random {
  #a;
  #b;
  #c;
  #d;

  /**
   * @param {number} seed integer, 0..2^32-1
   * @param {string | number} [stream] generators of one seed and two streams are independent; a
   *   name, or 32 bits
   */
  constructor(seed, stream = 0) {
    const low = typeof stream === 'string' ? hashText(stream) : stream >>> 0;
    let x = (BigInt(seedOf(seed)) << 32n) | BigInt(low);
    /** @returns {[number, number]} the two halves of the next word, low first */
    const split = () => {
      x = (x + 0x9e3779b97f4a7c15n) & MASK_64;
      let z = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK_64;
      z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK_64;
      z ^= z >> 31n;
      return [Number(z & 0xffffffffn) | 0, Number(z >> 32n) | 0];
    };
    [this.#a, this.#b] = split();
    [this.#c, this.#d] = split();
    this.#d |= 1; // never all zero
  }

  /**
   * @returns {number} 32 random bits as an integer 0..2^32-1
   * @example
   * new Random(7).next(); // → 3082060962
   */
  next() {
    const sum = (this.#a + this.#d) | 0;
    const result = (((sum << 7) | (sum >>> 25)) + this.#a) >>> 0;
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /**
   * @returns {number} a multiple of 2^-32 in [0,1)
   * @example
   * new Random(7).uniform(); // → 0.718
   */
  uniform() {
    return this.next() / TWO_32;
  }

  /**
   * An integer below n, each equally likely: draws that would favour the small ones are rejected.
   * @param {number} n 1..2^32
   * @returns {number}
   * @example
   * new Random(7).integer(6); // → 0
   */
  integer(n) {
    if (!(Number.isInteger(n) && n >= 1 && n <= TWO_32)) {
      throw new GlassformerError('range', 'n', n, `must be an integer from 1 to ${TWO_32}`);
    }
    const end = TWO_32 - (TWO_32 % n);
    let x = this.next();
    while (x >= end) x = this.next();
    return x % n;
  }

  /**
   * @param {number} p
   * @returns {boolean} true with probability p, to 2^-32
   * @example
   * new Random(7).chance(0.5); // → false
   */
  chance(p) {
    return this.next() < p * TWO_32;
  }

  /**
   * @template T
   * @param {readonly T[]} list not empty
   * @returns {T}
   * @example
   * new Random(7).choose(['a', 'b', 'c']); // → 'a'
   */
  choose(list) {
    return list[this.integer(list.length)];
  }

  /**
   * @template T
   * @param {readonly (readonly [weight: number, value: T])[]} list positive weights
   * @returns {T}
   * @example
   * new Random(7).weighted([[0.9, 'often'], [0.1, 'rarely']]); // → 'often'
   */
  weighted(list) {
    let x = this.uniform() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of list) {
      x -= weight;
      if (x < 0) return value;
    }
    return list[list.length - 1][1]; // the weights' sum was rounded
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T[]} a copy in random order (Fisher and Yates)
   * @example
   * new Random(7).shuffle([1, 2, 3, 4]); // → [1, 2, 4, 3]
   */
  shuffle(list) {
    const result = [...list];
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      [result[i], result[j]] = [result[j], result[i]];
    }
    return result;
  }
}

/**
 * FNV-1a (Fowler, Noll and Vo).
 * @param {string} text
 * @returns {number}
 */
function hashText(text) {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ Number(character.codePointAt(0)), 0x01000193);
  return hash >>> 0;
}
