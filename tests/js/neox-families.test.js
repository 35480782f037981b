// GPT-NeoX, Pythia, Gemma and Phi-3: configs as they are published, files with fused matrices and with gains less 1,
// saved again to the number, and what is refused by name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { FAMILIES, familyOf } from '../../src/js/files/families/index.js';
import { partsOf, shapeOf, unrolled } from '../../src/js/files/families/match.js';
import { ropeWidthOf, shareFor } from '../../src/js/files/families/rotary.js';

const gf = await load({ variant: 'simd' });
const far = await load({ variant: 'simd', worker: true });
test.after(() => far.terminate());

/** @typedef {Record<string, any>} Json */
/** @typedef {{data: Float32Array, shape: number[]}} Tensor */

const folder = new URL('../checkpoints/', import.meta.url);
const jsonOf = (/** @type {string} */ path) => JSON.parse(String(readFileSync(new URL(path, folder))));
const tensorsOf = (/** @type {string} */ path) =>
  /** @type {Map<string, Tensor>} */ (readSafetensors(readFileSync(new URL(path, folder))).tensors);

/**
 * The config.json of a real model, the parameters that its makers name, and settings that follow.
 * @type {[Json, number, Json][]}
 */
const PUBLISHED = [
  [
    {
      ...{ model_type: 'gpt_neox', hidden_act: 'gelu', hidden_size: 512, intermediate_size: 2048 },
      ...{ num_attention_heads: 8, num_hidden_layers: 6, max_position_embeddings: 2048, layer_norm_eps: 1e-5 },
      ...{ rotary_emb_base: 10000, rotary_pct: 0.25, use_parallel_residual: true, tie_word_embeddings: false },
      vocab_size: 50304,
    },
    70_426_624,
    { ropeWidth: 16, parallel: true, activation: 'gelu', attentionBias: true },
  ],
  [
    {
      ...{ model_type: 'gpt_neox', hidden_act: 'gelu_fast', hidden_size: 6144, intermediate_size: 24576 },
      ...{ num_attention_heads: 64, num_hidden_layers: 44, attention_dropout: 0, rotary_emb_base: 10000 },
      ...{ max_position_embeddings: 2048, vocab_size: 50432, tie_word_embeddings: false },
    },
    20_554_567_680,
    { ropeWidth: 24, parallel: true, activation: 'gelu-tanh' },
  ],
  [
    {
      ...{ model_type: 'gemma', hidden_act: 'gelu', hidden_size: 2048, intermediate_size: 16384, head_dim: 256 },
      ...{ num_attention_heads: 8, num_hidden_layers: 18, num_key_value_heads: 1, rms_norm_eps: 1e-6 },
      ...{ rope_theta: 10000, max_position_embeddings: 8192, vocab_size: 256000, attention_bias: false },
    },
    2_506_172_416,
    { activation: 'gelu-tanh', keyValueHeads: 1, embeddingScale: true, headWidth: 0 },
  ],
  [
    {
      ...{ model_type: 'gemma', hidden_act: 'gelu_pytorch_tanh', hidden_activation: null, hidden_size: 3072 },
      ...{ num_attention_heads: 16, num_hidden_layers: 28, num_key_value_heads: 16, rms_norm_eps: 1e-6 },
      ...{ intermediate_size: 24576, max_position_embeddings: 8192, vocab_size: 256000 },
    },
    8_537_680_896,
    { activation: 'gelu-tanh', keyValueHeads: 0, headWidth: 256 },
  ],
  [
    {
      ...{ model_type: 'phi3', hidden_act: 'silu', hidden_size: 3072, intermediate_size: 8192, vocab_size: 32064 },
      ...{ num_attention_heads: 32, num_hidden_layers: 32, num_key_value_heads: 32, rms_norm_eps: 1e-5 },
      ...{ rope_scaling: null, rope_theta: 10000, sliding_window: 2047, tie_word_embeddings: false },
      ...{ max_position_embeddings: 4096, original_max_position_embeddings: 4096 },
    },
    3_821_079_552,
    { window: 2047, globalLayers: 0, attentionBias: false, ropeWidth: 0 },
  ],
];

