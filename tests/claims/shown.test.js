// The curves and maps that a run returns for drawing: its single numbers follow from them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from './kept.js';
import { gf } from './check.js';

/** @param {number} number @param {import('../../src/claims/index.js').Params} params @returns {Promise<any>} */
const runOf = async (number, params) => claims.find(({ claim }) => claim.number === number)?.run(gf, params);
const far = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
  a.reduce((most, one, i) => Math.max(most, Math.abs(one - b[i])), a.length === b.length ? 0 : NaN);
const seeds = 2;

test('maps: product and look-up, two weight matrices with one output, parts of the heads', async () => {
  const { product, lookUp, difference } = await runOf(20, { seeds, rows: 'probabilities' });
  assert.deepEqual(difference, [0, 1].map((s) => far(product[s], lookUp[s]))); // prettier-ignore
  const two = await runOf(21, { seeds, d_v: 4 });
  for (const s of [0, 1]) {
    assert.equal(two.weights[s].length, 144);
    const variation = two.weights[s].reduce((sum, one, i) => sum + Math.abs(one - two.others[s][i]), 0) / 24;
    assert.ok(Math.abs(variation - two.variation[s]) < 1e-12);
    assert.equal(far(two.output[s], two.sameOutput[s]), two.outputDifference[s]);
  }
  const { parts } = await runOf(15, { seeds, projection: 'none' });
  for (const row of parts)
    row.forEach((value, i) => assert.equal(value !== 0, Math.floor(i / 32) === Math.floor((i % 32) / 8)));
});

test('products of positions are symmetric about 0, where they are d/2, and not monotone', async () => {
  const { products, around } = await runOf(3, { seeds });
  const [row] = products;
  assert.equal(row.length, 2 * around + 1);
  assert.ok(Math.abs(row[around] - 32) < 1e-5);
  assert.ok(far(row, [...row].reverse()) < 1e-5);
  assert.ok(row.some((value, i) => i > around && value > row[i - 1]));
});

test('curves: the point of the switches is the number of the claim', async () => {
  const gap = await runOf(23, { gap: 9 });
  assert.equal(gap.byGap[gap.gaps.indexOf(9)][gap.lengths.indexOf(8192)], gap.at8192);
  const norm = await runOf(9, { seeds, scale: 1000 });
  assert.deepEqual(
    norm.byScale.map((row) => row[norm.scales.indexOf(1000)]),
    norm.norm,
  );
  const line = await runOf(8, {});
  assert.equal(line.wholeY[line.wholeX.indexOf(3)], line.at3);
  const width = await runOf(11, { seeds: 1, weights: 'frozen', scale: 3 });
  assert.equal(width.byScale[0][width.scales.indexOf(3)], width.error[0]);
});

test('by place: words, tokens, changed rows', async () => {
  const { causalWords, causal } = await runOf(4, { seeds });
  assert.deepEqual(causal, causalWords.map((row) => Math.max(...row))); // prettier-ignore
  const { causalOwn, causalRight } = await runOf(5, { seeds });
  assert.deepEqual(causalRight, [1, 1]);
  for (const row of causalOwn) assert.ok(row.every((share) => share > 0.5 && share <= 1));
  const { changes, differences } = await runOf(12, { seeds });
  changes[1].forEach((most, t) =>
    assert.equal(most, Math.max(...differences[1].slice(32 * t, 32 * t + 32).map(Math.abs))),
  );
});
