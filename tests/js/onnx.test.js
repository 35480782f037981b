// Models as ONNX files: what a file says, read by protobuf's rules, and that onnxruntime-web computes our numbers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { load as loadCore } from 'glassformer/core';
import { exportOnnx } from 'glassformer/onnx';
import { load as loadRemote } from 'glassformer/worker';
import { onnxOf } from '../../src/js/files/onnx-file.js';
import { Graph, bytesOf } from '../../src/js/formats/proto.js';
import { KINDS, caseOf, feedsOf, shake } from '../onnx/cases.js';
import { compare, difference, judge } from '../onnx/compare.js';
import { readOnnx } from '../onnx/decode.js';
import { engines } from './engines.js';
import { random } from './reference.js';

/** onnx-seeds.test.js has more. */
const JUDGED = [1, 2];
const SEEDS = Array.from({ length: 24 }, (_, i) => i + 1);
const [gf] = engines;

/** @param {any} error @param {Record<string, unknown>} facts */
const refused = (error, facts) => {
  assert.equal(error.name, 'GlassformerError');
  for (const [key, value] of Object.entries(facts)) assert.deepEqual(error[key], value, `${key}: ${error.message}`);
  return true;
};

for (const kind of KINDS) {
  test(`onnxruntime computes the numbers of kind ${kind}`, async () => {
    for (const seed of JUDGED) {
      try {
        await judge(engines[seed % engines.length], kind, seed);
      } catch (error) {
        const { config, inputs } = caseOf(kind, seed);
        throw new Error(`seed ${seed}: ${JSON.stringify({ ...config, inputs })}`, { cause: error });
      }
    }
  });

  test(`a file of kind ${kind} says what it should`, () => {
    for (const seed of SEEDS) {
      const { config, inputs, lengths, r } = caseOf(kind, seed);
      const model = gf.createModel(config);
      shake(model, r);
      const file = readOnnx(exportOnnx(model, { inputs }));
      assert.deepEqual([file.ir, file.opsets], [9, { '': 20 }]);
      assert.deepEqual(JSON.parse(file.metadata['glassformer.config']), model.config);
      const feeds = Object.keys(feedsOf(model.config, inputs, lengths[0], r));
      assert.deepEqual(file.inputs.map(({ name }) => name).sort(), feeds.sort());
      assert(file.inputs.every(({ name, type }) => type === (/ids$/i.test(name) ? 7 : /padding$/i.test(name) ? 9 : 1)));
      const { head, d_model, outputWidth } = model.config;
      assert.deepEqual(
        file.outputs.map(({ name }) => name),
        [...(outputWidth ? ['values'] : head === 'none' ? [] : ['logits']), 'output'],
      );
      const length = kind === 'encoder-decoder' ? 'target' : 'length';
      assert.deepEqual(file.outputs.at(-1)?.dims, ['batch', length, d_model]);

      // Each weight is there once, under its name, with its bytes; what else is constant is small.
      const weights = model.weights();
      for (const { name, dims, type, bytes } of file.initializers) {
        const weight = weights.get(name);
        if (!weight) {
          assert(bytes.length <= 8 * Math.max(d_model, 4), name);
          continue;
        }
        weights.delete(name);
        const { buffer, byteOffset, byteLength } = weight.data;
        assert.deepEqual([type, dims], [1, weight.shape], name);
        assert(Buffer.from(buffer, byteOffset, byteLength).equals(bytes), name);
      }
      assert.deepEqual([...weights.keys()], []);

      // In an order in which it can be computed, each value made once.
      const known = new Set([...file.inputs, ...file.initializers].map(({ name }) => name));
      assert.equal(known.size, file.inputs.length + file.initializers.length);
      for (const node of file.nodes) {
        for (const name of node.inputs) assert(known.has(name), `${node.type} reads ${name} before it is there`);
        for (const name of node.outputs) {
          assert(name && !known.has(name), `${name} is made twice`);
          known.add(name);
        }
      }
      const read = new Set([...file.nodes.flatMap((node) => node.inputs), ...file.outputs.map(({ name }) => name)]);
      if (kind === 'encoder-decoder' && config.decoderLayers === 0) continue; // nothing reads the encoder
      for (const { type, outputs } of file.nodes) {
        assert(
          outputs.some((name) => read.has(name)),
          `${type} is left over`,
        );
      }
      model.free();
    }
  });
}

test('each layer has its own window', () => {
  const shape = { d_model: 8, heads: 2, d_ff: 0, layers: 34, vocabulary: 7, window: 2 };
  const files = [];
  for (const globalLayersAbove of [0, 1, 2]) {
    const model = gf.createModel({ kind: 'decoder', ...shape, globalLayers: -3, globalLayersAbove, seed: 5 });
    const file = exportOnnx(model);
    files.push(
      readOnnx(file)
        .nodes.filter(({ type }) => type === 'Where')
        .map(({ inputs }) => inputs[0]),
    );
    model.free();
  }
  // Layers 1 and 32 or 33 are local where no bit says otherwise.
  const local = files.map((hidden) => hidden.flatMap((name, i) => (hidden.indexOf(name) > 0 ? [i] : [])));
  assert.deepEqual(local, [
    [1, 32, 33],
    [1, 33],
    [1, 32],
  ]);
});

