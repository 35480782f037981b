// Properties that hold for any size, found wanting by fast-check rather than by chosen examples.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { load } from 'glassformer';
import { close, random } from './reference.js';

const gf = await load({ variant: 'simd' });
const size = (max) => fc.integer({ min: 1, max });
const seed = fc.nat(2 ** 31 - 1);
const check = (...args) => fc.assert(fc.property(...args), { numRuns: 60, seed: 20 });

const transpose = ({ data, shape: [rows, columns] }) => ({
  data: Float32Array.from(data, (_, i) => data[(i % rows) * columns + Math.floor(i / rows)]),
  shape: [columns, rows],
});

test('a product in all four transpose forms is one product, to the bit', () => {
  check(size(19), size(70), size(19), seed, (M, K, N, s) => {
    const r = random(s);
    const a = r.tensor([M, K]);
    const b = r.tensor([K, N]);
    const plain = gf.matmul({ a, b });
    for (const [transposeA, transposeB] of [
      [true, false],
      [false, true],
      [true, true],
    ]) {
      const form = { a: transposeA ? transpose(a) : a, b: transposeB ? transpose(b) : b, transposeA, transposeB };
      assert.deepEqual(gf.matmul(form), plain);
    }
    // (AB)^T = B^T A^T
    close(transpose(gf.matmul({ a: transpose(b), b: transpose(a) })), plain, 1e-5);
  });
});

test('softmax: rows sum to 1, order is kept, a constant changes nothing but rounding', () => {
  check(size(6), size(40), seed, fc.integer({ min: -50, max: 50 }), (R, N, s, shift) => {
    const x = random(s).tensor([R, N]);
    const { data } = gf.softmax({ x });
    const moved = gf.softmax({ x: { ...x, data: x.data.map((value) => value + shift) } });
    close(moved, { data, shape: [R, N] }, 1e-4);
    for (let r = 0; r < R; r++) {
      const row = data.subarray(r * N, (r + 1) * N);
      assert.ok(Math.abs(row.reduce((sum, value) => sum + value, 0) - 1) < 1e-6);
      for (let i = 1; i < N; i++) {
        const order = Math.sign(x.data[r * N + i] - x.data[r * N + i - 1]);
        assert.ok(order * (row[i] - row[i - 1]) >= 0);
      }
    }
  });
});

test('LayerNorm: mean 0, variance 1, blind to shift and scale of its input', () => {
  check(size(5), fc.integer({ min: 2, max: 50 }), seed, (R, C, s) => {
    const x = random(s).tensor([R, C]);
    const { output, mean, variance } = gf.layerNorm({ x, epsilon: 0 });
    const other = { ...x, data: x.data.map((value) => 8 * value + 3) };
    close(gf.layerNorm({ x: other, epsilon: 0 }).output, output, 2e-4);
    const again = gf.layerNorm({ x: output });
    for (let r = 0; r < R; r++) {
      assert.ok(Math.abs(again.mean.data[r]) < 1e-6);
      assert.ok(Math.abs(again.variance.data[r] - 1) < 1e-5);
    }
    assert.deepEqual([mean.shape, variance.shape], [[R], [R]]);
  });
});

test('attention without positions: permuted keys change only rounding, permuted queries permute', () => {
  check(size(3), size(6), size(9), size(4), seed, (H, T, S, D, s) => {
    const r = random(s);
    const [query, key, value] = [r.tensor([T, H * D]), r.tensor([S, H * D]), r.tensor([S, H * D])];
    const { output } = gf.attention({ query, key, value, heads: H });
    const flip = ({ data, shape: [rows, columns] }) => ({
      data: Float32Array.from(data, (_, i) => data[(rows - 1 - Math.floor(i / columns)) * columns + (i % columns)]),
      shape: [rows, columns],
    });
    close(gf.attention({ query, key: flip(key), value: flip(value), heads: H }).output, output, 1e-5);
    assert.deepEqual(flip(gf.attention({ query: flip(query), key, value, heads: H }).output), output);
  });
});