test('configs as they are published have as many parameters as their makers say', () => {
  for (const [config, parameters, wanted] of PUBLISHED) {
    const family = FAMILIES[familyOf(config)];
    const isTied = config.tie_word_embeddings ?? config.model_type === 'gemma';
    const settings = /** @type {Json} */ ({ ...family.read(config), ...family.head.settings, head: 'linear' });
    const sizes = unrolled(family.tensors, settings).map(([to]) => shapeOf(to, settings));
    const tables = isTied ? [] : [[config.vocab_size, config.hidden_size]];
    const total = [...sizes, ...tables].reduce((sum, shape) => sum + shape.reduce((a, b) => a * b), 0);
    assert.equal(total, parameters, config.model_type);
    for (const [name, value] of Object.entries(wanted)) assert.equal(settings[name], value, name);
  }
});

/** A small config of a family. @param {string} model_type @param {Json} changes */
const smallOf = (model_type, changes = {}) => ({
  ...{ model_type, vocab_size: 20, hidden_size: 16, num_attention_heads: 2, num_hidden_layers: 2 },
  ...{ intermediate_size: 12, max_position_embeddings: 32, ...changes },
});

/** @param {string} model_type @param {Json} changes @returns {Json} */
const read = (model_type, changes = {}) => {
  const config = smallOf(model_type, changes);
  return FAMILIES[familyOf(config)].read(config);
};

test('the ways to say how much of a head turns, and what a config leaves out', () => {
  const turns = (/** @type {Json} */ changes, model_type = 'gpt_neox') => {
    const { ropeWidth, ropeTheta } = read(model_type, changes);
    return [ropeWidth, ropeTheta];
  };
  assert.deepEqual(turns({}), [2, 10000]);
  assert.deepEqual(turns({ rotary_pct: 0.5, rotary_emb_base: 5000 }), [4, 5000]);
  assert.deepEqual(turns({ rotary_pct: 1 }), [0, 10000]);
  assert.deepEqual(
    turns({ rope_parameters: { rope_theta: 7, partial_rotary_factor: 0.5, rope_type: 'default' } }),
    [4, 7],
  );
  assert.deepEqual(turns({ rotary_pct: 0.5, partial_rotary_factor: 0.5, rope_theta: 9, rotary_emb_base: 9 }), [4, 9]);
  assert.deepEqual(turns({ num_attention_heads: 1, rotary_pct: 0.29 }), [4, 10000], 'cut to a whole number');
  assert.deepEqual(turns({ partial_rotary_factor: 0.75 }, 'phi3'), [6, 10000]);
  assert.deepEqual(turns({}, 'phi3'), [0, 10000]);
  assert.deepEqual(turns({ rope_scaling: { type: 'linear', factor: 2 } }), [2, 10000]);
  assert.equal(read('gpt_neox', { rope_scaling: { type: 'linear', factor: 2 } }).ropeFactor, 2);
  const { parallel, attentionBias, activation, epsilon, d_ff } = read('gpt_neox', { intermediate_size: undefined });
  assert.deepEqual([parallel, attentionBias, activation, epsilon, d_ff], [true, true, 'gelu', 1e-5, 24576]);
  assert.equal(read('gpt_neox', { use_parallel_residual: false }).parallel, false);
  assert.deepEqual(
    ['gelu', 'gelu_new', 'gelu_fast', 'relu', 'silu'].map((hidden_act) => read('gpt_neox', { hidden_act }).activation),
    ['gelu', 'gelu-tanh', 'gelu-tanh', 'relu', 'silu'],
  );
});

