// The claims that train nothing for long: their numbers and verdicts at all switches for which they state numbers. That
// the switch which they name changes the verdict, and those that train for long: flips.test.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims, settingsToCheck } from '../../src/claims/index.js';
import * as scaleGradients from '../../src/claims/scale-gradients/claim.js';
import { gf, verdictOf } from './check.js';

const [HOLDS, ONLY, FAILS] = ['holds', 'holds only if', 'fails'];
/** By number, in the order of `settingsToCheck`. @type {Record<number, string[]>} */
const VERDICTS = {
  1: [ONLY, FAILS, HOLDS, HOLDS, HOLDS],
  3: [HOLDS, FAILS],
  4: [ONLY, FAILS],
  7: [HOLDS, HOLDS, HOLDS],
  8: [HOLDS],
  9: [HOLDS, HOLDS, HOLDS, HOLDS, HOLDS],
  10: [ONLY],
  11: [FAILS, ONLY, FAILS, FAILS, FAILS, FAILS, FAILS, HOLDS],
  12: [HOLDS, FAILS],
  15: [HOLDS],
  20: [HOLDS],
  21: [FAILS, ONLY, FAILS, FAILS, ONLY, FAILS],
  22: [FAILS, FAILS],
  23: [FAILS, FAILS],
};
/** Where it is not two. @type {Record<number, number>} */
const SEEDS = { 7: 1, 21: 5 };

for (const module of claims.filter(({ claim }) => claim.number in VERDICTS)) {
  const { number, name } = module.claim;
  test(`${number}. ${name}: numbers and verdict`, async () => {
    const given = [];
    for (const at of settingsToCheck(module.claim))
      given.push((await verdictOf(module, { ...at, seeds: SEEDS[number] ?? 2 })).verdict);
    assert.deepEqual(given, VERDICTS[number]);
  });
}

test('the d_k from which unscaled gradients vanish is 32', async () => {
  const { verdict } = scaleGradients;
  assert.match(verdict(await scaleGradients.run(gf, { seeds: 3 })).why, /^Only if d_k is at least 32: /);
});
