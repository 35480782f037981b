// Llama, SmolLM, TinyLlama, Mistral and Qwen: configs as they are published, old and new, and what is refused by name.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { load, writeSafetensors } from 'glassformer';
import { FAMILIES, familyOf } from '../../src/js/files/families/index.js';
import { match, shapeOf, unrolled } from '../../src/js/files/families/match.js';
import { startHub } from '../hub.js';
import { savedOf, writeTorch } from './torch-writer.js';

const gf = await load({ variant: 'simd' });

/** @typedef {Record<string, any>} Json */

const usual = { hidden_act: 'silu', initializer_range: 0.02, use_cache: true, attention_dropout: 0 };
const sizes = (/** @type {number[]} */ [V, C, F, layers, heads, groups]) => ({
  vocab_size: V,
  hidden_size: C,
  intermediate_size: F,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  ...(groups && { num_key_value_heads: groups }),
});
const LLAMA3 = {
  factor: 32,
  high_freq_factor: 4,
  low_freq_factor: 1,
  original_max_position_embeddings: 8192,
  rope_type: 'llama3',
};
const qwen = { model_type: 'qwen2', rms_norm_eps: 1e-6, use_sliding_window: false };
const llama = { model_type: 'llama', rms_norm_eps: 1e-5 };
const mistral = { model_type: 'mistral', rms_norm_eps: 1e-5, tie_word_embeddings: false };

/**
 * config.json as published, how many parameters its makers name, and settings that follow.
 * @type {Record<string, [Json, number, Json]>}
 */
const PUBLISHED = {
  'Llama 1': [
    { ...llama, ...sizes([32000, 4096, 11008, 32, 32]), rms_norm_eps: 1e-6, max_sequence_length: 2048 },
    6_738_415_616,
    { keyValueHeads: 0, ropeTheta: 10000, maxLength: 2048 },
  ],
  'Llama-2-7b': [
    {
      ...llama,
      ...sizes([32000, 4096, 11008, 32, 32, 32]),
      max_position_embeddings: 4096,
      pretraining_tp: 1,
      rope_scaling: null,
      tie_word_embeddings: false,
      torch_dtype: 'float16',
    },
    6_738_415_616,
    { keyValueHeads: 0, ropeTheta: 10000, maxLength: 4096 },
  ],
  'Llama-3-8B': [
    { ...llama, ...sizes([128256, 4096, 14336, 32, 32, 8]), rope_theta: 500000, tie_word_embeddings: false },
    8_030_261_248,
    { keyValueHeads: 8, ropeTheta: 500000 },
  ],
  'Llama-3.2-1B': [
    {
      ...llama,
      ...sizes([128256, 2048, 8192, 16, 32, 8]),
      ...{ attention_bias: false, mlp_bias: false, head_dim: 64, eos_token_id: [128001, 128008] },
      ...{ rope_theta: 500000, rope_scaling: LLAMA3, max_position_embeddings: 131072, tie_word_embeddings: true },
    },
    1_235_814_400,
    { headWidth: 0, ropeScaling: 'llama3', ropeFactor: 32, ropeOriginalLength: 8192 },
  ],
  'Llama-3.2-1B, 2026': [
    {
      ...llama,
      ...sizes([128256, 2048, 8192, 16, 32, 8]),
      ...{ head_dim: 64, dtype: 'bfloat16', rope_parameters: { ...LLAMA3, rope_theta: 500000 } },
      ...{ max_position_embeddings: 131072, tie_word_embeddings: true },
    },
    1_235_814_400,
    { headWidth: 0, ropeTheta: 500000, ropeScaling: 'llama3', ropeFactor: 32, ropeOriginalLength: 8192 },
  ],
  'TinyLlama-1.1B': [
    { ...llama, ...sizes([32000, 2048, 5632, 22, 32, 4]), head_dim: null, tie_word_embeddings: false },
    1_100_048_384,
    { keyValueHeads: 4, headWidth: 0 },
  ],
  'SmolLM-135M': [
    { ...llama, ...sizes([49152, 576, 1536, 30, 9, 3]), rope_theta: 10000, tie_word_embeddings: true },
    134_515_008,
    { keyValueHeads: 3, ropeTheta: 10000 },
  ],
  'SmolLM2-135M': [
    {
      ...llama,
      ...sizes([49152, 576, 1536, 30, 9, 3]),
      ...{ is_llama_config: true, rope_interleaved: false, rope_scaling: null, rope_theta: 100000 },
      ...{ max_position_embeddings: 8192, tie_word_embeddings: true, mlp_bias: false, attention_bias: false },
      'transformers.js_config': { kv_cache_dtype: { q4f16: 'float16', fp16: 'float16' } },
    },
    134_515_008,
    { keyValueHeads: 3, ropeTheta: 100000, attentionBias: false, ffnBias: false },
  ],
  'Qwen2-0.5B': [
    {
      ...qwen,
      ...sizes([151936, 896, 4864, 24, 14, 2]),
      ...{ max_window_layers: 24, sliding_window: 131072, rope_theta: 1000000.0, tie_word_embeddings: true },
    },
    494_032_768,
    { attentionBias: true, attentionOutBias: false, window: undefined },
  ],
  'Qwen2.5-7B': [
    {
      ...qwen,
      ...sizes([152064, 3584, 18944, 28, 28, 4]),
      ...{ max_window_layers: 28, sliding_window: 131072, use_mrope: false, tie_word_embeddings: false },
    },
    7_615_616_512,
    { keyValueHeads: 4, window: undefined },
  ],
  'Qwen3-0.6B': [
    {
      ...sizes([151936, 1024, 3072, 28, 16, 8]),
      ...{ model_type: 'qwen3', attention_bias: false, head_dim: 128, max_window_layers: 28, rope_scaling: null },
      ...{ rms_norm_eps: 1e-6, rope_theta: 1000000, sliding_window: null, use_sliding_window: false },
      tie_word_embeddings: true,
    },
    596_049_920,
    { qkNorm: true, headWidth: 128, attentionBias: false },
  ],
  'Mistral-7B-v0.1': [
    { ...mistral, ...sizes([32000, 4096, 14336, 32, 32, 8]), rope_theta: 10000.0, sliding_window: 4096 },
    7_241_732_096,
    { window: 4096, globalLayers: 0 },
  ],
  'Mistral-7B-v0.3': [
    { ...mistral, ...sizes([32768, 4096, 14336, 32, 32, 8]), rope_theta: 1000000.0, sliding_window: null },
    7_248_023_552,
    { window: undefined },
  ],
  'Mistral-Nemo': [
    { ...mistral, ...sizes([131072, 5120, 14336, 40, 32, 8]), head_dim: 128, sliding_window: null },
    12_247_782_400,
    { headWidth: 128, ropeTheta: 10000 },
  ],
};

