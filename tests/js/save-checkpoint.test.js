// model.save({ format: 'huggingface' }): a folder's files again, with the same bits and no other names than its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Vocabulary, load, readSafetensors, writeSafetensors } from 'glassformer';
import { saveCheckpoint } from 'glassformer/checkpoints';
import { load as loadWorker } from 'glassformer/worker';

const gf = await load({ variant: 'simd' });
const far = await loadWorker({ variant: 'simd' });
after(() => far.terminate());
const folder = new URL('../checkpoints/', import.meta.url);
const IDS = [3, 5, 12, 33, 2];

const open = (/** @type {any} */ files) =>
  gf.loadModel({
    config: files['config.json'],
    weights: files['model.safetensors'],
    ...(files['tokenizer.json'] && { tokenizer: files['tokenizer.json'] }),
  });
const jsonOf = (/** @type {any} */ files) => JSON.parse(new TextDecoder().decode(files['config.json']));
const numbersOf = (/** @type {any} */ model) => {
  const { output, logits } = model.forward({ ids: IDS });
  return [...output.data, ...(logits?.data ?? [])];
};
const isWeight = (/** @type {string} */ name) => !/position_ids|\.(attn|attention)\.(masked_)?bias$/.test(name);

/** Opens, saves, opens: the same bits, names, settings. @param {any} source @param {Map<string, any>} tensors */
async function roundTrip(source, tensors) {
  const { model, family, tokenizer } = await gf.loadModel(source);
  const files = await model.save({ format: 'huggingface' });
  assert.deepEqual(Object.keys(files), ['config.json', 'model.safetensors', ...(tokenizer ? ['tokenizer.json'] : [])]);
  const again = await open(files);
  assert.deepEqual([again.family, again.model.config], [family, model.config]);
  const TEXT = 'The dog, “creek” <|endoftext|>';
  assert.deepEqual(again.tokenizer?.encode(TEXT), tokenizer?.encode(TEXT));
  assert.deepEqual(again.model.weights(), model.weights());
  assert.deepEqual(numbersOf(again.model), numbersOf(model));
  assert.deepEqual(await again.model.save({ format: 'huggingface' }), files);
  const { tensors: saved, metadata } = readSafetensors(files['model.safetensors']);
  assert.equal(metadata.get('format'), 'pt');
  const canonical = (/** @type {string} */ name) =>
    name
      .replace(/^(bert|distilbert|roberta|transformer)\./, '')
      .replace(/\.gamma$/, '.weight')
      .replace(/\.beta$/, '.bias');
  const given = new Map([...tensors].filter(([name]) => isWeight(name)).map(([name, each]) => [canonical(name), each]));
  for (const [name, { data, shape }] of saved) {
    const own = given.get(canonical(name));
    assert.deepEqual(shape, own?.shape, name);
    if (!/position/.test(name)) assert.deepEqual([...data], [...own.data], name);
    given.delete(canonical(name));
  }
  assert.deepEqual(
    [...given.keys()].filter((name) => !/decoder\.weight$|lm_head\.weight$/.test(name)),
    [],
  );
  again.model.free();
  return { model, config: jsonOf(files) };
}

test('a folder of each family is saved as it was', async () => {
  for (const [name, architecture] of Object.entries({
    'bert-2l': 'BertForMaskedLM',
    'bert-3l-f16': 'BertForMaskedLM',
    'distilbert-2l': 'DistilBertForMaskedLM',
    'gpt2-2l': 'GPT2LMHeadModel',
    'gpt2-bare-bf16': 'GPT2LMHeadModel',
    'gpt-neo-4l': 'GPTNeoForCausalLM',
  })) {
    const path = new URL(`${name}/`, folder);
    const { tensors } = readSafetensors(readFileSync(new URL('model.safetensors', path)));
    const { config, model } = await roundTrip(path, tensors);
    const before = JSON.parse(String(readFileSync(new URL('config.json', path))));
    const { architectures, torch_dtype, tie_word_embeddings, n_inner, intermediate_size, ...same } = config;
    assert.deepEqual([architectures, torch_dtype, tie_word_embeddings], [[architecture], 'float32', true]);
    assert.equal(n_inner ?? intermediate_size ?? config.hidden_dim, model.config.d_ff);
    for (const key of ['n_inner', 'intermediate_size', 'architectures', 'attention_types']) delete before[key];
    assert.deepEqual({ ...same, ...before }, same);
    const half = await open(await model.save({ format: 'huggingface', float16: true }));
    assert.equal(half.model.parameterCount, model.parameterCount);
  }
});

