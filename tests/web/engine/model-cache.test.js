// The page's facts about a model's file: the words that it reads, those that it writes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { neighbours, reverse, reverseDecoder } from 'glassformer/tasks';
import { defaultState } from '../../../web/app/schema.js';
import { createGivenModel } from '../../../web/engine/given-model.js';
import { loadDerived } from '../../../web/engine/derived.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { createModelCache } from '../../../web/engine/model-cache.js';
import { makePlan } from '../../../web/engine/plan.js';
import { readModel } from '../../../src/models/measure.mjs';

const gf = await load({ variant: 'simd' });

/** @param {any} task @param {object} [vocabularies] */
async function infoOf({ config, vocabulary, outputVocabulary }, vocabularies = { vocabulary, outputVocabulary }) {
  const model = gf.createModel(config);
  const file = /** @type {Uint8Array<ArrayBuffer>} */ (await model.save(vocabularies));
  model.free();
  return createModelCache().open(gf, 'given', file);
}

test('the words of the output are the input’s, the target’s, or of a vocabulary of its own', async () => {
  const own = await infoOf(neighbours);
  assert.deepEqual(own.vocabulary, [...'abcdef']);
  assert.equal(own.targetVocabulary, undefined);
  assert.deepEqual(own.outputVocabulary, neighbours.outputVocabulary?.words);
  assert.deepEqual((await infoOf(reverse)).outputVocabulary, [...'0123456789']);
  const shared = await infoOf(reverseDecoder);
  assert.deepEqual(shared.targetVocabulary, reverseDecoder.vocabulary.words, 'one table for both');
  assert.deepEqual(shared.outputVocabulary, shared.targetVocabulary);
});

test('scores of a stranger’s file are rows of text and numbers, or none', async () => {
  const model = gf.createModel(reverse.config);
  const row = { name: 'words', value: 0.5, note: 'of held-out data' };
  for (const [said, scores] of /** @type {[string, object[]][]} */ ([
    [JSON.stringify([row]), [row]],
    [JSON.stringify([{ name: 'words', value: 1 }]), [{ name: 'words', value: 1 }]],
    ['{', []],
    ['null', []],
    ['{"length":1000000000}', []],
    ['[null]', []],
    ['[{"name":"a","value":"1"}]', []],
    ['[{"name":{},"value":1}]', []],
    ['[{"name":"a","value":1,"note":{}}]', []],
  ])) {
    const file = /** @type {Uint8Array<ArrayBuffer>} */ (await model.save({ metadata: { scores: said } }));
    assert.deepEqual((await createModelCache().open(gf, 'given', file)).scores, scores, said);
  }
  model.free();
});

test('an encoder–decoder without an end mark says as many tokens as asked', async () => {
  const info = await infoOf(reverseDecoder);
  const { kind, heads } = info.config;
  const state = { ...defaultState(), settings: { ...defaultState().settings, kind, heads } };
  const { generate, ids } = makePlan({ ...state, text: '4 0 7 1 6' }, info);
  assert.deepEqual(generate, { begin: 10, maxTokens: 5 });
  const model = gf.createModel(info.config);
  const { newIds } = model.generateSync({ targetIds: [10], sourceIds: ids, maxTokens: 5, endId: generate?.end });
  assert.equal(newIds.length, 5);
  const translate = readModel('translate');
  const { generate: ended } = makePlan({ ...state, text: 'the dog' }, translate);
  assert.deepEqual(ended, { begin: translate.outputVocabulary.indexOf('[BOS]'), end: 2, maxTokens: 24 });
});

const NAMES = { config: 'config.json', weights: 'model.safetensors', tokenizer: 'tokenizer.json' };

/** A checkpoint as a reader gives it; `reads` counts how often its weights are read from the beginning. */
function given(name) {
  const blobs = Object.entries(NAMES).map(([key, file]) => [
    key,
    new Blob([readFileSync(new URL(`../../checkpoints/${name}/${file}`, import.meta.url))]),
  ]);
  /** @type {any} */
  const files = Object.fromEntries(blobs);
  const counted = { files, reads: 0, broken: false };
  const { slice } = files.weights;
  files.weights.slice = function (/** @type {number} */ from, /** @type {number} */ to) {
    if (from === 0) counted.reads++;
    if (counted.broken) throw new Error('gone');
    return slice.call(this, from, to);
  };
  return counted;
}

