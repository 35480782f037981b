// A full memory: everything can still be freed, errors say what they are. A file takes no memory that it does not fill.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GlassformerError, load, readSafetensors, writeSafetensors } from 'glassformer';
import { loadCheckpoint, loadModel } from 'glassformer/checkpoints';
import * as core from 'glassformer/core';
import { smallMemory } from './small-memory.js';
import { loadWrapped } from './wrapped.js';

const DEEP = { kind: 'encoder', vocabulary: 50, d_model: 16, heads: 2, d_ff: 32, layers: 64 };
const TINY = { kind: 'feed-forward', d_model: 1, heads: 1, d_ff: 1 };

const start = (/** @type {number} */ bytes) => core.load({ wasm: smallMemory(bytes) });

/** The error that a call throws. @param {() => unknown} call @returns {GlassformerError} */
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
  const used = gf.memoryBytes.toLocaleString('en');
  const why = `the engine has ${used} of at most 2,147,483,648. Call free() of models and trainers, or make`;
  for (const call of [
    () => model.clone(),
    () => model.forward({ ids: Array(400).fill(1), capture: true }),
    () => gf.relu(new Float32Array(2 ** 20)),
  ]) {
    const { code, message } = refusal(call);
    assert.equal(code, 'memory');
    assert.match(message, /^\w+: not enough memory for [\d,]{4,} bytes: /);
    assert.equal(message.slice(message.indexOf('the engine')).slice(0, why.length), why);
  }
  const { message } = refusal(() => gf.createModel({ vocabulary: 2 ** 16, d_model: 64, heads: 1, layers: 0 }));
  assert.match(message, /not enough memory for 16,777,\d{3} bytes/);
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

/**
 * A file of a tiny model that says it is of a larger configuration.
 * @param {core.Engine} gf
 * @param {object} config
 * @param {boolean} trains
 */
function hollow(gf, config, trains) {
  const model = gf.createModel({ kind: 'decoder', vocabulary: 1, d_model: 1, heads: 1, d_ff: 1, layers: 1 });
  const { tensors, metadata } = readSafetensors(trains ? core.saveTrainer(model.trainer(MSE)) : core.saveModel(model));
  model.free();
  const said = { ...JSON.parse(String(metadata.get('glassformer.config'))), ...config };
  return writeSafetensors(tensors, { metadata: metadata.set('glassformer.config', JSON.stringify(said)) });
}
const MSE = /** @type {const} */ ({ loss: 'mse' });

test('a small file of a large configuration takes no memory, whichever way it comes', async () => {
  const gf = await load({ variant: 'simd' });
  const bytes = gf.memoryBytes;
  for (const [config, code, parameter] of /** @type {const} */ ([
    [{ vocabulary: 500_000, d_model: 512, layers: 24 }, 'shape', 'tok_emb.weight'],
    [{ d_ff: 1_000_000 }, 'shape', 'decoder.layers.0.linear1.weight'],
    [{ layers: 64, types: 0 }, 'missing', 'decoder.layers.1.self_attn.in_proj_weight'],
    [{ positions: 'learned', maxLength: 1_000_000 }, 'missing', 'pos_emb.weight'],
    [{ vocabulary: 1_000_000, d_model: 65_536 }, 'shape', 'tok_emb.weight'],
  ])) {
    for (const trains of [false, true]) {
      const file = hollow(gf, config, trains);
      assert.ok(file.length < 6000);
      for (const open of [
        () => gf.loadModel(file),
        () => gf.loadModel(new Blob([file])),
        () => gf.loadModel(new Response(new Blob([file]))),
        () => core.loadModel(gf, file),
        () => loadModel(gf, file),
        () => loadCheckpoint(gf, { weights: file }),
      ]) {
        await assert.rejects(open(), { name: 'GlassformerError', code, parameter }, `${Object.keys(config)} ${open}`);
      }
    }
  }
  assert.equal(gf.memoryBytes, bytes);
});

test('a run without moments is refused before their memory is taken', async () => {
  const gf = await load({ variant: 'simd' });
  const model = gf.createModel({ kind: 'decoder', vocabulary: 1000, d_model: 512, heads: 1, layers: 1 });
  const { tensors, metadata } = readSafetensors(await model.trainer(MSE).save());
  const weights = writeSafetensors(new Map([...tensors].filter(([name]) => !/^moment/.test(name))), { metadata });
  model.free();
  const bytes = gf.memoryBytes;
  for (const source of [weights, new Blob([weights])]) {
    await assert.rejects(gf.loadModel(source), { code: 'missing', parameter: 'moment1.tok_emb.weight' });
  }
  assert.equal(gf.memoryBytes, bytes);
  const other = (await load({ variant: 'simd' })).createModel({ kind: 'decoder', vocabulary: 1, head: 'tied' });
  assert.equal(refusal(() => core.resumeTrainer(other.trainer(), weights)).code, 'shape');
});

test('weights that a file gives are not drawn first', async () => {
  let drawn = 0;
  const counted =
    (it) =>
    (...given) => (drawn++, it(...given));
  const gf = await loadWrapped((it, name) => (name === 'gf_model_initialize' ? counted(it) : it));
  const model = gf.createModel({ kind: 'decoder', vocabulary: 5, head: 'tied', seed: 3 });
  assert.equal(drawn, 1);
  for (const file of [await model.save(), await model.trainer().save()]) {
    for (const source of [file, new Blob([file])]) {
      const opened = await gf.loadModel(source);
      assert.deepEqual(opened.model.weights(), model.weights());
    }
  }
  assert.equal(drawn, 1);
});
