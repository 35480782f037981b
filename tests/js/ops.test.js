// Every operation against the naive double-precision reference, on random shapes, in each variant
// that runs here; and what must hold of any attention.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GlassformerError } from 'glassformer';
import { eachEngine, engines } from './engines.js';
import * as ref from './reference.js';
import { perform } from '../operations.js';

const { close, matrix, random, same, size, stack } = ref;
const ROUNDS = 40;
const each = eachEngine(ROUNDS);

const every = (n, f) => Array.from({ length: n }, (_, i) => f(i));

each('matmul', (gf, r) => {
  const lead = every(r.int(0, 2), () => r.int(1, 3));
  const [M, K, N] = [r.int(1, 37), r.int(1, 40), r.int(1, 35)];
  const [transposeA, transposeB] = [r.bool(), r.bool()];
  const a = r.tensor([...lead, ...(transposeA ? [K, M] : [M, K])]);
  const b = r.tensor([...lead, ...(transposeB ? [N, K] : [K, N])]);
  const flat = (t) => ({ data: t.data, shape: [size(lead), ...t.shape.slice(-2)] });
  const parts = every(size(lead), (i) =>
    ref.matmul(
      transposeA ? ref.transpose(matrix(flat(a), i)) : matrix(flat(a), i),
      transposeB ? ref.transpose(matrix(flat(b), i)) : matrix(flat(b), i),
    ),
  );
  close(gf.matmul(a, b, { transposeA, transposeB }), stack(parts, [...lead, M, N]), 3e-6);
});

// The first factor's rows alone go by another loop than among others: one row of a transposed product, fewer than five.
each('rows of a product have the same bits alone and among others', (gf, r) => {
  const [K, N, transposeB] = [r.int(1, 70) + r.pick([0, 0, 500, 1000]), r.int(1, 150), r.bool(0.8)];
  const a = r.tensor([8, K]);
  const b = r.tensor(transposeB ? [N, K] : [K, N]);
  const all = gf.matmul(a, b, { transposeB }).data;
  for (let M = 1; M <= 4; M++) {
    const from = r.int(0, 8 - M);
    const rows = { data: a.data.slice(from * K, (from + M) * K), shape: [M, K] };
    const alone = gf.matmul(rows, b, { transposeB }).data;
    assert.deepEqual(alone, all.slice(from * N, (from + M) * N), `M ${M} K ${K} N ${N} ${transposeB}`);
  }
});

each('softmax', (gf, r) => {
  const shape = [...every(r.int(0, 2), () => r.int(1, 4)), r.int(1, 70)];
  const x = r.tensor(shape, r.pick([1, 30, 1e4]));
  for (let i = 0; i < x.data.length; i++) if (r.bool(0.1)) x.data[i] = -Infinity;
  const N = shape.at(-1);
  const rows = matrix({ data: x.data, shape: [size(shape) / N, N] });
  const y = gf.softmax(x);
  close(y, stack(rows.map(ref.softmax), shape), 1e-6);
  rows.forEach((row, i) => {
    const sum = y.data.subarray(i * N, i * N + N).reduce((a, b) => a + b, 0);
    const dead = row.every((value) => value === -Infinity);
    assert.ok(Math.abs(sum - (dead ? 0 : 1)) < 2e-6, `row ${i} sums to ${sum}`);
    row.forEach((value, n) => value === -Infinity && assert.equal(y.data[i * N + n], 0));
  });
});