test('classes of texts are saved with their head', async () => {
  const path = new URL('bert-classes/', folder);
  const { model, tokenizer } = await gf.loadModel(path);
  const files = await model.save({ format: 'huggingface' });
  const { architectures, id2label } = jsonOf(files);
  assert.deepEqual([architectures, id2label], [['BertForSequenceClassification'], { 0: 'animal', 1: 'water' }]);
  const rows = tokenizer.encode(['the creek was cold', 'a tired cat']);
  assert.deepEqual(await (await open(files)).model.classify(rows), await model.classify(rows));
  const { tensors } = readSafetensors(readFileSync(new URL('model.safetensors', path)));
  const saved = readSafetensors(files['model.safetensors']).tensors;
  assert.deepEqual(new Map([...saved].sort()), new Map([...tensors].sort()));
});

const GPT2 = {
  kind: 'decoder',
  vocabulary: 40,
  d_model: 16,
  heads: 2,
  d_ff: 24,
  layers: 2,
  maxLength: 12,
  seed: 4,
  positions: 'learned',
  embeddingScale: false,
  norm: 'pre',
  finalNorm: true,
  activation: 'gelu-tanh',
  head: 'tied',
  headBias: false,
  epsilon: 1e-5,
};

test('a model made here is saved as a GPT-2 or a BERT where its settings are theirs', async () => {
  for (const changes of [{}, { head: 'linear' }, { scoreScale: false }, { activation: 'relu' }]) {
    const model = gf.createModel({ ...GPT2, ...changes });
    const files = await model.save({ format: 'huggingface' });
    const again = await open(files);
    // The family decides from where positions count behind padding.
    assert.deepEqual([again.family, again.model.config], ['gpt2', { ...model.config, positionsFrom: 'first' }]);
    assert.deepEqual(numbersOf(again.model), numbersOf(model));
    assert.equal(jsonOf(files).tie_word_embeddings, changes.head !== 'linear');
    assert.deepEqual(await saveCheckpoint(model), files);
    const remote = await far.createModel({ ...GPT2, ...changes });
    assert.deepEqual(await remote.save({ format: 'huggingface' }), files, 'in a worker');
    assert.deepEqual(await saveCheckpoint(remote), files);
  }
  const bert = { ...GPT2, kind: 'encoder', norm: 'post', finalNorm: false, embeddingNorm: true, types: 2 };
  for (const changes of [{ head: 'none' }, { headTransform: true, headBias: true }]) {
    const model = gf.createModel({ ...bert, ...changes });
    const again = await open(await model.save({ format: 'huggingface' }));
    assert.deepEqual([again.family, again.model.weights()], ['bert', model.weights()]);
  }
});

