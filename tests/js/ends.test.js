// Where an opened checkpoint ends its text: what the files of its folder say, here and in a worker, kept by save.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Vocabulary, load } from 'glassformer';
import { loadTokenizer } from 'glassformer/tokenizers';
import { endsIn } from '../../src/js/files/checkpoint-source.js';
import { added } from '../tokenizers/added.js';

const gf = await load({ variant: 'simd' });
const there = await load({ variant: 'simd', worker: true });
const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
after(() => {
  there.terminate();
  rmSync(folder, { recursive: true });
});

/** A tokenizer of whole words, the first of them special. @param {string[]} special @param {string[]} words */
const wordsOf = (special, words) => ({
  version: '1.0',
  added_tokens: special.map((content, id) => added(content, id)),
  pre_tokenizer: { type: 'WhitespaceSplit' },
  model: {
    type: 'WordLevel',
    unk_token: special[0],
    vocab: Object.fromEntries([...special, ...words].map((word, i) => [word, i])),
  },
});

const BLOCKS = {
  gpt2: { positions: 'learned', embeddingScale: false, norm: 'pre', finalNorm: true, activation: 'gelu-tanh' },
  llama: {
    ...{ positions: 'rotary', embeddingScale: false, norm: 'pre', normKind: 'rms', finalNorm: true, ffn: 'gated' },
    ...{ activation: 'silu', attentionBias: false, attentionOutBias: false, ffnBias: false },
  },
  qwen3: {},
};
BLOCKS.qwen3 = { ...BLOCKS.llama, qkNorm: true };

/**
 * The files of a model that says "hello there <eot> more hello there <eot> …", as its family lays them out.
 * @param {keyof typeof BLOCKS} family @param {string} [end] its second token
 */
async function talker(family, end = '<eot>') {
  const tokenizer = await loadTokenizer(wordsOf(['<pad>', end], ['hello', 'there', 'more']));
  const model = gf.createModel({
    ...{ kind: 'decoder', vocabulary: tokenizer, d_model: 16, heads: 2, layers: 2, head: 'tied', headBias: false },
    ...{ maxLength: 32, seed: 1, ...BLOCKS[family] },
  });
  const row = Array.from({ length: 25 }, (_, i) => [2, 3, 1, 4][i % 4]);
  const trainer = model.trainer({ learningRate: 0.01 });
  for (let i = 0; i < 150; i++) trainer.step({ ids: row.slice(0, -1), labels: row.slice(1) });
  return model.save({ format: 'huggingface', family });
}

const encode = (/** @type {object} */ json) => new TextEncoder().encode(JSON.stringify(json));
const FILES = { gpt2: await talker('gpt2'), llama: await talker('llama', '<|eot_id|>') };
FILES.qwen3 = await talker('qwen3', '<|im_end|>');

/**
 * Files whose settings say where texts end.
 * @param {keyof typeof FILES} family @param {Record<string, unknown>} said by file
 */
function saying(family, { config = {}, ...others }) {
  const files = FILES[family];
  const own = JSON.parse(new TextDecoder().decode(files['config.json']));
  return {
    ...files,
    'config.json': encode({ ...own, eos_token_id: undefined, .../** @type {object} */ (config) }),
    ...Object.fromEntries(Object.entries(others).map(([name, json]) => [`${name}.json`, encode(Object(json))])),
  };
}

/** @param {Record<string, Uint8Array>} files */
const picked = (files) => Object.entries(files).map(([name, bytes]) => new File([bytes], name));

const SAID = {
  'an id of config.json': ['gpt2', { config: { eos_token_id: 1 } }],
  'a list': ['gpt2', { config: { eos_token_id: [0, 1] } }],
  'generation_config.json before config.json': [
    'gpt2',
    { config: { eos_token_id: 0 }, generation_config: { eos_token_id: [0, 1] } },
  ],
  'a Llama 3 whose generation_config.json says it': ['llama', { generation_config: { eos_token_id: [0, 1] } }],
  'a Qwen3 whose tokenizer_config.json names it': ['qwen3', { tokenizer_config: { eos_token: '<|im_end|>' } }],
  'a token with settings': ['qwen3', { tokenizer_config: { eos_token: { content: '<|im_end|>', special: true } } }],
  'a Llama 3 of which only the tokenizer knows it': ['llama', {}],
  'a Qwen3 of which only the tokenizer knows it': ['qwen3', {}],
};