each('logSoftmax, klDivergence', (gf, r) => {
  const shape = [...every(r.int(0, 2), () => r.int(1, 4)), r.int(1, 70)];
  const [p, q] = [r.tensor(shape, r.pick([1, 30, 1e4])), r.tensor(shape, 3)];
  const N = shape.at(-1);
  for (let i = 0; i < p.data.length; i++) if (i % N && r.bool(0.1)) p.data[i] = -Infinity;
  const rows = (/** @type {any} */ t) => matrix({ data: t.data, shape: [size(shape) / N, N] });
  const logs = (/** @type {number[]} */ row) => {
    const top = Math.max(...row);
    const sum = top + Math.log(row.reduce((total, value) => total + Math.exp(value - top), 0));
    return row.map((value) => value - sum);
  };
  const [logP, logQ] = [rows(p).map(logs), rows(q).map(logs)];
  close(gf.logSoftmax(p), stack(logP, shape), 1e-7);
  const terms = logP.map((row, i) =>
    row.reduce((sum, value, n) => (value === -Infinity ? sum : sum + Math.exp(value) * (value - logQ[i][n])), 0),
  );
  const got = gf.klDivergence(p, q);
  close(got, { data: terms, shape: shape.slice(0, -1) }, 1e-7);
  assert.ok(got.data.every((value) => value >= 0));
  same(gf.klDivergence(p, p), { data: new Float32Array(terms.length), shape: shape.slice(0, -1) });
});

each('dot, vectorNorm', (gf, r) => {
  const shape = [...every(r.int(0, 3), () => r.int(1, 4)), r.int(1, 70)];
  const [a, b] = [r.tensor(shape, 10), r.tensor(shape)];
  const C = shape.at(-1);
  const sum = (/** @type {any} */ x, /** @type {any} */ y, /** @type {number} */ row) =>
    every(C, (c) => x.data[row * C + c] * y.data[row * C + c]).reduce((total, term) => total + term, 0);
  const outer = shape.slice(0, -1);
  const perRow = (/** @type {(row: number) => number} */ f) => ({ data: every(size(outer), f), shape: outer });
  close(
    gf.dot(a, b),
    perRow((row) => sum(a, b, row)),
    1e-7,
  );
  same(gf.dot(b, a), gf.dot(a, b));
  close(
    gf.vectorNorm(a),
    perRow((row) => Math.sqrt(sum(a, a, row))),
    1e-7,
  );
});

each('layerNorm', (gf, r) => {
  const shape = [...every(r.int(0, 2), () => r.int(1, 4)), r.int(2, 70)];
  const C = shape.at(-1);
  const x = r.tensor(shape, 5);
  const weight = r.bool() ? r.tensor([C]) : undefined;
  const bias = r.bool() ? r.tensor([C]) : undefined;
  const epsilon = r.pick([undefined, 1e-3, 0.5]);
  const rows = matrix({ data: x.data, shape: [size(shape) / C, C] }).map((row) =>
    ref.layerNorm(row, weight?.data, bias?.data, epsilon ?? 1e-5),
  );
  const got = gf.layerNorm(x, { weight, bias, epsilon });
  close(
    got.output,
    stack(
      rows.map(({ output }) => output),
      shape,
    ),
    1e-5,
  );
  close(got.mean, { data: rows.map(({ mean }) => mean), shape: shape.slice(0, -1) }, 1e-6);
  close(got.variance, { data: rows.map(({ variance }) => variance), shape: shape.slice(0, -1) }, 1e-6);
});

each('activation, relu, gelu', (gf, r) => {
  const x = r.tensor(
    every(r.int(0, 3), () => r.int(1, 9)),
    r.pick([1, 6]),
  );
  for (const [activation, f] of Object.entries(ref.activations)) {
    const y = gf.activation(x, activation);
    close(y, { data: Array.from(x.data, f), shape: x.shape }, 1e-6, activation);
    if (activation === 'relu') same(gf.relu(x), y);
    if (activation === 'gelu') same(gf.gelu(x), y);
    if (activation === 'gelu-tanh') same(gf.gelu(x, { approximate: 'tanh' }), y);
  }
});

each('embedding', (gf, r) => {
  const [V, C] = [r.int(1, 20), r.int(1, 20)];
  const table = r.tensor([V, C]);
  const ids = r.ids(
    every(r.int(0, 3), () => r.int(1, 4)),
    V,
  );
  const scale = r.pick([undefined, 2, -0.5]);
  const rows = Array.from(ids.data, (id) => matrix(table)[id].map((x) => x * (scale ?? 1)));
  close(gf.embedding(ids, table, { scale }), stack(rows, [...ids.shape, C]), 0);
  if (ids.shape.length === 1) same(gf.embedding([...ids.data], table), gf.embedding(ids, table));
});

