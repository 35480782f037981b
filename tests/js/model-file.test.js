// One file for a model: written by model.save, read by gf.loadModel from wherever a file may come.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { GlassformerError, Vocabulary, load, readSafetensors, writeSafetensors } from 'glassformer';
import * as core from 'glassformer/core';
import { load as loadWorker } from 'glassformer/worker';
import { same } from './reference.js';

const gf = await load({ variant: 'simd' });
const words = ['[PAD]', 'the', 'creek', 'was', 'deep', '.'];
const CONFIG = { kind: 'decoder', vocabulary: 6, d_model: 8, heads: 2, d_ff: 16, layers: 1, head: 'tied', seed: 5 };
const recipe = { task: 'stories', steps: 7, of: ['a', { b: null }] };

const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
after(() => rmSync(folder, { recursive: true }));

/** A model, its file, and what it says to three tokens. */
async function example(config = CONFIG) {
  const model = gf.createModel(config);
  const file = await model.save({ vocabulary: words, recipe, metadata: { made: 'here' } });
  const { logits } = model.forward({ ids: [1, 2, 3] });
  model.free();
  return { file, logits };
}

/** The same file with a header whose length begins with the byte 60, which is < in ASCII. @param {Uint8Array} file */
function headerOf60(file) {
  const length = Number(new DataView(file.buffer).getBigUint64(0, true));
  const longer = Math.ceil((length - 60) / 256) * 256 + 60;
  const bytes = new Uint8Array(file.length + longer - length).fill(32);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(longer), true);
  bytes.set(file.subarray(8, 8 + length), 8);
  bytes.set(file.subarray(8 + length), 8 + longer);
  return bytes;
}

const refused = async (call, code, message) => {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof GlassformerError, error?.stack);
    assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message);
    return true;
  });
};

test('a file by the name weights, without config, and with no options in particular', async () => {
  const { file, logits } = await example();
  for (const [given, options] of /** @type {[any, any][]} */ ([
    [{ weights: file }, undefined],
    [{ weights: new Blob([/** @type {any} */ (file)]), config: undefined }, { signal: AbortSignal.timeout(60_000) }],
    [{ weights: Promise.resolve(file) }, {}],
    [file, {}],
  ])) {
    const { model, tokenizer: vocabulary } = await gf.loadModel(given, options);
    same(model.forward({ ids: [1, 2, 3] }).logits, logits, 'to the bit');
    assert.deepEqual(vocabulary.words, words);
    model.free();
  }
  await refused(() => gf.loadModel({ weights: writeSafetensors({}) }), 'format', /configuration/);
  await refused(() => gf.loadModel({ weights: file, wieghts: file }), 'unknown', /wieghts/);
  await refused(() => gf.loadModel(file, /** @type {any} */ ({ onprogress() {} })), 'unknown', /onprogress/);
});

test('a file gives model, vocabulary and recipe in one call', async () => {
  const { file, logits } = await example();
  const {
    model,
    tokenizer: vocabulary,
    targetTokenizer: targetVocabulary,
    recipe: made,
    trainer,
    metadata,
  } = await gf.loadModel(file);
  same(model.forward({ ids: [1, 2, 3] }).logits, logits, 'to the bit');
  assert.deepEqual(made, recipe);
  assert.deepEqual([targetVocabulary, trainer, metadata.get('made')], [undefined, undefined, 'here']);
  assert.deepEqual(vocabulary.words, words);
  same(model.forward({ ids: vocabulary.encode('The creek was').ids }).logits, logits, 'a text as it is typed');
  assert.equal(vocabulary.decode([1, 2, 3]), 'the creek was');
  assert.equal(vocabulary.decode(vocabulary.encode('The creek was deep.').ids), 'the creek was deep .');
  assert.deepEqual(vocabulary.encode('the lake').unknown, [{ word: 'lake', at: 1 }]);
  model.free();
});

