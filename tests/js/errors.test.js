// Every way to be refused: the right code, the right name, and nothing changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GlassformerError, load } from 'glassformer';
import { attentionWeights, layerWeights, random, refusal, same } from './reference.js';
import { perform } from '../operations.js';

const gf = await load({ variant: 'simd' });
const refused = (call, code, parameter) => refusal(GlassformerError, call, code, parameter);

const t = (shape, Type = Float32Array) => ({ data: new Type(shape.reduce((a, b) => a * b, 1)), shape });
const x = t([2, 4]);

test('the error carries code, parameter and value', () => {
  const error = refused(() => gf.layerNorm(x, { epsilon: -1 }), 'range', 'epsilon');
  assert.ok(error instanceof Error);
  assert.equal(error.value, -1);
  assert.match(error.message, /^epsilon: .*0 to 1.*, got -1$/);
});

test('a tensor argument of the wrong kind', () => {
  for (const [bad, code] of [
    [undefined, 'missing'],
    [null, 'type'],
    [3, 'type'],
    ['x', 'type'],
    [[], 'shape'],
    [[[]], 'shape'],
    [['x'], 'type'],
    [{}, 'type'],
    [new Float32Array(0), 'shape'],
    [new Int32Array(2), 'dtype'],
    [new DataView(new ArrayBuffer(8)), 'dtype'],
    [{ data: 3, shape: [1] }, 'type'],
    [{ data: [1, '2'], shape: [2] }, 'type'],
    [{ data: [[1], [2]], shape: [2] }, 'type'],
    [{ data: [true], shape: [1] }, 'type'],
    [{ data: [1n], shape: [1] }, 'type'],
    [{ data: [1, , 2], shape: [3] }, 'type'], // eslint-disable-line no-sparse-arrays
    [{ data: new Int32Array(2), shape: [2] }, 'dtype'],
    [{ data: new Uint8Array(2), shape: [2] }, 'dtype'],
    [{ data: new BigInt64Array(2), shape: [2] }, 'dtype'],
    [{ data: new DataView(new ArrayBuffer(8)), shape: [2] }, 'dtype'],
    [{ data: [1, 2], shape: [3] }, 'shape'],
    [{ data: [1, 2], shape: [2.5] }, 'shape'],
    [{ data: [], shape: [0] }, 'shape'],
    [{ data: [1, 2], shape: [-1, -2] }, 'shape'],
    [{ data: [1, 2], shape: ['2'] }, 'shape'],
    [{ data: [1], shape: [NaN] }, 'shape'],
    [{ data: [1], shape: [2 ** 32, 2 ** 32] }, 'shape'],
    [{ data: [1], shape: [] }, 'shape'],
  ])
    refused(() => gf.softmax(bad), code, 'x');
  refused(() => gf.softmax({ data: [1, 2] }), 'missing', 'x.shape');
  refused(() => gf.softmax({ data: [1, 2], shape: 2 }), 'type', 'x.shape');
  same(gf.relu({ data: [-1], shape: [] }), { data: Float32Array.of(0), shape: [] });
});

test('ids and padding of the wrong kind', () => {
  const table = t([3, 2]);
  for (const [ids, code] of [
    [[0, 3], 'token'],
    [[-1], 'token'],
    [[1.5], 'range'],
    [[NaN], 'range'],
    [[2 ** 31], 'range'],
    [[2n ** 31n], 'range'],
    [BigInt64Array.of(2n ** 32n), 'range'],
    [BigUint64Array.of(2n ** 64n - 1n), 'range'],
    [BigInt64Array.of(3n), 'token'],
    [['1'], 'type'],
    [[true], 'type'],
    [[], 'shape'],
    [new Float32Array(2), 'dtype'],
    [new Uint8Array(2), 'dtype'],
    [t([2]), 'dtype'],
    [7, 'type'],
    [undefined, 'missing'],
  ])
    refused(() => gf.embedding(ids, table), code, 'ids');
  for (const [keyPadding, code] of [
    [[0, 2], 'range'],
    [[0, 0.5], 'range'],
    [Uint8Array.of(0, 9), 'range'],
    [[0], 'shape'],
    [['0', 0], 'type'],
    [null, 'type'],
    [t([2]), 'dtype'],
    [t([2, 2], Uint8Array), 'shape'],
  ])
    refused(() => gf.attention(x, x, x, { keyPadding }), code, 'keyPadding');
});