each('positionalEncoding', (gf, r) => {
  const d_model = r.int(1, 33);
  const [start, length] = [r.pick([undefined, 0, 7, 1e6]), r.int(1, 20)];
  const positions = every(length, (i) => (start ?? 0) + i);
  const expected = stack(
    positions.map((p) => ref.position(p, d_model)),
    [length, d_model],
  );
  const got = gf.positionalEncoding({ d_model, length, start });
  close(got, expected, 1e-7);
  same(gf.positionalEncoding({ d_model, positions }), got);
});

each('attention', (gf, r) => {
  const rank = r.int(2, 4);
  const [B, H, D, T, S] = [rank === 2 ? 1 : r.int(1, 3), r.int(1, 4), r.int(1, 9), r.int(1, 9), r.int(1, 11)];
  const E = r.pick([D, r.int(1, 9)]); // columns of a value head
  const shape = (length, width = D) =>
    [
      [length, H * width],
      [B, length, H * width],
      [B, H, length, width],
    ][rank - 2];
  const [query, key, value] = [r.tensor(shape(T), 2), r.tensor(shape(S), 2), r.tensor(shape(S, E))];
  const keyPadding = r.bool() ? r.padding(r.bool() && rank > 2 ? [B, S] : [S], 0.4) : undefined;
  const mask = r.bool() ? r.tensor([T, S]) : undefined;
  if (mask) mask.data[0] = -Infinity;
  const [causal, scale] = [r.bool(), r.pick([undefined, 1, -0.3])];
  const head = (t, b, h, width = D) =>
    rank === 4
      ? matrix(t, b, h)
      : matrix({ data: t.data, shape: [B, t.shape.at(-2), H * width] }, b).map((row) =>
          row.slice(h * width, (h + 1) * width),
        );
  const padded = (b) =>
    keyPadding &&
    Array.from(keyPadding.data)
      .slice(keyPadding.shape.length === 1 ? 0 : b * S)
      .slice(0, S);
  const runs = every(B, (b) =>
    every(H, (h) =>
      ref.attention(head(query, b, h), head(key, b, h), head(value, b, h, E), {
        causal,
        scale,
        padding: padded(b),
        mask: mask && matrix(mask),
      }),
    ),
  );
  const maps = rank === 2 ? [H, T, S] : [B, H, T, S];
  const got = gf.attention(query, key, value, {
    heads: rank === 4 && r.bool() ? undefined : H,
    causal,
    scale,
    keyPadding,
    mask,
  });
  close(
    got.scores,
    stack(
      runs.map((heads) => heads.map(({ scores }) => scores)),
      maps,
    ),
    3e-6,
    'scores',
  );
  close(
    got.weights,
    stack(
      runs.map((heads) => heads.map(({ weights }) => weights)),
      maps,
    ),
    3e-6,
    'weights',
  );
  const outputs =
    rank === 4
      ? runs.map((heads) => heads.map(({ output }) => output))
      : runs.map((heads) => every(T, (t) => heads.map(({ output }) => output[t])));
  close(got.output, stack(outputs, shape(T, E)), 4e-6, 'output');
});

each('crossEntropy', (gf, r) => {
  const lead = every(r.int(0, 2), () => r.int(1, 5));
  const V = r.int(1, 40);
  const logits = r.tensor([...lead, V], r.pick([1, 20]));
  const labels = r.ids(lead, V);
  const ignoreIndex = r.pick([-100, 0]);
  for (let i = 0; i < labels.data.length; i++) if (r.bool(0.2)) labels.data[i] = ignoreIndex;
  const [labelSmoothing, reduction] = [r.pick([0, 0.1, 1]), r.pick(['mean', 'sum'])];
  const expected = ref.crossEntropy(matrix({ data: logits.data, shape: [size(lead), V] }), labels.data, {
    ignoreIndex,
    labelSmoothing,
    reduction,
  });
  const got = gf.crossEntropy(logits, labels, { reduction, ignoreIndex, labelSmoothing });
  close(got.logProbabilities, stack(expected.logProbabilities, logits.shape), 3e-6);
  assert.equal(got.count, expected.count);
  if (expected.count === 0 && reduction === 'mean') assert.ok(Number.isNaN(got.loss));
  else
    assert.ok(
      Math.abs(got.loss - expected.loss) <= 3e-6 * (1 + Math.abs(expected.loss)),
      `${got.loss} ${expected.loss}`,
    );
});

