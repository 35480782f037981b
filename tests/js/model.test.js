// Models: what they hold, that a seed means bits, what forward computes and what it refuses.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { load } from 'glassformer';
import { withModelOf } from './engines.js';
import { close, layer, matrix, random, refused, same, size, stack } from './reference.js';

const gf = await load({ variant: 'simd' });

const SMALL = { d_model: 8, heads: 2, d_ff: 12, layers: 2, maxLength: 16 };
const DECODER = { ...SMALL, kind: 'decoder', vocabulary: 11, head: 'linear' };
const BOTH = {
  ...SMALL,
  kind: 'encoder-decoder',
  vocabulary: 9,
  targetVocabulary: 7,
  head: 'linear',
  decoderLayers: 1,
};

const withModel = (config, body) => withModelOf(gf, config, body);

const digest = ({ data }) =>
  createHash('sha256')
    .update(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
    .digest('hex');
const digests = (model) => new Map([...model.weights()].map(([name, tensor]) => [name, digest(tensor)]));
const names = (model, region) =>
  model
    .tensors()
    .filter((t) => t.region === region)
    .map(({ name }) => name);
const arrays = [Float32Array, Int32Array, Uint8Array];

/** All that can be read of a model, as bits. */
const state = (model) =>
  JSON.stringify([model.seed, model.config, model.tensors().map(({ name }) => [name, digest(model.tensor(name))])]);

test('config is complete and frozen, with defaults by kind', () => {
  withModel({}, ({ config, seed }) => {
    assert.equal(config.kind, 'encoder');
    assert.deepEqual([config.d_model, config.heads, config.d_ff, config.layers], [64, 4, 256, 2]);
    assert.deepEqual(
      [config.norm, config.activation, config.positions, config.head],
      ['post', 'relu', 'sinusoidal', 'none'],
    );
    assert.deepEqual([config.causal, config.finalNorm, config.residual, config.epsilon], [false, false, true, 1e-5]);
    assert.equal(seed, 0);
    assert.ok(Object.isFrozen(config));
    assert.ok(!('seed' in config));
    withModel(config, (twin) => assert.deepEqual(twin.config, config));
  });
  withModel(DECODER, ({ config }) => assert.equal(config.causal, true));
  withModel(BOTH, ({ config }) => assert.deepEqual([config.causal, config.finalNorm], [true, true]));
});

test("weights have PyTorch's names and shapes", () => {
  withModel(
    {
      ...SMALL,
      kind: 'encoder',
      layers: 1,
      vocabulary: 5,
      types: 2,
      positions: 'learned',
      embeddingNorm: true,
      finalNorm: true,
      head: 'linear',
    },
    (model) => {
      const shapes = Object.fromEntries([...model.weights()].map(([name, { shape }]) => [name, shape]));
      const P = 'encoder.layers.0.';
      assert.deepEqual(shapes, {
        'tok_emb.weight': [5, 8],
        'pos_emb.weight': [16, 8],
        'type_emb.weight': [2, 8],
        'emb_ln.weight': [8],
        'emb_ln.bias': [8],
        [`${P}self_attn.in_proj_weight`]: [24, 8],
        [`${P}self_attn.in_proj_bias`]: [24],
        [`${P}self_attn.out_proj.weight`]: [8, 8],
        [`${P}self_attn.out_proj.bias`]: [8],
        [`${P}norm1.weight`]: [8],
        [`${P}norm1.bias`]: [8],
        [`${P}linear1.weight`]: [12, 8],
        [`${P}linear1.bias`]: [12],
        [`${P}linear2.weight`]: [8, 12],
        [`${P}linear2.bias`]: [8],
        [`${P}norm2.weight`]: [8],
        [`${P}norm2.bias`]: [8],
        'encoder.norm.weight': [8],
        'encoder.norm.bias': [8],
        'generator.weight': [5, 8],
        'generator.bias': [5],
      });
      assert.equal(
        model.parameterCount,
        Object.values(shapes).reduce((sum, shape) => sum + size(shape), 0),
      );
    },
  );
  withModel(BOTH, (model) => {
    const weights = model.weights();
    assert.deepEqual(weights.get('src_emb.weight').shape, [9, 8]);
    assert.deepEqual(weights.get('tgt_emb.weight').shape, [7, 8]);
    assert.deepEqual(weights.get('decoder.layers.0.multihead_attn.in_proj_weight').shape, [24, 8]);
    assert.ok(weights.has('decoder.layers.0.norm3.bias') && weights.has('decoder.norm.weight'));
    assert.ok(!weights.has('decoder.layers.1.norm1.weight'));
  });
});

test('tensors() follows each other layout, trainer and hand on its answer', () => {
  withModel({ kind: 'decoder', vocabulary: 7, d_model: 8, head: 'tied' }, (model) => {
    const shapes = () => Object.fromEntries(model.tensors().map(({ name, shape }) => [name, shape]));
    model.forward({ ids: [1, 2, 3], capture: true });
    assert.deepEqual(shapes()['decoder.input'], [1, 3, 8]);
    model.forward({ ids: [1, 2, 3, 4], capture: true });
    assert.deepEqual(shapes()['decoder.input'], [1, 4, 8]);
    for (const each of model.tensors()) each.shape.fill(0);
    assert.deepEqual(shapes()['decoder.input'], [1, 4, 8], 'what the caller gets is his own');
    const batch = { ids: [1, 2, 3, 4], labels: [2, 3, 4, 5] };
    const first = model.trainer().gradients(batch);
    assert.ok(model.tensors().some(({ region }) => region === 'gradient'));
    const again = model.trainer({ loss: 'crossEntropy' }).gradients(batch);
    assert.deepEqual(again, first);
    for (const { name, region } of model.tensors().filter(({ region }) => region === 'gradient'))
      assert.ok(model.tensor(name).data.every(Number.isFinite), `${name} ${region}`);
  });
});

test('tensors() tells what can be read, and all of it can', () => {
  withModel(BOTH, (model) => {
    assert.ok(model.tensors().every(({ region }) => region === 'weight'));
    const batch = {
      sourceIds: { data: [1, 2, 3, 4, 5, 6], shape: [2, 3] },
      targetIds: { data: [1, 2, 3, 4], shape: [2, 2] },
      sourcePadding: { data: [0, 0, 1, 0, 0, 0], shape: [2, 3] },
    };
    model.forward(batch);
    assert.deepEqual(names(model, 'intermediate'), []);
    assert.deepEqual(names(model, 'input').sort(), ['decoder.ids', 'encoder.ids', 'encoder.padding', 'memory.padding']);
    assert.deepEqual(names(model, 'result').sort(), [
      'decoder.out',
      'decoder.positions',
      'encoder.out',
      'encoder.positions',
      'logits',
      'output',
    ]);
    model.forward({ ...batch, capture: true });
    const list = model.tensors();
    assert.equal(new Set(list.map(({ name }) => name)).size, list.length);
    for (const { name, shape, dtype } of list) {
      const tensor = model.tensor(name);
      assert.deepEqual(tensor.shape, shape, name);
      assert.ok(tensor.data instanceof arrays[['float32', 'int32', 'uint8'].indexOf(dtype)], name);
      assert.equal(tensor.data.length, size(shape), name);
      if (dtype === 'float32')
        assert.ok(
          tensor.data.every((v) => v === -Infinity || Number.isFinite(v)),
          name,
        );
    }
    for (const [name, shape] of [
      ['encoder.layers.0.self_attn.query', [2, 2, 3, 4]],
      ['encoder.layers.1.self_attn.weights', [2, 2, 3, 3]],
      ['decoder.layers.0.multihead_attn.weights', [2, 2, 2, 3]],
      ['decoder.layers.0.multihead_attn.key', [2, 2, 3, 4]],
      ['decoder.layers.0.ffn.activation', [2, 2, 12]],
      ['decoder.layers.0.residual3', [2, 2, 8]],
      ['decoder.layers.0.norm3.mean', [2, 2]],
      ['encoder.layers.0.out', [2, 3, 8]],
      ['probabilities', [2, 2, 7]],
      ['encoder.embedding', [2, 3, 8]],
      ['decoder.input', [2, 2, 8]],
    ])
      assert.deepEqual(model.tensor(name).shape, shape, name);
    assert.deepEqual([...model.tensor('encoder.ids').data], [1, 2, 3, 4, 5, 6]);
    assert.deepEqual([...model.tensor('memory.padding').data], [0, 0, 1, 0, 0, 0]);
    same(model.tensor('output'), model.tensor('decoder.out'));
  });
});

test('heads come out of their strides: concat holds the same numbers', () => {
  withModel(DECODER, (model) => {
    model.forward({ ids: [1, 2, 3, 4, 5], capture: true });
    const heads = model.tensor('decoder.layers.0.self_attn.head_outputs');
    const concat = model.tensor('decoder.layers.0.self_attn.concat');
    const joined = Array.from({ length: 5 }, (_, t) => [0, 1].flatMap((h) => matrix(heads, 0, h)[t]));
    assert.deepEqual(joined.flat(), [...concat.data]);
    refused(() => model.view('decoder.layers.0.self_attn.head_outputs'), 'state', 'name');
  });
});

test('view() is live, tensor() is a copy', () => {
  withModel(DECODER, (model) => {
    model.forward({ ids: [1, 2] });
    const view = model.view('logits');
    const copy = model.tensor('logits');
    assert.deepEqual(view, copy.data);
    model.forward({ ids: [3, 4] });
    assert.notDeepEqual(view, copy.data);
    assert.deepEqual(view, model.tensor('logits').data);
    const bias = model.view('generator.bias');
    bias.fill(100);
    assert.ok(model.forward({ ids: [3, 4] }).logits.data.every((v) => v > 50));
    const { buffer } = bias;
    const more = gf.createModel({ vocabulary: 20000, d_model: 64 }); // grows the memory
    if (buffer.byteLength === 0) assert.equal(bias.length, 0, 'an old view is dead, not wrong');
    assert.ok(model.view('generator.bias').every((v) => v === 100));
    more.free();
  });
});

test('growth of the memory in the middle of a call leaves arguments and results right', async () => {
  const fresh = await load({ variant: 'simd' });
  const model = fresh.createModel({ kind: 'feed-forward', d_model: 4, d_ff: 4 });
  const vectors = random(1).tensor([1, 3, 4]);
  const { output } = model.forward({ vectors });
  const before = fresh.memoryBytes;
  // a live view as argument of a call that must grow the memory
  const view = { data: model.view('output'), shape: [12] };
  const table = { data: new Float32Array(1 << 20).fill(2), shape: [1 << 20, 1] };
  const embedded = fresh.embedding([0, 1], table);
  assert.ok(fresh.memoryBytes > before, 'the memory has grown');
  assert.deepEqual([...embedded.data], [2, 2]);
  refused(() => fresh.relu(view), 'shape', 'x'); // the view has died
  same(model.tensor('output'), output);
  const again = { data: model.view('output'), shape: [1, 12] };
  const grow = fresh.memoryBytes;
  const long = fresh.matmul(again, { data: new Float32Array(12 << 18).fill(1), shape: [12, 1 << 18] });
  assert.ok(fresh.memoryBytes > grow, 'the memory has grown again');
  const sum = output.data.reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(long.data[7] - sum) < 1e-5);
  same(model.forward({ vectors }).output, output);
});

