// Direct logit attribution: the parts add up to the logit, and each is what its vector gives when it is carried forward
// to the output alone, in double.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import fc from 'fast-check';
import { load, writeSafetensors } from 'glassformer';
import { loadFeatures } from 'glassformer/features';
import { at, random } from './reference.js';

const gf = await load({ variant: 'simd' });

/** Every setting that lies on the way from a part to a logit. */
const CONFIG = fc.record({
  kind: fc.constantFrom('encoder', 'decoder', 'encoder-decoder'),
  norm: fc.constantFrom('none', 'pre', 'post'),
  normKind: fc.constantFrom('layer', 'rms'),
  normAffine: fc.boolean(),
  finalNorm: fc.boolean(),
  embeddingNorm: fc.boolean(),
  residual: fc.constantFrom(true, true, true, false),
  positions: fc.constantFrom('none', 'sinusoidal', 'learned', 'rotary'),
  ffn: fc.constantFrom('plain', 'gated'),
  activation: fc.constantFrom('relu', 'gelu', 'silu'),
  heads: fc.constantFrom(0, 2, 4),
  keyValueHeads: fc.constantFrom(0, 1, 2),
  headWidth: fc.constantFrom(0, 4, 6),
  qkNorm: fc.boolean(),
  beside: fc.boolean(),
  relativeBuckets: fc.constantFrom(0, 8),
  headScale: fc.boolean(),
  d_ff: fc.constantFrom(0, 10),
  layers: fc.constantFrom(0, 1, 3),
  decoderLayers: fc.constantFrom(1, 2),
  head: fc.constantFrom('linear', 'tied'),
  headBias: fc.boolean(),
  headTransform: fc.boolean(),
  attentionBias: fc.boolean(),
  attentionOutBias: fc.boolean(),
  ffnBias: fc.boolean(),
  tiedEmbeddings: fc.boolean(),
  weights: fc.constantFrom('f32', 'f32', 'f32', 'bf16'),
  seed: fc.nat(1e6),
});

/** A model of random weights, biases and gains included; null: the settings exclude each other. @param {any} given */
function modelOf({ seed, heads, keyValueHeads = 0, beside, ...given }) {
  const both = given.kind === 'encoder-decoder';
  const config = {
    ...given,
    // Without norms each gated network about cubes the stream, whose squares then have no float.
    layers: given.norm === 'none' && given.ffn === 'gated' ? Math.min(given.layers, 1) : given.layers,
    heads,
    keyValueHeads: heads ? Math.min(heads, keyValueHeads) : 0,
    d_model: 16,
    vocabulary: 11,
    ...(both ? {} : { decoderLayers: undefined, tiedEmbeddings: undefined }),
    ...(given.positions === 'rotary' && beside && heads && { ropeWidth: 2 }),
    parallel: Boolean(!both && beside && given.norm === 'pre' && given.residual && heads && given.d_ff),
  };
  let model;
  try {
    model = gf.createModel({ ...config, seed });
  } catch (error) {
    assert.equal(/** @type {any} */ (error).code, 'config');
    return null;
  }
  const r = random(seed);
  const weights = [...model.weights()].map(([name, { data, shape }]) => {
    const noise = r.tensor(shape, 0.3).data;
    return /** @type {const} */ ([name, { data: data.map((each, i) => each + noise[i]), shape }]);
  });
  model.loadWeights(new Map(weights));
  const ids = (/** @type {number} */ length) => Array.from(r.ids([length], 11).data);
  return { model, input: both ? { sourceIds: ids(5), targetIds: ids(4) } : { ids: ids(5) }, last: both ? 3 : 4 };
}

/** @param {number[]} values */
const sumOf = (values) => values.reduce((a, b) => a + b, 0);

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const dot = (a, b) => sumOf(Array.from(b, (each, i) => each * a[i]));

/** The sum of the parts may differ by this: float32 of its terms. @param {any} found */
const tolerance = ({ embedding, biases, parts }) =>
  2e-5 * (1 + Math.abs(embedding) + Math.abs(biases) + sumOf(parts.map(({ value }) => Math.abs(value))));