describe('an opened model ends by itself', () => {
  for (const [name, [family, said]] of Object.entries(SAID))
    test(name, async () => {
      const files = saying(/** @type {any} */ (family), /** @type {any} */ (said));
      for (const engine of [gf, there]) {
        const { model, endIds } = await engine.loadModel(picked(files));
        assert.ok(endIds.includes(1));
        const ended = await model.generate('hello', { maxTokens: 12 });
        assert.deepEqual([ended.newText, ended.endedBy, [...ended.newIds]], [' there', 'endId', [3, 1]]);
        const on = await model.generate('hello', { maxTokens: 12, endId: [] });
        assert.deepEqual([on.endedBy, on.newIds.length], ['maxTokens', 12]);
        assert.deepEqual([...(await model.generate('hello', { endId: [4, 3] })).newIds], [3]);
        const looped = [];
        for await (const { id } of model.generate('hello', { maxTokens: 12 })) looped.push(id);
        assert.deepEqual(looped, [3, 1]);
      }
    });

  test('a folder on disk, and files by name', async () => {
    const files = saying('llama', { config: { eos_token_id: 0 }, generation_config: { eos_token_id: 1 } });
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    const { 'config.json': config, 'model.safetensors': weights, 'tokenizer.json': tokenizer } = files;
    const named = { config, weights, tokenizer, generationConfig: { eos_token_id: 1 } };
    for (const source of [`${folder}/`, named])
      assert.equal((await (await gf.loadModel(source)).model.generate('hello', { maxTokens: 9 })).endedBy, 'endId');
  });

  test('a text of stop without a readable tokenizer is refused alike here and in a worker', async () => {
    const broken = {
      ...saying('gpt2', {}),
      'tokenizer.json': new TextEncoder().encode('{"model":{"type":"Other","vocab":{"a":0}}}'),
    };
    const messages = [];
    for (const engine of [gf, there]) {
      const { model } = await engine.loadModel(picked(broken));
      for (const stop of ['.', [[1], '.']])
        messages.push(
          await model.generate([1], { stop, maxTokens: 1 }).catch((/** @type {Error} */ each) => each.message),
        );
      await assert.rejects(async () => {
        for await (const each of model.generate([1], { stop: '.', maxTokens: 1 })) assert.fail(String(each));
      }, /model is not read/);
    }
    assert.match(messages[0], /Other|model is not read/);
    assert.deepEqual(new Set(messages).size, 1, String(messages));
  });

  test('saved and opened again, in our own format and as a folder', async () => {
    const files = saying('llama', { config: { eos_token_id: 0 }, generation_config: { eos_token_id: [1, 0] } });
    for (const engine of [gf, there]) {
      const { model } = await engine.loadModel(picked(files));
      const again = await engine.loadModel(await model.save());
      assert.deepEqual([...again.endIds], [1, 0]);
      assert.equal((await again.model.generate('hello', { maxTokens: 9 })).endedBy, 'endId');
      for (const each of [model, again.model]) {
        const folder = await each.save({ format: 'huggingface' });
        assert.deepEqual(JSON.parse(new TextDecoder().decode(folder['config.json'])).eos_token_id, [1, 0]);
        assert.deepEqual([...(await engine.loadModel(picked(folder))).endIds], [1, 0]);
      }
    }
  });
});

test('what is no end is passed over, and noted by its file', async () => {
  for (const eos_token_id of [-1, 5, 1.5, '1', [], [0, -1], [[1]], {}, true, Array(1025).fill(1)]) {
    const { endIds, notes } = endsIn({ config: { eos_token_id: 2 }, generationConfig: { eos_token_id } }, undefined, 5);
    assert.deepEqual([endIds, notes.length], [[2], 1], String(eos_token_id));
    assert.match(notes[0], /^generation_config\.json: eos_token_id is not read/);
  }
  assert.deepEqual(endsIn({ config: { eos_token_id: null } }, undefined, 5), { endIds: [], notes: [] });
  const { notes } = await gf.loadModel(picked(saying('gpt2', { config: { eos_token_id: 77 } })));
  assert.ok(notes.some((note) => note.startsWith('config.json: eos_token_id is not read')));
});

test('endId takes an id or ids, and refuses others by name', async () => {
  const model = gf.createModel({ kind: 'decoder', vocabulary: 5, d_model: 8, heads: 2, layers: 1, head: 'tied' });
  const given = (/** @type {any} */ endId) => model.generateSync([1], { maxTokens: 1, endId });
  assert.equal(given(new Int32Array([0, 1, 2, 3, 4])).endedBy, 'endId');
  for (const [endId, code, parameter] of [
    [5, 'token', 'endId'],
    [-1, 'token', 'endId'],
    [[1, 9], 'token', 'endId[1]'],
    ['1', 'type', 'endId'],
  ])
    assert.throws(() => given(endId), { code, parameter });
});

test('a model of own words ends at the end token of its Vocabulary, which its text leaves out', async () => {
  const path = import.meta.resolve('glassformer/models/translate');
  for (const engine of [gf, there]) {
    const { model } = await engine.loadModel(path);
    const { special } = model.targetTokenizer;
    const { text, newText, newIds, endedBy } = await model.generate('The cat was hungry.');
    assert.deepEqual([newText, text, endedBy], ['le chat était affamé .', 'le chat était affamé .', 'endId']);
    assert.equal(newIds.at(-1), special.end);
    const { beams } = await model.generate('The cat was hungry.', { beams: 2, keep: 2 });
    assert.deepEqual([beams[0].newText, beams[0].endedBy], [newText, 'endId']);
    const further = await model.generate('The cat was hungry.', { endId: [], maxTokens: newIds.length + 3 });
    assert.deepEqual(further.newIds.slice(0, newIds.length), newIds);
    assert.equal(further.endedBy, 'maxTokens');
  }
  const vocabulary = new Vocabulary(['[EOS]', 'creek']);
  const decoder = { kind: 'decoder', vocabulary, d_model: 8, head: 'linear', seed: 1 };
  for (const engine of [gf, there]) {
    const model = await engine.createModel(decoder);
    const weights = await model.weights();
    weights.get('generator.bias').data[0] = 99;
    await model.loadWeights(weights);
    const { newIds, newText, text } = await model.generate('creek', { maxTokens: 3 });
    assert.deepEqual([newIds, newText, text], [[0], '', 'creek']);
    const stopped = await model.generate('creek', { maxTokens: 3, endId: [], stop: '[EOS]' });
    assert.deepEqual([stopped.newIds, stopped.endedBy], [[0], 'stop']);
    const loose = await model.generate('creek', { maxTokens: 3, endId: [] });
    assert.deepEqual([loose.newIds, loose.text, loose.endedBy], [[0, 0, 0], 'creek', 'maxTokens']);
  }
});