test('a share that is written makes as many numbers turn as the model has it', () => {
  for (let width = 2; width < 300; width++) {
    for (let turned = 2; turned <= width; turned += 2) {
      const share = shareFor(undefined, turned, width);
      const read = ropeWidthOf({ share, at: '' }, width) || width;
      assert.equal(read, turned, `${turned} of ${width}`);
    }
  }
  assert.deepEqual([shareFor(0.29, 4, 16), shareFor(0.29, 6, 16), shareFor(undefined, 0, 16)], [0.29, 0.375, 1]);
});

test('Gemma: hidden_activation, else the approximation by tanh', () => {
  const activation = (/** @type {Json} */ changes) => read('gemma', { num_key_value_heads: 1, ...changes }).activation;
  assert.equal(activation({}), 'gelu-tanh');
  assert.equal(activation({ hidden_act: 'gelu' }), 'gelu-tanh');
  assert.equal(activation({ hidden_act: 'gelu', hidden_activation: null }), 'gelu-tanh');
  assert.equal(activation({ hidden_act: 'gelu_pytorch_tanh', hidden_activation: 'gelu_pytorch_tanh' }), 'gelu-tanh');
  assert.equal(activation({ hidden_act: 'gelu', hidden_activation: 'gelu' }), 'gelu');
  assert.equal(activation({ hidden_act: 'relu', hidden_activation: 'silu' }), 'silu');
  const { headWidth, d_ff } = read('gemma', { num_key_value_heads: 1, intermediate_size: undefined });
  assert.deepEqual([headWidth, d_ff], [256, 24576]);
});

/** @param {Json} config @param {string} at @param {RegExp} why */
const refused = (config, at, why) =>
  assert.throws(
    () => FAMILIES[familyOf(config)].read(config),
    (/** @type {any} */ error) => {
      assert.deepEqual([error.code, error.parameter], ['unsupported', `config.${at}`], error.message);
      assert.match(error.message, why);
      return true;
    },
  );

