// Properties that hold for any size, found wanting by fast-check rather than by chosen examples.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { load } from 'glassformer';
import { close, random } from './reference.js';
import { perform } from '../operations.js';

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
    const plain = gf.matmul(a, b);
    for (const [transposeA, transposeB] of [
      [true, false],
      [false, true],
      [true, true],
    ]) {
      const form = { a: transposeA ? transpose(a) : a, b: transposeB ? transpose(b) : b, transposeA, transposeB };
      assert.deepEqual(perform(gf, 'matmul', form), plain);
    }
    // (AB)^T = B^T A^T
    close(transpose(gf.matmul(transpose(b), transpose(a))), plain, 1e-5);
  });
});

test('softmax: rows sum to 1, order is kept, a constant changes nothing but rounding', () => {
  check(size(6), size(40), seed, fc.integer({ min: -50, max: 50 }), (R, N, s, shift) => {
    const x = random(s).tensor([R, N]);
    const { data } = gf.softmax(x);
    const moved = gf.softmax({ ...x, data: x.data.map((value) => value + shift) });
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
    const { output, mean, variance } = gf.layerNorm(x, { epsilon: 0 });
    const other = { ...x, data: x.data.map((value) => 8 * value + 3) };
    close(gf.layerNorm(other, { epsilon: 0 }).output, output, 2e-4);
    const again = gf.layerNorm(output);
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
    const { output } = gf.attention(query, key, value, { heads: H });
    const flip = ({ data, shape: [rows, columns] }) => ({
      data: Float32Array.from(data, (_, i) => data[(rows - 1 - Math.floor(i / columns)) * columns + (i % columns)]),
      shape: [rows, columns],
    });
    close(gf.attention(query, flip(key), flip(value), { heads: H }).output, output, 1e-5);
    assert.deepEqual(flip(gf.attention(flip(query), key, value, { heads: H }).output), output);
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
    const [left, right] = [one, two].map((value) => gf.attention(query, key, value));
    const value = beside(one, two);
    const { output, weights } = gf.attention(query, key, value);
    assert.deepEqual(output, gf.tensor(beside(left.output, right.output)));
    assert.deepEqual(weights, left.weights);
    const [dleft, dright] = [r.tensor([T, E]), r.tensor([T, F])];
    const back = (of, gradient) => gf.attentionBackward(query, key, of, gradient, { weights });
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
      assert.deepEqual(model.generateSync(options), model.generateSync({ ...options, cache: false }));
      model.free();
    },
  );
});

test('a NaN is never made into a number', () => {
  check(fc.integer({ min: 1, max: 9 }), fc.nat(8), fc.boolean(), (N, place, masked) => {
    const at = place % N;
    const row = Float32Array.from({ length: N }, (_, i) => (i === at ? NaN : masked ? -Infinity : i));
    assert.ok(gf.softmax({ data: row, shape: [N] }).data.every(Number.isNaN));
    const { loss } = gf.crossEntropy({ data: row, shape: [1, N] }, [0]);
    assert.ok(Number.isNaN(loss));
  });
  const ones = (shape) => ({ data: new Float32Array(shape[0] * shape[1]).fill(1), shape });
  const query = ones([3, 2]);
  query.data[2] = NaN;
  const { output, weights } = gf.attention(query, ones([3, 2]), ones([3, 2]), { causal: true });
  assert.deepEqual([...output.data].map(Number.isNaN), [false, false, true, true, false, false]);
  assert.ok(weights.data.subarray(3, 6).every(Number.isNaN));
});

test('silu: silu(x) - silu(-x) = x, its slopes at x and -x sum to 1, it lies between relu - 0.2785 and relu', () => {
  const silu = (/** @type {any} */ x) => gf.activation(x, 'silu');
  check(size(40), seed, fc.constantFrom(1, 8, 80), (n, s, scale) => {
    const x = random(s).tensor([n], scale);
    const minus = { ...x, data: x.data.map((value) => -value) };
    const [y, other] = [silu(x), silu(minus)];
    const ones = { data: new Float32Array(n).fill(1), shape: [n] };
    const slope = (/** @type {any} */ at) => gf.activationBackward(at, ones, 'silu').data;
    const [up, down] = [slope(x), slope(minus)];
    for (const [i, value] of x.data.entries()) {
      assert.ok(Math.abs(y.data[i] - other.data[i] - value) <= 3e-7 * Math.max(1, Math.abs(value)), `${value}`);
      assert.ok(Math.abs(up[i] + down[i] - 1) <= 1e-6, `${value}: ${up[i]} + ${down[i]}`);
      assert.ok(y.data[i] <= Math.max(value, 0) && y.data[i] > Math.max(value, 0) - 0.27847, `${value}: ${y.data[i]}`);
    }
  });
});

/** Element i of a tensor that is repeated to a shape, by NumPy's rule. */
const repeated = ({ data, shape }, to, i) => {
  let at = 0;
  for (let axis = to.length - 1, stride = 1, rest = i; axis >= 0; axis--) {
    const size = shape[shape.length - to.length + axis] ?? 1;
    if (size > 1) at += (rest % to[axis]) * stride;
    stride *= size;
    rest = Math.floor(rest / to[axis]);
  }
  return data[at];
};

