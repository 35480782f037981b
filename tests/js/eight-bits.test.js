// Files whose matrices are in 8 bits: the numbers that `weights: 'int8'` keeps, however the file is opened.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import * as core from 'glassformer/core';
import { load, readSafetensors, writeSafetensors } from 'glassformer';

const gf = await load();

const configs = fc.record({
  kind: fc.constantFrom('encoder', 'decoder', 'encoder-decoder'),
  vocabulary: fc.integer({ min: 2, max: 70 }),
  d_model: fc.constantFrom(16, 48, 64),
  heads: fc.constantFrom(1, 2, 4),
  d_ff: fc.constantFrom(3, 33, 64),
  layers: fc.constantFrom(1, 2),
  seed: fc.integer({ min: 0, max: 99 }),
});

/** @param {Uint8Array} file in all the ways in which it can be given */
const sources = (file) => [file, new Blob([file]), new Response(file), new Response(new Blob([file]).stream())];

const dataOf = (model) => new Map([...model.weights()].map(([name, { data }]) => [name, data]));

test('a file in 8 bits opens with the numbers that weights in int8 have', async () => {
  await fc.assert(
    fc.asyncProperty(configs, async (config) => {
      const model = gf.createModel({ ...config, maxLength: 9 });
      const packed = model.clone({ weights: 'int8' });
      const expected = dataOf(packed);
      const [rounded, own] = [await model.save({ int8: true }), await packed.save()];
      for (const source of sources(rounded)) {
        const opened = await gf.loadModel(source);
        assert.equal(opened.model.config.weights, 'f32');
        assert.deepEqual(dataOf(opened.model), expected);
        opened.model.free();
      }
      for (const source of sources(own)) {
        const opened = await gf.loadModel(source);
        assert.equal(opened.model.config.weights, 'int8');
        assert.deepEqual(dataOf(opened.model), expected);
        assert.deepEqual(await opened.model.save(), own);
        opened.model.free();
      }
      for (const each of [model, packed]) each.free();
    }),
    { numRuns: 8 },
  );
});

test('it takes 36 bytes for 32 weights, which others read by two tensors', async () => {
  const model = gf.createModel({ kind: 'decoder', vocabulary: 500, d_model: 64, heads: 2, d_ff: 256, layers: 2 });
  const matrices = [...model.weights()].filter(([, { shape }]) => shape.length === 2);
  const [whole, small] = [await model.save(), await model.save({ int8: true })];
  const numbers = matrices.reduce((sum, [, { data }]) => sum + data.length, 0);
  const most = whole.length - numbers * (4 - 36 / 32);
  assert.ok(small.length <= most + 130 * matrices.length, `${small.length} of ${most}`); // names of the scales
  const { tensors } = readSafetensors(small);
  const rounded = model.clone({ weights: 'int8' });
  for (const [name, { shape }] of matrices) {
    const [integers, scales] = [tensors.get(name), tensors.get(`${name}.scales`)];
    assert.deepEqual([integers.shape, scales.shape], [shape, [shape[0], Math.ceil(shape[1] / 32)]]);
    const wide = Float32Array.from(integers.data, (integer, i) => {
      const [row, column] = [Math.floor(i / shape[1]), i % shape[1]];
      return (integer - 128) * scales.data[row * scales.shape[1] + Math.floor(column / 32)];
    });
    assert.deepEqual(wide, rounded.tensor(name).data);
  }
});

test('a model in int8 keeps its logits to the bit; one opened in int8 from another file in 8 bits, too', async () => {
  const config = { kind: 'encoder-decoder', vocabulary: 40, d_model: 48, heads: 3, d_ff: 96, layers: 2, head: 'tied' };
  const packed = gf.createModel(config).clone({ weights: 'int8' });
  const input = { sourceIds: [[5, 6, 7]], targetIds: [[1, 2]] };
  const expected = packed.forward(input).logits.data;
  const files = [await packed.save(), await packed.clone({ weights: 'f32' }).save({ int8: true })];
  for (const file of files) {
    const { model } = await gf.loadModel(new Blob([file]), { weights: 'int8' });
    assert.deepEqual(model.forward(input).logits.data, expected);
  }
  const { model, weightsError } = await gf.loadModel(new Blob([files[1]]), { weights: 'int8' });
  assert.equal(model.config.weights, 'int8');
  assert.ok(weightsError.rms < 1e-3);
});

