// Seeded data of claims for which `glassformer/tasks` has none.
import { IGNORE } from 'glassformer/tasks';
import { randomOf } from './numbers.js';

/** @typedef {import('glassformer/tasks').Batch} Batch */

/**
 * @param {number} rows
 * @param {number} width
 * @param {(row: number, at: number) => number} value
 */
const ids = (rows, width, value) => ({
  data: Int32Array.from({ length: rows * width }, (_, i) => value(Math.floor(i / width), i % width)),
  shape: [rows, width],
});

/**
 * [BOS], then the same token again and again: the target of each place is its number.
 * @param {number} length
 * @returns {Batch} one row
 */
export const positions = (length) => ({
  ids: ids(1, length, (_, at) => Number(at > 0)),
  targets: ids(1, length, (_, at) => at),
});

/**
 * Random digits that an encoder–decoder is to say in reverse, or again. The decoder reads [BOS], which is id 10, and
 * the answer so far.
 * @param {number} seed
 * @param {{copy?: boolean, length?: number, rows?: number, stream?: string}} [given]
 * @returns {() => Batch} the next batch
 */
export function reversal(seed, { copy = false, length = 8, rows = 64, stream = 'reversal' } = {}) {
  const random = randomOf(seed, stream);
  return () => {
    const source = ids(rows, length, () => random.integer(10));
    const answer = (/** @type {number} */ row, /** @type {number} */ at) =>
      source.data[row * length + (copy ? at : length - 1 - at)];
    return {
      ids: source,
      targetIds: ids(rows, length, (row, at) => (at === 0 ? 10 : answer(row, at - 1))),
      targets: ids(rows, length, answer),
    };
  };
}

/**
 * Facts: each pair of a subject and a relation has an object, drawn at random, all objects alike often. It is asked of
 * the relation, which stands behind its subject.
 * @param {number} seed
 * @param {{side: number, objects: number}} given side: how many subjects, and as many relations
 * @returns {Batch} all side² facts
 */
export function facts(seed, { side, objects: kinds }) {
  const random = randomOf(seed, 'facts');
  const count = side * side;
  const objects = random.shuffle(Array.from({ length: count }, (_, i) => 2 * side + (i % kinds)));
  return {
    ids: ids(count, 2, (row, at) => (at === 0 ? Math.floor(row / side) : side + (row % side))),
    targets: ids(count, 2, (row, at) => (at === 0 ? IGNORE : objects[row])),
  };
}

/**
 * Random tokens: each place but the first and last is to name the pair of its two neighbours, left · size + right.
 * @param {number} seed
 * @param {{size: number, length?: number, rows?: number, stream?: string}} given size: how many tokens there are
 * @returns {() => Batch} the next batch
 */
export function neighbours(seed, { size, length = 8, rows = 64, stream = 'neighbours' }) {
  const random = randomOf(seed, stream);
  return () => {
    const tokens = ids(rows, length, () => random.integer(size));
    const token = (/** @type {number} */ row, /** @type {number} */ at) => tokens.data[row * length + at];
    return {
      ids: tokens,
      targets: ids(rows, length, (row, at) =>
        at === 0 || at === length - 1 ? IGNORE : token(row, at - 1) * size + token(row, at + 1),
      ),
    };
  };
}

/**
 * Random digits, each place is to name the next one: of what a decoder may see, nothing tells it.
 * @param {number} seed
 * @param {{length?: number, rows?: number, stream?: string}} [given]
 * @returns {() => Batch} the next batch
 */
export function nextDigits(seed, { length = 12, rows = 16, stream = 'next digits' } = {}) {
  const random = randomOf(seed, stream);
  return () => {
    const digits = ids(rows, length + 1, () => random.integer(10));
    const digit = (/** @type {number} */ row, /** @type {number} */ at) => digits.data[row * (length + 1) + at];
    return { ids: ids(rows, length, digit), targets: ids(rows, length, (row, at) => digit(row, at + 1)) };
  };
}