each('multiHeadAttention', (gf, r) => {
  const [B, heads, D, T] = [r.int(1, 3), r.int(1, 3), r.int(1, 6), r.int(1, 7)];
  const C = heads * D;
  const crossed = r.bool();
  const S = crossed ? r.int(1, 8) : T;
  const x = r.tensor([B, T, C]);
  const memory = crossed ? r.tensor([B, S, C]) : undefined;
  const weights = ref.attentionWeights(r, C, r.bool());
  const causal = r.bool();
  const keyPadding = r.bool() ? r.padding([B, S], 0.4) : undefined;
  const mask = r.bool() ? r.tensor([T, S]) : undefined;
  const runs = every(B, (b) =>
    ref.multiHead(matrix(x, b), memory && matrix(memory, b), weights, heads, {
      causal,
      padding: keyPadding && keyPadding.data.subarray(b * S, b * S + S),
      mask: mask && matrix(mask),
    }),
  );
  const got = gf.multiHeadAttention(x, { memory, weights, heads, causal, keyPadding, mask });
  const heads4 = (field, width, length) =>
    stack(
      runs.map(({ run }) => run.map((one) => one[field])),
      [B, heads, length, width],
    );
  close(got.query, heads4('query', D, T), 3e-6, 'query');
  close(got.key, heads4('key', D, S), 3e-6, 'key');
  close(got.value, heads4('value', D, S), 3e-6, 'value');
  close(got.scores, heads4('raw', S, T), 5e-6, 'scores');
  close(got.scaled, heads4('scores', S, T), 5e-6, 'scaled');
  close(got.masked, heads4('masked', S, T), 5e-6, 'masked');
  close(got.weights, heads4('weights', S, T), 5e-6, 'weights');
  close(got.headOutputs, heads4('output', D, T), 5e-6, 'headOutputs');
  close(
    got.concat,
    stack(
      runs.map(({ concat }) => concat),
      [B, T, C],
    ),
    5e-6,
    'concat',
  );
  close(
    got.output,
    stack(
      runs.map(({ output }) => output),
      [B, T, C],
    ),
    8e-6,
    'output',
  );
  for (let b = 0; b < B; b++)
    for (let h = 0; h < heads; h++)
      for (let t = 0; t < T; t++)
        for (let d = 0; d < D; d++) {
          assert.ok(
            Object.is(ref.at(got.concat, b, t, h * D + d), ref.at(got.headOutputs, b, h, t, d)),
            'concat is the heads side by side',
          );
        }
});

each('feedForward', (gf, r) => {
  const [B, T, C, F] = [r.int(1, 3), r.int(1, 5), r.int(1, 12), r.int(1, 20)];
  const x = r.tensor([B, T, C]);
  const weights = ref.feedForwardWeights(r, C, F);
  const activation = r.pick(Object.keys(ref.activations));
  const runs = every(B, (b) => ref.feedForward(matrix(x, b), weights, activation));
  const got = gf.feedForward(x, { weights, activation });
  close(
    got.preActivation,
    stack(
      runs.map(({ pre }) => pre),
      [B, T, F],
    ),
    4e-6,
  );
  close(
    got.activation,
    stack(
      runs.map(({ active }) => active),
      [B, T, F],
    ),
    4e-6,
  );
  close(
    got.output,
    stack(
      runs.map(({ output }) => output),
      [B, T, C],
    ),
    6e-6,
  );
});