test('every setting and every kind goes through', async () => {
  for (const config of [
    { kind: 'encoder', vocabulary: 6, types: 2, d_model: 8, heads: 2, d_ff: 8, norm: 'pre', activation: 'gelu' },
    { kind: 'encoder-decoder', vocabulary: 6, targetVocabulary: 3, d_model: 8, heads: 2, d_ff: 8, head: 'linear' },
    { kind: 'attention', d_model: 8, heads: 2 },
    { kind: 'feed-forward', d_model: 8, d_ff: 8, epsilon: 1e-6 },
  ]) {
    const model = gf.createModel({ ...config, seed: 3 });
    const { vocabulary, targetVocabulary } = model.config;
    const given = {
      ...(vocabulary && { vocabulary: words }),
      ...(targetVocabulary && { targetVocabulary: new Vocabulary(['[BEGIN]', 'la', 'crique']) }),
    };
    const read = await gf.loadModel(model.save(given));
    assert.deepEqual(read.model.config, model.config);
    assert.deepEqual(read.model.weights(), model.weights());
    assert.equal(read.tokenizer?.size ?? 0, vocabulary);
    assert.equal(read.targetTokenizer?.decode([1, 2]), targetVocabulary ? 'la crique' : undefined);
    model.free();
    read.model.free();
  }
});

test('the file is plain safetensors with documented keys, and always the same bytes', async () => {
  const model = gf.createModel(CONFIG);
  const { tensors, metadata } = readSafetensors(
    await model.save({ vocabulary: words, recipe, metadata: { made: 'here' } }),
  );
  assert.deepEqual([...tensors.keys()].sort(), [...model.weights().keys()].sort());
  // Settings that came after version 1 of the format are written only where they differ from the default.
  const first = Object.keys(model.config).filter((name) => name !== 'outputVocabulary');
  const config = Object.fromEntries(first.slice(0, 25).map((name) => [name, model.config[name]]));
  assert.deepEqual(Object.keys(config).at(-1), 'tiedEmbeddings');
  assert.deepEqual(
    [...metadata],
    [
      ['made', 'here'],
      ['glassformer.version', '1'],
      ['glassformer.config', JSON.stringify(config)],
      ['glassformer.vocabulary', JSON.stringify(words)],
      ['glassformer.recipe', JSON.stringify(recipe)],
    ],
  );
  assert.deepEqual(await model.save({ recipe }), await model.save({ recipe }));
  const half = await model.save({ float16: true });
  assert.ok(half.length < (await model.save()).length);
  assert.deepEqual(readSafetensors(half).metadata, readSafetensors(await model.save()).metadata);
  model.free();
});

test('a file says each setting that is not the default', async () => {
  const heads = { heads: 4, keyValueHeads: 2, headWidth: 6, qkNorm: true, attentionOutBias: false };
  const rope = { positions: 'rotary', ropeTheta: 500, ropeScaling: 'llama3', ropeFactor: 2, ropeLowFrequency: 0.5 };
  const others = { normKind: 'rms', ffn: 'gated', ffnBias: false, initializerRange: 0.5, ropeHighFrequency: 8 };
  const given = { ...CONFIG, ...heads, ...rope, ...others, ropeOriginalLength: 64, outputVocabulary: 0 };
  const model = gf.createModel(given);
  const { model: read } = await gf.loadModel(await model.save());
  assert.deepEqual(read.config, model.config);
  const said = JSON.parse(readSafetensors(await model.save()).metadata.get('glassformer.config'));
  for (const name of ['normKind', 'ffnBias', 'ropeTheta', 'initializerRange']) assert.equal(said[name], given[name]);
  assert.deepEqual(
    Object.keys(said).filter((name) => /Vocab|window/.test(name)),
    ['targetVocabulary'],
  );
  model.free();
  read.free();
});