/** A request to a model. @param {any} info @param {object} [other] */
const query = (info, { interventions = [], plans = 1, names = ['logits'], ...config } = /** @type {any} */ ({})) => ({
  type: /** @type {const} */ ('run'),
  id: 1,
  key: JSON.stringify([info.name, config, interventions]),
  config: { seed: 0, ...info.config, ...config },
  ids: [1, 2, 3, 4],
  targetIds: null,
  interventions,
  names,
  maskNames: {},
  plans,
  focus: { layer: 0, row: 0 },
  model: info.name,
  generate: null,
});

test('a given model’s weights are in the module alone: switched, edited, back and forth, the same bits', async () => {
  const engine = await load({ variant: 'simd' });
  const cache = createModelCache();
  const live = createLiveModels(engine, cache);
  const files = { gpt: given('gpt2-2l'), bert: given('bert-2l') };
  /** @param {'gpt' | 'bert'} name */
  const open = (name) => cache.open(engine, name, files[name].files);
  const logits = async (/** @type {any} */ ...asked) =>
    (await live.run(/** @type {any} */ (query)(...asked))).tensors.logits.data;
  /** Node's numbers. @param {'gpt' | 'bert'} name @param {object} [config] @param {(model: any) => void} [edit] */
  async function wanted(name, config = {}, edit = () => {}) {
    const { model } = await gf.loadModel(given({ gpt: 'gpt2-2l', bert: 'bert-2l' }[name]).files);
    const other = gf.createModel({ ...model.config, ...config });
    other.loadWeights(model.weights(), { strict: false });
    edit(other);
    return other.forward({ ids: [1, 2, 3, 4], capture: true }).logits.data;
  }
  const gpt = await open('gpt');
  assert.equal(cache.weights('gpt'), null);
  const first = await logits(gpt);
  assert.deepEqual(first, await wanted('gpt'));
  assert.equal(files.gpt.reads, 1, 'the model that was opened is the one that runs');

  // Switches and edits, of models of which the first is needed no more, or beside it.
  const unscaled = { scoreScale: false };
  assert.deepEqual(await logits(gpt, unscaled), await wanted('gpt', unscaled));
  const biased = await live.run(/** @type {any} */ (query(gpt, { headBias: true })));
  assert.deepEqual(biased.tensors.logits.data, await wanted('gpt', { headBias: true }));
  assert.equal(biased.facts.absent.length, 1, 'a bias that the file does not have');
  const [name] = [...(await gf.loadModel(given('gpt2-2l').files)).model.weights().keys()];
  const edit = { what: 'weight', name, row: 2, column: 3, value: 1.5 };
  const edited = await wanted('gpt', {}, (model) => {
    model.view(name)[2 * gpt.config.d_model + 3] = 1.5;
  });
  assert.notDeepEqual(edited, first);
  assert.deepEqual(await logits(gpt, { interventions: [edit] }), edited);
  assert.deepEqual(await logits(gpt, unscaled), await wanted('gpt', unscaled), 'from a model that was edited');
  assert.deepEqual(await logits(gpt, { plans: 2 }), first);
  assert.deepEqual(await logits(gpt, { ...unscaled, plans: 2 }), await wanted('gpt', unscaled));
  assert.equal(files.gpt.reads, 1, 'all of them from the module’s memory');

  const bert = await open('bert');
  assert.deepEqual(await logits(gpt), first, 'while another waits');
  const masked = await logits(bert);
  assert.deepEqual(masked, await wanted('bert'));
  assert.deepEqual(await logits(gpt), first);
  assert.deepEqual([files.gpt.reads, files.bert.reads], [2, 1], 'read again, as its memory was another’s');
  assert.deepEqual(await logits(bert), masked);

  // A file that is gone by then.
  files.gpt.broken = true;
  await assert.rejects(logits(gpt), ({ message }) =>
    /^Its file had to be read again \(.*gone.*\)\. Open/.test(message),
  );
  assert.deepEqual(await logits(bert), masked, 'what is open answers on');

  // A module that broke down: the next has no models yet.
  const other = await load({ variant: 'simd' });
  const anew = createLiveModels(other, cache);
  assert.deepEqual((await anew.run(/** @type {any} */ (query(bert)))).tensors.logits.data, masked);
});

