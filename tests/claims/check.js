// What the tests of the claims share.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { compareNumbers, settingsToCheck } from '../../src/claims/index.js';

export const gf = await load({ variant: 'simd' });

/**
 * Runs a claim on few seeds: its numbers are those stated, and its verdict is the one given, at each of the switches
 * that it states numbers for. That the switch which it names changes the verdict: flips.test.js.
 * @param {import('../../src/claims/index.js').ClaimModule} module
 * @param {(import('../../src/claims/index.js').Verdict['verdict'])[]} verdicts in the order of `settingsToCheck`
 * @param {{seeds?: number}} [options]
 */
export function testClaim({ claim, run, verdict }, verdicts, { seeds = 2 } = {}) {
  test(`${claim.number}. ${claim.name}: numbers and verdict`, async () => {
    const given = [];
    for (const at of settingsToCheck(claim)) {
      const params = { ...at, seeds };
      const numbers = await run(gf, params);
      const compared = compareNumbers(claim, numbers, params);
      assert.ok(compared.length > 0);
      for (const { label, values, allowed, within } of compared)
        assert.ok(within, `${JSON.stringify(at)} ${label}: ${values} is not in ${allowed}`);
      given.push(verdict(numbers, params).verdict);
    }
    assert.deepEqual(given, verdicts);
  });
}
