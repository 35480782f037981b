// Every way to be refused: the right code, the right name, and nothing changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GlassformerError, load, readSafetensors, writeSafetensors } from 'glassformer';
import { GlassformerError as ErrorOfTasks, Random, makeReverse, tasks } from 'glassformer/tasks';
import { loadTokenizer } from 'glassformer/tokenizers';
import { readJson } from '../../src/js/formats/json.js';
import { attentionWeights, layerWeights, random, refused, same } from './reference.js';
import { ALL, OBJECTS, OPERATIONS, use } from '../methods.js';
import { perform } from '../operations.js';

const gf = await load({ variant: 'simd' });

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

test('a foreign receiver of a getter', () => {
  refused(() => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(gf), 'variant').get.call(3), 'foreign', 'this');
});

/** It picks the function that reads the others. */
const ELSEWHERE = ['model.save.format'];

test('refusals list the arguments of each method: those of the table', async () => {
  let listed = 0;
  for (const [kind, name, row] of ALL) {
    const { given, order = [], on = kind, alone } = row;
    const options = Object.keys(given ?? {}).filter((each) => !order.includes(each));
    if (!given || alone === 'there') continue;
    const what = `${kind}.${name}`;
    const call = async (/** @type {any} */ named) => use(OBJECTS[on], name, row, named);
    const said = (/** @type {any} */ error) => String(error?.message).replace(/, got [^]*$/, '');
    if (options.length) {
      const unknown = await call({ ...given, qzqzqz: 1 }).then(assert.fail, said);
      const known = /^qzqzqz: unknown; known are (.*)$/.exec(unknown)?.[1].split(', ') ?? [];
      const wanted = options.filter((each) => !ELSEWHERE.includes(`${what}.${each}`));
      assert.deepEqual(known.sort(), wanted.sort(), `${what}: ${unknown}`);
      listed++;
    }
    if (!OPERATIONS[name] || kind !== 'engine' || order.length === 0) continue;
    const missing = await call({}).then(assert.fail, said);
    assert.ok(missing.startsWith(`${order[0]}: call with (${order.join(', ')}`), missing);
  }
  assert.ok(listed > 40, `${listed}`);
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

const SMALL = { d_model: 8, heads: 2, layers: 2, d_ff: 8, seed: 1 };
const encoder = gf.createModel({ ...SMALL, kind: 'encoder', vocabulary: 20 });
const bare = gf.createModel(SMALL);
const decoder = gf.createModel({ ...SMALL, kind: 'decoder', vocabulary: 20, head: 'tied' });
const both = gf.createModel({ ...SMALL, kind: 'encoder-decoder', vocabulary: 20, decoderLayers: 1 });
const trainer = decoder.trainer();
const [ids, FFN] = [[3, 5, 7], 'encoder.layers.0.ffn.activation'];
const broken = encoder.weights();
for (const { data } of broken.values()) data.fill(NaN);

/** Code and message of what a newcomer tries. @type {[string, () => unknown][]} */
const SAID = [
  [
    'type: x: must be nested arrays or a tensor {data, shape}, got a promise: await it',
    () => gf.softmax(encoder.embed(ids)),
  ],
  ['unknown: steer: unknown, did you mean patches?', () => decoder.generateSync(ids, { steer: x })],
  [
    'unknown: data: unknown, did you mean set?',
    () => encoder.forward(ids, { patches: [{ at: { layer: 0 }, data: 0 }] }),
  ],
  ['unknown: position: unknown, did you mean at?', () => decoder.gradients(ids, { of: ['x'], logit: { position: 1 } })],
  [
    'unknown: token: unknown, did you mean id?',
    () => decoder.gradients(ids, { of: ['x'], logit: { at: 1, token: 1 } }),
  ],
  ['unknown: token: unknown, did you mean id?', () => decoder.trace(ids).attribution(1, { token: 2 })],
  [
    'unknown: position: unknown, did you mean row?',
    () => encoder.forward(ids, { patches: [{ at: { layer: 0 }, position: 0, set: 0 }] }),
  ],
  [
    'unknown: name: unknown, did you mean encoder.layers.0.ffn.activation?',
    () => encoder.tensor('encoder.layers.0.ffn.hidden'),
  ],
  ['type: x: call with (x), got { x }', () => gf.softmax({ x })],
  ['missing: x: call with (x)', () => gf.softmax()],
  ['unknown: arguments: softmax takes 1, got 2', () => gf.softmax(x, -1)],
  [
    'type: a: call with (a, b, { transposeB }), got { a, b, transposeB }',
    () => gf.matmul({ a: x, b: x, transposeB: true }),
  ],
  ['type: options: call with (a, b, { transposeA, transposeB, maxOperations }), got true', () => gf.matmul(x, x, true)],
  ['type: options: call with ({ d_model, length, start, positions }), got 8', () => gf.positionalEncoding(8, 4)],
  ['unknown: arguments: attention takes 4, got 5', () => gf.attention(x, x, x, { heads: 2 }, true)],
  ['unknown: keyPad: unknown, did you mean keyPadding?', () => gf.attention(x, x, x, { keyPad: x })],
  [
    'shape: query: must have 2 to 4 axes; flat data needs its shape, gf.tensor(data, shape), got [8]',
    () => gf.attention(new Float32Array(8), x, x),
  ],
  ['range: heads: must divide the last axis of query, 4, got 3', () => gf.attention(x, x, x, { heads: 3 })],
  [
    'shape: x: shape must be positive integers whose product is data.length = 3, got [2, 2]',
    () => gf.softmax({ data: [1, 2, 3], shape: [2, 2] }),
  ],
  ['type: x[1] must be a number', () => gf.softmax([1, undefined, 3])],
  ['type: options: must be options by name, as { maxOperations: 1e9 }, got [3, 5, 7]', () => encoder.forward(ids, ids)],
  ['missing: options: call with ({ ids, padding, mask, capture, … })', () => encoder.forward()],
  ['unknown: arguments: forward takes 2, with all names in it, got 3', () => encoder.forward({ ids }, {}, {})],
  [
    'type: ids: must be ids, as tokenizer.encode(text) gives them: this model knows no tokenizer, got "creek"',
    () => encoder.forward('creek'),
  ],
  ['unknown: ids: unknown, did you mean sourceIds?', () => both.forward({ ids })],
  ['unknown: ids: unknown, did you mean targetIds?', () => both.forward({ sourceIds: ids, ids: [1] })],
  ['unknown: ids: vocabulary is 0 here, did you mean vectors?', () => bare.forward({ ids })],
  ['unknown: vectors: unknown, did you mean ids?', () => encoder.forward({ vectors: x })],
  [
    'token: ids[1][1] is -1, the vocabulary has 20 (0 to 19)',
    () =>
      encoder.forward({
        ids: [
          [1, 2],
          [3, -1],
        ],
      }),
  ],
  [
    'range: ids[1] must be an integer from -2147483648 to 2147483647, got 1.5',
    () => encoder.forward({ ids: [1, 1.5] }),
  ],
  ['shape: ids[1] must be an array of 2 like those before it, got [3]', () => encoder.forward({ ids: [[1, 2], [3]] })],
  [
    'shape: vectors: must have shape [batch, length, 8]; flat data needs its shape, gf.tensor(data, shape), got [16]',
    () => bare.forward({ vectors: new Float32Array(16) }),
  ],
  [
    'shape: vectors: must have shape [batch, length, 8]; a model with inputWidth: 2 takes these, got [1, 2]',
    () => bare.forward({ vectors: [[1, 2]] }),
  ],
  [
    'range: temperature: must be a positive number, 1 changes nothing, got 0',
    () => encoder.forward({ ids, temperature: 0 }),
  ],
  [
    'range: temperature: must be at most 18446744073709552000, 1 changes nothing, got 1e+30',
    () => encoder.forward({ ids, temperature: 1e30 }),
  ],
  [
    'type: options: call with ({ kind, vocabulary, targetVocabulary, types, … }), got [object GlassformerModel]',
    () => gf.createModel(encoder),
  ],
  ['unknown: n_embd: unknown, did you mean d_model?', () => gf.createModel({ n_embd: 64 })],
  ['config: heads: must divide d_model = 10, got 4', () => gf.createModel({ d_model: 10, heads: 4 })],
  [
    'config: head: needs an encoder or decoder with a vocabulary, got "linear"',
    () => gf.createModel({ head: 'linear' }),
  ],
  [
    'config: kind: must be one of encoder, decoder, encoder-decoder, attention, feed-forward, got "gpt"',
    () => gf.createModel({ kind: 'gpt' }),
  ],
  [
    'config: schedule: must be one of constant, linear, cosine, noam, got "paper"',
    () => decoder.trainer({ schedule: 'paper' }),
  ],
  ['config: loss: must be one of crossEntropy, mse, linear, got "squared"', () => bare.trainer({ loss: 'squared' })],
  [
    'config: loss: needs a model with a head, as head: \'tied\', or outputWidth, got "crossEntropy"',
    () => bare.trainer(),
  ],
  ['config: dropout: must be a number from 0 to 0.999, got 1', () => decoder.trainer({ dropout: 1 })],
  ['unknown: targets: unknown, did you mean labels?', () => trainer.step({ ids, targets: ids })],
  ['token: labels[2] is 20, the vocabulary has 20 (0 to 19)', () => trainer.step({ ids, labels: [1, 2, 20] })],
  [
    'unknown: name: unknown, did you mean encoder.layers.1.linear1.weight?',
    () => encoder.tensor('encoder.layers.1.linear1.wieght'),
  ],
  [
    'unknown: name: needs capture: true in forward, got "encoder.layers.1.self_attn.weights"',
    () => encoder.tensor('encoder.layers.1.self_attn.weights'),
  ],
  [
    'unknown: name: needs trainer.gradients(), got "grad.encoder.layers.0.linear1.weight"',
    () => encoder.tensor('grad.encoder.layers.0.linear1.weight'),
  ],
  [
    'type: selector: must be the name of a tensor, or a selector like { layer: 0, head: 1 }, got 3',
    () => encoder.tensor(3),
  ],
  ['unknown: arguments: call tensor({ name, head }), got 2', () => encoder.tensor('logits', { row: 1 })],
  [
    'range: patches[0].value: must be a finite number, got NaN',
    () => encoder.forward({ ids, patches: [{ name: FFN, value: NaN }] }),
  ],
  [
    'range: patches[0].name: must be an intermediate that later ones are computed from, got "tok_emb.weight"',
    () => encoder.forward({ ids, patches: [{ name: 'tok_emb.weight', value: 0 }] }),
  ],
  ['config: kind: generate needs a decoder, got "encoder"', () => encoder.generateSync({ ids })],
  ['config: head: generate needs logits, got "none"', () => both.generateSync({ sourceIds: ids, targetIds: [1] })],
  [
    'missing: weights: needed: a Map or an object of tensors by name, like readSafetensors(file).tensors; ' +
      'gf.loadModel takes a file',
    () => encoder.loadWeights(),
  ],
  [
    'unknown: generator.bias: the model has no such weight, got "generator.bias"',
    () => encoder.loadWeights({ 'generator.bias': x }),
  ],
  ['missing: tok_emb.weight: this weight of the model is not given', () => encoder.loadWeights({})],
  ['range: tok_emb.weight[0][0] must be finite, got NaN', () => encoder.loadWeights(broken)],
  ['format: file: must have 8 bytes of length and a header, got 4', () => readSafetensors(new Uint8Array(4))],
  ['unknown: varient: unknown, did you mean variant?', () => load({ varient: 'simd' })],
  ['type: options: call with ({ variant, wasm, maxOperations, worker, … }), got "simd"', () => load('simd')],
  ['type: seed: must be an integer, got "one"', () => tasks.reverse.heldOut('one')],
  ['unknown: lenght: unknown; known are length', () => makeReverse({ lenght: 8 })],
  ['range: seed: must be an integer from 0 to 4294967295, got -1', () => new Random(-1)],
  [
    'type: x: call with (x, weight, bias, { maxOperations }), got { weight, bias }',
    () => gf.linear(x, { weight: x, bias: [1] }),
  ],
  [
    'type: vocabulary: must be an integer or new Vocabulary(words), got an array of 1',
    () => gf.createModel({ vocabulary: ['a'] }),
  ],
  [
    "type: options: call save({ format: 'onnx' }), or 'huggingface' for files, got \"onnx\"",
    () => decoder.save('onnx'),
  ],
  ['missing: labels: needed: labels of a loss, or logit: { at, id }', () => decoder.gradients(ids)],
  [
    'config: loss: must be \'mse\' where outputWidth is 1, got "crossEntropy"',
    () => gf.createModel({ ...SMALL, inputWidth: 2, outputWidth: 1 }).trainer(),
  ],
  ['type: patches: must be an array of { at, set }, got {}', () => encoder.forward({ ids, patches: {} })],
  [
    "notFound: file: there is no such file; did you mean import.meta.resolve('glassformer/models/creek')?",
    () => gf.loadModel('glassformer/models/creek'),
  ],
  ['missing: options: call with ({ ids, maxTokens, temperature, topK, … })', () => decoder.generate()],
];

test('what a newcomer tries is refused in these words', async () => {
  assert.equal(ErrorOfTasks, GlassformerError);
  const state = () => [encoder, bare, decoder, both].map((each) => [...each.weights()]);
  const before = state();
  for (const [said, call] of SAID) {
    const error = await Promise.resolve()
      .then(call)
      .catch((thrown) => thrown);
    assert.ok(error instanceof GlassformerError, `${said}: ${error?.stack}`);
    assert.equal(`${error.code}: ${error.message}`, said);
  }
  assert.deepEqual(state(), before);
});

test('no error cuts inside a letter', async () => {
  const family = '👩‍👩‍👧‍👦';
  const long = (/** @type {number} */ most) => `${'a'.repeat(most - 1)}${family}b`;
  const thrower = (/** @type {string} */ text) => ({
    get vocab() {
      throw new TypeError(text);
    },
  });
  const loadModel = (/** @type {Record<string, string>} */ said) => {
    const metadata = new Map(Object.entries({ 'glassformer.config': '{"kind":"encoder"}', ...said }));
    return gf.loadModel(writeSafetensors({ a: { data: [1], shape: [1] } }, { metadata }));
  };
  /** @type {[() => unknown, number][]} */
  const cases = [
    [() => readJson(`{"${long(60)}":1,"${long(60)}":2}`), 60],
    [() => loadModel({ 'glassformer.version': JSON.stringify(long(59)) }), 59], // behind a quotation mark
    [() => loadTokenizer({ model: thrower(long(109)) }), 109], // behind "TypeError: "
    [() => gf.createModel(/** @type {any} */ ({ layers: Symbol(long(53)) })), 53], // behind "Symbol("
    [() => gf.createModel(/** @type {any} */ ({ layers: { [Symbol.toStringTag]: long(52) } })), 52], // "[object "
  ];
  for (const [ask, most] of cases) {
    const message = await Promise.resolve()
      .then(ask)
      .then(
        () => 'not refused',
        (error) => error.message,
      );
    assert.match(message, new RegExp(`a{${most - 1}}`), message);
    assert.doesNotMatch(message, /👩|\p{Surrogate}/u, message);
  }
});
