import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as positionWise from '../../src/claims/position-wise/claim.js';
import * as scaleGradients from '../../src/claims/scale-gradients/claim.js';
import * as weightsExplain from '../../src/claims/weights-explain/claim.js';
import { gf, testClaim } from './check.js';

testClaim(scaleGradients, ['holds only if', 'fails', 'holds', 'holds', 'holds']);
testClaim(weightsExplain, ['fails', 'holds only if', 'fails', 'fails', 'holds only if', 'fails'], { seeds: 5 });
testClaim(positionWise, ['holds', 'fails']);

test('the d_k from which unscaled gradients vanish is 32', async () => {
  const { verdict } = scaleGradients;
  assert.match(verdict(await scaleGradients.run(gf, { seeds: 3 })).why, /^Only if d_k is at least 32: /);
});