/** @type {any} */
const TODAY = {
  ...{ kind: 'decoder', vocabulary: 40, d_model: 16, heads: 4, keyValueHeads: 2, d_ff: 24, layers: 2, seed: 4 },
  ...{ positions: 'rotary', normKind: 'rms', norm: 'pre', finalNorm: true, ffn: 'gated', activation: 'silu' },
  ...{ attentionBias: false, ffnBias: false, embeddingScale: false, head: 'linear', headBias: false, epsilon: 1e-6 },
};
/** GPT-NeoX has LayerNorms, biases and a plain network. @type {any} */
const NEOX = {
  normKind: 'layer',
  ffn: 'plain',
  attentionBias: true,
  ffnBias: true,
  keyValueHeads: 0,
  activation: 'relu',
};
/** The further settings that each family of today allows. @type {[string, any][]} */
const FITTING = [
  ['llama', {}],
  ['llama', { attentionBias: true, ffnBias: true, head: 'tied', ropeTheta: 500000 }],
  ['llama', { keyValueHeads: 4, headWidth: 4, ropeScaling: 'linear', ropeFactor: 2 }],
  ['llama', { keyValueHeads: 0, ropeScaling: 'llama3', ropeFactor: 4, ropeOriginalLength: 20, weights: 'bf16' }],
  ['mistral', { window: 3, headWidth: 6 }],
  ['qwen2', { attentionBias: true, attentionOutBias: false }],
  ['qwen2', { attentionBias: true, attentionOutBias: false, window: 3, globalLayers: 1 }],
  ['qwen2', { attentionBias: true, attentionOutBias: false, window: 3, globalLayers: 2 }],
  ['qwen3', { qkNorm: true, headWidth: 6 }],
  ['qwen3', { qkNorm: true, attentionBias: true, window: 3 }],
  ['gemma', { embeddingScale: true, head: 'tied' }],
  ['gemma', { embeddingScale: true, activation: 'gelu-tanh', headWidth: 6, keyValueHeads: 1, attentionBias: true }],
  ['phi3', { ropeWidth: 2 }],
  ['phi3', { ropeWidth: 6, headWidth: 10, window: 3, ropeTheta: 5000 }],
  ['gpt_neox', NEOX],
  ['gpt_neox', { ...NEOX, parallel: true, ropeWidth: 2, activation: 'gelu', head: 'tied' }],
  ['gpt_neox', { ...NEOX, parallel: true, attentionBias: false, ropeScaling: 'linear', ropeFactor: 2 }],
];

test('a model of today is saved as the family that has its settings, through our own file too', async () => {
  for (const [family, changes] of FITTING) {
    const model = gf.createModel({ ...TODAY, ...changes });
    for (const weight of model.weights().keys()) {
      if (model.config.weights === 'f32' && /bias|norm/.test(weight)) model.view(weight).fill(0.25);
    }
    const files = await model.save({ format: 'huggingface' });
    const config = jsonOf(files);
    assert.equal(config.model_type, family, JSON.stringify(changes));
    const again = await open(files);
    assert.deepEqual([again.family, again.model.weights()], [family, model.weights()]);
    assert.deepEqual(numbersOf(again.model), numbersOf(model));
    assert.equal(config.torch_dtype, changes.weights ? 'bfloat16' : 'float32');
    const named = await again.model.save({ format: 'huggingface', family });
    assert.deepEqual(named, await again.model.save({ format: 'huggingface' }));
    const reopened = await gf.loadModel(await again.model.save());
    assert.deepEqual(await reopened.model.save({ format: 'huggingface' }), named, 'from our own file');
    const remote = await far.createModel({ ...TODAY, ...changes });
    assert.equal(jsonOf(await remote.save({ format: 'huggingface' })).model_type, family);
    for (const each of [model, again.model, reopened.model]) each.free();
  }
  const model = gf.createModel(TODAY);
  const asQwen = await model.save({ format: 'huggingface', family: 'mistral' });
  assert.deepEqual([jsonOf(asQwen).model_type, jsonOf(asQwen).sliding_window], ['mistral', null]);
  assert.deepEqual(numbersOf((await open(asQwen)).model), numbersOf(model));
  /** @param {object} changes @param {string} parameter @param {RegExp} message @param {object} [options] */
  const refuses = (changes, parameter, message, options) =>
    assert.rejects(gf.createModel({ ...TODAY, ...changes }).save({ format: 'huggingface', ...options }), {
      ...{ code: 'unsupported', parameter, message },
    });
  await refuses(
    { ffn: 'plain' },
    'ffn',
    /^ffn: must be "gated" in a model of family llama \(the nearest\), got "plain"$/,
  );
  await refuses({ embeddingScale: true, window: 3 }, 'embeddingScale', /family mistral \(the nearest\)/);
  await refuses({ parallel: true }, 'parallel', /^parallel: must be false in a model of family llama \(the nearest\)/);
  await refuses(
    { qkNorm: true, window: 3, ffnBias: true },
    'ffnBias',
    /^ffnBias: must be false .*qwen3 \(the nearest\)/,
  );
  await refuses({}, 'qkNorm', /^qkNorm: must be true in a model of family qwen3, got false$/, { family: 'qwen3' });
  const wrong = /** @type {any} */ ({ format: 'huggingface', family: 'llama4' });
  await assert.rejects(model.save(wrong), { code: 'range', parameter: 'family' });
});