test('what is not computed is refused by name, with the reason', () => {
  const neox = (/** @type {Json} */ changes) => smallOf('gpt_neox', changes);
  refused(neox({ rotary_pct: 0.4 }), 'rotary_pct', /an even number of a head's 8 numbers turn, makes 3/);
  refused(neox({ rotary_pct: 0 }), 'rotary_pct', /makes 0/);
  refused(neox({ rotary_pct: 1.5 }), 'rotary_pct', /at most 1/);
  refused(neox({ rotary_pct: 'all' }), 'rotary_pct', /must be a number/);
  refused(neox({ rotary_emb_base: 0 }), 'rotary_emb_base', /must be a number from 1/);
  refused(
    neox({ rotary_pct: 0.5, rope_parameters: { partial_rotary_factor: 0.25, rope_theta: 1e4 } }),
    'rope_parameters.partial_rotary_factor',
    /contradicts rotary_pct or partial_rotary_factor, 0.5/,
  );
  refused(neox({ rope_scaling: { type: 'dynamic', factor: 2 } }), 'rope_scaling.type', /change with the length/);
  refused(neox({ hidden_act: 'quick_gelu' }), 'hidden_act', /must be one of/);
  refused(neox({ quantization_config: { bits: 4 } }), 'quantization_config', /quantized weights/);
  assert.throws(() => familyOf(neox({ use_parallel_residual: 1 })), { parameter: 'config.use_parallel_residual' });
  const factors = { type: 'longrope', short_factor: [1, 1, 1, 1], long_factor: [1, 2, 3, 4] };
  refused(smallOf('phi3', { rope_scaling: factors }), 'rope_scaling.type', /each pair of numbers/);
  refused(smallOf('phi3', { rope_scaling: { ...factors, type: 'su' } }), 'rope_scaling.type', /each pair/);
  refused(smallOf('phi3', { hidden_act: 'gegelu' }), 'hidden_act', /must be one of/);
  const gemma = { num_key_value_heads: 1, hidden_act: 'relu', hidden_activation: null };
  refused(smallOf('gemma', gemma), 'hidden_act', /say hidden_activation/);
});

/** @param {Json} config @param {Map<string, Tensor>} tensors @param {object} [options] */
async function run(config, tensors, options) {
  const { model, notes } = await gf.loadModel({ config, weights: writeSafetensors(tensors) }, options);
  const { logits } = model.forward({ ids: [3, 17, 5, 12, 9, 11, 7] });
  const said = { numbers: [...(logits?.data ?? [])], settings: model.config, notes: notes ?? [] };
  model.free();
  return said;
}

test('a Phi-3 is a Mistral whose query, key and value, gate and up, are one matrix each', async () => {
  const config = jsonOf('mistral-2l-window/config.json');
  const tensors = tensorsOf('mistral-2l-window/model.safetensors');
  const wanted = await run(config, tensors);
  const PARTS = { 'self_attn.qkv': ['q', 'k', 'v'], 'mlp.gate_up': ['gate', 'up'] };
  const fused = new Map([...tensors].filter(([name]) => !/\b(q|k|v|gate|up)_proj/.test(name)));
  for (const at of [0, 1]) {
    for (const [whole, parts] of Object.entries(PARTS)) {
      const block = whole.split('.')[0];
      const own = parts.map(
        (part) => /** @type {Tensor} */ (tensors.get(`model.layers.${at}.${block}.${part}_proj.weight`)),
      );
      fused.set(`model.layers.${at}.${whole}_proj.weight`, {
        data: Float32Array.from(own.flatMap(({ data }) => [...data])),
        shape: [own.reduce((sum, { shape }) => sum + shape[0], 0), own[0].shape[1]],
      });
    }
  }
  const phi = { ...config, model_type: 'phi3' };
  const found = await run(phi, fused);
  assert.deepEqual([found.numbers, found.settings], [wanted.numbers, wanted.settings]);
  const at = 'model.layers.1.mlp.gate_up_proj.weight';
  const { data, shape } = fused.get(at);
  const short = { data: data.subarray(shape[1]), shape: [shape[0] - 1, shape[1]] };
  await assert.rejects(run(phi, new Map(fused).set(at, short)), { code: 'shape', parameter: at });
  const without = new Map(fused);
  without.delete(at);
  await assert.rejects(run(phi, without), { code: 'missing', parameter: at });
});

const CASES = /** @type {const} */ (['pythia-2l-f16', 'neox-2l-serial-sharded', 'gemma-2l-bf16', 'phi3-2l-window']);

/** All tensors of a folder. @param {string} name @returns {Map<string, Tensor>} */
function filesOf(name) {
  const shards = ['model-00001-of-00002', 'model-00002-of-00002'];
  const files = name.includes('sharded') ? shards : ['model'];
  return new Map(files.flatMap((file) => [...tensorsOf(`${name}/${file}.safetensors`)]));
}

test('saved as its folder, a model has the same tensors and computes the same, in a worker too', async () => {
  for (const name of CASES) {
    const path = new URL(`${name}/`, folder);
    const { model, family } = await gf.loadModel(path);
    const files = await model.save({ format: 'huggingface' });
    const saved = /** @type {Map<string, Tensor>} */ (readSafetensors(files['model.safetensors']).tensors);
    for (const [key, { data, shape }] of filesOf(name)) {
      if (/masked_bias|attention\.bias|inv_freq/.test(key)) assert.equal(saved.has(key), false, key);
      else assert.deepEqual(saved.get(key), { ...saved.get(key), data: Float32Array.from(data), shape }, key);
    }
    const config = JSON.parse(String(Buffer.from(files['config.json'])));
    const given = jsonOf(`${name}/config.json`);
    assert.deepEqual([config.model_type, config.vocab_size, family], [given.model_type, given.vocab_size, family]);
    const again = await gf.loadModel({ config, weights: files['model.safetensors'] });
    assert.deepEqual([again.model.config, again.model.weights()], [model.config, model.weights()], name);
    assert.deepEqual(await again.model.save({ format: 'huggingface' }).then(withoutWords), withoutWords(files));
    const remote = await far.loadModel(path);
    assert.deepEqual(await remote.model.save({ format: 'huggingface' }), files, `${name} in a worker`);
    for (const each of [model, again.model]) each.free();
  }
});

/** @param {Json} files */
const withoutWords = (files) => ({ config: files['config.json'], weights: files['model.safetensors'] });

test('a gain that 1 more rounds is saved as the file had it', async () => {
  const tensors = filesOf('gemma-2l-bf16');
  const { data, shape } = /** @type {Tensor} */ (tensors.get('model.norm.weight'));
  const odd = data.map((x, i) => (i % 2 ? x + 1.2345e-5 : 1e-9));
  tensors.set('model.norm.weight', { data: odd, shape });
  const weights = writeSafetensors(tensors);
  const { model } = await gf.loadModel({ config: jsonOf('gemma-2l-bf16/config.json'), weights });
  const files = await model.save({ format: 'huggingface' });
  assert.deepEqual(readSafetensors(files['model.safetensors']).tensors.get('model.norm.weight')?.data, odd);
  model.view('decoder.norm.weight').fill(1.5);
  const changed = await model.save({ format: 'huggingface' });
  const now = readSafetensors(changed['model.safetensors']).tensors.get('model.norm.weight');
  assert.deepEqual(now?.data, new Float32Array(shape[0]).fill(0.5), 'after it was trained');
  model.free();
});

test('in 8 bits, measured a layer at a time, the logits stay near', async () => {
  const path = new URL('pythia-2l-f16/', folder);
  const { model, weightsError } = await gf.loadModel(path, { weights: 'int8' });
  assert.ok(weightsError && weightsError.rms < 0.02 * weightsError.spread, JSON.stringify(weightsError));
  const wide = await gf.loadModel(path, { weights: 'f32' });
  const ids = [284, 275, 268, 222];
  const [near, exact] = [model, wide.model].map((each) => each.forward({ ids }).logits?.data ?? []);
  assert.ok(near.every((/** @type {number} */ x, /** @type {number} */ i) => Math.abs(x - exact[i]) < 0.3));
  for (const each of [model, wide.model]) each.free();
});

test('variants of a GPT-NeoX open: without biases, tied, without its buffers, without prefix', async () => {
  const given = jsonOf('pythia-2l-f16/config.json');
  const all = filesOf('pythia-2l-f16');
  const tensors = new Map([...all].filter(([name]) => !/masked_bias|attention\.bias|inv_freq/.test(name)));
  const wanted = await run(given, all);
  assert.deepEqual((await run(given, tensors)).numbers, wanted.numbers);
  assert.match(wanted.notes.join(), /6 buffers of masks and positions/);
  const bare = new Map([...tensors].map(([name, tensor]) => [name.replace(/^gpt_neox\./, ''), tensor]));
  assert.deepEqual((await run(given, bare)).numbers, wanted.numbers);
  const unbiased = new Map([...tensors].filter(([name]) => !/attention\.\w+\.bias$/.test(name)));
  const zeros = new Map(
    [...tensors].map(([name, { data, shape }]) => {
      const isBias = /attention\.\w+\.bias$/.test(name);
      return [name, { data: isBias ? new Float32Array(data.length) : data, shape }];
    }),
  );
  const without = await run({ ...given, attention_bias: false }, unbiased);
  assert.deepEqual(without.numbers, (await run(given, zeros)).numbers);
  const tied = new Map([...tensors].filter(([name]) => name !== 'embed_out.weight'));
  const { settings } = await run({ ...given, tie_word_embeddings: true }, tied);
  assert.equal(settings.head, 'tied');
  const { d_model, heads } = settings;
  assert.deepEqual(partsOf('decoder.layers.0.self_attn.in_proj_weight', 3 * d_model, 1, { d_model, heads }), [96]);
});