test('the parts of any model add up to its logit, and to the difference of two', async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(CONFIG, fc.nat(10), fc.nat(10), async (config, id, against) => {
      const made = modelOf(config);
      if (!made) return;
      seen++;
      const { model, input, last } = made;
      const trace = model.trace(input);
      for (const token of [0, last])
        for (const options of [{ id }, { id, against }]) {
          const found = await trace.attribution(token, options);
          const scores = [id, ...('against' in options ? [against] : [])].map((each) =>
            at(trace.logits, 0, token, each),
          );
          assert.equal(found.logit, scores.length > 1 ? scores[0] - scores[1] : scores[0]);
          const { embedding, biases, patches, parts } = found;
          assert.equal(patches, 0);
          const sum = sumOf([embedding, biases, ...parts.map(({ value }) => value)]);
          assert.ok(Math.abs(sum - found.logit) <= tolerance(found), `${sum}, not ${found.logit}`);
          for (const { value, keys } of parts)
            if (keys) assert.ok(Math.abs(sumOf([...keys]) - value) <= tolerance(found), `${sumOf([...keys])} ${value}`);
        }
      model.free();
    }),
    { numRuns: 150, seed: 43 },
  );
  assert.ok(seen > 60, `${seen} models`);
});

/** A vector carried through a norm that keeps its scale. */
function normed(x, square, gain, isRms) {
  const mean = isRms ? 0 : sumOf([...x]) / x.length;
  return x.map((each, i) => ((each - mean) / Math.sqrt(square + 1e-5)) * (gain ? gain[i] : 1));
}

test('each part is its vector carried forward to the output alone', async () => {
  const settings = { d_model: 16, vocabulary: 11, heads: 4, d_ff: 10, layers: 2, head: 'linear' };
  for (const own of [
    { kind: 'encoder', norm: 'post' },
    {
      kind: 'decoder',
      norm: 'pre',
      normKind: 'rms',
      finalNorm: true,
      ffn: 'gated',
      keyValueHeads: 2,
      positions: 'rotary',
    },
    { kind: 'decoder', norm: 'post', finalNorm: true },
  ]) {
    const { model, input } = /** @type {any} */ (modelOf({ ...settings, ...own, seed: 7 }));
    const trace = model.trace(input);
    const stack = own.kind;
    const row = 3;
    const weights = model.weights();
    const isRms = own.normKind === 'rms';
    const through = (/** @type {number[]} */ x, /** @type {string} */ name) =>
      normed(
        x,
        trace.tensor(`${name}.${isRms ? 'mean_square' : 'variance'}`).data[row],
        weights.get(`${name}.weight`).data,
        isRms,
      );
    /** From behind a sublayer of a layer, 1 or 2, to the logit of a word. */
    const forward = (/** @type {any} */ x, /** @type {number} */ layer, /** @type {number} */ sublayer, id) => {
      if (own.norm === 'post')
        for (let l = layer; l < 2; l++)
          for (let s = l === layer ? sublayer : 1; s <= 2; s++) x = through(x, `${stack}.layers.${l}.norm${s}`);
      if (own.finalNorm) x = through(x, `${stack}.norm`);
      return sumOf(x.map((each, c) => each * at(weights.get('generator.weight'), id, c)));
    };
    const id = 6;
    const { embedding, parts } = await trace.attribution(row, { id, neurons: 1 });
    const close = (/** @type {number} */ a, /** @type {number} */ b, /** @type {string} */ what) =>
      assert.ok(Math.abs(a - b) < 1e-4 * (1 + Math.abs(b)), `${stack} ${own.norm} ${what}: ${a}, not ${b}`);
    close(embedding, forward([...trace.tensor({ name: `${stack}.input`, row }).data], 0, 1, id), 'embedding');
    assert.equal(parts.length, 2 * (4 + 1));
    assert.deepEqual(
      parts.filter((each) => each.neurons).map(({ layer, head }) => [layer, head]),
      [[1, undefined]],
    );
    for (const { layer, head, value, keys, neurons } of parts) {
      if (neurons) {
        const given = trace.tensor({ layer, role: own.ffn === 'gated' ? 'product' : 'activation', row }).data;
        const columns = weights.get(`${stack}.layers.1.linear2.weight`);
        assert.equal(neurons.length, 10);
        neurons.forEach((each, n) => {
          const column = Array.from({ length: 16 }, (_, c) => at(columns, c, n) * given[n]);
          close(each, forward(column, layer, 2, id), `neuron ${n}`);
        });
        close(sumOf([...neurons]), value, 'neurons together');
      }
      if (head === undefined) {
        const bias = weights.get(`${stack}.layers.${layer}.linear2.bias`).data;
        const out = [...trace.tensor({ layer, node: 'ffn', row }).data].map((each, c) => each - bias[c]);
        close(value, forward(out, layer, 2, id), `FFN ${layer}`);
        continue;
      }
      const out = weights.get(`${stack}.layers.${layer}.self_attn.out_proj.weight`);
      const map = (/** @type {ArrayLike<number>} */ vector) =>
        Array.from({ length: 16 }, (_, c) => sumOf(Array.from(vector, (each, d) => each * at(out, c, head * 4 + d))));
      close(value, forward(map(trace.tensor({ layer, head, row }).data), layer, 1, id), `head ${layer}.${head}`);
      const group = own.keyValueHeads ? Math.floor(head / 2) : head;
      const values = trace.tensor({ layer, node: 'attention', role: 'value', head: group });
      const attention = trace.tensor({ layer, node: 'attention', role: 'weights', head, row });
      const one = Array.from({ length: 4 }, (_, d) => attention.data[1] * at(values, 1, d));
      close(/** @type {any} */ (keys)[1], forward(map(one), layer, 1, id), `head ${layer}.${head} from key 1`);
    }
  }
});

