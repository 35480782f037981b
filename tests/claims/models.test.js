// The models that claims train: those of `run`, to the bit, and what to show of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as causalMask from '../../src/claims/causal-mask.js';
import * as crossAttentionAligns from '../../src/claims/cross-attention-aligns.js';
import * as deepTraining from '../../src/claims/deep-training.js';
import { ownModel } from './own-model.js';
import * as orderNeedsPositions from '../../src/claims/order-needs-positions.js';
import * as reversalNeedsPositions from '../../src/claims/reversal-needs-positions.js';
import { dataOf, meanMaps, shareRight } from '../../src/claims/shared/train.js';
import { gf } from './check.js';

const SEED = 3;

test('the mask’s model has the loss of its run; the hidden cell has weight without the mask only', async () => {
  for (const mask of ['causal', 'none']) {
    const { model, cell, rows, task } = await ownModel(gf, 18, { mask, seed: SEED, seeds: 4 });
    assert.equal(task.vocabulary.size, 10);
    const { batch } = dataOf(causalMask.task, SEED, causalMask.HELD_OUT).heldOut;
    const { loss } = model.trainer().loss(batch);
    assert.deepEqual((await causalMask.run(gf, { mask, seed: SEED, seeds: 1 })).loss, [loss]);
    model.forward({ ids: rows[0], capture: true });
    const { data } = /** @type {any} */ (model.tensor('decoder.layers.0.self_attn.weights'));
    const weight = data[cell.row * rows[0].length + cell.key];
    if (mask === 'causal') assert.equal(weight, 0);
    else assert.ok(weight > 0.3, `${weight}`);
    model.free();
  }
});

test('the decoder’s model has the maps of its run; its head has most weight on the right tokens', async () => {
  const { model, cell } = await ownModel(gf, 19, { seed: SEED });
  const { task, HELD_OUT } = crossAttentionAligns;
  const { sourceIds, targetIds } = /** @type {any} */ (dataOf(task, SEED, HELD_OUT).heldOut.batch);
  model.forward({ sourceIds, targetIds, capture: true });
  const maps = meanMaps(/** @type {any} */ (model.tensor('decoder.layers.0.multihead_attn.weights')));
  const run = await crossAttentionAligns.run(gf, { layers: 1, seed: SEED, seeds: 1 });
  assert.deepEqual(run.maps, [maps]);
  const massOf = (/** @type {number} */ head) =>
    [0, 1, 2, 3, 4, 5].reduce((sum, at) => sum + maps[36 * head + 6 * at + 5 - at], 0);
  assert.ok(massOf(cell.head) >= massOf(1 - cell.head));
  model.free();
});

test('positions, reversal, deep training: what the run measures, of the model that is shown', async () => {
  const at = { seed: SEED, seeds: 1 };
  for (const mask of ['none', 'causal']) {
    const { model, rows, cell } = await ownModel(gf, 5, { mask, seed: SEED });
    const { right, causalRight } = await orderNeedsPositions.run(gf, { mask, ...at });
    assert.deepEqual(right ?? causalRight, [shareRight(model, orderNeedsPositions.task.batch())]);
    assert.deepEqual([rows[0].length, cell.row, cell.key], [10, 9, 0]);
    model.free();
  }
  for (const params of [{}, { model: 'encoder' }, { model: 'encoder', task: 'as they are' }]) {
    const { model, rows, cell } = await ownModel(gf, 6, { ...params, seed: SEED });
    const settings = { model: 'encoder-decoder', task: 'in reverse', ...params, seed: SEED };
    const { heldOut } = reversalNeedsPositions.dataAt(settings);
    const { without } = await reversalNeedsPositions.run(gf, { ...params, ...at });
    assert.deepEqual(without, [shareRight(model, heldOut)]);
    assert.equal(cell.kind, params.model ?? 'cross');
    assert.equal(cell.key, params.task ? 0 : rows[0].length - 1);
    model.free();
  }
  const design = { design: 'pre-LN', layers: 2 };
  const { model } = await ownModel(gf, 16, { ...design, seed: SEED });
  const { task, HELD_OUT } = deepTraining;
  const shares = task.heldOut(SEED, { count: HELD_OUT }).map(({ batch }) => shareRight(model, batch));
  const run = await deepTraining.run(gf, { ...design, ...at });
  assert.deepEqual(run.share, [shares.reduce((sum, one) => sum + one, 0) / shares.length]);
  model.free();
});

test('refused: a claim without a model, a switch that it has not; an aborted training leaves nothing', async () => {
  await assert.rejects(ownModel(gf, 2), { name: 'RangeError', message: /Claim 2 / });
  await assert.rejects(ownModel(gf, 14, { heads: 3 }), { code: 'range', parameter: 'heads' });
  const before = gf.memoryBytes;
  for (let i = 0; i < 50; i++)
    await assert.rejects(ownModel(gf, 14, {}, undefined, AbortSignal.abort('enough')), (error) => error === 'enough');
  assert.equal(gf.memoryBytes, before);
});
