// The toy model of superposition: its slopes, what trainings end with, what the lesson draws.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  INPUTS,
  SEEDS,
  SHARES,
  STEPS,
  better,
  createToy,
  keptOf,
  rebuild,
  rebuiltShare,
} from '../../../web/lessons/toy.js';
import { addSlope } from '../../../src/claims/shared/toy.js';

/** @param {number} share */
const ends = (share) =>
  Array.from({ length: SEEDS }, (_, i) => createToy(share, i + 1).train(STEPS)).reduce((one, other) =>
    better(one, other),
  );

const SHAPE = { inputs: INPUTS, numbers: 2, importance: Array.from({ length: INPUTS }, (_, i) => 0.9 ** i) };

test('the slope is that of the loss', () => {
  const weights = Float64Array.from({ length: 3 * INPUTS }, (_, i) => Math.sin(3 * i + 1));
  const x = Float64Array.from([0.3, 0, 0.9, 0.5, 0]);
  const out = new Float64Array(INPUTS);
  const loss = (/** @type {Float64Array} */ at) => addSlope(SHAPE, at, x, out, new Float64Array(3 * INPUTS));
  const slope = new Float64Array(3 * INPUTS);
  addSlope(SHAPE, weights, x, out, slope);
  for (const i of weights.keys()) {
    const [up, down] = [1e-6, -1e-6].map((d) => loss(weights.with(i, weights[i] + d)));
    assert(Math.abs((up - down) / 2e-6 - slope[i]) < 1e-6, `${i}: ${(up - down) / 2e-6} ${slope[i]}`);
  }
  const wanted = Array.from({ length: INPUTS }, (_, i) => {
    const product = x.reduce(
      (sum, each, k) => sum + each * (weights[2 * i] * weights[2 * k] + weights[2 * i + 1] * weights[2 * k + 1]),
      weights[2 * INPUTS + i],
    );
    return Math.max(0, product);
  });
  rebuild(weights, x, out);
  for (const [i, each] of wanted.entries()) assert(Math.abs(out[i] - each) < 1e-12, 'ReLU(WᵀWx + b)');
});

test('always: two at a right angle; 1 in 2 and 1 in 5: a cross; rarer: a pentagon', () => {
  const kept = SHARES.map((share) => {
    const toy = ends(share);
    const angles = keptOf(toy)
      .map((i) => Math.atan2(toy.weights[2 * i + 1], toy.weights[2 * i]))
      .sort((a, b) => a - b);
    const gaps = angles.map((a, i) => ((angles[i + 1] ?? angles[0] + 2 * Math.PI) - a) * (180 / Math.PI));
    const isNear = (/** @type {number} */ wanted) => (/** @type {number} */ gap) => Math.abs(gap - wanted) < 8;
    if (angles.length === 2) assert(gaps.some(isNear(90)), `${gaps}`);
    else assert(gaps.every(isNear(360 / angles.length)), `${share}: ${gaps}`);
    return angles.length;
  });
  assert.deepEqual(kept, [2, 4, 4, 5, 5]);
});

test('the same seed gives the same arrows, whatever the steps at a time; it ends', () => {
  const [whole, parts] = [createToy(0.1, 2), createToy(0.1, 2)];
  whole.train(STEPS);
  for (let i = 0; i < 13; i++) parts.train(271);
  assert.deepEqual(parts.toy, whole.toy);
  assert.equal(whole.toy.step, STEPS);
  assert(rebuiltShare(whole.toy) > 0.7);
});
