// T5 and mT5: the layouts of their files and config.json, what is refused, and saved again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { changed, readCase, runsOf } from './changed-checkpoints.js';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const TABLE = 'shared.weight';
const COPIES = ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight', 'lm_head.weight'];

/** @typedef {import('./changed-checkpoints.js').Tensor} Tensor */

const [tied, gated] = ['t5-2l', 'flan-t5-3-2l-bf16'].map(readCase);
const shared = /** @type {Tensor} */ (tied.tensors.get(TABLE));
const other = { data: shared.data.map((each) => each + 1), shape: shared.shape };

const { run, refused } = runsOf(gf, { sourceIds: [3, 5, 12, 33, 1], targetIds: [0, 9, 4] });

test('the table is read under any of its names; an output table that differs is its own', async () => {
  const { config, tensors } = tied;
  const wanted = (await run(config, tensors)).numbers;
  for (const name of COPIES) {
    const moved = changed(tensors, { [TABLE]: null, [name]: shared });
    assert.deepEqual((await run(config, moved)).numbers, wanted, name);
  }
  const all = Object.fromEntries(COPIES.map((name) => [name, shared]));
  assert.deepEqual((await run(config, changed(tensors, all))).numbers, wanted);
  const { settings } = await run(config, changed(tensors, { 'lm_head.weight': other }));
  assert.deepEqual([settings.head, settings.headScale], ['linear', true]);
});

test('a tied head divides its input by √d_model, its own does not, unless the config says otherwise', async () => {
  const { config, tensors } = tied;
  const own = changed(tensors, { 'lm_head.weight': shared });
  const { numbers, settings } = await run(config, tensors);
  assert.deepEqual([settings.head, settings.headScale], ['tied', true]);
  const plain = await run({ ...config, tie_word_embeddings: false }, own);
  assert.deepEqual([plain.settings.head, plain.settings.headScale], ['linear', false]);
  plain.numbers.forEach((each, i) => assert.ok(Math.abs(each / 4 - numbers[i]) < 1e-5 * (1 + Math.abs(each))));
  const scaled = await run({ ...config, tie_word_embeddings: false, scale_decoder_outputs: true }, own);
  assert.deepEqual(scaled.numbers, numbers);
  const bare = await run({ ...config, scale_decoder_outputs: false }, tensors);
  assert.deepEqual(bare.numbers, plain.numbers);
  await refused({ ...config, scale_decoder_outputs: 1 }, tensors, 'config', 'config.scale_decoder_outputs');
});

test('what config.json leaves out is what the classes have', async () => {
  const { config, tensors } = tied;
  const wanted = await run(config, tensors);
  const { feed_forward_proj, layer_norm_epsilon, is_encoder_decoder, n_positions, ...few } = config;
  assert.deepEqual([feed_forward_proj, layer_norm_epsilon, is_encoder_decoder], ['relu', 1e-6, true]);
  assert(n_positions);
  assert.deepEqual((await run(few, tensors)).numbers, wanted.numbers);
  const { relative_attention_max_distance, ...near } = config;
  assert.equal(relative_attention_max_distance, 20);
  assert.equal((await run(near, tensors)).settings.relativeDistance, 128);
  const wide = { data: new Float32Array(32 * 4), shape: [32, 4] };
  const at = (/** @type {string} */ stack) => `${stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`;
  const { relative_attention_num_buckets, ...many } = config;
  assert.equal(relative_attention_num_buckets, 8);
  const tables = { [at('encoder')]: wide, [at('decoder')]: wide };
  assert.equal((await run({ ...many, relative_attention_max_distance: 128 }, changed(tensors, tables))).settings
    .relativeBuckets, 32); // prettier-ignore
  await refused(many, tensors, 'shape', at('encoder'));
  const { num_decoder_layers, ...alike } = gated.config;
  assert.equal(num_decoder_layers, 2);
  await refused(alike, gated.tensors, 'missing', 'decoder.block.2.layer.0.SelfAttention.q.weight');
});

test('a target begins with the padding where no file says with which token', async () => {
  const { decoder_start_token_id, pad_token_id, ...few } = tied.config;
  assert.deepEqual([decoder_start_token_id, pad_token_id], [0, 0]);
  const weights = writeSafetensors(tied.tensors);
  for (const [changes, start] of /** @type {[object, number][]} */ ([
    [{}, 0],
    [{ pad_token_id: 7 }, 7],
    [{ pad_token_id: 7, decoder_start_token_id: 5 }, 5],
    [{ feed_forward_proj: null, decoder_start_token_id: null }, 0],
  ])) {
    const { rules } = await gf.loadModel({ config: { ...few, ...changes }, weights });
    assert.equal(rules?.start, start);
  }
});

