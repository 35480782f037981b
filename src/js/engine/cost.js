import { GlassformerError } from '../errors.js';
import { optional, refuseType } from '../arrays/tensor.js';

// What a call costs, before it is begun: a blocked thread cannot be stopped.

/** Multiply-adds that a call may take unless allowed more: some 50 s. */
const MOST = 1e12;
/** Multiply-adds in a second: the matrix products of this package on a laptop's core of 2024. */
const SPEED = 2e10;

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
