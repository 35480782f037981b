// Typed arrays that say something else of themselves than they are, or that are detached while they are read: their
// own getters decide, and nothing beyond an array is read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

import { GlassformerError, load, readSafetensors, writeSafetensors } from 'glassformer';
import { openSafetensors } from 'glassformer/checkpoints';
import { vjp } from 'glassformer/derivatives';
import { refusal, same } from './reference.js';

const gf = await load({ variant: 'simd' });
const CONFIG = { kind: 'decoder', vocabulary: 9, d_model: 4, heads: 2, d_ff: 4, layers: 1, head: 'tied', seed: 1 };
const WIDTH = { kind: 'feed-forward', d_model: 4, d_ff: 4, heads: 1 };
const X = Float32Array.of(1, -2, 3, -4);

/** An array with properties of its own. @template {object} T @param {T} array @param {object} properties */
const lying = (array, properties) =>
  Object.defineProperties(
    array,
    Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, { value }])),
  );
const long = () => lying(X.slice(), { length: 20_000, byteLength: 80_000 });

/** An array without memory. @template {ArrayBufferView} T @param {T} array @returns {T} */
function detach(array) {
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** Named arguments of which the reading of one runs code first. */
const trapped = (given, name, run) =>
  Object.defineProperty({ ...given }, name, { enumerable: true, get: () => (run(), given[name]) });

test('the length of an array is its own, whatever a property says', () => {
  same(gf.tensor(long()), { data: X, shape: [4] });
  same(gf.relu(long()), { data: Float32Array.of(1, 0, 3, 0), shape: [4] });
  same(gf.relu([long()]), { data: Float32Array.of(1, 0, 3, 0), shape: [1, 4] });
  refusal(GlassformerError, () => gf.relu({ data: long(), shape: [20_000] }), 'shape', 'x');
  const wrong = {
    length: 1,
    byteLength: 4,
    byteOffset: 8,
    buffer: new ArrayBuffer(4),
    [Symbol.toStringTag]: 'a',
    slice: () => [1],
    set: null,
  };
  for (const data of [lying(X.slice(), wrong), lying(Float64Array.from(X), wrong)]) {
    same(gf.relu(data), { data: Float32Array.of(1, 0, 3, 0), shape: [4] });
    same(gf.tensor(data), { data: X, shape: [4] });
  }
  const tagged = lying(Int8Array.from(X), { [Symbol.toStringTag]: 'Float32Array' });
  refusal(GlassformerError, () => gf.relu(tagged), 'dtype', 'x');
  refusal(GlassformerError, () => gf.relu(new DataView(new ArrayBuffer(16))), 'dtype', 'x');
});

test('a model takes such arrays for what they are', () => {
  const model = gf.createModel(CONFIG);
  const before = model.weights();
  const ids = lying(Int32Array.of(1, 2, 3), { length: 9 });
  same(model.forward({ ids }).logits, model.forward({ ids: [1, 2, 3] }).logits);
  const found = model.generate({ ids, maxTokens: 1 }).ids;
  assert.equal(found.length, 4);
  const padding = lying(Uint8Array.of(0, 0, 1), { length: 9 });
  same(model.forward({ ids, padding }).logits, model.forward({ ids, padding: [0, 0, 1] }).logits);
  const weights = new Map(
    [...before].map(([name, { data, shape }]) => [name, { data: lying(data, { length: 1 }), shape }]),
  );
  model.loadWeights(weights);
  for (const [name, { data }] of model.weights()) assert.deepEqual([...data], [...weights.get(name).data]);
  const trainer = model.trainer();
  const state = trainer.state();
  trainer.resume({ ...state, moment1: lying(state.moment1.slice(), { length: 3, slice: () => [] }) });
  refusal(GlassformerError, () => trainer.restore({ weights: long() }), 'shape', 'weights');
  const layer = gf.createModel(WIDTH);
  const value = lying(X.slice(), { length: 2 });
  const patched = layer.forward({
    vectors: [[1, 1, 1, 1]],
    capture: true,
    patches: [{ name: 'ffn.activation', value }],
  });
  const plain = { name: 'ffn.activation', value: [...X] };
  same(patched.output, layer.forward({ vectors: [[1, 1, 1, 1]], capture: true, patches: [plain] }).output);
  model.free();
  layer.free();
});

test('bytes of files are what the buffer has', () => {
  const file = writeSafetensors({ x: X });
  for (const lie of [
    { byteLength: 9 },
    { buffer: new ArrayBuffer(3) },
    { byteOffset: 4 },
    { length: 2, slice: null },
  ]) {
    same(readSafetensors(lying(file.slice(), lie)).tensors.get('x'), { data: X, shape: [4] });
  }
  refusal(
    GlassformerError,
    () => readSafetensors({ [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 9 }),
    'type',
    'file',
  );
  refusal(GlassformerError, () => readSafetensors(detach(file.slice())), 'format', 'file');
  refusal(GlassformerError, () => readSafetensors(detach(file.slice()).buffer), 'format', 'file');
  const written = writeSafetensors({ x: { data: lying(X.slice(), { length: 1, byteLength: 4 }), shape: [4] } });
  assert.deepEqual(written, file);
});

test('arrays of another realm, subclasses and shared memory are read', () => {
  const foreign = runInNewContext('Float32Array.of(1, -2, 3, -4)');
  const shared = new Float32Array(new SharedArrayBuffer(16));
  shared.set(X);
  class Sub extends Float32Array {
    static get [Symbol.species]() {
      throw Error('species was asked');
    }
  }
  for (const data of [foreign, shared, Sub.from(X)]) {
    same(gf.tensor(data), { data: X, shape: [4] });
    same(gf.relu(data), { data: Float32Array.of(1, 0, 3, 0), shape: [4] });
    const zeros = gf.optimizerStep(data, data, { step: 1, learningRate: 0 });
    same(zeros.parameters, { data: X, shape: [4] });
  }
});

test('an array that another argument detaches or shrinks is refused by its name', () => {
  const layer = gf.createModel(WIDTH);
  const model = gf.createModel(CONFIG);
  const before = model.weights();
  const trainer = model.trainer();
  const shrinks = typeof new ArrayBuffer(4).resize === 'function';
  const resizable = () => {
    const array = new Float32Array(new ArrayBuffer(16, { maxByteLength: 64 }));
    array.set(X);
    return [array, () => array.buffer.resize(4)];
  };
  const detached = () => {
    const array = X.slice();
    return [array, () => detach(array)];
  };
  for (const make of shrinks ? [detached, resizable] : [detached]) {
    /** An option's value, and another whose reading takes the first one's memory. */
    const calls = {
      x: (x, take) => gf.layerNorm(x, { weight: trapped({ data: [1, 1, 1, 1], shape: [4] }, 'data', take) }),
      a: (data, take) =>
        gf.matmul({ data, shape: [1, 4] }, trapped({ data: [1, 1, 1, 1], shape: [4, 1] }, 'data', take)),
      vectors: (data, take) =>
        layer.forward(trapped({ vectors: { data, shape: [1, 4] }, capture: true }, 'capture', take)),
      'cotangents.output': (data, take) => {
        const cotangents = { output: { data, shape: [1, 1, 4] } };
        vjp(layer, trapped({ vectors: [[1, 2, 3, 4]], cotangents, of: ['input'] }, 'of', take));
      },
      y: (y, take) => writeSafetensors({ y, z: trapped({ data: X, shape: [4] }, 'data', take) }),
    };
    for (const [name, call] of Object.entries(calls)) refusal(GlassformerError, () => call(...make()), 'state', name);
  }
  const taken = model.weights();
  const [first, last] = [[...taken.keys()][0], [...taken.keys()].at(-1)];
  const rename = (name) => (name === last && detach(taken.get(first).data), name);
  refusal(GlassformerError, () => model.loadWeights(taken, { rename }), 'state', first);
  const state = trainer.state();
  const resume = () => trainer.resume(trapped(state, 'steps', () => detach(state.moment1)));
  refusal(GlassformerError, resume, 'state', 'moment1');
  for (const [name, tensor] of model.weights()) same(tensor, before.get(name));
  model.free();
  layer.free();
});

test('bytes that are detached while a file is read are refused', async () => {
  const bytes = writeSafetensors({ x: X });
  const file = await openSafetensors(bytes);
  detach(bytes);
  await assert.rejects(file.read('x'), { name: 'GlassformerError', code: 'format', parameter: 'file' });
  const held = writeSafetensors({ x: X });
  const open = await openSafetensors(held);
  const pieces = open.pieces('x');
  const { value } = await pieces.next();
  detach(held); // the piece is no view of it
  assert.deepEqual([...value.data], [...X]);
});