each('encoderLayer and decoderLayer', (gf, r) => {
  const [B, heads, T, F] = [r.int(1, 2), r.int(1, 3), r.int(1, 6), r.int(1, 12)];
  const C = heads * r.int(2, 5);
  const cross = r.bool();
  const S = r.int(1, 6);
  const [norm, activation] = [r.pick(['post', 'pre', 'none']), r.pick(['relu', 'gelu'])];
  const epsilon = 1e-2; // so that a row of nearly equal numbers does not blow rounding up
  const weights = ref.layerWeights(r, C, F, { cross, norm });
  const x = r.tensor([B, T, C]);
  const memory = r.tensor([B, S, C]);
  const causal = r.bool();
  const [keyPadding, memoryKeyPadding] = [r.padding([B, T]), r.padding([B, S])];
  const mask = r.bool() ? r.tensor([T, T]) : undefined;
  const part = (padding, b, n) => padding.data.subarray(b * n, b * n + n);
  const expected = every(B, (b) =>
    ref.layer(matrix(x, b), cross ? matrix(memory, b) : undefined, weights, {
      heads,
      activation,
      norm,
      epsilon,
      self: { causal, padding: part(keyPadding, b, T), mask: mask && matrix(mask) },
      cross: { padding: part(memoryKeyPadding, b, S) },
    }),
  );
  const shared = {
    x,
    weights: r.bool() ? weights : Object.fromEntries(weights),
    heads,
    activation,
    norm,
    epsilon,
    causal,
    keyPadding,
    mask,
  };
  const got = cross
    ? perform(gf, 'decoderLayer', { ...shared, memory, memoryKeyPadding })
    : perform(gf, 'encoderLayer', shared);
  close(got.output, stack(expected, [B, T, C]), 3e-5);
  same(got.output, got.tensors.get('out'));
  for (const name of [
    'self_attn.weights',
    'ffn.pre_activation',
    cross ? 'multihead_attn.weights' : 'self_attn.scaled',
    ...(norm === 'none' ? [] : ['norm1.out', 'norm2.mean']),
  ])
    assert.ok(got.tensors.has(name), name);
});

each('rank 2 is a batch of one without its axis', (gf, r) => {
  const C = 8;
  const x = r.tensor([5, C]);
  const batch = { data: x.data, shape: [1, 5, C] };
  const weights = ref.layerWeights(r, C, 6, { norm: 'post' });
  const single = gf.encoderLayer(x, { weights, heads: 2 });
  const full = gf.encoderLayer(batch, { weights, heads: 2 });
  assert.deepEqual(single.output.shape, [5, C]);
  assert.deepEqual(single.output.data, full.output.data);
  assert.deepEqual(single.tensors.get('self_attn.weights').shape, [2, 5, 5]);
  const one = gf.multiHeadAttention(x, { weights: ref.attentionWeights(r, C), heads: 2 });
  assert.deepEqual(one.weights.shape, [2, 5, 5]);
  assert.deepEqual(one.concat.shape, [5, C]);
});

each('attention without positions does not know the order of the keys', (gf, r) => {
  const [S, C] = [r.int(2, 9), 8];
  const [query, key, value] = [r.tensor([4, C]), r.tensor([S, C]), r.tensor([S, C])];
  const order = every(S, (i) => i)
    .map((i) => [r.next(), i])
    .sort((a, b) => a[0] - b[0])
    .map(([, i]) => i);
  const moved = (t) => ({ data: order.flatMap((i) => [...t.data.subarray(i * C, i * C + C)]), shape: t.shape });
  const plain = gf.attention(query, key, value, { heads: 2 });
  close(gf.attention(query, moved(key), moved(value), { heads: 2 }).output, plain.output, 2e-6);
});

each('a query whose keys are all hidden gets zeros', (gf, r) => {
  const [T, S] = [r.int(1, 5), r.int(1, 9)];
  const [query, key, value] = [r.tensor([T, 4]), r.tensor([S, 4]), r.tensor([S, 4])];
  const hide = r.bool()
    ? { keyPadding: every(S, () => true) }
    : { mask: { data: new Float32Array(T * S).fill(-Infinity), shape: [T, S] } };
  const got = perform(gf, 'attention', { query, key, value, ...hide });
  assert.ok(got.weights.data.every((w) => w === 0));
  assert.ok(got.output.data.every((y) => y === 0));
  assert.ok(got.scores.data.every(Number.isFinite), 'scores are those before the masks');
});

