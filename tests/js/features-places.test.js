// Where a dictionary belongs: hooks of TransformerLens as tensors, raw and processed vectors, here and in a worker.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load, writeSafetensors } from 'glassformer';
import { loadFeatures } from 'glassformer/features';

const gf = await load({ variant: 'simd' });
const there = await load({ variant: 'simd', worker: true });
after(() => there.terminate());

const ids = [1, 2, 3, 4];
const opened = async (/** @type {string} */ name, engine = gf) =>
  (await engine.loadModel(new URL(`../checkpoints/${name}/`, import.meta.url).pathname)).model;

/**
 * Features n and width + n are the n-th number, above and below 0.
 * @param {string} hook @param {number} width @param {object} [said] more of its cfg.json
 */
function mirror(hook, width, said = { architecture: 'standard', metadata: { hook_name: hook } }) {
  const row = (/** @type {number} */ n) => Array.from({ length: width }, (_, i) => Number(i === n));
  const W_dec = Array.from({ length: 2 * width }, (_, n) => row(n % width).map((one) => (n < width ? one : -one)));
  const W_enc = row(0).map((_, i) => W_dec.map((each) => each[i]));
  const [b_enc, b_dec] = [new Float32Array(2 * width), new Float32Array(width)];
  return {
    config: { d_in: width, d_sae: 2 * width, ...said },
    weights: writeSafetensors({ W_enc, W_dec, b_enc, b_dec }),
  };
}

/** The vectors that the encoder of a mirror has read. */
const readBy = (features, { data }) => {
  const width = features.width;
  return Array.from({ length: data.length / 2 }, (_, i) => {
    const at = Math.floor(i / width) * 2 * width + (i % width);
    return data[at] - data[at + width];
  });
};

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} wanted */
function near(got, wanted, tolerance = 1e-5) {
  assert.equal(got.length, wanted.length);
  for (let i = 0; i < got.length; i++) assert.ok(Math.abs(got[i] - wanted[i]) < tolerance, `[${i}]: ${got[i]}`);
}

const HOOKS = {
  'blocks.0.hook_resid_pre': 'decoder.input',
  'blocks.1.hook_resid_pre': 'decoder.layers.0.out',
  'blocks.1.hook_resid_mid': 'decoder.layers.1.residual1',
  'blocks.1.hook_resid_post': 'decoder.layers.1.out',
  'blocks.0.hook_mlp_out': 'decoder.layers.0.ffn.out',
  'blocks.1.hook_attn_out': 'decoder.layers.1.self_attn.out',
  'blocks.1.attn.hook_z': 'decoder.layers.1.self_attn.concat',
};

for (const name of ['gpt2-2l', 'gpt-neo-4l', 'llama3-2l', 'qwen3-2l', 'pythia-2l-f16']) {
  test(`hooks of ${name}: with the model, with the first trace, in a worker`, async () => {
    const [model, remote] = [await opened(name), await opened(name, there)];
    const post = model.config.ffn === 'gated' ? 'product' : 'activation';
    const trace = model.trace({ ids });
    const distant = await remote.trace({ ids });
    for (const [hook, at] of Object.entries({ ...HOOKS, 'blocks.0.mlp.hook_post': `decoder.layers.0.ffn.${post}` })) {
      if (model.config.parallel && hook.endsWith('resid_mid')) {
        const files = mirror(hook, model.config.d_model);
        await assert.rejects(loadFeatures(files, { model }), { code: 'unsupported', parameter: 'hook_name' });
        continue;
      }
      const { data, shape } = trace.tensor(at);
      const files = mirror(hook, shape[2]);
      const features = await loadFeatures(files);
      assert.equal(features.at, undefined);
      near(readBy(features, features.encode(trace)), data, 1e-12);
      assert.equal(features.at, at);
      const known = await loadFeatures(files, { model });
      assert.equal(known.at, at);
      const far = await loadFeatures(files, { model: remote });
      assert.deepEqual((await far.encode(distant)).data, known.encode(trace).data);
      assert.deepEqual((await far.decode(await far.encode(distant), distant)).shape, shape);
      const edits = [{ feature: 0, set: 2 }];
      assert.deepEqual(await far.change(distant, edits), known.change(trace, edits));
      // The trace of a worker does not say its model's settings.
      await assert.rejects(async () => (await loadFeatures(files)).encode(distant), {
        code: 'missing',
        parameter: 'model',
      });
    }
    const features = await loadFeatures(mirror('blocks.0.hook_mlp_out', model.config.d_model));
    const { data } = trace.tensor('decoder.layers.0.ffn.out');
    model.free(); // its trace stays
    near(readBy(features, features.encode(trace)), data, 1e-12);
    await remote.free();
  });
}

const OLD = { hook_name: 'blocks.1.hook_resid_pre' };