test('a file comes from an address, a response, a blob or bytes, or a promise of one', async (t) => {
  const { file, logits } = await example();
  const path = join(folder, 'model.safetensors');
  writeFileSync(path, file);
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/model' ? 200 : 404;
    response.setHeader('content-type', request.url === '/page' ? 'text/html' : 'application/octet-stream');
    if (request.url === '/page') response.statusCode = 200;
    response.end(request.url === '/model' ? file : '<!doctype html><title>Not found</title>');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  t.after(() => server.close());
  const base = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
  for (const source of [
    file,
    file.buffer,
    Buffer.from(file),
    new DataView(file.buffer),
    new Blob([file]),
    new File([file], 'x.safetensors'),
    new Response(file),
    `${base}/model`,
    new URL(`${base}/model`),
    fetch(`${base}/model`),
    new Response(headerOf60(file)),
    Promise.resolve(file),
    pathToFileURL(path),
    pathToFileURL(path).href,
  ]) {
    const { model, tokenizer: vocabulary } = await gf.loadModel(source);
    same(model.forward({ ids: [1, 2, 3] }).logits, logits);
    assert.equal(vocabulary.size, 6);
    model.free();
  }
  await refused(gf.loadModel(`${base}/none`), 'notFound', /file: .*\b404/);
  await refused(gf.loadModel(fetch(`${base}/none`)), 'notFound', /file: .*\b404/);
  await refused(gf.loadModel(`${base}/page`), 'format', /file: .*HTML/);
  await refused(
    gf.loadModel(new URL('nothing.safetensors', pathToFileURL(path))),
    'notFound',
    /file: there is no such file: .*nothing/,
  );
  await refused(gf.loadModel('http://127.0.0.1:1/x'), 'network', /file: could not be fetched/);
  const spent = new Response(file);
  await spent.arrayBuffer();
  await refused(gf.loadModel(spent), 'format', /file: .*read already/);
  for (const source of [undefined, null, 7]) {
    await refused(gf.loadModel(source), source === undefined ? 'missing' : 'type', /file: .*URL, Response, Blob or/);
  }
  // Wrong forms of a checkpoint of several files.
  await refused(gf.loadModel({}), 'missing', /weights: /);
  await refused(gf.loadModel([1, 2]), 'type', /must be an array of files/);
  await refused(gf.loadModel(readSafetensors(file)), 'unknown', /known are config, weights, tokenizer/);
});

test('in Node a file is also found by its path, relative to where the program runs', async () => {
  const odd = join(folder, 'a #? %20 ü');
  mkdirSync(odd);
  const { file, logits } = await example();
  const path = join(odd, 'own.safetensors');
  writeFileSync(path, file);
  const remote = await loadWorker({ variant: 'simd' });
  for (const given of [path, relative(process.cwd(), path)]) {
    same((await gf.loadModel(given)).model.forward({ ids: [1, 2, 3] }).logits, logits);
    const { model } = await remote.loadModel(given);
    same((await model.forward({ ids: [1, 2, 3] })).logits, logits);
  }
  remote.terminate();
  await assert.rejects(gf.loadModel(`${path}.part`), (error) => {
    assert.deepEqual([error.name, error.code, error.parameter], ['GlassformerError', 'notFound', 'file']);
    assert.match(error.message, /there is no such file: .*ENOENT/);
    return true;
  });
});