each('a causal query does not feel later keys, to the bit', (gf, r) => {
  const [T, C] = [r.int(2, 12), 6];
  const [query, key, value] = [r.tensor([T, C]), r.tensor([T, C]), r.tensor([T, C])];
  const before = gf.attention(query, key, value, { heads: 3, causal: true });
  const t = r.int(1, T - 1);
  key.data.subarray(t * C).forEach((_, i, later) => {
    later[i] += 1 + r.next();
  });
  value.data.subarray(t * C).fill(1e6);
  const after = gf.attention(query, key, value, { heads: 3, causal: true });
  assert.deepEqual(after.output.data.subarray(0, t * C), before.output.data.subarray(0, t * C));
  assert.notDeepEqual(after.output.data, before.output.data);
});

test("arguments are read, never written, and results are the caller's own", () => {
  const [gf] = engines;
  const x = { data: Float32Array.of(3, 1, 2), shape: [3] };
  const first = gf.softmax(x);
  const copy = first.data.slice();
  gf.softmax({ data: [9, 9, 9], shape: [3] });
  assert.deepEqual(first.data, copy);
  assert.deepEqual(x, { data: Float32Array.of(3, 1, 2), shape: [3] });
  first.data.fill(7);
  assert.deepEqual(gf.softmax(x).data, copy);
});

test('plain arrays, Float64Array and arrays of another realm are as good', async () => {
  const [gf] = engines;
  const { runInNewContext } = await import('node:vm');
  const expected = gf.softmax({ data: Float32Array.of(1, 2, 3), shape: [3] });
  for (const data of [
    [1, 2, 3],
    Float64Array.of(1, 2, 3),
    runInNewContext('Float32Array.of(1, 2, 3)'),
    runInNewContext('[1, 2, 3]'),
  ]) {
    same(gf.softmax({ data, shape: [3] }), expected);
  }
});

test('a part of each head turns, and what is no such part is refused', () => {
  const [gf] = engines;
  const x = random(3).tensor([4, 12]); // two heads of 6
  const { data } = gf.rotary(x, { heads: 2, width: 2, theta: 100 });
  const whole = (/** @type {number} */ from) => {
    const pair = { data: x.data.filter((_, i) => [from, from + 1].includes(i % 12)), shape: [4, 2] };
    return gf.rotary(pair, { theta: 100 }).data;
  };
  const [first, second] = [whole(0), whole(6)];
  data.forEach((each, i) => {
    const [row, at] = [Math.floor(i / 12), i % 12];
    const turned = at % 6 < 2 ? (at < 6 ? first : second)[2 * row + (at % 6)] : x.data[i];
    assert.equal(each, turned, `number ${at} of row ${row}`);
  });
  for (const [width, why] of /** @type {[number, RegExp][]} */ ([
    [8, /^width: must be at most 6, a head's, got 8$/],
    [3, /^width: must be even/],
    [0, /width/],
  ]))
    assert.throws(() => gf.rotary(x, { heads: 2, width }), { parameter: 'width', message: why });
});

test('operations give all their memory back, also when refused', () => {
  const [gf] = engines;
  const big = { data: new Float32Array(1 << 18), shape: [1 << 9, 1 << 9] };
  gf.matmul(big, big);
  const weights = ref.layerWeights(random(1), 64, 64, { norm: 'post' });
  const x = random(2).tensor([16, 64, 64]);
  gf.encoderLayer(x, { weights, heads: 4 });
  const before = gf.memoryBytes;
  for (let i = 0; i < 50; i++) {
    gf.matmul(big, big);
    gf.encoderLayer(x, { weights, heads: 4 });
    assert.throws(() => gf.encoderLayer(x, { weights, heads: 4, keyPadding: [1] }), GlassformerError);
    assert.throws(() => gf.encoderLayer(x, { weights: {}, heads: 4 }), GlassformerError);
  }
  assert.equal(gf.memoryBytes, before);
});