test('a model that was opened runs itself, whatever its seed, and a copy where a setting differs', async () => {
  for (const [more, isSame] of /** @type {[object, boolean][]} */ ([
    [{ seed: 9 }, true],
    [{}, true],
    [{ scoreScale: false }, false],
    [{ headBias: true }, false],
  ])) {
    const opened = gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 1, headBias: false });
    const model = createGivenModel(gf, opened, /** @type {any} */ (null), {});
    const made = await model.make(gf, { ...opened.config, ...more });
    assert.equal(made === opened, isSame, JSON.stringify(more));
    if (!isSame) assert.throws(() => opened.forward({ ids: [1] }), { code: 'freed' });
    made.free();
  }
});

test('a copy that does not fit is refused in words, and what was there answers on', async () => {
  const engine = await load({ variant: 'simd' });
  const cache = createModelCache();
  const live = createLiveModels(engine, cache);
  const one = given('gpt2-2l');
  const info = await cache.open(engine, 'one', one.files);
  const logits = async (/** @type {any} */ config) =>
    (await live.run(/** @type {any} */ (query)(info, config))).tensors.logits.data;
  const first = await logits({});
  const { copy } = /** @type {any} */ (cache.given('one'));
  const refuse = (/** @type {string} */ code) => () => {
    throw Object.assign(new Error('no'), { code });
  };
  const source = (/** @type {string} */ code) => ({ model: { clone: refuse(code) }, originals: [] });
  const message = 'This change needs a second copy of the model, which does not fit.';
  assert.throws(() => copy(engine, {}, source('memory')), { code: 'memory', message });
  assert.throws(() => copy(engine, {}, source('config')), { message: 'no', code: 'config' });
  Object.assign(/** @type {any} */ (cache.given('one')), { copy: refuse('memory'), make: refuse('memory') });
  await assert.rejects(logits({ scoreScale: false }), { code: 'memory' });
  assert.deepEqual(await logits({}), first);
  assert.equal(one.reads, 1);
});

test('a model that is opened and not shown gives its memory back', async () => {
  const engine = await load({ variant: 'simd' });
  const cache = createModelCache();
  const { files } = given('gpt2-2l');
  await cache.open(engine, 'one', files);
  const { memoryBytes } = engine;
  for (let i = 0; i < 40; i++) await cache.open(engine, `${i % 3}`, files);
  cache.forget('0');
  const stop = AbortSignal.abort(new Error('enough'));
  await assert.rejects(cache.open(engine, 'two', files, { signal: stop }), /enough/);
  for (let i = 0; i < 5; i++) await cache.open(engine, 'one', files);
  assert.ok(
    engine.memoryBytes - memoryBytes < files.weights.size * 2,
    `${engine.memoryBytes - memoryBytes} bytes more`,
  );
});

test('weights in 16 bits stay so: switched, edited, and what was before without a second model', async () => {
  const engine = await load({ variant: 'simd' });
  const cache = createModelCache();
  const live = createLiveModels(engine, cache);
  const settings = { kind: 'decoder', vocabulary: 9, d_model: 16, heads: 2, layers: 1, head: 'tied', headBias: false };
  const file = async (/** @type {any} */ weights) =>
    new Blob([/** @type {any} */ (await gf.createModel({ ...settings, weights }).save())]);
  const info = await cache.open(engine, 'half', await file('bf16'));
  const model = gf.createModel({ ...settings, weights: 'bf16' }).clone({ weights: 'f32' });
  const name = 'tok_emb.weight';
  const run = (/** @type {any} */ asked) => live.run(/** @type {any} */ (query)(info, asked));
  const computed = (/** @type {any} */ changes = {}) => model.clone(changes).forward({ ids: [1, 2, 3, 4] }).logits.data;
  assert.equal(info.config.weights, 'bf16');
  const first = computed();
  assert.deepEqual((await run({})).tensors.logits.data, first);
  assert.deepEqual((await run({ scoreScale: false })).tensors.logits.data, computed({ scoreScale: false }));
  const biased = await run({ headBias: true });
  assert.deepEqual([biased.tensors.logits.data, biased.facts.absent.length], [first, 1]);

  const edit = { what: 'weight', name, row: 2, column: 3, value: 0.1 };
  model.view(name)[2 * 16 + 3] = 0.10009765625;
  const before = `@before/${JSON.stringify({ seed: 0, ...info.config })}`;
  await loadDerived([before]);
  assert.deepEqual((await run({ interventions: [edit] })).tensors.logits.data, computed());
  Object.assign(cache.given('half'), { copy: () => assert.fail('a second model') });
  const { derived, tensors } = await run({ interventions: [edit], names: ['logits', before] });
  assert.deepEqual(derived[before].probabilities, gf.softmax({ data: first, shape: [1, 4, 9] }));
  assert.deepEqual(tensors.logits.data, computed());
  assert.deepEqual((await run({ interventions: [edit] })).tensors.logits.data, computed(), 'left as it was');
  assert.deepEqual((await run({})).tensors.logits.data, first);

  const other = await cache.open(engine, 'other', await file('f16'));
  const beyond = /** @type {any} */ (query)(other, { interventions: [{ ...edit, value: 65505 }] });
  await assert.rejects(live.run(beyond), ({ message }) => message.endsWith('must be within ±65504, not 65505.'));

  let bytes = 2 ** 31 + 1; // that are asked for
  const small = Object.create(gf, {
    loadModel: {
      async value(/** @type {any} */ source, /** @type {any} */ options) {
        if (!options.weights) throw Object.assign(new Error('memory'), { code: 'memory', value: bytes });
        return gf.loadModel(source, options);
      },
    },
  });
  const { config, rounded } = await createModelCache().open(small, 'large', await file('f32'));
  assert.deepEqual([config.weights, rounded, info.rounded], ['bf16', true, false]);
  bytes = 2 ** 31;
  await assert.rejects(createModelCache().open(small, 'large', await file('f32')), /memory/);
});

