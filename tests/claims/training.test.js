// The claims whose models are trained: on one seed, at their defaults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as causalMask from '../../src/claims/causal-mask/claim.js';
import * as crossAttentionAligns from '../../src/claims/cross-attention-aligns/claim.js';
import * as deepTraining from '../../src/claims/deep-training/claim.js';
import * as headSpecialisation from '../../src/claims/head-specialisation/claim.js';
import { compareNumbers } from '../../src/claims/index.js';
import * as keyValueMemory from '../../src/claims/key-value-memory/claim.js';
import * as orderNeedsPositions from '../../src/claims/order-needs-positions/claim.js';
import * as reversalNeedsPositions from '../../src/claims/reversal-needs-positions/claim.js';
import * as trainingWithoutScale from '../../src/claims/training-without-scale/claim.js';
import * as vanishingGradients from '../../src/claims/vanishing-gradients/claim.js';
import { gf } from './check.js';

/** Verdicts at the defaults; what changes them: flips.test.js. */
const given = /** @type {const} */ ([
  [orderNeedsPositions, 'holds'],
  [reversalNeedsPositions, 'holds'],
  [trainingWithoutScale, 'fails'],
  [headSpecialisation, 'holds'],
  [keyValueMemory, 'fails'],
  [deepTraining, 'fails'],
  [vanishingGradients, 'holds only if'],
  [causalMask, 'holds'],
  [crossAttentionAligns, 'holds'],
]);

for (const [{ claim, run, verdict }, word] of given)
  test(`${claim.number}. ${claim.name}: ${word}`, async () => {
    const params = { seeds: 1 };
    const numbers = await run(gf, params);
    const compared = compareNumbers(claim, numbers, params);
    assert.ok(compared.length > 0);
    for (const { label, values, allowed, within } of compared)
      assert.ok(within, `${label}: ${values} is not in ${allowed}`);
    const { verdict: found, why } = verdict(numbers, params);
    assert.equal(found, word, why);
  });

test('further switches change the verdict of a measured card', async () => {
  const [params, other] = [
    { design: 'LayerNorm alone', seeds: 1 },
    { design: 'residual, post-LN', seeds: 1 },
  ];
  assert.equal(vanishingGradients.verdict(await vanishingGradients.run(gf, params), params).verdict, 'fails');
  assert.equal(vanishingGradients.verdict(await vanishingGradients.run(gf, other), other).verdict, 'holds only if');
  const shallow = { layers: 2, seeds: 1 };
  assert.equal(deepTraining.verdict(await deepTraining.run(gf, shallow)).verdict, 'holds only if');
});

test('training gives the same numbers again, reports progress that only grows, and stops between steps', async () => {
  const shares = /** @type {number[]} */ ([]);
  const numbers = await orderNeedsPositions.run(gf, { seeds: 2, seed: 3 }, (share) => shares.push(share));
  assert.deepEqual(await orderNeedsPositions.run(gf, { seeds: 2, seed: 3 }), numbers);
  assert.equal(shares.at(-1), 1);
  assert.ok(shares.length > 100 && shares.every((share, i) => i === 0 || share >= shares[i - 1]));
  const control = new AbortController();
  const running = deepTraining.run(gf, {}, (share) => share > 0 && control.abort('enough'), control.signal);
  await assert.rejects(running, (error) => error === 'enough');
});
