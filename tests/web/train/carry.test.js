// A run carried elsewhere: as a file, opened again in the page and in Node.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { hashOf } from '../../../web/train/run/look.js';
import { TASKS, recipeOf, setText } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { openRun, packRun } from '../../../web/train/run/run-file.js';

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

const STORY = 'The creek was cold and the dog was tired. The boy was kind and the creek was deep. '.repeat(30);

/** @param {string} name @param {object} [changes] */
const begin = (name, changes) => createRun(gf, name, { ...recipeOf(name), ...changes });

test('a run saved and opened again goes on with the same bits, curves and checks; moments stay bounded', async () => {
  setText(STORY, 'words');
  for (const [name, at, end, changes] of /** @type {[string, number, number, object][]} */ ([
    ['reverse', 103, 200, {}],
    ['addition', 30, 40, { dropout: 0.1, optimizer: 'sgd', schedule: 'cosine', batch: 24, seed: 3 }],
    ['text', 8, 12, { d_ff: 0, heads: 1 }],
  ])) {
    const own = await begin(name, changes);
    await own.go(at);
    const file = packRun(own);
    if (name === 'text') setText('another text, of another length . '.repeat(200), 'words');
    const opened = await openRun(gf, file);
    assert.equal(opened.step, at, name);
    assert.deepEqual(opened.settings, own.settings);
    assert.deepEqual(opened.curve(0), own.curve(0));
    assert.deepEqual(opened.checks(), own.checks());
    assert.deepEqual(packRun(opened), file, 'saved once more: the same file');
    await own.go(end);
    await opened.go(end);
    const hash = await hashOf(own.model);
    assert.equal(await hashOf(opened.model), hash, name);
    assert.deepEqual(opened.curve(0), own.curve(0));
    assert.deepEqual(opened.checks(), own.checks());
    await opened.go(at);
    assert(opened.moments().steps.includes(at));
    await opened.go(5); // before the moment of the file: from the seed
    await own.go(5);
    assert.equal(await hashOf(opened.model), await hashOf(own.model));
    await opened.rebuild(gf);
    await opened.go(end);
    assert.equal(await hashOf(opened.model), hash);
    const { model, trainer, recipe } = await gf.loadModel(file);
    assert.equal(trainer?.steps, at);
    assert.equal(recipe.task, name);
    await own.go(at);
    assert.equal(await hashOf(model), await hashOf(own.model), 'gf.loadModel opens it too');
    for (const each of [own, opened, model]) each.free();
  }
});

test('a file from before there were switches for biases, head and further norms opens as it was', async () => {
  const own = await begin('order', { norm: 'pre' });
  await own.go(3);
  const { tensors, metadata } = readSafetensors(packRun(own));
  const said = new Map(metadata);
  const recipe = JSON.parse(said.get('glassformer.recipe') ?? '');
  for (const name of ['embeddingNorm', 'normAffine', 'finalNorm', 'attentionBias', 'head', 'headBias']) {
    assert(name in recipe, name);
    delete recipe[name];
  }
  said.set('glassformer.recipe', JSON.stringify(recipe));
  const opened = await openRun(gf, writeSafetensors(tensors, { metadata: said }));
  assert.deepEqual(opened.settings, own.settings);
  for (const run of [own, opened]) await run.go(6);
  assert.equal(await hashOf(opened.model), await hashOf(own.model));
});

test('wrong files are refused by name, and the own text stays', async () => {
  setText(STORY, 'words');
  const { text } = TASKS;
  const run = await begin('order');
  await run.go(3);
  const file = packRun(run);
  const { tensors, metadata } = readSafetensors(file);
  /** @param {string} name @param {(value: any) => unknown} change */
  const changed = (name, change) => {
    const said = new Map(metadata);
    said.set(name, JSON.stringify(change(JSON.parse(said.get(name) ?? 'null'))));
    return writeSafetensors(tensors, { metadata: said });
  };
  const lost = new Map([...tensors].filter(([name]) => name !== 'moment2.generator.bias'));
  for (const [given, message] of /** @type {[Uint8Array, RegExp][]} */ ([
    [new Uint8Array(0), /8 bytes/],
    [new TextEncoder().encode('<!doctype html><title>x</title>'), /./],
    [file.subarray(0, file.length - 4), /bytes|span/],
    [writeSafetensors({ x: { data: [1], shape: [1] } }), /another program/],
    [await run.model.save({ vocabulary: run.task.vocabulary }), /no run of this page/],
    [await run.trainer.save(), /no run of this page/],
    [writeSafetensors(lost, { metadata }), /moment2/],
    [changed('glassformer.recipe', (recipe) => ({ ...recipe, task: 'toString' })), /no task “toString”/],
    [changed('glassformer.recipe', (recipe) => ({ ...recipe, heads: 5 })), /Heads must divide d_model/],
    [changed('glassformer.recipe', (recipe) => ({ ...recipe, d_model: 64 })), /d_model of its model is 32/],
    [changed('glassformer.recipe', (recipe) => ({ ...recipe, learningRate: 1 })), /learningRate of its trainer/],
    [changed('glassformer.vocabulary', () => [...'abcdefghijklm']), /vocabulary is not that of the task order/],
    [changed('glassformer-train', (kept) => ({ ...kept, loss: [1] })), /curves do not reach its step 3/],
    [changed('glassformer-train', (kept) => ({ ...kept, source: { text: 'short', level: 'words' } })), /two words/],
  ])) {
    await assert.rejects(openRun(gf, given), ({ message: said }) => {
      assert.match(said, message);
      return true;
    });
    assert.equal(TASKS.text, text);
  }
});