test('a file that is no model of ours says what to do, and leaves nothing behind', async () => {
  const { file } = await example();
  const { tensors, metadata } = readSafetensors(file);
  /** The file with other metadata or tensors. */
  const other = (said, changed = tensors) => {
    const all = new Map([...metadata, ...Object.entries(said)]);
    for (const [key, value] of all) if (value === undefined) all.delete(key);
    return writeSafetensors(changed, { metadata: all });
  };
  const less = new Map([...tensors].slice(1));
  const shapes = new Map([...tensors].map(([name, { data }]) => [name, { data, shape: [data.length] }]));
  const more = new Map([...tensors, ['extra', { data: [1], shape: [1] }]]);
  const bytes = gf.memoryBytes;
  for (let round = 0; round < 50; round++) {
    for (const [bad, code, message] of [
      [Buffer.from('<!DOCTYPE html>\n<html></html>'), 'format', /file: is a page of HTML/],
      [new TextEncoder().encode('<html><body>Not found</body></html>').buffer, 'format', /file: /],
      [new Blob(['<!DOCTYPE html>']), 'format', /file: .*HTML/],
      [file.subarray(0, 100), 'format', /file: the header's length/],
      [writeSafetensors(tensors), 'format', /file: has no configuration: use createModel\(config\), then .*\.tensors/],
      [other({ 'glassformer.version': '2' }), 'format', /file: has format 2, not 1: take a newer/],
      [other({ 'glassformer.version': undefined }), 'format', /file: has format undefined/],
      [other({ 'glassformer.version': '{"toString":1}' }), 'format', /file: has format \{"toString":1\}, not 1/],
      [other({ 'glassformer.config': '{' }), 'format', /file: metadata glassformer.config is no JSON/],
      [other({ 'glassformer.config': '5' }), 'format', /glassformer.config must be an object/],
      [other({ 'glassformer.config': '{"layerz":2}' }), 'unknown', /layerz: /],
      [other({ 'glassformer.config': '{"heads":3}' }), 'config', /heads: /],
      [other({ 'glassformer.vocabulary': '["a"]' }), 'range', /vocabulary: must have config.vocabulary = 6 words/],
      [other({ 'glassformer.vocabulary': '[1,2,3,4,5,6]' }), 'type', /vocabulary: must be a Vocabulary or/],
      [other({ 'glassformer.vocabulary': '["a","a","b","c","d","e"]' }), 'range', /words: must differ/],
      [
        other({ 'glassformer.targetVocabulary': '["a"]' }),
        'range',
        /targetVocabulary: must have config.targetVocabulary = 0 words/,
      ],
      [other({}, less), 'missing', /: the file lacks this tensor/],
      [other({}, shapes), 'shape', /: must have shape/],
      [other({}, more), 'unknown', /extra: the model has no such weight/],
      [other({ 'glassformer.trainer': '{"settings":{},"steps":3}' }), 'missing', /moment1\..*: the file lacks this/],
      [other({ 'glassformer.trainer': '{"settings":{"optimiser":1},"steps":3}' }), 'unknown', /optimiser: /],
    ]) {
      await refused(gf.loadModel(bad), code, message);
    }
  }
  assert.equal(gf.memoryBytes, bytes, 'models that did not come to be were freed');
  const ignored = await gf.loadModel(other({ 'glassformer.later': '[1]', 'glassformer.__proto__': '{"config":1}' }));
  ignored.model.free();
});

test('the tokenizer of a checkpoint goes along: from a folder, through a trainer, out of a worker', async (t) => {
  const text = 'The dog did not jump, “creek” <|endoftext|>';
  const worker = await loadWorker();
  t.after(() => worker.terminate());
  for (const name of ['gpt2-2l', 'bert-2l', 'qwen3-2l', 'mistral-2l-window']) {
    const source = `tests/checkpoints/${name}/`;
    const { model, tokenizer } = await gf.loadModel(source);
    const own = gf.createModel({ ...CONFIG, vocabulary: tokenizer });
    const there = await worker.loadModel(source);
    const files = {
      folder: await model.save(),
      trainer: await model.trainer().save(),
      own: await own.save(),
      worker: await there.model.save(),
    };
    for (const [way, file] of Object.entries(files)) {
      const again = await gf.loadModel(file);
      const rows = [tokenizer, again.tokenizer].map((each) => each?.encode(text, { truncation: true, maxLength: 9 }));
      assert.deepEqual(rows[1], rows[0], `${name}, ${way}`);
      if (way !== 'trainer') assert.deepEqual(await again.model.save(), file, `${name}, ${way}`);
      again.model.free();
    }
    for (const each of [model, own]) each.free();
    await there.model.free();
  }
});

test('what save is given is checked', async () => {
  const model = gf.createModel(CONFIG);
  for (const [options, code, parameter] of [
    [{ vocabulary: words.slice(1) }, 'range', 'vocabulary'],
    [{ vocabulary: 'a b c' }, 'type', 'vocabulary'],
    [{ vocabulary: ['a', 'b', 'c', 'd', 'e', '\ud800'] }, 'type', 'vocabulary'],
    [{ vocabulary: ['a', 'b', 'c', 'd', 'e', 'e'] }, 'range', 'words'],
    [{ targetVocabulary: words }, 'range', 'targetVocabulary'],
    [{ tokenizer: 'tokenizer.json' }, 'type', 'tokenizer'],
    [{ recipe: 5n }, 'type', 'recipe'],
    [{ recipe: () => {} }, 'type', 'recipe'],
    [{ metadata: { a: 1 } }, 'type', 'metadata.a'],
    [{ metadata: 'a' }, 'type', 'metadata'],
    [{ float16: 1 }, 'type', 'float16'],
    [{ half: true }, 'unknown', 'half'],
    [{ format: 'pytorch' }, 'range', 'format'],
    [{ names: 'huggingface' }, 'unknown', 'names'],
    [7, 'type', 'options'],
    [null, 'type', 'options'],
  ]) {
    await assert.rejects(model.save(/** @type {any} */ (options)), { name: 'GlassformerError', code, parameter });
  }
  model.free();
  await assert.rejects(model.save(), { name: 'GlassformerError', code: 'freed' });
  assert.throws(() => gf.createModel.call({}, {}), { code: 'foreign' });
});

const SETTINGS = { learningRate: 1e-2, schedule: 'cosine', steps: 40, warmup: 5, clip: 1, dropout: 0.1, seed: 3 };
/** Of step n, whoever asks. */
const batchOf = (n) => ({
  ids: { data: [n % 6, (n * 5 + 1) % 6, 2, (n + 3) % 6], shape: [2, 2] },
  labels: { data: [1, 2, n % 6, 4], shape: [2, 2] },
});

/** @param {any} trainer @param {number} from @param {number} to */
function run(trainer, from, to) {
  for (let n = from; n < to; n++) trainer.step(batchOf(n));
}

test('a run that is saved and resumed in another engine goes on to the bit', async () => {
  const straight = gf.createModel(CONFIG);
  const whole = straight.trainer(SETTINGS);
  run(whole, 0, 40);

  const model = gf.createModel(CONFIG);
  const trainer = model.trainer(SETTINGS);
  run(trainer, 0, 20);
  const saving = trainer.save({ vocabulary: words, recipe });
  run(trainer, 20, 23); // later steps do not change the file
  const file = await saving;
  model.free();

  const other = await load({ variant: 'simd' });
  const opened = await other.loadModel(new Blob([file]));
  assert.deepEqual([opened.trainer.steps, opened.trainer.settings], [20, whole.settings]);
  assert.deepEqual([opened.recipe, opened.tokenizer.words], [recipe, words]);
  run(opened.trainer, 20, 40);
  assert.deepEqual(opened.trainer.state(), whole.state());

  // Into a trainer that stands already, of a model with other weights.
  const again = other.createModel({ ...CONFIG, seed: 99 });
  const resumed = again.trainer(SETTINGS);
  run(resumed, 3, 5);
  await resumed.resume(file);
  assert.equal(resumed.steps, 20);
  run(resumed, 20, 40);
  assert.deepEqual(resumed.state(), whole.state());
  await resumed.resume(file.slice().buffer);
  resumed.resume(whole.state());
  assert.deepEqual(resumed.state(), whole.state());
  straight.free();
});

test('the file of a model has the weights of the call, whatever is done until it is there', async () => {
  const model = gf.createModel(CONFIG);
  const wanted = await model.save();
  const saving = model.save();
  run(model.trainer(SETTINGS), 0, 1);
  assert.deepEqual(await saving, wanted);
  assert.notDeepEqual(await model.save(), wanted);
  model.free();
});

test('a file chooses nothing that is not a setting, such as a script; a loss of before is renamed', async () => {
  const ran = join(folder, 'ran');
  const script = join(folder, 'worker.mjs');
  writeFileSync(script, `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(ran)}, '');`);
  const model = gf.createModel(CONFIG);
  const trainer = model.trainer({ ...SETTINGS, frozen: ['tok_emb'] });
  const { tensors, metadata } = readSafetensors(await trainer.save());
  model.free();
  const saying = (settings) => {
    const state = { settings: { ...trainer.settings, ...settings }, steps: 0 };
    const file = writeSafetensors(tensors, { metadata: metadata.set('glassformer.trainer', JSON.stringify(state)) });
    return [file, new Blob([file])]; // read whole, and piece by piece
  };
  for (const [settings, parameter] of [
    [{ workers: 1, worker: script }, 'workers'],
    [{ worker: script, shards: 2 }, 'worker'],
    [{ workers: 0 }, 'workers'],
    [{ worker: null }, 'worker'],
    [{ wasm: 'a.wasm' }, 'wasm'],
    [JSON.parse('{"__proto__": {"workers": 1}}'), '__proto__'],
    [{ constructor: 1 }, 'constructor'],
  ]) {
    for (const file of saying(settings)) {
      const opening = gf.loadModel(file).then(async ({ trainer: opened }) => {
        await opened.step(batchOf(0));
        return opened;
      });
      await refused(opening, 'unknown', new RegExp(`^${parameter}: `));
    }
  }
  assert.ok(!existsSync(ran), 'nothing ran');
  for (const file of saying({ loss: 'cross-entropy' })) {
    const opened = await gf.loadModel(file);
    assert.equal(opened.trainer.settings.loss, 'crossEntropy', 'the name of before');
    opened.model.free();
  }
  for (const file of saying({ shards: 2 })) {
    const opened = await gf.loadModel(file);
    assert.deepEqual({ ...opened.trainer.settings }, { ...trainer.settings, shards: 2 });
    assert.equal(opened.trainer.workers, 0);
    assert.equal((await opened.trainer.step(batchOf(0))).step, 1);
    opened.model.free();
  }
});

test("a trainer's file has its moments by name, beside the weights by theirs", async () => {
  const model = gf.createModel(CONFIG);
  const trainer = model.trainer({ learningRate: 1e-2 });
  run(trainer, 0, 3);
  const { tensors } = readSafetensors(await trainer.save());
  const weights = model.weights();
  assert.equal(tensors.size, 3 * weights.size);
  let moved = 0;
  for (const [name, { data, shape }] of weights) {
    same(tensors.get(name), { data, shape }, name);
    for (const moment of ['moment1', 'moment2']) assert.deepEqual(tensors.get(`${moment}.${name}`).shape, shape);
    moved += Number(tensors.get(`moment2.${name}`).data.some((x) => x > 0));
  }
  assert.ok(moved > weights.size / 2, `${moved}`);
  model.free();
});

test('a trainer refuses a file that is not its own, and stays as it was', async () => {
  const model = gf.createModel(CONFIG);
  const trainer = model.trainer(SETTINGS);
  run(trainer, 0, 3);
  const before = trainer.state();
  const other = gf.createModel({ ...CONFIG, d_ff: 8 });
  const deep = gf.createModel({ ...CONFIG, layers: 2 });
  const notFinite = readSafetensors(await trainer.save());
  notFinite.tensors.get('tok_emb.weight').data[0] = NaN;
  for (const [file, code] of [
    [await model.save(), 'format'],
    [new Uint8Array(3), 'format'],
    [await other.trainer(SETTINGS).save(), 'shape'],
    [await deep.trainer(SETTINGS).save(), undefined],
    [writeSafetensors(notFinite.tensors, { metadata: notFinite.metadata }), 'range'],
    ['model.safetensors', 'type'],
  ]) {
    const resume = async () => trainer.resume(/** @type {any} */ (file));
    if (code) await assert.rejects(resume, { name: 'GlassformerError', code });
    else await resume().then(() => trainer.resume(before));
    assert.deepEqual(trainer.state(), before);
  }
  for (const each of [model, other, deep]) each.free();
});

test('glassformer/core has functions in place of the methods, and says so', async () => {
  const { file, logits } = await example();
  const wasm = readFileSync(new URL('../../dist/simd.wasm', import.meta.url));
  const small = await core.load({ wasm });
  const { model, tokenizer: vocabulary, trainer } = await core.loadModel(small, file);
  same(model.forward({ ids: vocabulary.encode('the creek was').ids }).logits, logits);
  assert.equal(trainer, undefined);
  assert.deepEqual(core.saveModel(model, { vocabulary, recipe, metadata: { made: 'here' } }), file);
  const run20 = model.trainer(SETTINGS);
  const saved = core.saveTrainer(run20);
  core.resumeTrainer(run20, saved);
  const says = {
    name: 'GlassformerError',
    code: 'unsupported',
    message: /glassformer\/core: has functions.*saveModel/,
  };
  await assert.rejects(model.save(), says);
  await assert.rejects(run20.save(), says);
  assert.throws(() => run20.resume(saved), says);
  await assert.rejects(small.loadModel(file), says);
});

test('in a worker of its own files go over as they are', async (t) => {
  const { file, logits } = await example();
  const remote = await loadWorker({ variant: 'simd' });
  t.after(() => remote.terminate());
  const { model, tokenizer: vocabulary, recipe: made } = await remote.loadModel(new Blob([file]));
  same((await model.forward({ ids: vocabulary.encode('the creek was').ids })).logits, logits);
  assert.deepEqual(made, recipe);
  assert.deepEqual(await model.save({ vocabulary, recipe, metadata: { made: 'here' } }), file);
  const trainer = await model.trainer(SETTINGS);
  const saved = await trainer.save();
  const { trainer: again } = await remote.loadModel(saved);
  assert.deepEqual((await again.step(batchOf(0))).loss, (await trainer.step(batchOf(0))).loss);
  await trainer.resume(saved);
  assert.equal(trainer.steps, 0);
  await refused(remote.loadModel(new Response('', { status: 404 })), 'notFound', /file: .*404/);
});

test('a vocabulary of characters is one again in a saved model, here and in a worker', async () => {
  const { makeText } = await import('glassformer/tasks');
  const task = makeText('The creek was cold.\n'.repeat(20), { level: 'characters', length: 8 });
  const model = gf.createModel({ ...task.config, seed: 1 });
  const { text } = await model.generate('The c', { maxTokens: 3 });
  const there = await load({ worker: true });
  try {
    for (const engine of [gf, there]) {
      const again = await engine.loadModel(await model.save());
      assert.equal(again.tokenizer.decode(again.tokenizer.encode('The creek').ids), 'The creek');
      assert.equal((await again.model.generate('The c', { maxTokens: 3 })).text, text);
      assert.equal((await engine.loadModel(await again.model.save())).tokenizer.level, 'characters');
    }
  } finally {
    there.terminate();
  }
});

test('functions without options refuse what they are given', async () => {
  const model = gf.createModel({ kind: 'decoder', vocabulary: 5, d_model: 8, heads: 2, layers: 1, head: 'tied' });
  const none = /** @type {any} */ ({ dtype: 'f16' });
  const refused = { code: 'unknown', parameter: 'dtype' };
  const { loadTokenizer } = await import('glassformer/tokenizers');
  assert.throws(() => readSafetensors(writeSafetensors({ a: { data: [1], shape: [1] } }), none), refused);
  await assert.rejects(loadTokenizer({ model: { type: 'WordPiece', unk_token: 'a', vocab: { a: 0 } } }, none), refused);
  await assert.rejects(model.trace([1, 2]).lens(0, none), refused);
});
