// Top-k: the operation and its gradient, the activation of a feed-forward network, and the data set from which a
// layer alone draws its batches.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';

import { load } from 'glassformer';
import { operationVjp } from 'glassformer/derivatives';
import { load as loadWorker } from 'glassformer/worker';

const gf = await load({ variant: 'simd' });
const there = await loadWorker({ variant: 'simd' });
after(() => there.terminate());

/** The places that a row keeps: sorted, and equal numbers in their order. @param {number[]} row @param {number} k */
const keptOf = (row, k) => {
  const order = [...row.keys()].sort((a, b) => row[b] - row[a] || a - b);
  return new Set(order.slice(0, k).filter((i) => row[i] > 0));
};

const numbers = fc.oneof(fc.float({ noNaN: true, min: -4, max: 4 }), fc.integer({ min: -2, max: 2 }));
const rows = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 70 }))
  .chain(([R, N]) => fc.array(fc.array(numbers, { minLength: N, maxLength: N }), { minLength: R, maxLength: R }));

test('it keeps the largest of each row, and the gradient passes where it keeps', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 80 }), (given, active) => {
      const x = given.map((row) => row.map(Math.fround));
      const gradient = x.map((row) => row.map((_, i) => i + 1));
      const y = gf.activation(x, 'top-k', { active });
      const slopes = gf.activationBackward(x, gradient, 'top-k', { active });
      const kept = x.map((row) => keptOf(row, active));
      assert.deepEqual(
        [...y.data],
        x.flatMap((row, r) => row.map((value, i) => (kept[r].has(i) ? value : 0))),
      );
      assert.deepEqual(
        [...slopes.data],
        x.flatMap((row, r) => row.map((_, i) => (kept[r].has(i) ? i + 1 : 0))),
      );
      assert.deepEqual(y.shape, [x.length, x[0].length]);
      assert.deepEqual(operationVjp(gf, 'activation', [x, 'top-k', { active }], gradient).x, slopes);
    }),
    { seed: 1 },
  );
});

test('an odd number of active numbers is refused by name', () => {
  const refused = (/** @type {any[]} */ args, /** @type {object} */ error) =>
    assert.throws(() => /** @type {any} */ (gf).activation(...args), error);
  refused([[1, 2], 'top-k'], { code: 'range', parameter: 'active', message: /1 or more with 'top-k', got 0/ });
  refused([[1, 2], 'top-k', { active: -1 }], { code: 'range', parameter: 'active' });
  refused([[1, 2], 'top-k', { active: 1.5 }], { parameter: 'active' });
  refused([[1, 2], 'relu', { active: 1 }], { parameter: 'active', message: /needs activation: 'top-k', got 1/ });
  const layer = (/** @type {object} */ more) => gf.createModel({ kind: 'feed-forward', d_model: 4, d_ff: 8, ...more });
  const fails = (/** @type {object} */ more, /** @type {object} */ error) => assert.throws(() => layer(more), error);
  fails({ activation: 'top-k' }, { code: 'config', parameter: 'active', message: /must be 1 to d_ff = 8, got 0/ });
  fails({ activation: 'top-k', active: 9 }, { code: 'config', parameter: 'active', value: 9 });
  fails({ active: 2 }, { code: 'config', parameter: 'active', message: /needs activation: 'top-k', got 2/ });
  fails({ activation: 'top-k', active: 2, ffn: 'gated' }, { parameter: 'activation', message: /needs ffn: 'plain'/ });
});

test('a captured layer shows what stays, and gives the same numbers as without a capture', () => {
  const sizes = /** @type {const} */ ({ kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, d_ff: 40, layers: 2 });
  const model = gf.createModel({ ...sizes, head: 'tied', activation: 'top-k', active: 3, seed: 2 });
  const ids = [1, 5, 2, 7];
  const plain = model.forward(ids).logits;
  assert.deepEqual(model.forward({ ids, capture: true }).logits, plain);
  for (const layer of [0, 1]) {
    const at = (/** @type {string} */ name) => model.tensor(`decoder.layers.${layer}.ffn.${name}`).data;
    const [before, after] = [at('pre_activation'), at('activation')];
    for (let t = 0; t < ids.length; t++) {
      const row = [...before.subarray(t * 40, t * 40 + 40)];
      const kept = keptOf(row, 3);
      assert.equal(kept.size, 3);
      const wanted = row.map((value, i) => (kept.has(i) ? value : 0));
      assert.deepEqual([...after.subarray(t * 40, t * 40 + 40)], wanted);
    }
  }
});

const LAYER = /** @type {const} */ ({ kind: 'feed-forward', d_model: 6, d_ff: 24, activation: 'top-k', active: 3 });
const N = 50;
const VECTORS = gf.tensor(
  Float32Array.from({ length: N * 6 }, (_, i) => Math.sin(i * i)),
  [N, 6],
);
const SETTINGS = /** @type {const} */ ({ loss: 'mse', learningRate: 0.01, seed: 5 });

