// Helpers that the tests of the claims share.
import assert from 'node:assert/strict';
import { load } from 'glassformer';
import { compareNumbers } from '../../src/claims/index.js';

export const gf = await load({ variant: 'simd' });

/**
 * Runs a claim: its numbers are those stated, where it states any at these switches.
 * @param {import('../../src/claims/index.js').ClaimModule} module
 * @param {import('../../src/claims/index.js').Params} params
 */
export async function outcomeOf({ claim, run, outcome }, params) {
  const numbers = await run(gf, params);
  for (const { label, values, allowed, within } of compareNumbers(claim, numbers, params))
    assert.ok(within, `${JSON.stringify(params)} ${label}: ${values} is not in ${allowed}`);
  return outcome(numbers, params);
}

/**
 * The verdict on each sentence at its own switches, by the number of its claim.
 * @type {Record<number, import('../../src/claims/index.js').Verdict>}
 */
export const VERDICTS = Object.fromEntries([
  ...[1, 3, 7, 8, 9, 10, 12, 15, 17, 18, 20, 27, 31, 37].map((number) => [number, 'true']),
  ...[
    2, 4, 5, 6, 13, 14, 16, 19, 21, 23, 24, 25, 26, 28, 29, 30, 32, 33, 34, 35, 36, 38, 39, 40, 41, 44, 46, 48, 49, 51,
  ].map((number) => [number, 'it depends']),
  ...[11, 22, 42, 43, 45, 47, 50].map((number) => [number, 'false']),
]);