test('a seed gives the same bits, another seed others', () => {
  withModel({ ...BOTH, seed: 5 }, (a) =>
    withModel({ ...BOTH, seed: 5 }, (b) => {
      assert.deepEqual(digests(a), digests(b));
      b.initialize(6);
      assert.equal(b.seed, 6);
      assert.notEqual(digests(a).get('src_emb.weight'), digests(b).get('src_emb.weight'));
      b.initialize(5);
      assert.deepEqual(digests(a), digests(b));
      const run = (model) => model.forward({ sourceIds: [1, 2], targetIds: [3] });
      same(run(a).logits, run(b).logits);
    }),
  );
});

test('a switch leaves the bits of the weights that stay alone', () => {
  withModel(DECODER, (plain) => {
    const expected = digests(plain);
    for (const change of [
      { norm: 'pre' },
      { norm: 'none' },
      { finalNorm: true },
      { attentionBias: false },
      { activation: 'gelu' },
      { head: 'none' },
      { positions: 'learned' },
      { positions: 'none' },
      { residual: false },
      { scoreScale: false },
      { causal: false },
      { layers: 1 },
      { heads: 4 },
      { normAffine: false },
      { embeddingScale: false },
      { embeddingNorm: true },
      { headBias: false },
      { maxLength: 9 },
    ]) {
      withModel({ ...DECODER, ...change }, (other) => {
        const shared = [...digests(other)].filter(([name]) => expected.has(name));
        assert.ok(shared.length > 5);
        for (const [name, bits] of shared)
          assert.equal(bits, expected.get(name), `${JSON.stringify(change)} moves ${name}`);
      });
    }
  });
});

