// Calls that cost too much are refused before they begin, with their cost; and generation can be ended.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';

import { load } from 'glassformer';
import { withModelOf } from './engines.js';
import { refused } from './reference.js';
import { perform } from '../operations.js';

const gf = await load({ variant: 'simd' });
const t = (shape, Type = Float32Array) => ({ data: new Type(shape.reduce((a, b) => a * b, 1)), shape });
const zeros = (...shape) => t(shape, Int32Array);

/** The costs in the C core, which src/js/engine/cost.js repeats for operations. */
const C = Object.fromEntries(
  [...readFileSync(new URL('../../src/model/dims.c', import.meta.url), 'utf8').matchAll(/COST_(\w+) = (\d+)/g)].map(
    ([, name, value]) => [name, Number(value)],
  ),
);

test('operations cost what the core says that a pass does', () => {
  const costOf = (call) => refused(call, 'limit').value;
  const tight = { maxOperations: 1 };
  const [M, K, N] = [3, 5, 7];
  assert.equal(
    costOf(() => gf.matmul(t([M, K]), t([K, N]), tight)),
    M * (K * N + C.WRITE * N + C.ROW),
  );
  const [T, S, H, D] = [3, 5, 2, 4];
  assert.equal(
    costOf(() => gf.attention(t([T, H * D]), t([S, H * D]), t([S, H * D]), { heads: H, ...tight })),
    H * T * (S * (2 * D + C.SCORE) + C.HEAD_ROW),
  );
});

const small = { vocabulary: 7, d_model: 8, heads: 2, d_ff: 12, layers: 2 };

/** The cost of a pass, counted over the matrices that it used and the tensors that it captured. */
function counted(model, { B, S, T }) {
  const { d_model, heads, head, kind, activation } = model.config;
  const of = (rows, inner, columns) => rows * (inner * columns + 12 * columns + 300);
  let sum = 1e5;
  for (const { name, shape } of model.tensors()) {
    const size = shape.reduce((a, b) => a * b, 1);
    const rows = B * (name.startsWith('encoder.') ? S : T || S);
    if (/\.scores$|^scores$/.test(name)) {
      sum += (2 * size * d_model) / heads + 32 * size + (600 * size) / shape[3];
    }
    if (/(linear[12]|out_proj|dense)\.weight$/.test(name)) sum += of(rows, shape[1], shape[0]);
    if (/in_proj_weight$/.test(name)) {
      const cross = name.includes('multihead') || (kind === 'attention' && S > 0);
      for (const count of [rows, cross ? B * S : rows, cross ? B * S : rows]) sum += of(count, d_model, d_model);
    }
    if (/pre_activation$/.test(name)) sum += size * (/relu|none/.test(activation) ? 6 : 48);
    if (/residual\d$/.test(name)) sum += 6 * size;
    if (/(norm\d?|emb_ln)\.out$/.test(name)) sum += 12 * size + (300 * size) / d_model;
    if (/^(en|de)coder\.out$/.test(name)) sum += 40 * size + 300 * rows;
  }
  const [logits] = model.tensors().filter(({ name }) => name === 'logits');
  if (head === 'none') return sum;
  const [, rows, V] = logits.shape;
  return sum + of(B * rows, d_model, V) + 12 * B * rows * V;
}

test('the estimate is what a pass computes: products, and what takes as long as products', () => {
  const size = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(
      fc.constantFrom('encoder', 'decoder', 'encoder-decoder', 'attention', 'feed-forward'),
      fc.record({
        B: size,
        S: size,
        T: size,
        heads: size,
        width: size,
        d_ff: size,
        layers: fc.integer({ max: 3, min: 0 }),
      }),
      fc.record({
        decoderLayers: fc.integer({ max: 3, min: 0 }),
        head: fc.constantFrom('none', 'linear', 'tied'),
        other: fc.boolean(),
        more: fc.record({
          activation: fc.constantFrom('relu', 'gelu', 'gelu-tanh', 'none', 'silu'),
          norm: fc.constantFrom('none', 'pre', 'post'),
          residual: fc.boolean(),
        }),
        whole: fc.record({ finalNorm: fc.boolean(), headTransform: fc.boolean(), embeddingNorm: fc.boolean() }),
      }),
      (kind, { B, S, T, heads, width, d_ff, layers }, { decoderLayers, head, other, more, whole }) => {
        const alone = kind === 'attention' || kind === 'feed-forward';
        const both = kind === 'encoder-decoder';
        const d_model = heads * width;
        const config = { kind, heads, d_model, d_ff, layers, ...more };
        const headTransform = whole.headTransform && head !== 'none';
        if (!alone) Object.assign(config, { vocabulary: 7, head, ...whole, headTransform });
        if (both) Object.assign(config, { decoderLayers, targetVocabulary: other ? 5 : 0 });
        withModelOf(gf, config, (model) => {
          const memory = kind === 'attention' && other ? { memory: t([B, S, d_model]) } : {};
          const given = alone
            ? { vectors: t([B, T, d_model]), ...memory }
            : both
              ? { sourceIds: zeros(B, S), targetIds: zeros(B, T) }
              : { ids: zeros(B, kind === 'decoder' ? T : S) };
          model.forward({ ...given, capture: true });
          const sizes = { B, S: kind === 'encoder' || both || memory.memory ? S : 0, T: kind === 'encoder' ? 0 : T };
          const operations = counted(model, sizes);
          model.forward({ ...given, maxOperations: operations });
          const { value } = refused(() => model.forward({ ...given, maxOperations: operations - 1 }), 'limit');
          assert.equal(value, operations);
        });
      },
    ),
    { numRuns: 200 },
  );
});

