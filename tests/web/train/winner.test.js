// Which run is ahead: the exact permutation test beside one by brute force, what few seeds can show, and how a block
// gets its learning rate before it is raced.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LEVEL, leastP, permutationP, winnerOf } from '../../../web/train/winner.js';
import { tuned } from '../../../web/train/run/tune.mjs';

/**
 * Every way to deal the values to two lists, by the bits of a number.
 * @param {number[]} first @param {number[]} second
 */
function bruteForce(first, second) {
  const all = [...first, ...second];
  /** @param {number} bits */
  const distance = (bits) => {
    /** @type {[number[], number[]]} */
    const sides = [[], []];
    all.forEach((value, i) => sides[(bits >> i) & 1].push(value));
    if (sides[1].length !== first.length) return null;
    const [a, b] = sides.map((side) => side.reduce((sum, each) => sum + each, 0) / side.length);
    return Math.abs(a - b);
  };
  const distances = Array.from({ length: 2 ** all.length }, (_, bits) => distance(bits)).filter(
    (each) => each !== null,
  );
  const own = Number(distance(2 ** first.length - 1));
  return distances.filter((each) => each > own - 1e-9).length / distances.length;
}

const steps = fc.array(
  fc.integer({ min: 0, max: 8 }).map((each) => 25 * each),
  { minLength: 1, maxLength: 5 },
);

test('the permutation test is that of all splits, equal or not in length, and of either order', () => {
  const property = fc.property(steps, steps, (first, second) => {
    const p = permutationP(first, second);
    assert.equal(p, bruteForce(first, second));
    assert.equal(p, permutationP(second, first));
  });
  fc.assert(property, { numRuns: 200 });
  const losses = fc.array(fc.double({ min: 0.1, max: 9, noNaN: true }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(losses, losses, (a, b) => assert.equal(permutationP(a, b), bruteForce(a, b))),
    { numRuns: 50 },
  );
});

test('Addition at 2017’s rates: p = 74 of 252, which is no difference', () => {
  const reached = [
    [600, 1400, 850, 900, 800],
    [500, 650, 775, 575, 1075],
  ];
  assert.deepEqual(winnerOf(reached, 2000), { run: null, p: 74 / 252 });
});

test('five seeds against five give 2 of 252 at best, three never less than .05', () => {
  for (const seeds of [1, 2, 3, 4, 5, 6]) {
    const far = [0, 1000].map((from) => Array.from({ length: seeds }, (_, i) => from + 25 * i));
    const least = seeds === 1 ? 1 : leastP(seeds);
    assert(Math.abs(permutationP(far[0], far[1]) - least) < 1e-12, String(seeds));
    assert.equal(least < LEVEL, seeds >= 4);
    const { run, p } = winnerOf(far, 5000);
    assert.deepEqual([run, p === null], [0, seeds < 4]);
  }
  assert.equal(leastP(5), 2 / 252);
});

test('a failure counts as after the last step: five against none is ahead, one more is not', () => {
  const all = [200, 175, 175, 250, 200];
  const none = Array(5).fill(null);
  assert.deepEqual(winnerOf([none, all], 400), { run: 1, p: 2 / 252 });
  assert.equal(winnerOf([[...all.slice(1), null], all], 400).run, null);
  assert.deepEqual(winnerOf([none, none], 400), { run: null, p: 1 });
  assert.deepEqual(winnerOf([all, none, all], 400).run, null, 'of three it is ahead of each other one');
  assert.deepEqual(winnerOf([all, none, none], 400), { run: 0, p: 2 / 252 });
});

test('a block’s learning rate: half, once, double the recipe’s, and on while the best is at an end', async () => {
  /** @param {(rate: number) => [number, number, number]} score */
  const find = (score) => tuned(async (rate) => score(rate));
  assert.deepEqual(await find((rate) => [0, Math.abs(rate - 1), 0]), { rate: 1, tried: [0.5, 1, 2] });
  assert.deepEqual(await find((rate) => [0, -rate, 0]), { rate: 8, tried: [0.5, 1, 2, 4, 8] });
  assert.deepEqual(await find((rate) => [0, rate, 0]), { rate: 0.125, tried: [0.125, 0.25, 0.5, 1, 2] });
  assert.equal((await find((rate) => [rate > 1 ? 1 : 0, 1 / rate, 0])).rate, 1, 'a miss counts more than steps');
  assert.equal((await find((rate) => [5, 0, Math.abs(rate - 2)])).rate, 2, 'where all miss, the loss decides');
  assert.equal((await find(() => [5, 0, Infinity])).rate, 0.125, 'of equal ones the lowest');
});