test('forward against the reference, every kind of stack', () => {
  for (let seed = 0; seed < 12; seed++) {
    const r = random(seed);
    const [norm, both] = [r.pick(['pre', 'post']), r.bool()];
    const config = {
      ...(both ? BOTH : { ...SMALL, kind: 'encoder' }),
      vocabulary: 0,
      targetVocabulary: 0,
      head: 'none',
      layers: 1,
      decoderLayers: 1,
      positions: 'none',
      finalNorm: false,
      norm,
      seed,
      epsilon: 1e-2,
    };
    withModel(config, (model) => {
      const [B, S, T] = [2, r.int(1, 5), r.int(1, 4)];
      const vectors = r.tensor([B, S, 8]);
      const targetVectors = r.tensor([B, T, 8]);
      const weights = model.weights();
      const part = (prefix) => new Map([...weights].map(([name, tensor]) => [name.replace(prefix, ''), tensor]));
      const settings = { heads: 2, activation: 'relu', norm, epsilon: 1e-2 };
      const expected = [0, 1].map((b) => {
        const memory = layer(matrix(vectors, b), undefined, part('encoder.layers.0.'), settings);
        return both
          ? layer(matrix(targetVectors, b), memory, part('decoder.layers.0.'), { ...settings, self: { causal: true } })
          : memory;
      });
      const { output, logits } = model.forward(both ? { sourceVectors: vectors, targetVectors } : { vectors });
      close(output, stack(expected, [B, both ? T : S, 8]), 2e-5);
      assert.equal(logits, undefined);
    });
  }
});