test('our own file keeps the family of a folder and its config.json, in a worker and of a copy too', async () => {
  for (const name of ['llama3-2l', 'mistral-2l-window', 'qwen3-2l', 'smollm-2l-bf16', 'gpt-neo-4l', 'distilbert-2l']) {
    const path = new URL(`${name}/`, folder);
    const { model, family } = await gf.loadModel(path);
    const files = await model.save({ format: 'huggingface' });
    const { bos_token_id, eos_token_id } = JSON.parse(String(readFileSync(new URL('config.json', path))));
    const config = jsonOf(files);
    assert.deepEqual(
      [config.model_type, config.bos_token_id, config.eos_token_id],
      [family, bos_token_id, eos_token_id],
    );
    const given = readSafetensors(readFileSync(new URL('model.safetensors', path))).tensors;
    const saved = readSafetensors(files['model.safetensors']).tensors;
    if (/^(llama|mistral|qwen|smollm)/.test(name))
      assert.deepEqual(new Map([...saved].sort()), new Map([...given].sort()));
    const own = await model.save();
    assert.deepEqual(await (await gf.loadModel(own)).model.save({ format: 'huggingface' }), files);
    assert.deepEqual(await (await gf.loadModel(new Blob([own]))).model.save({ format: 'huggingface' }), files);
    const remote = (await far.loadModel(own.slice())).model;
    assert.deepEqual(await remote.save({ format: 'huggingface' }), files, 'in a worker');
    assert.deepEqual(await (await remote.clone()).save({ format: 'huggingface' }), files, 'of a copy there');
    assert.deepEqual(await remote.save(), own);
  }
  const { model } = await gf.loadModel(new URL('bert-classes/', folder));
  const another = /** @type {const} */ ({ format: 'huggingface', family: 'roberta' });
  await assert.rejects(model.save(another), { code: 'unsupported', parameter: 'family' });
  const { tensors, metadata } = readSafetensors(await gf.createModel(GPT2).save());
  for (const said of ['{"family":"__proto__","config":{}}', '{"family":"opt"}', '[]', '7']) {
    metadata.set('glassformer.checkpoint', said); // which is passed over
    const { model } = await gf.loadModel(writeSafetensors(tensors, { metadata }));
    assert.equal(jsonOf(await model.save({ format: 'huggingface' })).model_type, 'gpt2', said);
  }
});

