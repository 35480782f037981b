import { GlassformerError } from '../js/errors.js';
import { listOf, seedOf } from './check.js';

const TWO_32 = 0x100000000;
const MASK_64 = 0xffffffffffffffffn;

/**
 * Random numbers, the same bits on every machine: xoshiro128++ (Blackman and Vigna 2021), its state
 * filled by splitmix64 (Steele et al. 2014), as in src/kernel/rng.c.
 * @example
 * import { Random } from 'glassformer/tasks';
 * const random = new Random(7, 'its own stream');
 * random.next() === new Random(7, 'its own stream').next(); // → true
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
    if (typeof stream !== 'string' && typeof stream !== 'number') {
      throw new GlassformerError('type', 'stream', stream, 'must be a name or a number');
    }
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
   * A normal random number by the method of Box and Muller (1958), of two draws. In double precision with nothing but
   * sums, products, quotients and square roots, so that the bits are the same in every engine; those of Math.log and
   * Math.cos are not.
   * @param {number} [mean] default 0
   * @param {number} [deviation] standard deviation, from 0 on, default 1
   * @returns {number} at most 6.66 deviations from the mean
   * @throws {GlassformerError} range
   * @example
   * new Random(7).normal(); // → -1.2018
   */
  normal(mean = 0, deviation = 1) {
    if (!Number.isFinite(mean)) throw new GlassformerError('range', 'mean', mean, 'must be a finite number');
    if (!(Number.isFinite(deviation) && deviation >= 0))
      throw new GlassformerError('range', 'deviation', deviation, 'must be a finite number from 0 on');
    const radius = Math.sqrt(-2 * logOf(TWO_32 - this.next()));
    return mean + deviation * (radius * cosineOf(this.next()));
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
   * @throws {GlassformerError} type
   * @example
   * new Random(7).chance(0.5); // → false
   */
  chance(p) {
    if (typeof p !== 'number') throw new GlassformerError('type', 'p', p, 'must be a number');
    return this.next() < p * TWO_32;
  }

  /**
   * @template T
   * @param {readonly T[]} list not empty
   * @returns {T}
   * @throws {GlassformerError} type, range
   * @example
   * new Random(7).choose(['a', 'b', 'c']); // → 'a'
   */
  choose(list) {
    return listOf(list, 'list')[this.integer(list.length)];
  }

  /**
   * @template T
   * @param {readonly (readonly [weight: number, value: T])[]} list positive weights
   * @returns {T}
   * @throws {GlassformerError} type, range
   * @example
   * new Random(7).weighted([[0.9, 'often'], [0.1, 'rarely']]); // → 'often'
   */
  weighted(list) {
    Array.from(listOf(list, 'list'), (pair, i) => {
      const [weight] = listOf(pair, `list[${i}]`);
      if (typeof weight !== 'number')
        throw new GlassformerError('type', `list[${i}]`, weight, 'must begin with a number');
    });
    if (list.length === 0) throw new GlassformerError('range', 'list', list, 'must not be empty');
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
   * @throws {GlassformerError} type
   * @example
   * new Random(7).shuffle([1, 2, 3, 4]); // → [1, 2, 4, 3]
   */
  shuffle(list) {
    const result = Array.from(listOf(list, 'list'));
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      [result[i], result[j]] = [result[j], result[i]];
    }
    return result;
  }
}

/**
 * The logarithm of n / 2^32 = m 2^e, m in [sqrt(1/2), sqrt 2): log m = 2 atanh(s), s = (m-1)/(m+1), by its series, as
 * math_log of src/kernel/vecmath.c.
 * @param {number} n integer, 1..2^32
 * @returns {number} error 4e-16 * (1 + |log|)
 */
function logOf(n) {
  let e = n === TWO_32 ? 32 : 31 - Math.clz32(n);
  if (n / 2 ** e >= Math.SQRT2) e++;
  const m = n / 2 ** e;
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let sum = 0;
  for (let k = 21; k >= 3; k -= 2) sum = (sum + 1 / k) * z; // z < 0.0295: z^11/23 is 6e-19
  // ln 2 in two parts, of which the first has few enough bits that its multiples are exact
  return (e - 32) * 6.93147180369123816e-1 + (2 * s * (1 + sum) + (e - 32) * 1.9082149292705877e-10);
}

/**
 * The cosine of n / 2^32 of a turn: of the rest beyond the next quarter the Taylor series, as math_sincos there.
 * @param {number} n integer, 0..2^32-1
 * @returns {number} error 4e-16
 */
function cosineOf(n) {
  const quarters = Math.round(n / 2 ** 30);
  const x = 2 * Math.PI * ((n - quarters * 2 ** 30) / TWO_32);
  const odd = quarters % 2; // then a sine
  let sum = 1;
  for (let k = 16; k >= 2; k -= 2) sum = 1 - (sum * x * x) / (k * (odd ? k + 1 : k - 1));
  return (odd ? sum * x : sum) * (quarters === 1 || quarters === 2 ? -1 : 1);
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