test('absent token types count as 0, as in BERT', () => {
  withModel({ ...SMALL, kind: 'encoder', vocabulary: 5, types: 3 }, (model) => {
    const { output } = model.forward({ ids: [1, 2, 4] });
    same(output, model.forward({ ids: [1, 2, 4], typeIds: [0, 0, 0] }).output);
    assert.notDeepEqual(output, model.forward({ ids: [1, 2, 4], typeIds: [0, 1, 0] }).output);
  });
});

test('a model without a single weight hands its input on', () => {
  withModel({ kind: 'encoder', vocabulary: 0, layers: 0, positions: 'none', d_model: 3, heads: 1 }, (model) => {
    assert.equal(model.parameterCount, 0);
    const vectors = random(1).tensor([2, 4, 3]);
    same(model.forward({ vectors }).output, vectors);
  });
});

test('capturing changes no bit', () => {
  for (const [config, inputs] of [
    [DECODER, { ids: [1, 2, 3, 4] }],
    [{ ...DECODER, norm: 'pre', finalNorm: true, head: 'tied' }, { ids: [1, 2, 3] }],
    [BOTH, { sourceIds: [1, 2, 3], targetIds: [4, 5], sourcePadding: [0, 0, 1] }],
    [
      { ...SMALL, kind: 'encoder', vocabulary: 5, types: 3 },
      { ids: [1, 2], typeIds: [0, 2] },
    ],
  ]) {
    withModel(config, (model) => {
      const plain = model.forward(inputs);
      const seen = model.forward({ ...inputs, capture: true });
      const again = model.forward(inputs);
      for (const name of Object.keys(plain)) {
        same(plain[name], seen[name], name);
        same(plain[name], again[name], name);
      }
    });
  }
});

test('causal: a later token leaves earlier logits alone, to the bit', () => {
  withModel({ ...DECODER, positions: 'learned' }, (model) => {
    const V = 11;
    const before = model.forward({ ids: [1, 2, 3, 4, 5, 6] }).logits.data;
    for (let t = 1; t < 6; t++) {
      const ids = [1, 2, 3, 4, 5, 6];
      ids[t] = 10;
      const after = model.forward({ ids }).logits.data;
      assert.deepEqual(after.subarray(0, t * V), before.subarray(0, t * V), `token ${t}`);
      assert.notDeepEqual(after.subarray(t * V, t * V + V), before.subarray(t * V, t * V + V));
      assert.deepEqual(
        model.forward({ ids: ids.slice(0, t) }).logits.data,
        before.subarray(0, t * V),
        'nor does their absence',
      );
    }
  });
});

test('without positions an encoder does not know the order of its tokens', () => {
  const config = { ...SMALL, kind: 'encoder', vocabulary: 9, positions: 'none' };
  withModel(config, (model) => {
    const ids = [3, 1, 4, 1, 5];
    const order = [4, 2, 0, 3, 1];
    const rows = (values) => matrix(model.forward({ ids: values }).output, 0);
    const plain = rows(ids);
    close(stack([rows(order.map((i) => ids[i]))], [5, 8]), stack([order.map((i) => plain[i])], [5, 8]), 5e-6);
  });
  withModel({ ...config, positions: 'sinusoidal' }, (model) => {
    assert.notDeepEqual(
      model.forward({ ids: [1, 2] }).output.data.slice(0, 8),
      model.forward({ ids: [2, 1] }).output.data.slice(8),
    );
  });
});