test('a model with words of its own is saved with a tokenizer.json that reads and writes alike', async () => {
  const TEXT = 'The [MASK] OLD creek, ΟΔΟΣ\ufeff[MASK]Old.';
  const words = ['[UNK]', '[MASK]', 'the', 'Old', 'creek', ',', '.', 'οδος'];
  for (const vocabulary of [new Vocabulary(words), new Vocabulary([...words, ' '], { level: 'characters' })]) {
    const { ids } = vocabulary.encode(TEXT);
    const model = gf.createModel({ ...GPT2, maxLength: 60, vocabulary });
    const files = await model.save({ format: 'huggingface' });
    const again = await open(files);
    assert.deepEqual(again.tokenizer.encode(TEXT).ids, ids);
    assert.equal(again.tokenizer.decode(ids), vocabulary.decode(ids));
    const options = { maxTokens: 5 };
    const { text, newText } = await model.generate('The [MASK] creek', options);
    const said = await again.model.generate('The [MASK] creek', options);
    assert.deepEqual([said.text, said.newText], [text, newText]);
    assert.deepEqual(await again.model.save({ format: 'huggingface' }), files);
    const remote = await far.createModel({ ...GPT2, maxLength: 60, vocabulary });
    const there = await remote.save({ format: 'huggingface' });
    assert.deepEqual(there['tokenizer.json'], files['tokenizer.json']);
    model.free();
    remote.free();
  }
});

test('a word that a tokenizer.json cannot say is named', async () => {
  /** @type {[string[], string, 'words' | 'characters'][]} */
  const cases = [
    [['a', '\ud83d'], '\ud83d', 'words'],
    [['The', 'x]the'], 'x]the', 'words'],
    [['[MASK]', 'a[mask]'], 'a[mask]', 'words'],
    [['The', '\u{f0000}'], '\u{f0000}', 'words'],
    [Array.from({ length: 31 }, (_, i) => `W${i}`), 'W30', 'words'],
    [['a', 'i\u0307'], 'i\u0307', 'characters'],
    [['Я', ...'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþабвгдежзийклмноп'], 'Я', 'characters'],
  ];
  for (const [words, value, level] of cases) {
    const model = gf.createModel({ ...GPT2, vocabulary: new Vocabulary(words, { level }) });
    const refused = { code: 'unsupported', parameter: 'vocabulary', value };
    await assert.rejects(model.save({ format: 'huggingface' }), refused, value);
    model.free();
  }
});

test('the setting that the family does not have is named', async () => {
  /** @type {[object, string][]} */
  const cases = [
    [{ norm: 'post' }, 'norm'],
    [{ finalNorm: false }, 'finalNorm'],
    [{ positions: 'sinusoidal' }, 'positions'],
    [{ embeddingScale: true }, 'embeddingScale'],
    [{ headBias: true }, 'headBias'],
    [{ head: 'none' }, 'head'],
    [{ window: 3 }, 'window'],
    [{ residual: false }, 'residual'],
    [{ causal: false }, 'causal'],
    [{ attentionBias: false }, 'attentionBias'],
    [{ head: 'linear', outputVocabulary: 5 }, 'outputVocabulary'],
    [{ kind: 'encoder-decoder' }, 'finalNorm'], // of the nearest, a Marian
  ];
  for (const [changes, parameter] of cases) {
    const model = gf.createModel({ ...GPT2, ...changes });
    await assert.rejects(model.save({ format: 'huggingface' }), { code: 'unsupported', parameter }, parameter);
    model.free();
  }
  const model = gf.createModel(GPT2);
  await assert.rejects(model.save({ format: 'pytorch' }), { code: 'range', parameter: 'format' });
  const message = /^names: is called format: save\({ format: 'huggingface' }\)/;
  await assert.rejects(model.save({ names: 'huggingface' }), { code: 'unknown', parameter: 'names', message });
  await assert.rejects(model.save({ format: 'huggingface', recipe: {} }), { code: 'unknown', parameter: 'recipe' });
  await assert.rejects(saveCheckpoint(/** @type {any} */ ({})), { code: 'foreign' });
  await assert.rejects(saveCheckpoint(/** @type {any} */ (null)), { code: 'foreign' });
  const { model: neo } = await gf.loadModel(new URL('gpt-neo-4l/', folder));
  neo.view('decoder.layers.1.self_attn.in_proj_bias')[0] = 1;
  const parameter = 'decoder.layers.1.self_attn.in_proj_bias';
  await assert.rejects(neo.save({ format: 'huggingface' }), { code: 'unsupported', parameter });
});
