// Failures at any point of a call: of a crossing into the core, or of what a full memory of JavaScript makes fail.
import { loadWrapped } from './wrapped.js';

/** Calls until the next one fails; Infinity: none does. */
let left = Infinity;
const tick = () => {
  if (left-- <= 0) throw new RangeError('injected');
};

/** An engine whose crossings into the core may fail, before they are made. */
export const fragile = () =>
  loadWrapped(
    (it) =>
      (...given) => (tick(), it(...given)),
  );

const Ints = Object.getPrototypeOf(Int32Array);
/** Functions that a full memory of JavaScript, or a full stack, makes fail. @type {[any, string][]} */
export const BUILT_IN = [
  [Ints.prototype, 'set'],
  [Ints.prototype, 'slice'],
  [Ints.prototype, 'subarray'],
  [Array.prototype, 'slice'],
  [Array.prototype, 'splice'],
  [Array.prototype, 'push'],
];

/** Runs it with the n-th call of that kind failing; whether one did. */
export function failing(kind, n, run) {
  const own = kind && kind[0][kind[1]];
  if (kind) {
    kind[0][kind[1]] = function (...given) {
      tick();
      return own.apply(this, given);
    };
  }
  left = n;
  try {
    run();
    return false;
  } catch (error) {
    if (error.message !== 'injected') throw error;
    return true;
  } finally {
    left = Infinity;
    if (kind) kind[0][kind[1]] = own;
  }
}
