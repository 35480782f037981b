// What is no engine, model or trainer is refused by the one error, in functions and in methods. The random walk over
// the API (npm run fuzz -- api) found most of these.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GlassformerError, load } from 'glassformer';
import { loadCheckpoint } from 'glassformer/checkpoints';
import { loadModel, resumeTrainer, saveModel, saveTrainer } from 'glassformer/core';
import { gradients, operationVjp, vjp } from 'glassformer/derivatives';
import { exportOnnx } from 'glassformer/onnx';
import { TINY } from './reference.js';

const gf = await load({ variant: 'simd' });
const model = gf.createModel(TINY);
const trainer = model.trainer();
const batch = { ids: [1, 2], labels: [2, 3] };
const file = trainer.save();

/** @param {any} value */
function revoked(value) {
  const { proxy, revoke } = Proxy.revocable(value, {});
  revoke();
  return proxy;
}

/** What somebody may give for an object of the engine. @param {any} real @param {string} tag */
const others = (real, tag) => [
  ...[undefined, null, 1, 'x', Symbol('x'), 1n, {}, [], () => {}, new Map()],
  ...[new Proxy(real, {}), Object.create(real), { [Symbol.toStringTag]: tag }, revoked({}), revoked([])],
];

/** @param {any} error @param {unknown} value */
function isRefusal(error, value) {
  assert.ok(error instanceof GlassformerError, `${typeof value}: ${error?.stack ?? error}`);
  return true;
}

test('functions refuse what is no engine, model or trainer', async () => {
  for (const other of others(gf, 'GlassformerEngine')) {
    await assert.rejects(loadModel(other, file), (error) => isRefusal(error, other));
    assert.throws(
      () => operationVjp(other, 'softmax', [[1]], [1]),
      (error) => isRefusal(error, other),
    );
  }
  for (const other of others(model, 'GlassformerModel')) {
    for (const call of [
      () => saveModel(other),
      () => exportOnnx(other),
      () => gradients(other, { ...batch, of: ['output'] }),
      () => vjp(other, { ids: [1], cotangents: { output: [[[1, 1, 1, 1]]] }, of: ['output'] }),
    ])
      assert.throws(call, (error) => isRefusal(error, other));
  }
  for (const other of others(trainer, 'GlassformerTrainer')) {
    for (const call of [() => saveTrainer(other), () => resumeTrainer(other, file)])
      assert.throws(call, (error) => isRefusal(error, other));
  }
});

test('a path that is no text of Unicode is refused', async () => {
  await assert.rejects(gf.loadModel('\ud800/x.safetensors'), { name: 'GlassformerError', code: 'format' });
  await assert.rejects(gf.loadModel('\ud800/'), { name: 'GlassformerError', code: 'type' });
});

test('options of save that are a revoked proxy are refused', async () => {
  const model = gf.createModel({ kind: 'encoder' });
  for (const other of [revoked({}), revoked([])])
    await assert.rejects(model.save(other), { name: 'GlassformerError', code: 'type', parameter: 'options' });
});

test('a checkpoint that is a revoked proxy is refused', async () => {
  for (const other of [revoked({}), revoked([])])
    await assert.rejects(loadCheckpoint(gf, other), (error) => isRefusal(error, other));
});

test('a checkpoint whose weights, configuration or tokenizer hold a revoked proxy is refused', async () => {
  const config = { model_type: 'gpt_neo', hidden_size: 32, num_layers: 2, num_heads: 4, vocab_size: 20 };
  const weights = new Uint8Array(9);
  for (const given of /** @type {any[]} */ ([
    { config, weights: revoked([]) },
    { config, weights: [revoked([])] },
    { weights: revoked([]) },
    { config: { ...config, attention_types: revoked([]) }, weights },
    { config: { ...config, attention_types: [revoked([])] }, weights },
    { config: { ...config, attention_layers: revoked([]) }, weights },
    { config, tokenizer: { model: revoked({}) }, weights },
    { config, tokenizer: { model: { vocab: revoked([]) } }, weights },
  ]))
    await assert.rejects(loadCheckpoint(gf, given), (error) => isRefusal(error, given));
});

test('methods refuse a foreign this', async () => {
  for (const [real, tag] of /** @type {[any, string][]} */ ([
    [gf, 'GlassformerEngine'],
    [model, 'GlassformerModel'],
    [trainer, 'GlassformerTrainer'],
  ])) {
    const prototype = Object.getPrototypeOf(real);
    const names = Object.getOwnPropertyNames(prototype).filter(
      (name) => name !== 'constructor' && typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function',
    );
    assert.ok(names.includes(real === gf ? 'softmax' : 'free'));
    for (const name of names) {
      for (const other of others(real, tag))
        await assert.rejects(
          async () => Reflect.apply(prototype[name], other, [{}]),
          (error) => isRefusal(error, `${name} ${typeof other}`),
        );
    }
  }
});

test('options, operations and cotangents that cannot be read are refused', () => {
  for (const options of [revoked({}), revoked([])]) {
    for (const call of [
      () => gf.createModel(options),
      () => model.trainer(options),
      () => model.forward(options),
      () => gradients(model, options),
      () => operationVjp(gf, 'softmax', options, [1]),
      () => operationVjp(gf, 'softmax', [[1]], options),
      () => operationVjp(gf, 'crossEntropy', [[[1, 2]], [0]], options),
      () => operationVjp(gf, options, [[1]], [1]),
    ])
      assert.throws(call, (error) => isRefusal(error, options));
  }
  const detached = new Float32Array(2);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  for (const operation of /** @type {any[]} */ ([detached, [], ['softmax'], Object.create(null), Symbol('x'), null]))
    assert.throws(
      () => operationVjp(gf, operation, [[1]], [1]),
      (error) => isRefusal(error, operation),
    );
});