test('without epsilon a row of nearly equal numbers keeps its digits', async () => {
  const settings = { vocabulary: 0, positions: 'none', layers: 0, finalNorm: true, epsilon: 0 };
  const model = gf.createModel({ kind: 'encoder', d_model: 2, heads: 1, d_ff: 4, ...settings });
  const data = Float32Array.from({ length: 40 }, (_, i) => 0.7 + (i >> 1) / 9 + (i % 2) * 2e-6);
  await compare(model, exportOnnx(model), [{ vectors: { data, shape: [1, 20, 2] } }]);
  model.free();
});

test('what compares can say no', () => {
  const data = Float32Array.of(1, -4, 2);
  assert.equal(difference('x', { data, dims: [3] }, { data, shape: [3] }), 0);
  assert.equal(difference('x', { data: [1, -4, 3], dims: [3] }, { data, shape: [3] }), 0.25);
  assert(Number.isNaN(difference('x', { data: [1, NaN, 2], dims: [3] }, { data, shape: [3] })));
  assert.throws(() => difference('x', { data, dims: [1, 3] }, { data, shape: [3] }), /is \[1,3\]/);
});

test('the bytes are those that protobuf prescribes', () => {
  const g = new Graph();
  g.output(g.node('Softmax', [g.input('x', [300])], { axis: -1 }), [300]);
  const hex = Buffer.from(bytesOf(g.model({ name: 'test', ir: 8, opsets: { '': 18 } }))).toString('hex');
  assert(hex.startsWith('0808'), 'ir_version 8');
  assert(hex.includes('0a0461786973' + '18ffffffffffffffffff01' + 'a00102'), 'attribute axis = -1 of type int');
  assert(hex.includes('0a0308ac02'), 'dimension 300');
});

test('what cannot be exported is refused, and the model computes as before', async () => {
  const model = gf.createModel({ kind: 'encoder', vocabulary: 5, d_model: 8, heads: 2, layers: 1, head: 'tied' });
  const before = model.forward({ ids: [1, 2] }).logits.data;
  const cases = [
    [{ inputs: ['memory'] }, { code: 'range', parameter: 'inputs', value: 'memory' }],
    [{ inputs: ['padding', 7] }, { code: 'type', parameter: 'inputs', value: 7 }],
    [{ inputs: 'padding' }, { code: 'type', parameter: 'inputs', value: 'padding' }],
    [{ input: ['padding'] }, { code: 'unknown', parameter: 'input' }],
    [null, { code: 'type', parameter: 'options', value: null }],
  ];
  for (const [options, facts] of cases) {
    assert.throws(
      () => exportOnnx(model, options),
      (error) => refused(error, facts),
    );
    if (options) await assert.rejects(model.save({ format: 'onnx', ...options }), (error) => refused(error, facts));
  }
  for (const given of [undefined, {}, gf, 'creek']) {
    assert.throws(
      () => exportOnnx(given),
      (error) => refused(error, { code: 'foreign', parameter: 'model' }),
    );
  }
  const config = { ...model.config, activation: 'swiglu' };
  assert.throws(() => onnxOf({ config, weights: model.weights(), nodes: model.graph() }, []), {
    code: 'unsupported',
    parameter: 'activation',
  });
  assert.deepEqual(model.forward({ ids: [1, 2] }).logits.data, before);
  model.free();
  assert.throws(() => exportOnnx(model), { code: 'freed' });
});

test('a file beyond 2 GiB is refused before it is made', () => {
  const model = gf.createModel({ kind: 'feed-forward', d_model: 8, heads: 1, d_ff: 4 });
  const weights = model.weights();
  const large = { data: new Float32Array(2 ** 28), shape: [4, 8] }; // 1 GiB that is never touched
  for (const name of ['linear1.weight', 'linear2.weight']) weights.set(name, large);
  assert.throws(() => onnxOf({ config: model.config, weights, nodes: model.graph() }, []), {
    code: 'memory',
    parameter: 'model',
  });
  model.free();
});

test('core and worker', async () => {
  const config = { kind: 'decoder', vocabulary: 7, d_model: 8, heads: 2, layers: 1, head: 'tied', seed: 3 };
  const wasm = await readFile(new URL(import.meta.resolve('glassformer/simd.wasm')));
  const core = await loadCore({ wasm });
  const own = core.createModel(config);
  const file = exportOnnx(own, { inputs: ['mask'] });
  await assert.rejects(own.save({ format: 'onnx' }), /glassformer\/onnx has exportOnnx/);
  const remote = await loadRemote({ variant: 'simd' });
  try {
    const model = await remote.createModel(config);
    assert.deepEqual(await model.save({ format: 'onnx', inputs: ['mask'] }), file);
    await assert.rejects(model.save({ format: 'onnx', inputs: /** @type {any} */ (['ids']) }), { code: 'range' });
    await model.free();
    await assert.rejects(model.save({ format: 'onnx' }), { code: 'freed' });
  } finally {
    remote.terminate();
  }
  const passes = [{ ids: random(1).ids([2, 5], 7), mask: random(2).tensor([5, 5]) }];
  assert((await compare(own, file, passes)) > 0);
});