test('padding hides: hidden tokens do not matter, a batch row equals the row alone', () => {
  withModel({ ...SMALL, kind: 'encoder', vocabulary: 9 }, (model) => {
    const padding = [0, 0, 1];
    const a = model.forward({ ids: [1, 2, 3], padding }).output.data.slice(0, 16);
    const b = model.forward({ ids: [1, 2, 8], padding: [false, false, true] }).output.data.slice(0, 16);
    assert.deepEqual(a, b);
    const pair = model.forward({
      ids: { data: [5, 6, 7, 1, 2, 3], shape: [2, 3] },
      padding: { data: [0, 0, 0, 0, 0, 1], shape: [2, 3] },
    });
    assert.deepEqual(pair.output.data.slice(24, 40), a);
  });
  withModel(BOTH, (model) => {
    const run = (extra) => model.forward({ sourceIds: [1, 2, 3], targetIds: [1, 2], ...extra }).output;
    same(
      run({ sourcePadding: [0, 0, 1] }),
      run({ sourcePadding: [0, 0, 1], memoryPadding: [0, 0, 1] }),
      'memoryPadding defaults to sourcePadding',
    );
    assert.notDeepEqual(
      run({ sourcePadding: [0, 0, 1], memoryPadding: [0, 0, 0] }).data,
      run({ sourcePadding: [0, 0, 1] }).data,
    );
    assert.notDeepEqual(run({ targetPadding: [1, 0] }).data, run({}).data);
  });
});

test('an additive mask does what causal does', () => {
  withModel({ ...DECODER, causal: false }, (model) => {
    const mask = { data: [0, -Infinity, -Infinity, 0, 0, -Infinity, 0, 0, 0], shape: [3, 3] };
    const masked = model.forward({ ids: [1, 2, 3], mask }).logits;
    withModel(DECODER, (causal) => same(causal.forward({ ids: [1, 2, 3] }).logits, masked));
    assert.notDeepEqual(model.forward({ ids: [1, 2, 3] }).logits.data, masked.data);
  });
});

test('a refused forward changes nothing', () => {
  const cases = [
    [{ ids: [1, 11] }, 'token', 'ids'],
    [{ ids: [-1] }, 'token', 'ids'],
    [{ ids: [0.5] }, 'range', 'ids'],
    [{}, 'missing', 'ids'],
    [{ ids: [] }, 'shape', 'ids'],
    [{ ids: { data: [1, 2], shape: [1, 1, 2] } }, 'shape', 'ids'],
    [{ ids: [1, 2], padding: [0] }, 'shape', 'padding'],
    [{ ids: [1, 2], padding: [0, 3] }, 'range', 'padding'],
    [{ ids: [1], mask: { data: [0, 0], shape: [1, 2] } }, 'shape', 'mask'],
    [{ ids: [1], capture: 1 }, 'type', 'capture'],
    [{ ids: [1], captured: true }, 'unknown', 'captured'],
    [{ ids: [1], typeIds: [1] }, 'config', 'typeIds'],
    [{ ids: [1], targetIds: [1] }, 'unknown', 'targetIds'],
    [{ vectors: { data: new Float32Array(8), shape: [1, 1, 8] } }, 'unknown', 'vectors'],
    [{ ids: Array(17).fill(1) }, 'range', 'ids'],
    [undefined, 'missing', 'options'],
    ['ids', 'type', 'ids'],
  ];
  withModel({ ...DECODER, positions: 'learned' }, (model) => {
    model.forward({ ids: [1, 2, 3], capture: true });
    const before = state(model);
    for (const [options, code, parameter] of cases) {
      refused(() => model.forward(options), code, parameter);
      assert.equal(state(model), before, `${code} ${parameter}`);
    }
  });
  withModel({ ...BOTH, types: 2 }, (model) => {
    model.forward({ sourceIds: [1, 2], targetIds: [3], capture: true });
    const before = state(model);
    for (const [options, code, parameter] of [
      [{ sourceIds: [1] }, 'missing', 'targetIds'],
      [{ ids: [1], targetIds: [1] }, 'unknown', 'ids'],
      [{ sourceIds: [8], targetIds: [7] }, 'token', 'targetIds'],
      [{ sourceIds: [9], targetIds: [6] }, 'token', 'sourceIds'],
      [{ sourceIds: [1], targetIds: [1], sourceTypeIds: [2] }, 'token', 'sourceTypeIds'],
      [{ sourceIds: [1, 2], targetIds: { data: [1, 2], shape: [2, 1] } }, 'shape', 'targetIds'],
      [{ sourceIds: [1, 2], targetIds: [1], memoryPadding: [0] }, 'shape', 'memoryPadding'],
      [{ sourceIds: [1], targetIds: [1], targetPadding: [0, 0] }, 'shape', 'targetPadding'],
    ]) {
      refused(() => model.forward(options), code, parameter);
      assert.equal(state(model), before, `${code} ${parameter}`);
    }
  });
  withModel({ kind: 'attention', d_model: 4, heads: 2 }, (model) => {
    const vectors = random(3).tensor([2, 3, 4]);
    const before = model.forward({ vectors }).output;
    refused(() => model.forward({ vectors: { data: new Float32Array(6), shape: [1, 2, 3] } }), 'shape', 'vectors');
    refused(
      () => model.forward({ vectors, memory: { data: new Float32Array(4), shape: [1, 1, 4] } }),
      'shape',
      'memory',
    );
    refused(() => model.forward({ vectors, ids: [1] }), 'unknown', 'ids');
    same(model.tensor('output'), before);
    assert.deepEqual(
      model.forward({ vectors: { data: vectors.data.slice(0, 12), shape: [3, 4] } }).output.shape,
      [1, 3, 4],
    );
  });
});