test('shapes that do not fit each other', () => {
  refused(() => gf.matmul(x, x), 'shape', 'b');
  refused(() => gf.matmul(t([2]), x), 'shape', 'a');
  refused(() => gf.matmul(x, t([4])), 'shape', 'b');
  refused(() => gf.matmul(t([2, 2, 4]), t([3, 1])), 'shape', 'b');
  refused(() => gf.matmul(t([4, 1]), t([2, 1, 4])), 'shape', 'b');
  refused(() => gf.matmul(t([2, 2, 4]), t([3, 4, 1])), 'shape', 'b');
  refused(() => gf.softmax(t([])), 'shape', 'x');
  refused(() => gf.logSoftmax(t([])), 'shape', 'x');
  refused(() => gf.vectorNorm(t([])), 'shape', 'x');
  const [flat, other] = [t([4]), t([1, 4])];
  assert.deepEqual(refused(() => gf.dot(flat, other), 'shape', 'b').value, [1, 4]);
  assert.deepEqual(refused(() => gf.klDivergence(other, flat), 'shape', 'q').value, [4]);
  refused(() => gf.dot(t([]), t([])), 'shape', 'a');
  refused(() => gf.klDivergence(t([]), t([])), 'shape', 'p');
  refused(() => gf.layerNorm(x, { weight: t([3]) }), 'shape', 'weight');
  refused(() => gf.layerNorm(x, { bias: t([1, 4]) }), 'shape', 'bias');
  refused(() => gf.embedding([0], t([3])), 'shape', 'table');
  refused(() => gf.attention(t([4]), x, x), 'shape', 'query');
  refused(() => gf.attention(x, t([1, 2, 4]), x), 'shape', 'key');
  refused(() => gf.attention(x, t([2, 3]), x), 'shape', 'key');
  refused(() => gf.attention(x, t([3, 4]), x), 'shape', 'value');
  refused(() => gf.attention(x, x, t([1, 2, 4])), 'shape', 'value');
  refused(() => gf.attention(x, x, t([4])), 'shape', 'value');
  assert.equal(refused(() => gf.attention(x, x, t([2, 3]), { heads: 2 }), 'range', 'heads').value, 2);
  refused(() => gf.attention(x, x, x, { mask: t([2, 3]) }), 'shape', 'mask');
  refused(() => gf.attention(x, x, x, { heads: 3 }), 'range', 'heads');
  const split = t([1, 2, 3, 4]);
  refused(() => gf.attention(split, split, split, { heads: 3 }), 'shape', 'heads');
  refused(() => gf.crossEntropy(x, [0]), 'shape', 'labels');
  refused(() => gf.crossEntropy(x, [0, 4]), 'token', 'labels');
  refused(() => gf.crossEntropy(x, [0, -100], { ignoreIndex: 2 }), 'token', 'labels');
});

test('numbers, choices, flags and names', () => {
  for (const epsilon of [NaN, Infinity, -1e-9, 1e31]) refused(() => gf.layerNorm(x, { epsilon }), 'range', 'epsilon');
  refused(() => gf.layerNorm(x, { epsilon: '1e-5' }), 'type', 'epsilon');
  refused(() => gf.attention(x, x, x, { scale: 1e39 }), 'range', 'scale');
  refused(() => gf.attention(x, x, x, { causal: 1 }), 'type', 'causal');
  refused(() => gf.dot(x), 'missing', 'b');
  refused(() => gf.dot(x, [1]), 'shape', 'b');
  refused(() => gf.dot({ x }), 'type', 'a');
  refused(() => gf.vectorNorm('x'), 'type', 'x');
  refused(() => gf.klDivergence(x), 'missing', 'q');
  refused(() => gf.logSoftmax({}), 'type', 'x');
  refused(() => gf.activation(x), 'missing', 'activation');
  refused(() => gf.activation(x, 'swish'), 'range', 'activation');
  refused(() => gf.activation(x, 1), 'type', 'activation');
  refused(() => gf.gelu(x, { approximate: 'sigmoid' }), 'range', 'approximate');
  refused(() => gf.crossEntropy(x, [0, 0], { labelSmoothing: 1.1 }), 'range', 'labelSmoothing');
  refused(() => gf.crossEntropy(x, [0, 0], { reduction: 'none' }), 'range', 'reduction');
  refused(() => gf.crossEntropy(x, [0, 0], { ignoreIndex: 0.5 }), 'range', 'ignoreIndex');
  refused(() => gf.positionalEncoding({ d_model: 0, length: 1 }), 'range', 'd_model');
  refused(() => gf.positionalEncoding({ d_model: 4 }), 'missing', 'length');
  refused(() => gf.positionalEncoding({ d_model: 4, length: 0 }), 'range', 'length');
  refused(() => gf.positionalEncoding({ d_model: 4, length: 2, start: 2 ** 20 }), 'range', 'start');
  refused(() => gf.positionalEncoding({ d_model: 4, positions: [-1] }), 'range', 'positions');
  refused(() => gf.positionalEncoding({ d_model: 4, positions: [1], length: 1 }), 'unknown', 'length');
  refused(() => gf.softmax(x, { axis: 0 }), 'unknown', 'arguments');
  refused(() => gf.relu(x, { y: x }), 'unknown', 'arguments');
  refused(() => gf.gelu(x, { y: x }), 'unknown', 'y');
  refused(() => gf.softmax(), 'missing', 'x');
  refused(() => gf.softmax(['x']), 'type', 'x');
});

