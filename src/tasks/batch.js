import { GlassformerError } from '../js/errors.js';
import { integer, options } from './check.js';

/** A target that does not count: nothing is asked there. */
export const IGNORE = -100;

/**
 * @typedef {object} Ids
 * @property {Int32Array<ArrayBuffer>} data row-major
 * @property {number[]} shape size of each axis
 */
/**
 * @typedef {object} Flags
 * @property {Uint8Array<ArrayBuffer>} data row-major
 * @property {number[]} shape size of each axis
 */
/**
 * @typedef {object} Floats
 * @property {Float32Array<ArrayBuffer>} data row-major
 * @property {number[]} shape size of each axis
 */

/**
 * The training data of one step for a model with a vocabulary. B rows, T long.
 * @typedef {object} Batch
 * @property {Ids} ids [B,T]
 * @property {Flags} [padding] [B,T], 1 = no token
 * @property {Ids} labels the right answer of each row and place, IGNORE where none is asked
 */

/**
 * The training data of one step for an encoder-decoder.
 * @typedef {object} PairBatch
 * @property {Ids} sourceIds [B,S]
 * @property {Flags} [sourcePadding] [B,S], 1 = no token
 * @property {Ids} targetIds [B,T], what the decoder reads, from [BOS] on
 * @property {Flags} [targetPadding] [B,T], 1 = no token
 * @property {Ids} labels as in a Batch
 */

/**
 * The training data of one step for an FFN alone.
 * @typedef {object} VectorBatch
 * @property {Floats} vectors [B,T,C]
 * @property {Floats} labels [B,T,C]
 */

/**
 * @param {Batch | PairBatch} batch
 * @returns {{ids: Ids, padding?: Flags}} what its first stack reads
 */
export const sourceOf = (batch) =>
  'sourceIds' in batch ? { ids: batch.sourceIds, padding: batch.sourcePadding } : batch;

/**
 * Rows side by side, filled up on the right.
 * @param {readonly (readonly number[])[]} rows
 * @param {number} width
 * @param {number} fill
 * @returns {Ids} [rows, width]
 */
export function pack(rows, width, fill) {
  const data = new Int32Array(rows.length * width).fill(fill);
  rows.forEach((row, at) => {
    if (row.length > width) throw new GlassformerError('shape', 'rows', row.length, `rows end at ${width}`);
    data.set(row, at * width);
  });
  return { data, shape: [rows.length, width] };
}

/**
 * @param {readonly (readonly number[])[]} rows
 * @param {number} width
 * @returns {Flags} [rows, width], 1 where `pack` fills up
 */
export function paddingOf(rows, width) {
  const data = new Uint8Array(rows.length * width);
  rows.forEach((row, at) => data.fill(1, at * width + row.length, (at + 1) * width));
  return { data, shape: [rows.length, width] };
}

/**
 * @template T
 * @param {readonly T[]} list
 * @param {number} size
 * @returns {T[][]} runs of `size`, the last one shorter
 */
export function chunks(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/**
 * Batches that can go on from a step: those before it are drawn, and left out.
 * @template {object} B
 * @param {(seed: number) => Generator<B, never, void>} batches
 * @returns {(seed: number, given?: {from?: number}) => Generator<B, never, void>}
 */
export function seekable(batches) {
  return (seed, given = {}) => {
    const { from } = options(given, { from: 0 });
    const all = batches(seed);
    for (let left = integer(from, 0, 2 ** 31, 'from'); left > 0; left--) all.next();
    return all;
  };
}

/**
 * Batches by their step, from a generator that is kept for the next one: in the order of the steps it goes on, else it
 * starts again.
 * @template {object} B
 * @param {(seed: number) => Iterator<B>} batches
 * @returns {(step?: number, seed?: number) => B}
 */
export function byStep(batches) {
  /** @type {Map<number, {next: number, all: Iterator<B>, last?: B}>} by seed */
  const runs = new Map();
  return (step = 0, seed = 0) => {
    integer(step, 0, 2 ** 31, 'step');
    let run = runs.get(seed);
    if (!run || run.next > step + 1) runs.set(seed, (run = { next: 0, all: batches(seed) }));
    for (; run.next <= step; run.next++) run.last = run.all.next().value;
    // A copy: whoever changes it must not change what is asked for again.
    return structuredClone(/** @type {B} */ (run.last));
  };
}