test('settings are checked by name', () => {
  for (const [config, code, parameter] of [
    [{ layer: 2 }, 'unknown', 'layer'],
    [{ kind: 'gpt' }, 'config', 'kind'],
    [{ kind: 1 }, 'type', 'kind'],
    [{ d_model: '8' }, 'type', 'd_model'],
    [{ d_model: 0 }, 'config', 'd_model'],
    [{ d_model: 8.5 }, 'config', 'd_model'],
    [{ d_model: NaN }, 'config', 'd_model'],
    [{ layers: 65 }, 'config', 'layers'],
    [{ d_model: 10, heads: 4 }, 'config', 'heads'],
    [{ causal: 1 }, 'type', 'causal'],
    [{ epsilon: -1 }, 'config', 'epsilon'],
    [{ norm: 'mid' }, 'config', 'norm'],
    [{ head: 'linear' }, 'config', 'head'],
    [{ kind: 'decoder', types: 2, vocabulary: 5 }, 'config', 'types'],
    [{ kind: 'feed-forward', d_ff: 0 }, 'config', 'd_ff'],
    [{ heads: 0, d_ff: 0 }, 'config', 'd_ff'],
    [{ heads: 0, window: 2 }, 'config', 'window'],
    [{ kind: 'attention', heads: 0 }, 'config', 'heads'],
    [{ kind: 'encoder-decoder', heads: 0 }, 'config', 'heads'],
    [{ tiedEmbeddings: true }, 'config', 'tiedEmbeddings'],
    [{ seed: -1 }, 'range', 'seed'],
    [{ seed: 2 ** 32 }, 'range', 'seed'],
    [{ seed: null }, 'type', 'seed'],
    [{ layers: null }, 'type', 'layers'],
    [null, 'type', 'options'],
    [[], 'type', 'options'],
    [7, 'type', 'options'],
  ]) {
    const error = refused(() => gf.createModel(config), code, parameter);
    if (code === 'config' && config[parameter] !== undefined) assert.equal(error.value, config[parameter]);
  }
  withModel({ ...DECODER, seed: 2 ** 32 - 1 }, ({ seed }) => assert.equal(seed, 2 ** 32 - 1));
});

test('names and seeds of a model are checked', () => {
  withModel(DECODER, (model) => {
    for (const name of ['no.such', '', 'x'.repeat(100), 'logits', 'généré', 'tok_emb.weight\0', '__proto__']) {
      refused(() => model.tensor(name), 'unknown', 'name');
      refused(() => model.view(name), 'unknown', 'name');
    }
    refused(() => model.tensor(3), 'type', 'selector');
    refused(() => model.tensor(), 'missing', 'selector');
    const before = state(model);
    refused(() => model.initialize(), 'missing', 'seed');
    refused(() => model.initialize(0.5), 'range', 'seed');
    assert.equal(state(model), before);
  });
});

test('a freed model is freed for good', () => {
  const model = gf.createModel(DECODER);
  model.forward({ ids: [1] });
  model.free();
  const others = [gf.createModel(DECODER), gf.createModel(DECODER)]; // may take its place in memory
  for (const call of [
    () => model.forward({ ids: [1] }),
    () => model.tensors(),
    () => model.tensor('logits'),
    () => model.view('logits'),
    () => model.weights(),
    () => model.loadWeights({}),
    () => model.initialize(1),
    () => model.generateSync({ ids: [1], maxTokens: 1 }),
  ])
    refused(call, 'freed', 'model');
  assert.ok(model.parameterCount > 0 && model.config.d_model > 0, 'what it was can still be asked');
  assert.equal(model.config.kind, 'decoder');
  for (const other of others) {
    other.forward({ ids: [1] });
    other.free();
  }
});

