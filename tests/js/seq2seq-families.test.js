// Marian and BART: their table under each of its names, their positions, what is refused, and saved again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { changed, readCase, runsOf } from './changed-checkpoints.js';

const gf = await load({ variant: 'simd' });
const TABLE = 'model.shared.weight';
const COPIES = ['model.encoder.embed_tokens.weight', 'model.decoder.embed_tokens.weight', 'lm_head.weight'];

/** @typedef {import('./changed-checkpoints.js').Tensor} Tensor */

const [marian, bart] = ['marian-2l', 'bart-2l-f16'].map(readCase);
const marianTable = /** @type {Tensor} */ (marian.tensors.get(TABLE));

const { run, refused } = runsOf(gf, { sourceIds: [3, 5, 12, 33, 2], targetIds: [2, 9, 4] });

test('the table is read under any of its names, and copies beside it must be equal', async () => {
  const { config, tensors } = marian;
  const wanted = (await run(config, tensors)).numbers;
  for (const name of COPIES) {
    const moved = changed(tensors, { [TABLE]: null, [name]: marianTable });
    assert.deepEqual((await run(config, moved)).numbers, wanted, name);
  }
  const all = Object.fromEntries(COPIES.map((name) => [name, marianTable]));
  assert.deepEqual((await run(config, changed(tensors, all))).numbers, wanted);
  const other = { data: marianTable.data.map((each) => each + 1), shape: marianTable.shape };
  for (const name of COPIES.slice(0, 2)) await refused(config, changed(tensors, { [name]: other }), 'format', TABLE);
  const { settings, numbers } = await run(config, changed(tensors, { ...all, 'lm_head.weight': other }));
  assert.equal(settings.head, 'linear');
  assert.notDeepEqual(numbers, wanted);
  await refused(config, changed(tensors, { [TABLE]: null }), 'missing', TABLE);
});

test('a file may leave out the logits’ bias and Marian’s positions, or have fewer of these', async () => {
  const { config, tensors } = marian;
  const bias = /** @type {Tensor} */ (tensors.get('final_logits_bias'));
  const none = { data: new Float32Array(bias.data.length), shape: bias.shape };
  const zeros = await run(config, changed(tensors, { final_logits_bias: none }));
  assert.deepEqual((await run(config, changed(tensors, { final_logits_bias: null }))).numbers, zeros.numbers);
  const wanted = (await run(config, tensors)).numbers;
  const at = 'model.encoder.embed_positions.weight';
  const few = { data: new Float32Array(3 * 16), shape: [3, 16] };
  assert.deepEqual((await run(config, changed(tensors, { [at]: few }))).numbers, wanted);
  const whole = { data: new Float32Array(512 * 16), shape: [512, 16] };
  assert.notDeepEqual((await run(config, changed(tensors, { [at]: whole }))).numbers, wanted);
  await refused(bart.config, changed(bart.tensors, { [at]: null }), 'missing', at);
});

test('what cannot be computed is refused by name', async () => {
  const { config, tensors } = marian;
  for (const [name, value] of Object.entries({
    decoder_vocab_size: 7,
    share_encoder_decoder_embeddings: false,
    decoder_attention_heads: 2,
    decoder_ffn_dim: 25,
    is_encoder_decoder: false,
    tie_encoder_decoder: true,
  }))
    await refused({ ...config, [name]: value }, tensors, 'unsupported', `config.${name}`);
  await refused({ ...config, decoder_layers: 1 }, tensors, 'format', 'model.decoder.layers.1.encoder_attn.k_proj.bias');
});

test('saved again, they have the tensors of the file, and positions that were changed', async () => {
  for (const { config, tensors } of [marian, bart]) {
    const { model } = await gf.loadModel({ config, weights: writeSafetensors(tensors) });
    const files = await model.save({ format: 'huggingface' });
    const saved = readSafetensors(files['model.safetensors']).tensors;
    assert.deepEqual([...saved.keys()].sort(), [...tensors.keys()].sort());
    for (const [name, { shape, data }] of tensors) {
      const first = /positions/.test(name) ? 2 * shape[1] : 0; // BART reads no row before
      assert.deepEqual([saved.get(name)?.shape, saved.get(name)?.data.slice(first)], [shape, data.slice(first)]);
    }
    const weights = model.weights();
    const positions = /** @type {Tensor} */ (weights.get('tgt_pos_emb.weight'));
    positions.data[positions.data.length - 1] += 1;
    model.loadWeights(weights);
    const { 'config.json': json, 'model.safetensors': bytes } = await model.save({ format: 'huggingface' });
    const { model: again } = await gf.loadModel({ config: json, weights: bytes });
    assert.deepEqual([again.config, again.weights()], [model.config, weights]);
  }
});

test('a model made here is saved as a BART or as a Marian; the refusal names the nearest', async () => {
  const settings = /** @type {const} */ ({
    ...{ kind: 'encoder-decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 1, decoderLayers: 2, d_ff: 12 },
    ...{ head: 'tied', tiedEmbeddings: true, finalNorm: false, positions: 'learned', maxLength: 10 },
  });
  for (const [family, embeddingNorm] of /** @type {[string, boolean][]} */ ([
    ['bart', true],
    ['marian', false],
  ])) {
    const model = gf.createModel({ ...settings, embeddingNorm });
    const { 'config.json': json, 'model.safetensors': bytes } = await model.save({ format: 'huggingface' });
    const again = /** @type {any} */ (await gf.loadModel({ config: json, weights: bytes }));
    assert.deepEqual([again.family, again.model.weights()], [family, model.weights()]);
  }
  await assert.rejects(gf.createModel({ ...settings, finalNorm: true }).save({ format: 'huggingface' }), {
    code: 'unsupported',
    message: /finalNorm: must be false in a model of family (bart|marian) \(the nearest\)/,
  });
});