test('a million ids are refused with their cost, and nothing changes', () => {
  withModelOf(gf, { kind: 'decoder', vocabulary: 7, head: 'linear' }, (model) => {
    model.forward({ ids: [1, 2], capture: true });
    const before = model.tensors();
    const error = refused(() => model.forward({ ids: zeros(1e6) }), 'limit', 'ids');
    assert.match(error.message, /^ids: would take some 2\d{4} s; split it, or pass maxOperations: Infinity; /);
    assert.match(error.message, /; multiply-adds must be at most 1000000000000, got 51\d{13}$/);
    refused(() => model.generateSync({ ids: zeros(1e6), maxTokens: 1 }), 'limit', 'ids');
    refused(() => model.generateSync({ ids: [1], maxTokens: 1e6 }), 'limit', 'ids');
    refused(() => model.trainer().step({ ids: zeros(1e6), labels: zeros(1e6) }), 'limit', 'ids');
    assert.deepEqual(model.tensors(), before);
  });
});

test('base-size work is allowed', () => {
  const cost = (config, ids) =>
    withModelOf(gf, config, (model) => refused(() => model.forward({ ids, maxOperations: 1 }), 'limit').value);
  const base = cost({ vocabulary: 9, d_model: 512, heads: 8, d_ff: 2048, layers: 1 }, zeros(8, 512));
  const products = 8 * 512 * (12 * 512 ** 2 + 2 * 512 * 512);
  assert(base > 1.05 * products && base < 1.3 * products, `${base / products}`);
  assert(3 * 6 * base < 1e12, 'a training step of six layers');
  const layer = cost(
    { kind: 'decoder', vocabulary: 9, d_model: 768, heads: 12, d_ff: 3072, layers: 1 },
    zeros(1, 1024),
  );
  assert(3 * (12 * layer + 1024 * 768 * 50257) < 1e12, "a training step of GPT-2's small size");
});

test('training counts three times, loss once; generation as one pass, without cache as many', () => {
  withModelOf(gf, { ...small, kind: 'decoder', head: 'linear' }, (model) => {
    const cost = (call) => refused(() => call({ maxOperations: 1 }), 'limit').value;
    const ids = [1, 2, 3];
    const pass = (length) => cost((most) => model.forward({ ids: zeros(length), ...most }));
    const trainer = model.trainer();
    const batch = { ids, labels: ids };
    for (const call of ['step', 'gradients'])
      assert.equal(
        cost((most) => trainer[call]({ ...batch, ...most })),
        3 * pass(3),
      );
    assert.equal(
      cost((most) => trainer.loss({ ...batch, ...most })),
      pass(3),
    );
    assert.equal(
      cost((most) => model.generateSync({ ids, maxTokens: 3, ...most })),
      pass(5),
    );
    assert.equal(
      cost((most) => model.generateSync({ ids, maxTokens: 3, cache: false, ...most })),
      3 * pass(4),
    );
    model.generateSync({ ids, maxTokens: 3, cache: false, maxOperations: 3 * pass(4) });
  });
});

test('a cost grows with each size, by at least its products', () => {
  const small = { kind: 'encoder', vocabulary: 9, d_model: 8, heads: 2, d_ff: 8, layers: 1, head: 'linear' };
  const cost = (config, B = 2, S = 5) =>
    withModelOf(gf, { ...small, ...config }, (model) => {
      const call = () => model.forward({ ids: zeros(B, S), maxOperations: 1 });
      return refused(call, 'limit').value;
    });
  const least = cost({});
  for (const more of [{ d_model: 16 }, { heads: 4 }, { d_ff: 16 }, { layers: 2 }, { outputVocabulary: 20 }]) {
    assert(cost(more) > least, JSON.stringify(more));
  }
  assert.equal(cost({}, 4) - 1e5, 2 * (least - 1e5));
  assert(cost({}, 2, 6) > least);
  // Narrow heads: a score takes as long as 32 multiply-adds, whatever the width of its head.
  const wide = cost({ d_model: 64, heads: 1 }, 1, 512);
  const narrow = cost({ d_model: 64, heads: 64 }, 1, 512);
  assert.equal(narrow - wide, 63 * 512 * (32 * 512 + 600));
});