/** The layer's weights after some steps. @param {any} engine @param {any} settings @param {number} steps */
async function trained(engine, settings, steps, /** @type {any} */ labels = undefined) {
  const model = await engine.createModel({ ...LAYER, seed: 1 });
  const trainer = await model.trainer(settings);
  await trainer.data(VECTORS, labels);
  const reports = await trainer.train((/** @type {number} */ i) => (i < steps ? { draw: 32 } : undefined));
  const weights = new Map([...(await model.weights())].map(([name, { data }]) => [name, [...data]]));
  return { reports, weights };
}

test('a layer learns to rebuild rows that it draws from its data set, here and in a worker alike', async () => {
  const here = await trained(gf, SETTINGS, 300);
  assert.ok(here.reports[299].loss < 0.5 * here.reports[0].loss, `${here.reports[299].loss}`);
  assert.equal(here.reports[0].count, 32);
  assert.deepEqual(await trained(there, SETTINGS, 300), here);
  const other = await trained(gf, { ...SETTINGS, seed: 6 }, 300);
  assert.notDeepEqual(other.reports[0].loss, here.reports[0].loss, 'the seed decides the rows');
});

test('labels of their own: the vectors as labels give the same, others do not', async () => {
  const plain = await trained(gf, SETTINGS, 5);
  assert.deepEqual(await trained(gf, SETTINGS, 5, VECTORS), plain);
  const doubled = { data: VECTORS.data.map((each) => 2 * each), shape: VECTORS.shape };
  assert.notDeepEqual((await trained(gf, SETTINGS, 5, doubled)).reports, plain.reports);
});

test('drawn rows are those of the data set, each about as often', () => {
  // With one row that differs, the loss of a step tells how often it was drawn.
  const model = gf.createModel({ ...LAYER, d_model: 1, d_ff: 3, seed: 1 });
  for (const [name, { data, shape }] of model.weights()) {
    model.loadWeights({ [name]: { data: data.map(() => 0), shape } }, { strict: false });
  }
  for (let row = 0; row < 4; row++) {
    const trainer = model.trainer({ loss: 'mse', learningRate: 0 });
    trainer.data({ data: Float32Array.from({ length: 4 }, (_, i) => Number(i === row)), shape: [4, 1] });
    let share = 0;
    for (let step = 0; step < 20; step++) share += trainer.step({ draw: 400 }).loss / 20;
    assert.ok(Math.abs(share - 0.25) < 0.02, `row ${row}: ${share}`); // deviation .0048
  }
});

test('a resumed trainer draws the same rows', () => {
  const model = gf.createModel({ ...LAYER, seed: 1 });
  const trainer = model.trainer(SETTINGS);
  trainer.data(VECTORS);
  const losses = Array.from({ length: 6 }, () => trainer.step({ draw: 8 }).loss);
  const again = gf.createModel({ ...LAYER, seed: 1 });
  const first = again.trainer(SETTINGS);
  first.data(VECTORS);
  for (let i = 0; i < 3; i++) first.step({ draw: 8 });
  const state = first.state();
  const second = gf.createModel({ ...LAYER, seed: 9 }).trainer(SETTINGS);
  second.data(VECTORS);
  second.resume(state);
  assert.deepEqual(
    Array.from({ length: 3 }, () => second.step({ draw: 8 }).loss),
    losses.slice(3),
  );
});

test('bad data sets and draws are refused by name, and nothing has changed', async () => {
  const model = gf.createModel({ ...LAYER, seed: 1 });
  const trainer = /** @type {any} */ (model.trainer(SETTINGS));
  assert.throws(() => trainer.step({ draw: 4 }), {
    code: 'state',
    parameter: 'draw',
    message: /call trainer.data first/,
  });
  assert.throws(() => trainer.data([[1, 2]]), { code: 'shape', parameter: 'vectors' });
  assert.throws(() => trainer.data([1, 2, 3, 4, 5, 6]), { code: 'shape', parameter: 'vectors' });
  assert.throws(() => trainer.data([[1, 2, 3, 4, 5, NaN]]), { code: 'range', parameter: 'vectors' });
  assert.throws(() => trainer.data([[1, 2, 3, 4, 5, 6]], [[1]]), { code: 'shape', parameter: 'labels' });
  trainer.data(VECTORS);
  assert.throws(() => trainer.step({ draw: 0 }), { parameter: 'draw', value: 0 });
  assert.throws(() => trainer.step({ draw: 4, labels: [] }), { code: 'unknown', parameter: 'labels' });
  assert.throws(() => trainer.data([[1, 2]]), { code: 'shape' });
  assert.equal(trainer.step({ draw: 4 }).step, 1, 'the data set before is still there');
  const sharded = /** @type {any} */ (model.trainer({ ...SETTINGS, shards: 2 }));
  assert.throws(() => sharded.step({ draw: 4 }), { code: 'state' }, 'another trainer has none yet');
  sharded.data(VECTORS);
  assert.throws(() => sharded.step({ draw: 4 }), { code: 'state', message: /shards or workers draws none/ });
  const crossed = model.trainer({ loss: 'crossEntropy' });
  assert.throws(() => crossed.data(VECTORS), { code: 'config', parameter: 'loss' });
  const decoder = gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 6, heads: 2, head: 'tied' });
  assert.throws(() => decoder.trainer({ loss: 'mse' }).data(VECTORS), { code: 'config', parameter: 'kind' });
});