/** Shapes of the file, by the names in it. @param {Json} config */
function storedOf(config) {
  const family = familyOf(config);
  const head = config.tie_word_embeddings ? 'tied' : 'linear';
  const settings = { ...FAMILIES[family].read(config), ...FAMILIES[family].head.settings, head };
  const { prefix, tensors } = FAMILIES[family];
  const { d_model: C = 0, heads = 1, keyValueHeads, headWidth } = settings;
  const keys = (keyValueHeads || heads) * (headWidth || C / heads);
  /** @type {Map<string, number[]>} */
  const stored = new Map();
  for (const [to, sources] of unrolled(tensors, settings)) {
    const [rows, ...columns] = shapeOf(to, settings);
    sources.forEach(({ name }, i) => {
      const own = sources.length === 1 ? rows : i ? keys : rows - 2 * keys;
      stored.set(`${prefix}${name}`, [own, ...columns]);
    });
  }
  if (head === 'linear') stored.set('lm_head.weight', [config.vocab_size, C]);
  return { stored, settings };
}

/** Seemingly random weights. @param {Json} config */
function weightsOf(config) {
  let seed = 7;
  const next = () => ((seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31 - 0.5) / 2;
  return new Map(
    [...storedOf(config).stored].map(([name, shape]) => {
      const data = Float32Array.from({ length: shape.reduce((a, b) => a * b) }, next);
      return [name, { data: /norm/.test(name) ? data.map((x) => 1 + x) : data, shape }];
    }),
  );
}

/** The same family, small. @param {Json} config */
function smallOf(config) {
  const { num_key_value_heads: groups, head_dim: width } = config;
  const given = typeof width === 'number';
  return {
    ...usual,
    ...config,
    ...sizes([40, 32, 48, 2, 4, groups ? (groups === config.num_attention_heads ? 4 : 2) : 0]),
    ...(given && { head_dim: width * config.num_attention_heads === config.hidden_size ? 8 : 16 }),
    max_position_embeddings: 64,
    ...(config.max_window_layers && { max_window_layers: 1 }),
    ...(config.sliding_window && { sliding_window: 3 }),
  };
}

const ids = [3, 17, 5, 22, 9, 31];

/** @param {any} source @param {object} [options] */
async function run(source, options) {
  const { model, family, notes } = await gf.loadModel(source, options);
  const { logits } = model.forward({ ids });
  const result = { data: [...(logits?.data ?? [])], config: model.config, family, notes: notes ?? [] };
  model.free();
  return result;
}

/** @param {Json} config @param {string} code @param {string} at @param {RegExp} [why] */
function refused(config, code, at, why = /./) {
  assert.throws(
    () => FAMILIES[familyOf(config)].read(config),
    (/** @type {any} */ error) => {
      assert.deepEqual([error.name, error.code, error.parameter], ['GlassformerError', code, `config.${at}`], error);
      assert.match(error.message, why);
      return true;
    },
  );
}

for (const [name, [config, parameters, wanted]] of Object.entries(PUBLISHED)) {
  test(`${name}: its config as published, and a small one like it`, async () => {
    const { stored, settings } = storedOf({ ...usual, ...config });
    const total = [...stored.values()].reduce((sum, shape) => sum + shape.reduce((a, b) => a * b), 0);
    assert.equal(total, parameters);
    for (const [key, value] of Object.entries(wanted)) assert.equal(/** @type {Json} */ (settings)[key], value, key);
    const of = new Map([...stored].map(([key, shape]) => [key, { dtype: 'BF16', shape }]));
    const { notes } = match(familyOf(config), config, settings, of);
    assert.doesNotMatch(notes.join(), /left over/);
    const small = smallOf(config);
    const { data, family } = await run({ config: small, weights: writeSafetensors(weightsOf(small)) });
    assert.equal(family, config.model_type);
    assert.ok(data.length === 6 * 40 && data.every(Number.isFinite));
  });
}

test('old and new ways to say the angles are one', async () => {
  const { rope_parameters, ...rest } = smallOf(PUBLISHED['Llama-3.2-1B, 2026'][0]);
  const weights = writeSafetensors(weightsOf(rest));
  const { rope_theta, ...scaling } = rope_parameters;
  const wanted = await run({ config: { ...rest, rope_parameters }, weights });
  const { rope_type, ...others } = scaling;
  for (const old of [
    { rope_theta, rope_scaling: scaling },
    { rope_theta, rope_scaling: { ...others, type: rope_type } },
    { rope_theta, rope_scaling: scaling, rope_parameters },
    { rope_theta, rope_scaling: null, rope_parameters: { ...rope_parameters, partial_rotary_factor: 1 } },
  ]) {
    const { data, config } = await run({ config: { ...rest, ...old }, weights });
    assert.deepEqual([data, config], [wanted.data, wanted.config], JSON.stringify(old));
  }
  const linear = await run({ config: { ...rest, rope_theta, rope_scaling: { type: 'linear', factor: 2 } }, weights });
  assert.deepEqual([linear.config.ropeScaling, linear.config.ropeFactor], ['linear', 2]);
  assert.notDeepEqual(linear.data, wanted.data);
});

test('what a config leaves out, or says with null, is what Hugging Face has by default', () => {
  const of = (/** @type {Json} */ config) => /** @type {Json} */ (FAMILIES[familyOf(config)].read(config));
  const bare = { ...sizes([40, 4096, 48, 2, 32]), intermediate_size: undefined };
  const defaults = { llama: [11008, 0, 2048], mistral: [14336, 8, 131072], qwen2: [22016, 0, 32768] };
  for (const [model_type, [d_ff, groups, maxLength]] of Object.entries(defaults)) {
    const read = of({ model_type, ...bare });
    assert.deepEqual([read.d_ff, read.keyValueHeads, read.maxLength], [d_ff, groups, maxLength], model_type);
    assert.deepEqual([read.epsilon, read.activation, read.ropeTheta], [1e-6, 'silu', 10000], model_type);
    assert.equal(of({ model_type, ...bare, num_key_value_heads: null }).keyValueHeads, 0, model_type);
  }
  assert.equal(of({ model_type: 'qwen3', ...bare }).headWidth, 128);
  assert.equal(of({ model_type: 'qwen3', ...bare, hidden_size: 1024 }).headWidth, 128);
  assert.equal(of({ model_type: 'llama', ...bare, head_dim: null }).headWidth, 0);
  assert.equal(of({ model_type: 'mistral', ...bare }).window, 4096);
});

test('windows hold where they are switched on', () => {
  const of = (/** @type {Json} */ changes) => {
    const read = /** @type {Json} */ (FAMILIES.qwen2.read({ ...smallOf(PUBLISHED['Qwen2-0.5B'][0]), ...changes }));
    return [read.window, read.globalLayers];
  };
  assert.deepEqual(of({}), [undefined, undefined]);
  assert.deepEqual(of({ use_sliding_window: true }), [3, 1]);
  assert.deepEqual(of({ use_sliding_window: true, sliding_window: null }), [4096, 1]);
  assert.deepEqual(of({ use_sliding_window: true, layer_types: ['sliding_attention', 'full_attention'] }), [3, 2]);
  assert.deepEqual(of({ layer_types: ['full_attention', 'full_attention'] }), [undefined, undefined]);
});

test('biases where the config says so', async () => {
  const config = smallOf(PUBLISHED['SmolLM2-135M'][0]);
  for (const [changes, wanted] of /** @type {[Json, boolean[]][]} */ ([
    [{ attention_bias: true }, [true, true, false]],
    [{ mlp_bias: true }, [false, false, true]],
    [{ attention_bias: true, mlp_bias: true }, [true, true, true]],
  ])) {
    const given = { ...config, ...changes };
    const { config: settings } = await run({ config: given, weights: writeSafetensors(weightsOf(given)) });
    const { attentionBias, attentionOutBias, ffnBias } = settings;
    assert.deepEqual([attentionBias, attentionBias && attentionOutBias, ffnBias], wanted);
    const { stored } = storedOf(given);
    assert.equal(stored.has('model.layers.1.self_attn.o_proj.bias'), wanted[1]);
    assert.equal(stored.has('model.layers.1.mlp.up_proj.bias'), wanted[2]);
  }
});

const hub = await startHub();
after(() => hub.close());

test('tied and untied, in BF16, in shards, as .bin and by name: the same bits', async () => {
  for (const name of ['Llama-2-7b', 'Llama-3.2-1B', 'Qwen2-0.5B', 'Qwen3-0.6B', 'Mistral-7B-v0.1']) {
    const config = smallOf(PUBLISHED[name][0]);
    const tensors = weightsOf(config);
    const weights = writeSafetensors(tensors);
    const wanted = (await run({ config, weights })).data;
    const same = async (/** @type {any} */ source, /** @type {string} */ what, options = {}) =>
      assert.deepEqual((await run(source, options)).data, wanted, `${name}, ${what}`);
    const bare = new Map([...tensors].map(([key, tensor]) => [key.replace(/^model\./, ''), tensor]));
    await same({ config, weights: writeSafetensors(bare) }, 'without prefix');
    const buffer = { data: new Float32Array(4), shape: [4] };
    const old = new Map([...tensors, ['model.layers.0.self_attn.rotary_emb.inv_freq', buffer]]);
    await same({ config, weights: writeSafetensors(old) }, 'with the angles of old files');
    const embedding = /** @type {{data: Float32Array, shape: number[]}} */ (tensors.get('model.embed_tokens.weight'));
    if (config.tie_word_embeddings) {
      const twice = writeSafetensors(new Map([...tensors, ['lm_head.weight', embedding]]));
      await same({ config, weights: twice }, 'its table twice');
      await same({ config: { ...config, tie_word_embeddings: false }, weights: twice }, 'untied, equal');
    }
    const entries = [...tensors];
    const shards = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
    const weight_map = Object.fromEntries(entries.map(([key], i) => [key, shards[Number(i >= 9)]]));
    const json = (/** @type {unknown} */ value) => Buffer.from(JSON.stringify(value));
    const files = {
      'config.json': json(config),
      'model.safetensors.index.json': json({ metadata: { total_size: 1 }, weight_map }),
      [shards[0]]: Buffer.from(writeSafetensors(new Map(entries.slice(0, 9)))),
      [shards[1]]: Buffer.from(writeSafetensors(new Map(entries.slice(9)))),
    };
    const given = Object.entries(files).map(([file, bytes]) => new File([new Uint8Array(bytes)], file));
    await same(given, 'in shards');
    await same({ config, weights: new Blob([/** @type {any} */ (writeTorch(savedOf(Buffer.from(weights))))]) }, '.bin');
    hub.models.set('test/shards', files);
    await same('hub:test/shards', 'by name', { endpoint: hub.endpoint, cache: false });
  }
});

test('by name, a model that is larger than the memory is refused before its weights are asked for', async () => {
  const json = (/** @type {unknown} */ value) => Buffer.from(JSON.stringify(value));
  const get = () => undefined;
  for (const [name, bytes] of /** @type {const} */ ([
    ['Llama-2-7b', 13_477_363_712],
    ['TinyLlama-1.1B', 2_200_281_088],
    ['Llama-3.2-1B', 2_471_763_968],
  ])) {
    const [config] = PUBLISHED[name];
    const weight_map = Object.fromEntries([...storedOf(config).stored.keys()].map((key) => [key, 'a.safetensors']));
    const huge = Object.assign(Buffer.alloc(1 << 20), { promised: bytes });
    const index = json({ weight_map });
    hub.models.set('test/huge', {
      ...{ 'config.json': json(config), 'model.safetensors.index.json': index, 'a.safetensors': huge },
    });
    /** @type {string[]} */
    const kept = [];
    const put = (/** @type {string} */ key) => void kept.push(key);
    hub.asked.length = 0;
    // Matrices in 16 bits, gains of norms in 32.
    const needed = bytes.toLocaleString('en');
    await assert.rejects(gf.loadModel('hub:test/huge', { endpoint: hub.endpoint, cache: { get, put } }), {
      code: 'memory',
      message: new RegExp(`^file: its weights take ${needed} bytes\\. The engine has at most 2,147,483,648,`),
    });
    assert.deepEqual(
      [hub.asked.filter((each) => each.startsWith('store')), kept.filter((key) => /a\.s/.test(key))],
      [[], []],
    );
  }
  // In 8 bits a TinyLlama fits: its weights are asked for.
  hub.models.set('test/huge', { 'config.json': json(PUBLISHED['TinyLlama-1.1B'][0]) });
  const int8 = gf.loadModel('hub:test/huge', { endpoint: hub.endpoint, cache: false, weights: 'int8' });
  await assert.rejects(int8, { code: 'notFound' });
});

test('what is not computed is refused by name', () => {
  const [config] = PUBLISHED['Llama-3.2-1B'];
  const scaled = (/** @type {Json} */ rope_scaling) => ({ ...config, rope_scaling });
  for (const [kind, reason] of Object.entries({
    yarn: ': a factor between fast and slow pairs, and one for the scores, are not computed here',
    dynamic: ': angles that change with the length of the text are not computed here',
    longrope: ': a factor for each pair of numbers, and one for the scores, are not computed here',
    su: ': a factor for each pair of numbers, and one for the scores, are not computed here',
    mrope: '',
  })) {
    const why = new RegExp(`must be one of default, linear, llama3${reason}, got "${kind}"`);
    refused(scaled({ rope_type: kind, factor: 4 }), 'unsupported', 'rope_scaling.rope_type', why);
    refused(scaled({ type: kind, factor: 4 }), 'unsupported', 'rope_scaling.type', why);
    const rope_parameters = { rope_type: kind, factor: 4, rope_theta: 10000 };
    refused({ ...scaled({}), rope_scaling: null, rope_parameters }, 'unsupported', 'rope_parameters.rope_type', why);
  }
  refused(scaled({ ...LLAMA3, factor: '32' }), 'unsupported', 'rope_scaling.factor');
  refused(scaled({ ...LLAMA3, low_freq_factor: undefined }), 'unsupported', 'rope_scaling.low_freq_factor');
  refused(scaled(/** @type {any} */ ('llama3')), 'unsupported', 'rope_scaling');
  const ofKinds = { full_attention: { rope_theta: 1e6, rope_type: 'default' }, sliding_attention: {} };
  refused(
    { ...config, rope_scaling: null, rope_parameters: ofKinds },
    'unsupported',
    'rope_parameters.full_attention',
    /angles of their own for each kind of layer/,
  );
  refused({ ...config, rope_parameters: { rope_theta: 1e6 } }, 'unsupported', 'rope_scaling', /rope_parameters/);
  for (const model_type of ['llama', 'mistral', 'qwen2', 'qwen3']) {
    const why = /Hugging Face's classes of this family turn whole heads/;
    refused({ ...config, model_type, partial_rotary_factor: 0.5 }, 'unsupported', 'partial_rotary_factor', why);
    const rope_parameters = { rope_theta: 1e4, rope_type: 'default', partial_rotary_factor: 0.25 };
    const given = { ...config, model_type, rope_scaling: null, rope_parameters };
    refused(given, 'unsupported', 'rope_parameters.partial_rotary_factor', why);
    const quantization_config = { quant_method: 'gptq', bits: 4 };
    refused({ ...config, model_type, quantization_config }, 'unsupported', 'quantization_config', /quantized weights/);
    refused({ ...config, model_type, num_key_value_heads: 33 }, 'config', 'num_key_value_heads');
  }
  refused({ ...config, sliding_window: 5 }, 'unsupported', 'sliding_window');
  refused({ ...config, rope_interleaved: true }, 'unsupported', 'rope_interleaved');
  refused({ ...config, model_type: 'qwen2', use_mrope: true }, 'unsupported', 'use_mrope');
  refused({ ...config, model_type: 'mistral', sliding_window: 0 }, 'config', 'sliding_window');
  refused({ ...config, model_type: 'mistral', layer_types: ['chunked_attention'] }, 'unsupported', 'layer_types');
});