test('raw or processed: by what cfg.json says, by its age, by the model’s norm, by the caller', async () => {
  const at = 'decoder.layers.0.out';
  const [gpt2, llama] = [await opened('gpt2-2l'), await opened('llama3-2l')];
  const isCentered = async (model, said, options = {}) => {
    const trace = model.trace({ ids });
    const { data, shape } = trace.tensor(at);
    const features = await loadFeatures(mirror('', shape[2], said), { model, ...options });
    const read = readBy(features, features.encode(trace));
    const width = shape[2];
    const centered = Array.from(data, (value, i) => {
      const row = data.subarray(i - (i % width), i - (i % width) + width);
      return value - row.reduce((sum, each) => sum + each, 0) / width;
    });
    try {
      near(read, data, 1e-12);
      return false;
    } catch {
      near(read, centered);
      return true;
    }
  };
  const version = (/** @type {any} */ sae_lens_training_version) => ({ ...OLD, sae_lens_training_version });
  const kwargs = (/** @type {any} */ given) => ({ ...OLD, model_from_pretrained_kwargs: given });
  assert.equal(await isCentered(gpt2, OLD), true);
  assert.equal(await isCentered(llama, OLD), false);
  for (const [said, wanted] of [
    [version(null), true],
    [version('3.18.2'), true],
    [version('2.9.0'), true],
    [version('3.19.0'), false],
    [version('3.22.2'), false],
    [version('4.0.1'), false],
    [version('10.2.0'), false],
    [kwargs({}), true],
    [kwargs(null), true],
    [kwargs({ center_writing_weights: false }), false],
    [{ ...version('5.1.0'), ...kwargs({ center_writing_weights: true }) }, true],
    [{ metadata: OLD }, false],
    [{ meta: kwargs({ center_writing_weights: true }) }, true],
  ]) {
    assert.equal(await isCentered(gpt2, said), wanted, JSON.stringify(said));
    assert.equal(await isCentered(gpt2, said, { processed: false }), false);
    assert.equal(await isCentered(gpt2, said, { processed: true }), true);
    assert.equal(await isCentered(llama, said, { processed: true }), false);
  }
  await assert.rejects(loadFeatures(mirror('', 32, OLD)), { code: 'missing', parameter: 'model' });
  assert.equal((await loadFeatures(mirror('', 32, OLD), { processed: false })).at, undefined);
  // An FFN's activations are the same in processed models, and only full processing folds the biases of values.
  for (const hook_name of ['blocks.1.mlp.hook_post', 'blocks.1.attn.hook_z']) {
    const said = { ...kwargs({ center_writing_weights: true }), hook_name };
    await loadFeatures(mirror('', hook_name.endsWith('z') ? 32 : 128, said));
  }
  gpt2.free();
  llama.free();
});

test('a processed model’s heads lack what biases of values and of the norm make', async () => {
  for (const settings of [
    { heads: 4 },
    { heads: 4, keyValueHeads: 2, headWidth: 6 },
    { heads: 2, normKind: 'rms' },
    { heads: 4, keyValueHeads: 1, attentionBias: false },
    { heads: 2, normKind: 'rms', attentionBias: false },
    { heads: 2, normAffine: false },
    { heads: 2, weights: 'bf16', d_model: 16 },
  ]) {
    const config = { kind: 'decoder', vocabulary: 9, d_model: 8, layers: 2, norm: 'pre', head: 'tied', ...settings };
    const [model, remote] = [gf.createModel(config), await there.createModel(config)];
    const weights = new Map(model.weights());
    for (const [name, { data }] of weights) {
      if (/bias$/.test(name)) data.forEach((_, i) => (data[i] = Math.sin(i + name.length)));
    }
    model.loadWeights(weights);
    await remote.loadWeights(weights);
    const width = settings.heads * (settings.headWidth ?? config.d_model / settings.heads);
    const files = mirror('blocks.1.attn.hook_z', width);
    // With the norm's bias alone as the input of the attention, each head's output is what has to go.
    const norm = weights.get('decoder.layers.1.norm1.bias')?.data ?? new Float32Array(config.d_model);
    const value = Float32Array.from({ length: ids.length * config.d_model }, (_, i) => norm[i % config.d_model]);
    const at = 'decoder.layers.1.self_attn.concat';
    model.forward({ ids, capture: true, patches: [{ at: 'decoder.layers.1.norm1.out', value }] });
    const shift = model.tensor(at).data.slice(0, width);
    const trace = model.trace({ ids });
    const { data } = trace.tensor(at);
    for (const each of [model, remote]) {
      const features = await loadFeatures(files, { model: each, processed: true });
      const found = features.encode(trace);
      near(readBy(features, found), data.map((x, i) => x - shift[i % width])); // prettier-ignore
      near(features.decode(found).data, data);
    }
    model.free();
    await remote.free();
  }
});

test('a place that the model does not have', async () => {
  const model = await opened('gpt2-2l');
  const refused = (files, code, parameter, options = { model }) =>
    assert.rejects(loadFeatures(files, options), { name: 'GlassformerError', code, parameter });
  await refused(mirror('blocks.2.hook_resid_pre', 32), 'range', 'hook_name');
  await refused(mirror('blocks.1.hook_resid_pre', 31), 'shape', 'd_in');
  await refused(mirror('blocks.1.mlp.hook_post', 32), 'shape', 'd_in');
  await refused(mirror('blocks.1.attn.hook_z', 8), 'shape', 'd_in');
  await refused(mirror('blocks.1.hook_resid_pre', 32), 'type', 'model', { model: gf });
  const bert = await opened('bert-2l');
  await refused(mirror('blocks.1.hook_resid_pre', 32), 'unsupported', 'hook_name', { model: bert });
  const features = await loadFeatures(mirror('blocks.1.hook_resid_pre', 32));
  assert.throws(() => features.encode(bert.trace({ ids })), { code: 'unsupported', parameter: 'hook_name' });
  assert.throws(() => features.encode(model), { code: 'type', parameter: 'x' });
  const narrow = await loadFeatures(mirror('blocks.1.hook_resid_pre', 31));
  assert.throws(() => narrow.encode(model.trace({ ids })), { code: 'shape', parameter: 'x' });
  bert.free();
  model.free();
});
