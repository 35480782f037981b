// model.save({ format: 'huggingface' }): a folder's files again, with the same bits and no other names than its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { load, readSafetensors } from 'glassformer';
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
    // How positions count behind padding is the family's.
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
    [{ kind: 'encoder-decoder' }, 'kind'],
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