test('ablations are parts of 0; what patches of the stream put in is apart', async () => {
  const { model, input } = /** @type {any} */ (
    modelOf({ kind: 'decoder', norm: 'pre', heads: 2, layers: 2, head: 'tied', d_ff: 8, seed: 3 })
  );
  const off = await model.trace({ ...input, ablate: [{ layer: 1, head: 0 }] }).attribution(4);
  const { value, keys } = off.parts.find(({ layer, head }) => layer === 1 && head === 0);
  assert.equal(value, 0);
  assert.ok(
    keys.some((each) => each !== 0),
    'the keys are those of the weights that it had',
  );
  assert.ok(Math.abs(off.patches) < 1e-4);
  const plain = model.trace(input);
  const added = 3 * plain.tensor({ layer: 0, row: 4 }).data[2];
  const patched = model.trace({ ...input, patches: [{ name: 'decoder.layers.0.out', index: [0, 4, 2], value: 0 }] });
  const found = await patched.attribution(4, { id: 5 });
  const own = -(added / 3) * at(model.weights().get('tok_emb.weight'), 5, 2);
  assert.ok(Math.abs(found.patches - own) < 1e-4, `${found.patches}, not ${own}`);
});

test('the answer is the default; what is no word, token or head is refused', async () => {
  const { model, input } = /** @type {any} */ (
    modelOf({ kind: 'decoder', heads: 2, layers: 1, head: 'linear', seed: 1 })
  );
  const trace = model.trace(input);
  const row = trace.logits.data.slice(4 * 11, 5 * 11);
  assert.equal((await trace.attribution(4)).id, row.indexOf(Math.max(...row)));
  await assert.rejects(trace.attribution(5), { code: 'range', parameter: 'token' });
  await assert.rejects(trace.attribution(4, { id: 11 }), { code: 'range', parameter: 'id' });
  await assert.rejects(trace.attribution(4, { against: -1 }), { code: 'range', parameter: 'against' });
  await assert.rejects(trace.attribution(4, { neurons: 9 }), { code: 'range', parameter: 'neurons' });
  await assert.rejects(trace.attribution(4, { word: 1 }), { code: 'unknown' });
  await assert.rejects(model.trace({ ids: [[1, 2], [3, 4]] }).attribution(0), { code: 'shape' }); // prettier-ignore
  const bare = gf.createModel({ kind: 'encoder', vocabulary: 9, d_model: 8, heads: 2 });
  await assert.rejects(bare.trace({ ids: [1] }).attribution(0), { code: 'config', parameter: 'head' });
  trace.free();
  await assert.rejects(trace.attribution(0), { code: 'freed' });
});

/** A dictionary of random directions. @param {number} width @param {object} [said] more of its settings */
function dictionaryOf(width, said = {}) {
  const r = random(width);
  const size = width + 5;
  const weights = writeSafetensors({
    W_enc: r.tensor([width, size], 1),
    W_dec: r.tensor([size, width], 1),
    b_enc: r.tensor([size], 0.1),
    b_dec: r.tensor([width], 0.1),
  });
  const config = { architecture: 'topk', k: 4, d_in: width, d_sae: size, ...said };
  return loadFeatures({ config: { ...config, metadata: { hook_name: 'blocks.1.hook_resid_post' } }, weights });
}

