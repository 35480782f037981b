// A pass over a sequence that begins like the last one computes its new rows alone, for the same bits.

import { ONE_ROW } from './flags.js';

/**
 * @typedef {import('./handle.js').Handle} Handle
 * @typedef {import('./inputs.js').Batch} Batch
 */

/**
 * A forward pass without changes.
 * @param {Handle} handle
 * @param {Batch} batch
 */
export function runOn(handle, batch) {
  const { sizes, flags, omitted } = batch;
  const past = handle.cut ? 0 : rowsKept(handle, batch);
  handle.passed = handle.rowed = undefined;
  if (past > 0) handle.resume(batch, past);
  else handle.run(batch);
  if (flags & ONE_ROW) handle.rowed = { patches: [], isComputed: false };
  if (goesOnFrom(handle, batch)) handle.passed = { sizes, flags, omitted };
}

/**
 * Whether a later pass may go on from one over this batch.
 * @param {Handle} handle
 * @param {Batch} batch
 */
export function goesOnFrom({ config: { causal, kind } }, { sizes: { B } }) {
  return causal && B === 1 && String(kind).endsWith('decoder');
}

/**
 * How many target rows of a batch the last pass has computed.
 * @param {Handle} handle
 * @param {Batch} batch
 * @param {number} [ignored] flags that do not matter
 */
export function rowsKept(handle, { sizes: { B, S, T }, flags, omitted, writes }, ignored = 0) {
  const { passed } = handle;
  if (!passed || (passed.flags & ~ignored) !== flags || B !== 1 || passed.sizes.S !== S) return 0;
  if (!ignored && String(passed.omitted) !== String(omitted)) return 0;
  let rows = Math.min(passed.sizes.T, T);
  for (const { to, data } of writes) {
    const before = handle.held(to);
    const isTarget = to.startsWith('decoder.');
    const width = isTarget ? data.length / T : 1;
    const length = isTarget ? rows * width : data.length;
    const same = alike(before, data, length);
    if (isTarget) rows = Math.floor(same / width);
    else if (same < length || before.length !== length) return 0;
  }
  return rows;
}

/**
 * Of so many numbers, how many are the same up to the first that is another.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 * @param {number} length
 */
function alike(a, b, length) {
  let same = 0;
  while (same < length && Object.is(a[same], b[same])) same++;
  return same;
}