test('add and mul repeat axes as NumPy does, and refuse shapes that do not fit', () => {
  const axes = fc.array(fc.record({ size: size(4), one: fc.constantFrom('', 'a', 'b') }), {
    minLength: 1,
    maxLength: 4,
  });
  check(axes, fc.nat(3), fc.boolean(), seed, (list, cut, swap, s) => {
    const r = random(s);
    const to = list.map(({ size }) => size);
    const of = (name) => r.tensor(list.map(({ size, one }) => (one === name ? 1 : size)));
    const [whole, part] = [of('a'), of('b')];
    const fewer = Math.min(cut, list.length - 1); // leading axes that the other has not
    const short = { data: part.data.slice(0, count(part.shape.slice(fewer))), shape: part.shape.slice(fewer) };
    const [a, b] = swap ? [short, whole] : [whole, short];
    const shape = to.map((n, i) => (i < fewer ? whole.shape[i] : n));
    for (const [name, f] of [
      ['add', (x, y) => x + y],
      ['mul', (x, y) => x * y],
    ]) {
      const data = Float32Array.from({ length: count(shape) }, (_, i) =>
        f(repeated(a, shape, i), repeated(b, shape, i)),
      );
      assert.deepEqual(gf[name](a, b), { data, shape });
    }
    const odd = { data: new Float32Array(5 * to.at(-1)), shape: [to.at(-1), 5] };
    if (whole.shape.at(-1) > 1) assert.throws(() => gf.add(whole, odd), { code: 'shape', parameter: 'b' });
  });
  assert.deepEqual([...gf.mul(2, [1, 3]).data], [2, 6]);
  assert.deepEqual(gf.add(1, 2), { data: Float32Array.of(3), shape: [] });
});

const count = (shape) => shape.reduce((a, b) => a * b, 1);

test('one matrix b serves all rows of a, with the bits of each product', () => {
  check(
    size(3),
    size(9),
    size(40),
    size(9),
    fc.boolean(),
    fc.boolean(),
    seed,
    (B, M, K, N, transposeA, transposeB, s) => {
      const r = random(s);
      const a = r.tensor([2, B, ...(transposeA ? [K, M] : [M, K])]);
      const b = r.tensor(transposeB ? [N, K] : [K, N]);
      const all = gf.matmul(a, b, { transposeA, transposeB });
      assert.deepEqual(all.shape, [2, B, M, N]);
      for (let i = 0; i < 2 * B; i++) {
        const one = { data: a.data.slice(i * M * K, (i + 1) * M * K), shape: a.shape.slice(2) };
        const { data } = gf.matmul(one, b, { transposeA, transposeB });
        assert.deepEqual(all.data.subarray(i * M * N, (i + 1) * M * N), data);
      }
      if (transposeA) return;
      const { data } = gf.matmul(a, b, { transposeB });
      const weight = transposeB ? b : gf.transpose(b);
      assert.deepEqual(gf.linear(a, weight).data, data);
      const bias = r.tensor([N]);
      assert.deepEqual(gf.linear(a, weight, bias), gf.add({ data, shape: all.shape }, bias));
    },
  );
});

test('transpose, argmax and cosine are what they say', () => {
  check(size(3), size(6), size(6), seed, (B, M, N, s) => {
    const r = random(s);
    const x = r.tensor([B, M, N]);
    const turned = gf.transpose(x);
    assert.deepEqual(turned.shape, [B, N, M]);
    assert.deepEqual(gf.transpose(turned), x);
    for (let i = 0; i < B; i++)
      for (let m = 0; m < M; m++)
        for (let n = 0; n < N; n++) assert.equal(turned.data[(i * N + n) * M + m], x.data[(i * M + m) * N + n]);
    x.data[0] = x.data[N - 1]; // a tie
    const best = gf.argmax(x);
    assert.ok(best.data instanceof Int32Array);
    assert.deepEqual(best.shape, [B, M]);
    const y = r.tensor([B, M, N]);
    const cosines = gf.cosine(x, y);
    for (let row = 0; row < B * M; row++) {
      const [one, other] = [x, y].map(({ data }) => [...data.subarray(row * N, (row + 1) * N)]);
      assert.equal(best.data[row], one.indexOf(Math.max(...one)));
      const dot = (p, q) => p.reduce((sum, value, i) => sum + value * q[i], 0);
      const expected = dot(one, other) / Math.hypot(...one) / Math.hypot(...other);
      assert.ok(Math.abs(cosines.data[row] - expected) < 1e-6);
    }
  });
  const three = gf.tensor([1, 2, -3, 4, 5, 6], [3, 2]);
  for (const name of /** @type {const} */ (['dot', 'cosine', 'klDivergence'])) {
    const whole = gf[name](
      three,
      [...Array(3)].map(() => [7, -1]),
    );
    for (const one of [[7, -1], [[7, -1]]]) assert.deepEqual(gf[name](three, one), whole); // a row beside each of them
    const turned = gf[name](
      [...Array(3)].map(() => [7, -1]),
      three,
    );
    assert.deepEqual(gf[name]([7, -1], three), turned);
    assert.throws(
      () =>
        gf[name](three, [
          [1, 2],
          [3, 4],
        ]),
      { code: 'shape', value: [2, 2] },
    );
  }
  const logits = gf.tensor([1, 2, 3, 4, 5, 7], [1, 2, 3]);
  assert.deepEqual(gf.crossEntropy(logits, [2, 0]), gf.crossEntropy(logits, [[2, 0]])); // a single sequence's labels
  assert.throws(() => gf.crossEntropy(logits, [2]), { code: 'shape', parameter: 'labels' });
  assert.throws(() => gf.crossEntropy(gf.tensor([1, 2, 3, 4], [2, 1, 2]), [0, 1]), { code: 'shape' });
  assert.deepEqual(gf.argmax([1, NaN, 3]), { data: Int32Array.of(1), shape: [] });
  assert.deepEqual(
    [
      ...gf.cosine(
        [
          [0, 0],
          [1e30, 0],
        ],
        [
          [1, 2],
          [1e30, 1e30],
        ],
      ).data,
    ],
    [0, Math.fround(Math.SQRT1_2)],
  );
});