test('features: with what they do not rebuild, the effect of the place where they are', async () => {
  const { model, input } = /** @type {any} */ (
    modelOf({ kind: 'decoder', norm: 'pre', finalNorm: true, heads: 4, layers: 2, d_ff: 10, head: 'linear', seed: 9 })
  );
  const [trace, row, id] = [model.trace(input), 3, 6];
  const place = (/** @type {string} */ name) => `decoder.layers.1.${name}`;
  const weights = model.weights();
  const out = weights.get('generator.weight').data.subarray(id * 16, (id + 1) * 16);
  const ends = weights.get('generator.bias').data[id] + dot(out, weights.get('decoder.norm.bias').data);
  for (const [normalize, width, at, wanted] of /** @type {any[]} */ ([
    ['none', 16, 'decoder.input', (/** @type {any} */ { embedding }) => embedding],
    ['none', 10, place('ffn.activation'), (/** @type {any} */ { parts }) => parts.at(-1).value],
    ['none', 16, place('ffn.out'), (/** @type {any} */ { parts, features }) => parts.at(-1).value + features.bias],
    ['layer_norm', 16, place('self_attn.concat'), ({ parts }) => sumOf(parts.slice(5, 9).map(({ value }) => value))],
    ['none', 16, place('out'), (/** @type {any} */ { logit }) => logit - ends],
  ])) {
    const features = await dictionaryOf(width, normalize === 'none' ? {} : { normalize_activations: normalize });
    const found = await trace.attribution(row, { id, features, at });
    const { name, values, rest, vector, direction } = found.features;
    assert.equal(name, at);
    assert.equal(values.length, width + 5);
    assert.ok([...values].filter(Boolean).length <= 4);
    assert.deepEqual(vector, trace.tensor({ name: at, row }).data);
    const coded = features.encode(vector).data;
    if (normalize === 'none')
      values.forEach((value, n) => {
        const own = coded[n] * dot(features.vector(n), direction);
        assert.ok(Math.abs(own - value) < 1e-5 * (1 + Math.abs(own)), `${at} ${n}: ${own}, not ${value}`);
      });
    const bias = dot(weights.get('decoder.layers.1.linear2.bias').data, direction.length === 16 ? direction : []);
    const whole = sumOf([...values, rest]);
    const expected = wanted({ ...found, features: { bias } });
    assert.ok(Math.abs(whole - expected) < 1e-4 * (1 + Math.abs(whole)), `${at}: ${whole}, not ${expected}`);
  }
});

test('features at the last place before the output: the logit without one is less by its effect', async () => {
  for (const norm of ['pre', 'post']) {
    const { model, input } = /** @type {any} */ (
      modelOf({ kind: 'decoder', norm, heads: 2, layers: 2, d_ff: 8, head: 'tied', seed: 4 })
    );
    const features = await dictionaryOf(16);
    const [row, id, at] = [4, 5, { layer: 1 }];
    const trace = model.trace(input);
    const { logit, features: found } = await trace.attribution(row, { id, features, at });
    for (const [feature, value] of found.values.entries()) {
      if (!value) continue;
      const off = model.trace({ ...input, patches: [{ of: features, at, feature, set: 0 }] });
      const less = logit - off.logits.data[row * 11 + id];
      assert.ok(Math.abs(less - value) < 1e-4 * (1 + Math.abs(value)), `${norm} ${feature}: ${less}, not ${value}`);
    }
  }
});

test('features in a worker have the same effects; a place that adds nothing by itself is refused', async () => {
  const there = await load({ variant: 'simd', worker: true });
  after(() => there.terminate());
  const size = { vocabulary: 11, d_model: 16, heads: 2, layers: 2 };
  const config = { kind: 'decoder', ...size, norm: 'pre', head: 'tied', seed: 2 };
  const [model, remote] = [gf.createModel(config), await there.createModel(config)];
  const ids = [1, 2, 3];
  const [trace, distant] = [model.trace({ ids }), await remote.trace({ ids })];
  const features = await dictionaryOf(16);
  await assert.rejects(distant.attribution(2, { features }), { code: 'missing', parameter: 'model' });
  const own = await trace.attribution(2, { id: 3, features });
  assert.equal(own.features.name, features.at);
  assert.deepEqual(await distant.attribution(2, { id: 3, features }), own);
  assert.deepEqual({ ...(await distant.attribution(2, { id: 3 })), features: own.features }, own);
  for (const from of [trace, distant]) {
    const at = 'decoder.layers.0.self_attn.query';
    await assert.rejects(from.attribution(2, { features, at }), { code: 'unsupported', parameter: 'at' });
    await assert.rejects(from.attribution(2, { features, at: 'encoder' }), { code: 'unknown' });
    await assert.rejects(from.attribution(2, { features: {} }), { code: 'type', parameter: 'features' });
    const wide = await dictionaryOf(12);
    await assert.rejects(from.attribution(2, { features: wide, at: { layer: 1 } }), { code: 'shape' });
    await assert.rejects(from.attribution(2, { at: { layer: 1 } }), { code: 'missing', parameter: 'features' });
  }
});
