// The forms of a tensor: {data, shape}, nested arrays, typed arrays, ids of 64 bits.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from 'glassformer';
import { refused, same } from './reference.js';

const gf = await load({ variant: 'simd' });
const says = (call, code, message) => assert.equal(refused(call, code).message, message);

test('gf.tensor makes a tensor of nested arrays and of flat ones with a shape', () => {
  const expected = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] };
  const rows = [
    [1, 2, 3],
    [4, 5, 6],
  ];
  same(gf.tensor(rows), expected);
  same(gf.tensor(rows.map((row) => Float32Array.from(row))), expected);
  same(gf.tensor(rows.map((row) => Float64Array.from(row))), expected);
  same(gf.tensor([1, 2, 3, 4, 5, 6], [2, 3]), expected);
  same(gf.tensor(Float64Array.of(1, 2, 3, 4, 5, 6), [2, 3]), expected);
  same(gf.tensor(expected), expected);
  same(gf.tensor([7]), { data: Float32Array.of(7), shape: [1] });
  same(gf.tensor([[[NaN]], [[-Infinity]]]), { data: Float32Array.of(NaN, -Infinity), shape: [2, 1, 1] });
});

test('gf.tensor copies', () => {
  for (const data of [Float32Array.of(1, 2), [1, 2]]) {
    const made = gf.tensor(data);
    made.data[0] = 9;
    assert.equal(data[0], 1);
  }
});

test('what is no tensor is named by its place', () => {
  says(() => gf.tensor([[1, 2], [3]]), 'shape', 'values[1] must be an array of 2 like those before it, got [3]');
  says(() => gf.tensor([[1, 2], 3]), 'shape', 'values[1] must be an array of 2 like those before it, got 3');
  says(
    () => gf.tensor([[[1], [2]], [[3], [4, 5]]]), // prettier-ignore
    'shape',
    'values[1][1] must be an array of 1 like those before it, got [4, 5]',
  );
  says(() => gf.tensor([1, [2]]), 'type', 'values[1] must be a number, got [2]');
  says(() => gf.tensor([[1, 2], [3, '4']]), 'type', 'values[1][1] must be a number, got "4"'); // prettier-ignore
  says(() => gf.tensor([[1, 2n]]), 'type', 'values[0][1] must be a number, got 2');
  says(() => gf.tensor([]), 'shape', 'values: must not be empty');
  says(() => gf.tensor([[], []]), 'shape', 'values: must not be empty');
  const self = [];
  self.push(self);
  refused(() => gf.tensor(self), 'type', 'values');
  refused(() => gf.tensor([1, 2, 3], [2, 2]), 'shape', 'values');
  refused(() => gf.tensor([1, 2, 3, 4], 2, 2), 'type', 'values.shape');
  refused(() => gf.tensor([[1], [2]], [2]), 'type', 'values');
  refused(() => gf.tensor(), 'missing', 'values');
  refused(() => gf.tensor('1 2 3'), 'type', 'values');
  refused(() => gf.tensor(3), 'type', 'values');
  refused(() => gf.tensor(Int8Array.of(1)), 'dtype', 'values');
});

test('nested arrays stand for tensors in every argument', () => {
  const rows = [
    [1, 2],
    [3, 4],
    [5, 6],
  ];
  const x = gf.tensor(rows);
  same(gf.softmax(rows), gf.softmax(x));
  same(gf.vectorNorm(Float32Array.of(3, 4)), { data: Float32Array.of(5), shape: [] });
  const hidden = [false, true, false];
  const mask = [
    [0, -Infinity, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  const nested = gf.attention(rows, rows, rows, { keyPadding: [hidden], mask });
  const dense = gf.attention(x, x, x, { keyPadding: { data: [0, 1, 0], shape: [1, 3] }, mask: gf.tensor(mask) });
  same(nested.output, dense.output);
  same(gf.embedding([[0], [2]], rows), { data: Float32Array.of(1, 2, 5, 6), shape: [2, 1, 2] });
  same(gf.embedding([Int32Array.of(0), [2]], rows), gf.embedding([[0], [2]], rows));

  const model = gf.createModel({ vocabulary: 9, d_model: 4, heads: 2, layers: 1 });
  const batch = [
    [1, 2, 3],
    [4, 5, 6],
  ];
  const flat = { data: Int32Array.from(batch.flat()), shape: [2, 3] };
  const flags = [
    [0, 0, 1],
    [0, 0, 0],
  ];
  const { output } = model.forward({ ids: batch, padding: flags });
  same(output, model.forward({ ids: flat, padding: { data: Uint8Array.from(flags.flat()), shape: [2, 3] } }).output);
  const weights = [...model.weights()].map(([name, { data, shape }]) => {
    const width = shape.at(-1);
    const rows = Array.from({ length: data.length / width }, (_, i) => [...data.subarray(i * width, (i + 1) * width)]);
    return [name, shape.length === 2 ? rows : rows[0]];
  });
  model.initialize(5);
  model.loadWeights(new Map(weights));
  same(model.forward({ ids: batch, padding: flags }).output, output);
  model.free();
});

test('ids of 64 bits, as tokenizers make them, are ids', () => {
  const model = gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 4, heads: 2, layers: 1, head: 'tied' });
  const { output } = model.forward({ ids: [1, 2, 3] });
  for (const ids of [
    BigInt64Array.of(1n, 2n, 3n),
    BigUint64Array.of(1n, 2n, 3n),
    [1n, 2n, 3n],
    [[1n, 2n, 3n]],
    [BigInt64Array.of(1n, 2n, 3n)],
    { data: BigInt64Array.of(1n, 2n, 3n), shape: [1, 3] },
  ]) {
    same({ ...model.forward({ ids }).output, shape: output.shape }, output);
  }
  assert.deepEqual(
    model.generateSync({ ids: BigInt64Array.of(1n), maxTokens: 3 }).ids,
    model.generateSync({ ids: [1], maxTokens: 3 }).ids,
  );
  refused(() => model.forward({ ids: BigInt64Array.of(1n, -1n) }), 'token', 'ids');
  refused(() => model.forward({ ids: [2n ** 40n] }), 'range', 'ids');
  model.free();
});

test('an id outside its table is named by its place', () => {
  const model = gf.createModel({ vocabulary: 20, d_model: 4, heads: 2, layers: 1, types: 2 });
  says(() => model.forward({ ids: [5, 99, 3] }), 'token', 'ids[1] is 99, the vocabulary has 20 (0 to 19)');
  says(
    () => model.forward({ ids: [[1, 2], [3, -1]] }), // prettier-ignore
    'token',
    'ids[1][1] is -1, the vocabulary has 20 (0 to 19)',
  );
  says(
    () => model.forward({ ids: { data: [1, 2, 20, 4], shape: [2, 2] } }),
    'token',
    'ids[1][0] is 20, the vocabulary has 20 (0 to 19)',
  );
  says(
    () => model.forward({ ids: [1], typeIds: [2] }),
    'token',
    'typeIds[0] is 2, the table of token types has 2 (0 to 1)',
  );
  model.free();
  says(() => gf.embedding([3], [[1], [2]]), 'token', 'ids[0] is 3, the table has 2 (0 to 1)');
  const logits = [[1, 2]];
  says(() => gf.crossEntropy(logits, [7]), 'token', 'labels[0] is 7, the last axis of the logits has 2 (0 to 1)');
});