test('networks by feed_forward_proj, and by the two parts that newer files say', async () => {
  const { config, tensors } = gated;
  const wanted = await run(config, tensors);
  assert.deepEqual([wanted.settings.ffn, wanted.settings.activation], ['gated', 'gelu-tanh']);
  for (const [changes, activation] of /** @type {[object, string][]} */ ([
    [{ dense_act_fn: 'gelu_new', is_gated_act: true }, 'gelu-tanh'],
    [{ feed_forward_proj: 'gated-silu' }, 'silu'],
    [{ feed_forward_proj: 'gated-gelu_new' }, 'gelu-tanh'],
    [{ feed_forward_proj: 'gated-relu' }, 'relu'],
    [{ feed_forward_proj: 'relu', dense_act_fn: 'gelu_new', is_gated_act: true }, 'gelu-tanh'],
  ])) {
    const { settings } = await run({ ...config, ...changes }, tensors);
    assert.deepEqual([settings.ffn, settings.activation], ['gated', activation]);
  }
  for (const [name, activation] of [
    ['gelu', 'gelu'],
    ['gelu_new', 'gelu-tanh'],
    ['silu', 'silu'],
  ])
    assert.equal(
      (await run({ ...tied.config, feed_forward_proj: name }, tied.tensors)).settings.activation,
      activation,
    );
  const plain = 'encoder.block.0.layer.1.DenseReluDense.wi.weight';
  await refused({ ...config, feed_forward_proj: 'relu' }, tensors, 'missing', plain);
  await refused({ ...config, feed_forward_proj: 'gated-' }, tensors, 'unsupported', 'config.feed_forward_proj');
  await refused({ ...config, feed_forward_proj: 'gated-mish' }, tensors, 'unsupported', 'config.feed_forward_proj');
  await refused({ ...config, dense_act_fn: 'mish' }, tensors, 'unsupported', 'config.dense_act_fn');
});

test('an mT5 is a T5 whose config.json may leave out its gate and its own head', async () => {
  const { config, tensors } = gated;
  const wanted = await run(config, tensors);
  const { feed_forward_proj, tie_word_embeddings, ...few } = config;
  assert.deepEqual([feed_forward_proj, tie_word_embeddings], ['gated-gelu', false]);
  const { numbers, family } = await run({ ...few, model_type: 'mt5' }, tensors);
  assert.deepEqual([family, numbers], ['mt5', wanted.numbers]);
});

test('the table of cross-attention in the first files is passed over, another layer is not', async () => {
  const { config, tensors } = tied;
  const wanted = (await run(config, tensors)).numbers;
  const old = 'decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight';
  const { numbers, notes } = await run(
    config,
    changed(tensors, { [old]: { data: new Float32Array(32), shape: [8, 4] } }),
  );
  assert.deepEqual(numbers, wanted);
  assert.doesNotMatch(notes.join(), /left over/);
  await refused({ ...config, num_layers: 1 }, tensors, 'format', 'decoder.block.1.layer.0.SelfAttention.k.weight');
});

test('what cannot be computed is refused by name', async () => {
  const { config, tensors } = tied;
  for (const [name, value] of Object.entries({ is_encoder_decoder: false, tie_encoder_decoder: true }))
    await refused({ ...config, [name]: value }, tensors, 'unsupported', `config.${name}`);
  const name = 'relative_attention_num_buckets';
  for (const value of [0, 3, 'many']) await refused({ ...config, [name]: value }, tensors, 'config', `config.${name}`);
  await refused({ ...config, relative_attention_max_distance: 4 }, tensors, 'config', 'relativeDistance');
});