test('operations and layers', () => {
  const [a, b] = [t([2, 3, 4]), t([2, 4, 5])];
  const cost = 2 * 3 * (4 * 5 + 12 * 5 + 300);
  assert.equal(refused(() => gf.matmul(a, b, { maxOperations: cost - 1 }), 'limit', 'a').value, cost);
  gf.matmul(a, b, { maxOperations: cost });
  const [query, key] = [t([2, 3, 4]), t([2, 5, 4])];
  const each = { query, key, value: key, heads: 2 };
  const scores = 2 * 2 * 3 * (5 * (2 * 2 + 32) + 600);
  assert.equal(refused(() => perform(gf, 'attention', { ...each, maxOperations: 1 }), 'limit', 'query').value, scores);
  const { weights } = perform(gf, 'attention', each);
  const backward = { ...each, weights, gradient: query, maxOperations: 2 * scores - 1 };
  assert.equal(refused(() => perform(gf, 'attentionBackward', backward), 'limit', 'query').value, 2 * scores);
  const layer = {
    'linear1.weight': t([6, 4]),
    'linear1.bias': t([6]),
    'linear2.weight': t([4, 6]),
    'linear2.bias': t([4]),
  };
  const most = 1e5 + 6 * (4 * 6 + 12 * 6 + 300) + 6 * (4 * 6 + 12 * 4 + 300) + 6 * 6 * 6;
  refused(() => gf.feedForward(query, { weights: layer, maxOperations: most - 1 }), 'limit', 'x');
  gf.feedForward(query, { weights: layer, maxOperations: most });
});

test('an engine has a limit of its own, and a call another', async () => {
  const strict = await load({ variant: 'simd', maxOperations: 100 });
  const a = t([5, 5]);
  refused(() => strict.matmul(a, a), 'limit', 'a');
  strict.matmul(a, a, { maxOperations: Infinity });
  withModelOf(strict, small, (model) => {
    refused(() => model.forward({ ids: [1] }), 'limit', 'ids');
    model.forward({ ids: [1], maxOperations: Infinity });
  });
  for (const bad of [0, -1, NaN, '1', null, true]) {
    refused(() => gf.matmul(a, a, { maxOperations: bad }), 'type', 'maxOperations');
    await assert.rejects(load({ maxOperations: bad }), { code: 'type', parameter: 'maxOperations' });
  }
});

const writer = { kind: 'decoder', vocabulary: 20, d_model: 8, heads: 2, layers: 1, head: 'linear', seed: 3 };
const prompt = { ids: [1, 2, 3], maxTokens: 30, temperature: 1, seed: 5 };

test('a signal ends generate before the next token', () => {
  withModelOf(gf, writer, (model) => {
    const before = model.weights();
    const seen = [];
    const controller = new AbortController();
    const onToken = (id) => void (seen.push(id) === 4 && controller.abort());
    assert.throws(() => model.generateSync({ ...prompt, onToken, signal: controller.signal }), { name: 'AbortError' });
    assert.equal(seen.length, 4);
    assert.throws(
      () => model.generateSync({ ...prompt, signal: AbortSignal.abort('enough') }),
      (error) => error === 'enough',
    );
    assert.deepEqual([...model.generateSync(prompt).newIds.slice(0, 4)], seen);
    assert.deepEqual(model.weights(), before);
    for (const signal of [true, {}, 'abort'])
      refused(() => model.generateSync({ ...prompt, signal }), 'type', 'signal');
  });
});

test('generate gives the same tokens, in turns of the event loop', async () => {
  const model = gf.createModel({ ...writer, d_model: 64, layers: 2 });
  const long = { ...prompt, maxTokens: 300 };
  const endless = { ...prompt, maxTokens: 1e5, maxOperations: Infinity };
  const expected = model.generateSync(long);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const answer = model.generate(long);
  await null; // it begins by itself, unless it is looped over
  refused(() => model.forward({ ids: [1] }), 'state', 'model');
  refused(() => model.free(), 'state', 'model');
  assert.deepEqual(await answer, expected);
  await assert.rejects(model.generate({ ...endless, signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' });
  clearInterval(timer);
  assert(turns > 0);
  await assert.rejects(model.generate({ ...long, ids: [] }), { code: 'shape' });
  model.forward({ ids: [1] }); // ready again
  model.free();
});
