import { GlassformerError } from '../errors.js';
import { optional, refuseType } from '../arrays/tensor.js';

// Estimates the cost of a call before it begins: a blocked thread cannot be stopped. The unit is a multiply-add of a
// large product; other work counts as those that take as long. gf_model_operations counts the work of models.

/** Multiply-adds that a call may take unless allowed more: some 50 s. */
const MOST = 1e12;
/** Multiply-adds in a second: the matrix products of this package on a laptop's core of 2024. */
const SPEED = 2e10;

/** As in src/model/dims.c: of a row of a product, a number that it writes, a query of a head, a score. */
const ROW = 300;
const WRITE = 12;
const HEAD_ROW = 600;
const SCORE = 32;

/** A product. @param {number} rows @param {number} inner @param {number} columns */
export const productCost = (rows, inner, columns) => rows * (inner * columns + WRITE * columns + ROW);

/**
 * Attention without projections.
 * @param {number} queries of all heads and sequences @param {number} keys of each
 * @param {number} columns of a head's keys and values
 */
export const attentionCost = (queries, keys, columns) => queries * (keys * (columns + SCORE) + HEAD_ROW);

/**
 * An option `maxOperations`.
 * @param {number} [fallback]
 */
export const operationsReader = (fallback = MOST) =>
  optional(
    (value, name) => (typeof value === 'number' && value > 0 ? value : refuseType(name, value, 'a number above 0')),
    fallback,
  );

/**
 * Refuses what costs too much.
 * @param {string} parameter that decides the cost
 * @param {number} operations multiply-adds
 * @param {number} limit
 */
export function expectAffordable(parameter, operations, limit) {
  if (operations <= limit) return;
  const time = `would take some ${Math.ceil(operations / SPEED)} s; split it, or pass maxOperations: Infinity`;
  throw new GlassformerError('limit', parameter, operations, `${time}; multiply-adds must be at most ${limit}`);
}