test('saved again, they have the tensors of the file and the same config', async () => {
  const [encoders, decoders] = COPIES; // which saving leaves out
  const once = { ...tied, tensors: changed(tied.tensors, { [encoders]: null, [decoders]: null }) };
  const untied = changed(once.tensors, { 'lm_head.weight': other });
  for (const { config, tensors } of [
    once,
    gated,
    { config: { ...gated.config, model_type: 'mt5' }, tensors: gated.tensors },
    { config: { ...tied.config, tie_word_embeddings: false, scale_decoder_outputs: true }, tensors: untied },
    {
      config: { ...gated.config, feed_forward_proj: 'gated-gelu_python', dense_act_fn: 'gelu' },
      tensors: gated.tensors,
    },
  ]) {
    const { model, family } = await gf.loadModel({ config, weights: writeSafetensors(tensors) });
    const { 'config.json': json, 'model.safetensors': bytes } = await model.save({ format: 'huggingface' });
    const saved = readSafetensors(bytes).tensors;
    assert.deepEqual([...saved.keys()].sort(), [...tensors.keys()].sort());
    for (const [name, { shape, data }] of tensors)
      assert.deepEqual([saved.get(name)?.shape, saved.get(name)?.data], [shape, data], name);
    const again = await gf.loadModel({ config: json, weights: bytes });
    assert.deepEqual(
      [again.family, again.model.config, again.model.weights()],
      [family, model.config, model.weights()],
    );
    assert.equal(JSON.parse(String(Buffer.from(json))).model_type, config.model_type);
  }
});

test('a model made here is saved as a T5', async () => {
  const model = gf.createModel({
    ...{ kind: 'encoder-decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 1, decoderLayers: 2, d_ff: 12 },
    ...{ head: 'tied', headScale: true, headBias: false, tiedEmbeddings: true, positions: 'none', norm: 'pre' },
    ...{ normKind: 'rms', epsilon: 1e-6, embeddingScale: false, scoreScale: false, attentionBias: false },
    ...{ ffnBias: false, relativeBuckets: 6, relativeDistance: 9 },
  });
  const { 'config.json': json, 'model.safetensors': bytes } = await model.save({ format: 'huggingface' });
  const again = /** @type {any} */ (await gf.loadModel({ config: json, weights: bytes }));
  assert.deepEqual([again.family, again.model.weights()], ['t5', model.weights()]);
  await assert.rejects(model.clone({ embeddingScale: true }).save({ format: 'huggingface' }), {
    code: 'unsupported',
    message: /embeddingScale: must be false in a model of family t5 \(the nearest\)/,
  });
});

test('a text is longer than any length that a file says', async () => {
  const { model } = await gf.loadModel({
    config: { ...tied.config, n_positions: 8 },
    weights: writeSafetensors(tied.tensors),
  });
  const ids = Array.from({ length: 600 }, (_, i) => 3 + (i % 90));
  assert.equal(model.forward({ sourceIds: ids, targetIds: ids }).logits.shape[1], 600);
  const { newIds } = await model.generate(
    { sourceIds: ids.slice(0, 40) },
    { maxTokens: 530, endId: [], rules: { start: 0 } },
  );
  assert.equal(newIds.length, 530);
});

test('a folder without tokenizer.json has that of its spiece.model', async () => {
  for (const name of ['t5-2l', 'flan-t5-3-2l-bf16']) {
    const read = (/** @type {string} */ file) => readFileSync(new URL(`${name}/${file}`, folder));
    const wanted = JSON.parse(String(read('tokenizer.json')));
    const named = ['config.json', 'model.safetensors', 'spiece.model', 'tokenizer_config.json'];
    const files = named.map((file) => new File([read(file)], file));
    const { model, tokenizer, notes } = await gf.loadModel(files);
    const { 'tokenizer.json': saved } = await model.save({ format: 'huggingface' });
    // Newer files cut at spaces by other steps, for the same ids.
    const { normalizer, pre_tokenizer, ...others } = JSON.parse(String(Buffer.from(saved)));
    const steps = name === 't5-2l' ? { normalizer, pre_tokenizer } : {};
    assert.deepEqual({ ...wanted, ...others, ...steps }, wanted);
    assert.doesNotMatch(notes.join(), /tokenizer.json is not/);
    const { texts } = JSON.parse(String(read('case.json')));
    for (const { text, ids } of texts) assert.deepEqual(tokenizer.encode(text).ids, ids, text);
    const [config, weights] = [read('config.json'), read('model.safetensors')];
    const given = { config, weights, spiece: read('spiece.model') };
    const few = await gf.loadModel({ ...given, tokenizerConfig: { additional_special_tokens: ['<extra_id_0>'] } });
    assert.equal(few.tokenizer.size, tokenizer.size - 9);
    assert.equal((await gf.loadModel(given)).tokenizer.size, tokenizer.size + 90);
    await assert.rejects(gf.loadModel({ ...given, spiece: new Uint8Array(9) }), { parameter: 'spiece.model' });
    await assert.rejects(gf.loadModel({ ...given, tokenizerConfig: { extra_ids: -1 } }), { code: 'format' });
  }
});