test('a file beside the page is fetched once, and again where it failed; its size and words are known', async (t) => {
  const model = gf.createModel({ kind: 'encoder', vocabulary: 3, d_model: 4, heads: 1, layers: 1 });
  const bytes = /** @type {Uint8Array<ArrayBuffer>} */ (await model.save());
  /** @type {string[]} */
  const asked = [];
  let status = 503;
  const sentences = ['0 2', '1'];
  t.mock.method(globalThis, 'fetch', async (/** @type {string} */ url) => {
    asked.push(url);
    return url.endsWith('json') ? Response.json({ sentences }) : new Response(bytes, { status });
  });
  const cache = createModelCache();
  cache.fetch('x');
  await assert.rejects(cache.open(gf, 'x'), { message: 'models/x.safetensors could not be fetched (503)' });
  status = 200;
  cache.fetch('x');
  cache.fetch('x');
  const info = await cache.open(gf, 'x');
  await cache.open(gf, 'x');
  cache.fetch('x');
  assert.deepEqual(asked.splice(0), ['models/x.safetensors', 'models/x.safetensors']);
  assert.deepEqual([info.bytes, info.vocabulary, info.endIds], [bytes.length, ['0', '1', '2'], undefined]);
  assert.deepEqual(
    [cache.corpus('x'), cache.corpus(null), cache.weights(null), cache.weights('y')],
    [null, null, null, null],
  );
  for (const name of ['x', 'x', null, 'y']) await cache.fetchCorpus(name);
  assert.deepEqual(asked.splice(0), ['models/x.corpus.json']);
  assert.deepEqual(cache.corpus('x'), { ids: [[0, 2], [1]], targetIds: null });
  assert.deepEqual([...(cache.weights('x')?.keys() ?? [])], [...model.weights().keys()]);
  cache.forget('x');
  cache.forget('x');
  assert.equal(cache.weights('x'), null);
  status = 503;
  await assert.rejects(cache.open(gf, 'x'), /503/);

  const file = new File([bytes], 'model.safetensors');
  const { weights, config, tokenizer } = given('gpt2-2l').files;
  const list = [new File([weights], 'model.safetensors'), new File([config], 'config.json')];
  for (const [own, size] of /** @type {[any, number][]} */ ([
    [file, bytes.length],
    [bytes, bytes.length],
    [list, weights.size + config.size],
    [{ config, weights, tokenizer }, weights.size],
  ])) {
    const opened = await cache.open(gf, 'own', own);
    const ends = own === file || own === bytes ? undefined : [316]; // of GPT-2’s config.json
    assert.deepEqual([opened.bytes, opened.name, opened.endIds], [size, 'own', ends]);
    await cache.fetchCorpus('own');
    cache.setCorpus('own', [[1, 2], [0]]);
    assert.deepEqual(cache.corpus('own'), { ids: [[0], [1, 2]], targetIds: null });
  }
  cache.setCorpus('nobody', []);
  const words = ['a', 'b', 'c'];
  assert.deepEqual((await cache.open(gf, 'own', file, { words })).outputVocabulary, words);
  assert.deepEqual(asked, ['models/x.safetensors']);
});