test('values side by side give the outputs side by side, to the bit, and gradients of the same weights', () => {
  check(size(6), size(9), size(4), size(5), size(5), seed, (T, S, D, E, F, s) => {
    const r = random(s);
    const [query, key, one, two] = [r.tensor([T, D]), r.tensor([S, D]), r.tensor([S, E]), r.tensor([S, F])];
    const beside = (a, b) =>
      Array.from({ length: a.shape[0] }, (_, i) =>
        [a, b].flatMap(({ data, shape: [, n] }) => [...data.slice(i * n, (i + 1) * n)]),
      );
    const [left, right] = [one, two].map((value) => gf.attention({ query, key, value }));
    const value = beside(one, two);
    const { output, weights } = gf.attention({ query, key, value });
    assert.deepEqual(output, gf.tensor(beside(left.output, right.output)));
    assert.deepEqual(weights, left.weights);
    const [dleft, dright] = [r.tensor([T, E]), r.tensor([T, F])];
    const back = (of, gradient) => gf.attentionBackward({ query, key, value: of, weights, gradient });
    const [a, b, both] = [back(one, dleft), back(two, dright), back(value, beside(dleft, dright))];
    assert.deepEqual(both.value, gf.tensor(beside(a.value, b.value)));
    const summed = (name) => ({ data: a[name].data.map((x, i) => x + b[name].data[i]), shape: a[name].shape });
    for (const name of ['query', 'key']) close(both[name], summed(name), 1e-5);
  });
});

test('a padded batch item has the bits of the item alone', () => {
  const model = gf.createModel({ kind: 'encoder', vocabulary: 13, d_model: 12, heads: 3, d_ff: 10, layers: 2 });
  check(fc.array(fc.nat(12), { minLength: 1, maxLength: 7 }), fc.integer({ min: 0, max: 5 }), (ids, extra) => {
    const T = ids.length + extra;
    const alone = model.forward({ ids }).output.data;
    const row = [...ids, ...new Array(extra).fill(0)];
    const hidden = row.map((_, i) => (i < ids.length ? 0 : 1));
    const both = model.forward({
      ids: { data: [...row, ...row], shape: [2, T] },
      padding: { data: [...hidden, ...new Array(T).fill(0)], shape: [2, T] },
    }).output.data;
    assert.deepEqual(both.slice(0, alone.length), alone);
  });
  model.free();
});

test('generation with and without the cache: the same tokens', () => {
  check(
    seed,
    fc.constantFrom('pre', 'post', 'none'),
    fc.constantFrom('sinusoidal', 'learned', 'none'),
    fc.double({ min: 0, max: 3, noNaN: true }),
    (s, norm, positions, temperature) => {
      const model = gf.createModel({
        kind: 'decoder',
        vocabulary: 9,
        d_model: 8,
        heads: 2,
        d_ff: 8,
        layers: 2,
        head: 'tied',
        norm,
        positions,
        seed: s,
      });
      const options = { ids: [1, 2], maxTokens: 12, temperature, seed: s };
      assert.deepEqual(model.generate(options), model.generate({ ...options, cache: false }));
      model.free();
    },
  );
});

test('a NaN is never made into a number', () => {
  check(fc.integer({ min: 1, max: 9 }), fc.nat(8), fc.boolean(), (N, place, masked) => {
    const at = place % N;
    const row = Float32Array.from({ length: N }, (_, i) => (i === at ? NaN : masked ? -Infinity : i));
    assert.ok(gf.softmax({ x: { data: row, shape: [N] } }).data.every(Number.isNaN));
    const { loss } = gf.crossEntropy({ logits: { data: row, shape: [1, N] }, targets: [0] });
    assert.ok(Number.isNaN(loss));
  });
  const ones = (shape) => ({ data: new Float32Array(shape[0] * shape[1]).fill(1), shape });
  const query = ones([3, 2]);
  query.data[2] = NaN;
  const { output, weights } = gf.attention({ query, key: ones([3, 2]), value: ones([3, 2]), causal: true });
  assert.deepEqual([...output.data].map(Number.isNaN), [false, false, true, true, false, false]);
  assert.ok(weights.data.subarray(3, 6).every(Number.isNaN));
});

test('silu: silu(x) - silu(-x) = x, its slopes at x and -x sum to 1, it lies between relu - 0.2785 and relu', () => {
  const silu = (/** @type {any} */ x) => gf.activation({ x, activation: 'silu' });
  check(size(40), seed, fc.constantFrom(1, 8, 80), (n, s, scale) => {
    const x = random(s).tensor([n], scale);
    const minus = { ...x, data: x.data.map((value) => -value) };
    const [y, other] = [silu(x), silu(minus)];
    const ones = { data: new Float32Array(n).fill(1), shape: [n] };
    const slope = (/** @type {any} */ at) => gf.activationBackward({ x: at, gradient: ones, activation: 'silu' }).data;
    const [up, down] = [slope(x), slope(minus)];
    for (const [i, value] of x.data.entries()) {
      assert.ok(Math.abs(y.data[i] - other.data[i] - value) <= 3e-7 * Math.max(1, Math.abs(value)), `${value}`);
      assert.ok(Math.abs(up[i] + down[i] - 1) <= 1e-6, `${value}: ${up[i]} + ${down[i]}`);
      assert.ok(y.data[i] <= Math.max(value, 0) && y.data[i] > Math.max(value, 0) - 0.27847, `${value}: ${y.data[i]}`);
    }
  });
});
