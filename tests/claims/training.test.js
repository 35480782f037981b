// Runs of claims that train models.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as deepTraining from '../../src/claims/deep-training/claim.js';
import * as orderNeedsPositions from '../../src/claims/order-needs-positions/claim.js';
import * as vanishingGradients from '../../src/claims/vanishing-gradients/claim.js';
import { gf } from './check.js';

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