test('models give all their memory back', () => {
  const cycle = () =>
    withModel({ ...DECODER, d_model: 64, d_ff: 256 }, (model) => {
      model.forward({ ids: { data: new Int32Array(512), shape: [32, 16] }, capture: true });
      model.generateSync({ ids: [1], maxTokens: 5 });
    });
  cycle();
  const before = gf.memoryBytes;
  for (let i = 0; i < 100; i++) cycle();
  assert.equal(gf.memoryBytes, before);
});

test('loadWeights takes all or nothing', () => {
  withModel({ ...DECODER, seed: 1 }, (from) =>
    withModel({ ...DECODER, seed: 2 }, (to) => {
      const weights = from.weights();
      const fresh = state(to);
      const edit = (change) => {
        const copy = new Map([...weights].map(([name, { data, shape }]) => [name, { data: data.slice(), shape }]));
        change(copy);
        return copy;
      };
      for (const [given, code, parameter] of [
        [edit((w) => w.delete('generator.bias')), 'missing', 'generator.bias'],
        [edit((w) => w.set('extra', { data: [1], shape: [1] })), 'unknown', 'extra'],
        [edit((w) => w.set('generator.bias', { data: [1], shape: [1] })), 'shape', 'generator.bias'],
        [
          edit((w) => {
            w.get('generator.bias').data[3] = NaN;
          }),
          'range',
          'generator.bias',
        ],
        [
          edit((w) => {
            w.get('generator.weight').data[0] = Infinity;
          }),
          'range',
          'generator.weight',
        ],
        [edit((w) => w.set('generator.bias', { data: new Int32Array(11), shape: [11] })), 'dtype', 'generator.bias'],
        [edit((w) => w.set('generator.bias', undefined)), 'missing', 'generator.bias'],
        [undefined, 'missing', 'weights'],
        [[], 'type', 'weights'],
        [edit((w) => w.set(3, { data: [1], shape: [1] })), 'type', 'weights'],
      ]) {
        refused(() => to.loadWeights(given), code, parameter);
        assert.equal(state(to), fresh, `${code} ${parameter}`);
      }
      refused(() => to.loadWeights(weights, { renam: null }), 'unknown', 'renam');
      refused(() => to.loadWeights(weights, { rename: 'x' }), 'type', 'rename');
      refused(() => to.loadWeights(weights, { rename: () => 'generator.bias' }), 'shape');
      refused(() => to.loadWeights(weights, { rename: () => undefined }), 'type', 'rename');
      refused(
        () =>
          to.loadWeights(
            edit((w) => w.set('again', w.get('generator.bias'))),
            { rename: (n) => (n === 'again' ? 'generator.bias' : n) },
          ),
        'state',
        'again',
      );
      assert.equal(state(to), fresh);
      to.loadWeights(new Map([...weights].map(([name, t]) => [`module.${name}`, t])), {
        rename: (name) => name.slice(7),
      });
      assert.deepEqual(digests(to), digests(from));
      same(to.forward({ ids: [1, 2] }).logits, from.forward({ ids: [1, 2] }).logits);
      to.initialize(2);
      assert.notDeepEqual(digests(to), digests(from));
      to.loadWeights(Object.fromEntries(weights));
      assert.deepEqual(digests(to), digests(from));
      to.loadWeights(
        { 'generator.bias': { data: Array(11).fill(2), shape: [11] }, other: { data: [1], shape: [1] } },
        { strict: false },
      );
      assert.ok(to.tensor('generator.bias').data.every((v) => v === 2));
      assert.equal(digest(to.tensor('generator.weight')), digest(from.tensor('generator.weight')));
      to.loadWeights(
        edit((w) => w.set('skip', 7)),
        { rename: (name) => (name === 'skip' ? null : name) },
      );
      assert.deepEqual(digests(to), digests(from));
    }),
  );
});

test('kinds attention and feed-forward run as models', () => {
  const x = random(4).tensor([2, 3, 8]);
  withModel({ kind: 'attention', d_model: 8, heads: 2 }, (model) => {
    const { output } = model.forward({
      vectors: x,
      padding: { data: [0, 0, 1, 0, 0, 0], shape: [2, 3] },
      capture: true,
    });
    const once = gf.multiHeadAttention(x, {
      weights: model.weights(),
      heads: 2,
      keyPadding: { data: [0, 0, 1, 0, 0, 0], shape: [2, 3] },
    });
    same(output, once.output);
    same(model.tensor('weights'), once.weights);
    const memory = random(5).tensor([2, 4, 8]);
    same(
      model.forward({ vectors: x, memory }).output,
      gf.multiHeadAttention(x, { memory, weights: model.weights(), heads: 2 }).output,
    );
  });
  withModel({ kind: 'feed-forward', d_model: 8, d_ff: 16, activation: 'gelu' }, (model) => {
    same(
      model.forward({ vectors: x }).output,
      gf.feedForward(x, { weights: model.weights(), activation: 'gelu' }).output,
    );
  });
});

