// Helpers of the tests of src/tasks: statistics, hashes of batches, a generator that can be led, and constructed
// predictors.
import { createHash } from 'node:crypto';
import { Random } from '../../src/tasks/index.js';

/**
 * Whether counts fit probabilities: Pearson's statistic, below a bound that chance passes about once in a million.
 * @param {Record<string, number>} counts
 * @param {Record<string, number>} probabilities
 */
export function fits(counts, probabilities) {
  const names = Object.keys(probabilities);
  if (Object.keys(counts).some((name) => !names.includes(name))) return false;
  const total = Object.values(counts).reduce((a, b) => a + b, 0);
  const mass = Object.values(probabilities).reduce((a, b) => a + b, 0);
  const statistic = names.reduce((sum, name) => {
    const expected = (total * probabilities[name]) / mass;
    return sum + ((counts[name] ?? 0) - expected) ** 2 / expected;
  }, 0);
  const degrees = names.length - 1;
  return statistic < degrees + 5 * Math.sqrt(2 * degrees) + 12;
}

/** @template T @param {T[]} list @param {(one: T) => string | number | boolean} of */
export function countBy(list, of) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const one of list) counts[String(of(one))] = (counts[String(of(one))] ?? 0) + 1;
  return counts;
}

/** @param {readonly (string | number)[]} names all equally likely */
export const uniform = (names) => Object.fromEntries(names.map((name) => [name, 1]));

/** @template T @param {Iterator<T>} iterator @param {number} count @returns {T[]} */
export const take = (iterator, count) => Array.from({ length: count }, () => iterator.next().value);

/** Names as the hashes have them. @type {Record<string, string>} */
const HASHED = { labels: 'targets', sourceIds: 'ids', sourcePadding: 'padding' };

/** @param {Record<string, {data: ArrayLike<number> & ArrayBufferView, shape: number[]}>[]} batches */
export function hashOf(batches) {
  const hash = createHash('sha256');
  for (const batch of batches) {
    for (const [name, { data, shape }] of Object.entries(batch)) {
      hash.update(`${HASHED[name] ?? name} ${shape} ${Array.from(data)};`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** @param {{data: ArrayLike<number>, shape: number[]}} tensor of rank 2 */
export function rowsOf({ data, shape: [rows, width] }) {
  return Array.from({ length: rows }, (_, i) => Array.from({ length: width }, (__, j) => data[i * width + j]));
}

/** Rows of ids without what padding hides, as keys. @param {any} batch */
export const rowKeys = (batch) =>
  rowsOf(batch.sourceIds ?? batch.ids).map((row, i) =>
    row.filter((_, j) => !(batch.sourcePadding ?? batch.padding)?.data[i * row.length + j]).join(' '),
  );

/** Prefers, where it may choose, what a wanted text is made of: it reaches what the grammar can say, and no more. */
class Led extends Random {
  /** @param {string} text */
  constructor(text) {
    super(1);
    this.wanted = new Set(text.split(' '));
  }

  choose(list) {
    const fitting = list.filter((one) => wordsIn(one).some((word) => this.wanted.has(word)));
    return super.choose(fitting.length > 0 ? fitting : list);
  }
}

/** @param {unknown} value @returns {string[]} */
const wordsIn = (value) => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsIn) : [];
};

/** Whether a grammar says a text. @param {(random: Random) => string} draw @param {string} text */
export function reaches(draw, text) {
  const random = new Led(text);
  for (let i = 0; i < 100000; i++) if (draw(random) === text) return true;
  return false;
}

/**
 * Attention that is even.
 * @param {any} batch
 * @param {boolean} [causal]
 * @param {number} [layers]
 * @param {number} [heads]
 */
export function uniformMaps(batch, causal = false, layers = 2, heads = 2) {
  const [B, S] = (batch.sourceIds ?? batch.ids).shape;
  const padding = batch.sourcePadding ?? batch.padding;
  const T = (batch.targetIds ?? batch.ids).shape[1];
  const data = new Float32Array(B * heads * T * S);
  for (let b = 0; b < B; b++) {
    for (let h = 0; h < heads; h++) {
      for (let t = 0; t < T; t++) {
        const seen = Array.from({ length: S }, (_, s) => s).filter(
          (s) => !padding?.data[b * S + s] && (!causal || s <= t),
        );
        for (const s of seen) data[((b * heads + h) * T + t) * S + s] = 1 / seen.length;
      }
    }
  }
  return Array.from({ length: layers }, () => ({ data, shape: [B, heads, T, S] }));
}

/**
 * Answers that are right at every question, and in layer 1 a head 1 that attends to the links; all other heads
 * attend evenly. With `off` that head, every answer is wrong.
 * @param {any[]} probes
 * @param {boolean} [causal]
 */
export function perfect(probes, causal = false) {
  return (batch, { maps, off }) => {
    const { questions } = probes.find((probe) => probe.batch === batch);
    const [B, T] = (batch.targetIds ?? batch.ids).shape;
    const argmax = new Int32Array(B * T).fill(-1);
    const off11 = off?.layer === 1 && off.head === 1;
    for (const { row, at, accepts = [] } of questions) if (!off11) argmax[row * T + at] = accepts[0];
    if (!maps) return { argmax };
    const [first, second] = uniformMaps(batch, causal);
    const data = second.data.slice();
    const S = (batch.sourceIds ?? batch.ids).shape[1];
    for (const { row, at, links = [] } of questions) {
      const start = ((row * 2 + 1) * T + at) * S;
      data.fill(0, start, start + S);
      for (const link of links) data[start + link] += 1 / links.length;
    }
    return { argmax, maps: [first, { ...second, data }] };
  };
}