test('a worker writes the same file, and opens it', async () => {
  const there = await load({ worker: true });
  const config = { kind: 'decoder', vocabulary: 30, d_model: 32, heads: 2, d_ff: 64, layers: 1, head: 'tied', seed: 3 };
  const expected = await gf.createModel(config).save({ int8: true });
  const remote = await there.createModel(config);
  assert.deepEqual(await remote.save({ int8: true }), expected);
  for (const source of [expected, new Blob([expected])]) {
    const { model } = await there.loadModel(source);
    const { data } = (await model.weights()).get('decoder.layers.0.linear1.weight');
    assert.deepEqual(data, (await gf.loadModel(expected)).model.tensor('decoder.layers.0.linear1.weight').data);
  }
  there.terminate();
});

test('a file that lacks scales or has others is refused by the name of the tensor', async () => {
  const model = gf.createModel({ kind: 'encoder', vocabulary: 7, d_model: 16, heads: 2, d_ff: 40, layers: 1 });
  const { tensors, metadata } = readSafetensors(await model.save({ int8: true }));
  const name = 'encoder.layers.0.linear2.weight';
  const scales = `${name}.scales`;
  const changed = (/** @type {[string, any][]} */ ...entries) => {
    const others = [...new Map([...tensors, ...entries])].filter(([, each]) => each);
    return writeSafetensors(new Map(others), { metadata });
  };
  const { data, shape } = tensors.get(name);
  const without = 'encoder.layers.0.norm1.weight';
  for (const [file, code, parameter] of [
    [changed([scales, undefined]), 'missing', scales],
    [changed([scales, { data: new Float32Array(16), shape: [16, 1] }]), 'shape', scales],
    [changed([name, { data, shape: shape.toReversed() }]), 'shape', scales],
    [changed([name, undefined]), 'unknown', scales],
    [changed([without, { data: new Uint8Array(16), shape: [16] }]), 'missing', `${without}.scales`],
    [
      changed([without, { data: new Uint8Array(16), shape: [16] }], [`${without}.scales`, new Float32Array(1)]),
      'shape',
      without,
    ],
  ]) {
    for (const source of [file, new Blob([file])]) {
      await assert.rejects(gf.loadModel(source), { code, parameter });
    }
  }
  const odd = changed([scales, { data: new Float32Array(32).fill(NaN), shape: [16, 2] }]);
  await assert.rejects(gf.loadModel(new Blob([odd])), { code: 'range', parameter: name });
});

test('glassformer/core has no 8 bits: it refuses the file, and writes a model in int8 in full', async () => {
  const own = await core.load({ wasm: new URL(import.meta.resolve('glassformer/simd.wasm')) });
  const model = gf.createModel({ kind: 'encoder', vocabulary: 7, d_model: 16, heads: 2, d_ff: 40, layers: 1 });
  await assert.rejects(core.loadModel(own, await model.save({ int8: true })), { code: 'unsupported' });
  const packed = model.clone({ weights: 'int8' });
  assert.throws(() => core.saveModel(packed, /** @type {any} */ ({ int8: true })), { code: 'unknown' });
  const { model: opened } = await core.loadModel(own, core.saveModel(packed));
  assert.deepEqual(dataOf(opened), dataOf(packed));
});

test('refused: both ways to round, another value, a number that is not finite', async () => {
  const model = gf.createModel({ kind: 'encoder', vocabulary: 3, d_model: 16, heads: 1, d_ff: 4, layers: 1 });
  await assert.rejects(model.save({ int8: true, float16: true }), { code: 'unknown', parameter: 'int8' });
  await assert.rejects(model.save({ int8: /** @type {any} */ (8) }), { code: 'type', parameter: 'int8' });
  model.view('encoder.layers.0.linear1.weight')[0] = Infinity;
  await assert.rejects(model.save({ int8: true }), { code: 'range', parameter: 'encoder.layers.0.linear1.weight' });
});