test('layers', () => {
  const r = random(1);
  const weights = layerWeights(r, 4, 6, { norm: 'post' });
  const good = { x: r.tensor([1, 3, 4]), weights, heads: 2 };
  perform(gf, 'encoderLayer', good);
  const without = (name) => new Map([...weights].filter(([key]) => key !== name));
  refused(() => perform(gf, 'encoderLayer', { ...good, heads: undefined }), 'missing', 'heads');
  refused(() => perform(gf, 'encoderLayer', { ...good, heads: 3 }), 'config', 'heads');
  refused(() => perform(gf, 'encoderLayer', { ...good, heads: 2.5 }), 'config', 'heads');
  refused(() => perform(gf, 'encoderLayer', { ...good, norm: 'middle' }), 'config', 'norm');
  refused(() => perform(gf, 'encoderLayer', { ...good, weights: undefined }), 'missing', 'weights');
  refused(() => perform(gf, 'encoderLayer', { ...good, weights: [] }), 'type', 'weights');
  refused(() => perform(gf, 'encoderLayer', { ...good, weights: without('norm2.bias') }), 'missing', 'norm2.bias');
  refused(
    () => perform(gf, 'encoderLayer', { ...good, weights: without('linear1.weight') }),
    'missing',
    'linear1.weight',
  );
  refused(
    () => perform(gf, 'encoderLayer', { ...good, weights: new Map([...weights, ['norm3.bias', t([4])]]) }),
    'unknown',
    'norm3.bias',
  );
  refused(
    () => perform(gf, 'encoderLayer', { ...good, weights: new Map([...weights, ['norm2.bias', t([5])]]) }),
    'shape',
    'norm2.bias',
  );
  refused(() => perform(gf, 'encoderLayer', { ...good, x: t([4]) }), 'shape', 'x');
  refused(() => perform(gf, 'encoderLayer', { ...good, x: t([1, 3, 6]) }), 'shape');
  refused(() => perform(gf, 'encoderLayer', { ...good, keyPadding: [0] }), 'shape', 'keyPadding');
  refused(() => perform(gf, 'encoderLayer', { ...good, mask: t([3, 2]) }), 'shape', 'mask');
  refused(() => perform(gf, 'encoderLayer', { ...good, memory: x }), 'unknown', 'memory');
  refused(() => perform(gf, 'decoderLayer', good), 'missing', 'memory');
  const mha = { x: good.x, weights: attentionWeights(r, 4), heads: 2 };
  refused(() => perform(gf, 'multiHeadAttention', { ...mha, memory: t([1, 2, 5]) }), 'shape', 'memory');
  refused(() => perform(gf, 'multiHeadAttention', { ...mha, memory: t([2, 2, 4]) }), 'shape', 'memory');
  refused(() => gf.feedForward(good.x, { weights: new Map() }), 'missing', 'linear1.weight');
});

test('not enough memory is an error, and the engine goes on', () => {
  const wide = t([1, 60000]);
  refused(() => gf.matmul(wide, wide, { transposeA: true }), 'memory');
  refused(() => gf.positionalEncoding({ d_model: 65536, length: 2 ** 20 }), 'memory');
  refused(() => gf.createModel({ vocabulary: 2 ** 20, d_model: 65536, heads: 1 }), 'memory');
  const model = gf.createModel({
    kind: 'decoder',
    vocabulary: 5,
    d_model: 4,
    heads: 2,
    d_ff: 4,
    layers: 1,
    head: 'linear',
  });
  const before = model.forward({ ids: [1, 2, 3] });
  const names = model.tensors();
  refused(() => model.forward({ ids: t([1, 2 ** 16], Int32Array), capture: true }), 'memory', 'ids');
  refused(() => model.forward({ ids: t([1, 2 ** 20 + 1], Int32Array), maxOperations: Infinity }), 'range', 'ids');
  assert.deepEqual(model.tensors(), names);
  same(model.tensor('logits'), before.logits);
  model.free();
});

test('a foreign receiver', () => {
  const { softmax } = gf;
  refused(() => softmax({ x }), 'foreign', 'this');
  refused(() => softmax.call({}, { x }), 'foreign', 'this');
  refused(() => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(gf), 'variant').get.call(3), 'foreign', 'this');
  const model = gf.createModel({ kind: 'feed-forward', d_model: 2, d_ff: 2 });
  const { forward } = model;
  refused(() => forward({ vectors: x }), 'foreign', 'this');
  refused(() => model.free.call(gf), 'foreign', 'this');
  refused(() => model.tensor.call(Object.create(Object.getPrototypeOf(model)), 'x'), 'foreign', 'this');
  refused(() => gf.softmax.call(model, { x }), 'foreign', 'this');
  model.free();
});

test('arguments that fight back', () => {
  const cyclic = [];
  cyclic.push(cyclic);
  refused(() => gf.softmax({ data: cyclic, shape: [1] }), 'type', 'x');
  refused(() => gf.softmax({ data: [1], shape: cyclic }), 'shape', 'x');
  refused(() => gf.softmax(Symbol('x')), 'type', 'x');
  refused(() => gf.activation(x, Symbol('relu')), 'type', 'activation');
  refused(() => gf.createModel(JSON.parse('{"__proto__": {"layers": 1}}')), 'unknown', '__proto__');
});
