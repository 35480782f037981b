// A full memory: everything can still be freed, the first error stays, and nothing of a refused call remains.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GlassformerError } from 'glassformer';
import * as core from 'glassformer/core';
import { smallMemory } from './small-memory.js';

const DEEP = { kind: 'encoder', vocabulary: 50, d_model: 16, heads: 2, d_ff: 32, layers: 64 };
const TINY = { kind: 'feed-forward', d_model: 1, heads: 1, d_ff: 1 };

const start = (/** @type {number} */ bytes) => core.load({ wasm: smallMemory(bytes) });

/** What a call throws. @param {() => unknown} call @returns {GlassformerError} */
function refusal(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof GlassformerError, String(error));
    return error;
  }
  assert.fail('was not refused');
}

/**
 * Fills the memory: models of that configuration, then smaller ones, until not one of four numbers fits.
 * @param {core.Engine} gf
 * @param {object} config
 */
function fill(gf, config) {
  const models = [];
  for (const each of [config, { ...config, d_model: 4, heads: 1, d_ff: 4, layers: 1 }, TINY]) {
    for (;;) {
      try {
        models.push(gf.createModel(each));
      } catch (error) {
        assert.equal(/** @type {GlassformerError} */ (error).code, 'memory');
        break;
      }
    }
  }
  return models;
}

test('when memory is full, free frees, and what could be made before can be made again', async () => {
  const gf = await start(24 * 2 ** 20);
  const large = { kind: 'feed-forward', d_model: 1024, heads: 1, d_ff: 2048 }; // 16 MB
  gf.createModel(large).free();
  const models = fill(gf, DEEP);
  assert.ok(models.length > 19, `${models.length} models`);
  assert.equal(refusal(() => gf.createModel(large)).code, 'memory');
  for (const model of models) model.free();
  assert.match(refusal(() => models[0].forward({ ids: [1] })).message, /the encoder of \d{6} parameters was freed/);
  assert.equal(models[0].parameterCount, 64 * 2224 + 50 * 16);
  gf.createModel(large).free();
});

test('in a full memory, reading goes on and errors stay what they are', async () => {
  const gf = await start(4 * 2 ** 20);
  const config = { kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, d_ff: 16, layers: 2, head: 'tied' };
  const model = gf.createModel(config);
  model.forward({ ids: [1, 2, 3] });
  fill(gf, DEEP);
  assert.equal(model.weights().size, model.tensors().filter(({ region }) => region === 'weight').length);
  assert.ok(model.graph().every(({ tensor, kind }) => tensor || kind !== 'logits'));
  assert.equal(model.tensor('decoder.layers.1.norm2.weight').data.length, 8);
  for (const [name, why] of Object.entries({
    'decoder.layers.1.self_attn.scores': 'needs capture: true in forward',
    'grad.tok_emb.weight': 'needs trainer.gradients()',
    'decoder.layers.1.ffn.activatoin': 'unknown, did you mean decoder.layers.1.ffn.activation?',
  })) {
    const { code, message } = refusal(() => model.tensor(name));
    assert.deepEqual([code, message.slice(6, 6 + why.length)], ['unknown', why]);
  }
  assert.equal(refusal(() => model.clone()).code, 'memory');
  assert.equal(refusal(() => model.forward({ ids: Array(400).fill(1), capture: true })).code, 'memory');
  model.free();
});

test('asking for unknown tensors takes no memory', async () => {
  const gf = await start(4 * 2 ** 20);
  const model = gf.createModel(DEEP);
  const models = fill(gf, TINY);
  for (let left = 0; left < 3; left++) {
    for (const each of models.slice(0, left)) each.free();
    for (let i = 0; i < 5; i++) assert.equal(refusal(() => model.tensor('encoder.layers.63.x')).code, 'unknown');
    for (let i = 0; i < left; i++) models[i] = gf.createModel(TINY);
  }
});