test('a layer with heads: 0 is its FFN alone, and keeps the bits of its weights', async () => {
  const bare = { vocabulary: 0, d_model: 8, d_ff: 16, layers: 1, positions: 'none', norm: 'none', residual: false };
  const x = random(4).tensor([2, 3, 8]);
  const [whole, model] = [bare, { ...bare, heads: 0 }].map((config) => gf.createModel(config));
  const weights = new Map([...model.weights()].map(([name, each]) => [name.replace('encoder.layers.0.', ''), each]));
  assert.deepEqual([...weights.keys()], ['linear1.weight', 'linear1.bias', 'linear2.weight', 'linear2.bias']);
  for (const [name, each] of model.weights()) same(whole.tensor(name), each);
  same(model.forward({ vectors: x }).output, gf.feedForward(x, { weights }).output);
  const { model: again } = await gf.loadModel(model.save());
  same(again.forward({ vectors: x }).output, model.forward({ vectors: x }).output);
  for (const each of [whole, model, again]) each.free();
});

test('a clone has the same settings, seed and weights to the bit, and lives on its own', () => {
  for (let seed = 0; seed < 12; seed++) {
    const r = random(seed);
    const config = {
      ...r.pick([
        DECODER,
        BOTH,
        { ...SMALL, kind: 'encoder', vocabulary: 9 },
        { kind: 'feed-forward', d_model: 4, d_ff: 3 },
      ]),
      ...(r.bool() && { activation: 'gelu' }),
      seed,
    };
    withModel(config, (model) => {
      const [name] = [...model.weights().keys()];
      model.view(name).set([-0, NaN, 3e-45]); // values that loadWeights would refuse are saved too
      const copy = model.clone();
      assert.deepEqual([copy.seed, copy.config], [model.seed, model.config]);
      assert.deepEqual(digests(copy), digests(model));
      const before = digests(model);
      copy.initialize(99);
      assert.deepEqual(digests(model), before);
      const other = model.clone();
      model.initialize(98);
      assert.deepEqual(digests(other), before);
      copy.free();
      other.free();
    });
  }
  withModel(DECODER, (model) => {
    const freed = model.clone();
    freed.free();
    refused(() => freed.clone(), 'freed', 'model');
  });
});

test('a clone with other settings has the weights that it needs of them, or is refused', () => {
  withModel({ ...DECODER, layers: 2, seed: 5 }, (model) => {
    const other = gf.createModel({ ...model.config, scoreScale: false, seed: 5 });
    const copy = model.clone({ scoreScale: false });
    assert.deepEqual([copy.seed, copy.config], [5, other.config]);
    assert.deepEqual(digests(copy), digests(other));
    const { logits } = copy.forward({ ids: [1, 2, 3] });
    assert.deepEqual(logits, other.forward({ ids: [1, 2, 3] }).logits);
    const shallow = model.clone({ layers: 1, seed: 7 });
    assert.equal(shallow.seed, 5, 'whose weights it has');
    const all = digests(model);
    for (const [name, bits] of digests(shallow)) assert.equal(bits, all.get(name), name);
    refused(() => model.clone({ layers: 3 }), 'unknown', 'name');
    refused(() => model.clone({ d_ff: 2 * model.config.d_ff }), 'shape', 'decoder.layers.0.linear1.weight');
    refused(() => model.clone({ layer: 1 }), 'unknown', 'layer');
    refused(() => model.clone(3), 'type', 'changes');
    refused(() => model.clone([]), 'type', 'changes');
    const before = gf.memoryBytes;
    for (let i = 0; i < 200; i++) refused(() => model.clone({ d_ff: 2 * model.config.d_ff }), 'shape');
    assert.ok(gf.memoryBytes - before <= 2 ** 16, 'what is refused leaves nothing behind');
    for (const each of [other, copy, shallow]) each.free();
  });
});

test('a model in training and its clone take the same steps from the same moments', () => {
  withModel(DECODER, (model) => {
    const batch = { ids: [1, 2, 3], labels: [2, 3, 4] };
    const trainer = model.trainer({ learningRate: 0.01 });
    for (let i = 0; i < 3; i++) trainer.step(batch);
    const copy = model.clone();
    const twin = copy.trainer(trainer.settings);
    twin.resume(trainer.state());
    for (const one of [trainer, twin]) for (let i = 0; i < 3; i++) one.step(batch);
    assert.deepEqual(digests(copy), digests(model));
    copy.free();
  });
});
