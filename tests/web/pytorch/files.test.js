// The files that train.py reads, and what is refused. tests/interop/pytorch.py runs them in PyTorch.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { saveTrainer } from 'glassformer/core';
import { creek, makeText, order, tasks, translate } from 'glassformer/tasks';
import { pytorchFiles } from '../../../web/pytorch/files.js';
import { recipeOf, rowReader, setText, TASKS } from '../../../web/train/run/recipes.js';
import { packRun } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';

const folder = mkdtempSync(join(tmpdir(), 'glassformer-pytorch-'));
after(() => rmSync(folder, { recursive: true }));
const shipped = (/** @type {string} */ name) =>
  readFileSync(new URL(`../../../web/models/${name}.safetensors`, import.meta.url));
const runOf = (/** @type {Record<string, Uint8Array>} */ files) => JSON.parse(String(Buffer.from(files['run.json'])));

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

/** @param {Uint8Array} file @param {(step: number) => any} batch @param {number} from @param {number} count */
function expectData(file, batch, from, count) {
  const { tensors } = readSafetensors(file);
  for (let i = 0; i < count; i++) {
    const wanted = batch(from + i);
    assert.deepEqual([...tensors.keys()].sort(), Object.keys(wanted).sort());
    for (const [name, { data, shape }] of Object.entries(wanted)) {
      const all = /** @type {any} */ (tensors.get(name));
      assert.deepEqual(all.shape, [count * shape[0], ...shape.slice(1)]);
      assert.deepEqual(all.data.slice(i * data.length, (i + 1) * data.length), data, `${name}, step ${from + i}`);
    }
  }
}

test('an own text: rows of the part that its run trains on', async () => {
  const text = readFileSync(new URL('../../tasks/gpl.txt', import.meta.url), 'utf8');
  setText(text, 'words');
  for (const heldOut of /** @type {const} */ (['unseen', 'end'])) {
    const run = await createRun(gf, 'text', { ...recipeOf('text'), layers: 1, heldOut });
    await run.go(2);
    const files = await pytorchFiles(gf, packRun(run), { steps: 3 });
    run.free();
    expectData(files['data.safetensors'], (step) => makeText(text, { heldOut }).batch(step, 1), 2, 3);
  }
});

test('a shipped model: trained anew up to a step, with moments, and its data from there on', async () => {
  for (const [name, task, at] of /** @type {const} */ ([
    ['creek', creek, 3],
    ['translate', translate, 2],
    ['continue', tasks.story, 0],
  ])) {
    /** @type {number[]} */
    const steps = [];
    const files = await pytorchFiles(gf, shipped(name), { at, steps: 3, onProgress: (step) => steps.push(step) });
    assert.deepEqual(Object.keys(files), ['run.json', 'run.safetensors', 'data.safetensors']);
    assert.deepEqual(steps, [1, 2, 3].slice(0, at));
    const { recipe } = await gf.loadModel(shipped(name));
    const { model, trainer } = await gf.loadModel(files['run.safetensors']);
    const own = gf.createModel({ ...model.config, seed: recipe.seed });
    const wanted = own.trainer(recipe.trainer);
    for (let step = 0; step < at; step++) wanted.step(task.batch(step, recipe.seed));
    assert.equal(trainer?.steps, at);
    assert.deepEqual(trainer?.state(), wanted.state());
    expectData(files['data.safetensors'], (step) => task.batch(step, recipe.seed), at, 3);
    const said = runOf(files);
    assert.deepEqual([said.seed, said.step, said.steps, said.row], [recipe.seed, at, 3, at * task.batchSize]);
    assert.deepEqual(said.config, model.config);
    model.free();
    own.free();
  }
});

test('a run of Train: its file as it is, rows of batches of another size, changes still to come', async () => {
  const changes = /** @type {[number, object][]} */ ([
    [2, { batch: 5 }],
    [6, { batch: 70, schedule: 'linear' }],
  ]);
  const settings = { ...recipeOf('addition'), batch: 7, seed: 9 };
  const run = await createRun(gf, 'addition', settings, { changes });
  await run.go(4);
  const file = packRun(run);
  const files = await pytorchFiles(gf, file, { steps: 4 });
  assert.equal(files['run.safetensors'], file);
  const rows = rowReader(TASKS.addition, 9)(7 + 7 + 5 + 5, 5 + 5 + 70 + 70);
  assert.deepEqual(
    readSafetensors(files['data.safetensors']).tensors,
    new Map(Object.entries(rows).map(([name, { data, shape }]) => [name, { data, shape }])),
  );
  const { batch, row, rows: count, changes: later } = runOf(files);
  assert.deepEqual([batch, row, count], [5, 24, 150]);
  assert.deepEqual(later, [[6, { batch: 70, schedule: 'linear', floor: 0.02 }]]);
  run.free();
});

test('without a number of steps: those left of the schedule, 500 at least', async () => {
  const run = await createRun(gf, 'order', recipeOf('order'));
  await run.go(2);
  const { shape } = /** @type {any} */ (
    readSafetensors((await pytorchFiles(gf, packRun(run)))['data.safetensors']).tensors.get('ids')
  );
  assert.equal(shape[0], Math.max(500, Number(recipeOf('order').steps) - 2) * 64);
  run.free();
});

/** A model as the shipped ones are: weights in half precision and how it was trained. @param {object} [patch] */
async function small(patch = {}) {
  const trainer = { ...order.trainer, steps: 60 };
  const recipe = { task: 'order', seed: 5, dataSeed: 5, steps: 4, batchSize: 64, trainer, variant: 'simd', ...patch };
  const model = gf.createModel({ ...order.config, seed: 5 });
  const own = model.trainer(trainer);
  for (let step = 0; step < 4; step++) own.step(order.batch(step, 5));
  return { file: await model.save({ float16: true, recipe }), trainer: own };
}

test('a model becomes again what it was, to the bit, or is refused', async () => {
  const { file, trainer } = await small();
  const files = await pytorchFiles(gf, file, { steps: 1 });
  const anew = await gf.loadModel(files['run.safetensors']);
  assert.deepEqual(anew.trainer?.state(), trainer.state());
  const { tensors, metadata } = readSafetensors(file);
  const bias = /** @type {Float32Array} */ (tensors.get('generator.bias')?.data);
  bias[3] += 2 ** -14;
  const other = writeSafetensors(tensors, { metadata, float16: true });
  await assert.rejects(pytorchFiles(gf, other), { code: 'format', parameter: 'generator.bias' });
});

test('a model’s recipe chooses no script and no threads', async () => {
  const ran = join(folder, 'ran');
  const script = join(folder, 'worker.mjs');
  writeFileSync(script, `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(ran)}, '');`);
  for (const [patch, name] of /** @type {[object, string][]} */ ([
    [{ worker: script, workers: 1 }, 'worker'],
    [{ workers: 0 }, 'workers'],
    [{ shards: 2, worker: script }, 'worker'],
  ])) {
    const { file } = await small({ trainer: { steps: 4, seed: 5, learningRate: 0.01, ...patch } });
    const refusal = { name: 'GlassformerError', code: 'format', parameter: `recipe.trainer.${name}` };
    await assert.rejects(pytorchFiles(gf, file, { steps: 1 }), refusal);
  }
  assert.ok(!existsSync(ran), 'nothing ran');
  const { file, trainer } = await small();
  const { recipe } = await gf.loadModel(file);
  const model = gf.createModel({ ...order.config, seed: 5 });
  const sharded = model.trainer({ ...recipe.trainer, shards: 2 });
  for (let step = 0; step < 4; step++) await sharded.step(order.batch(step, 5));
  const said = { ...recipe, trainer: { ...recipe.trainer, shards: 2 } };
  const files = await pytorchFiles(gf, await model.save({ float16: true, recipe: said }), { steps: 1 });
  const anew = await gf.loadModel(files['run.safetensors']);
  assert.deepEqual(anew.trainer?.state(), sharded.state(), 'shards are part of how it was made');
  assert.notDeepEqual(sharded.state(), trainer.state());
});

test('what cannot be carried on is refused by name', async () => {
  const run = await createRun(gf, 'order', recipeOf('order'));
  const saved = packRun(run);
  const with_ = (/** @type {any} */ config, /** @type {any} */ recipe) =>
    saveTrainer(gf.createModel(config).trainer(), { recipe });
  const encoder = { ...order.config };
  const cases = /** @type {[Uint8Array, object, string, string][]} */ ([
    [writeSafetensors({ a: [1] }), {}, 'format', 'file'],
    [new Uint8Array(20), {}, 'format', 'header'],
    [await gf.createModel(encoder).save(), {}, 'format', 'recipe.task'],
    [await gf.createModel(encoder).save({ recipe: { task: 'order' } }), {}, 'format', 'file'],
    [with_(encoder, { task: 'mine', seed: 1 }), {}, 'format', 'recipe.task'],
    [with_(encoder, { task: 'toString', seed: 1 }), {}, 'format', 'recipe.task'],
    [with_(encoder, { task: 'text', seed: 1 }), {}, 'format', 'recipe.task'],
    [with_(encoder, { task: 'order' }), {}, 'format', 'recipe.seed'],
    [with_(encoder, { task: 'order', seed: -1 }), {}, 'format', 'recipe.seed'],
    [with_(encoder, { task: 'order', seed: 1, batch: 0 }), {}, 'format', 'recipe.batch'],
    [with_(encoder, { task: 'order', seed: 1, changes: [[2, { heads: 3 }]] }), {}, 'format', 'recipe.changes'],
    [with_(encoder, { task: 'order', seed: 1, changes: [[2, { batch: 0 }]] }), {}, 'format', 'recipe.changes'],
    [with_(encoder, { task: 'creek', seed: 1 }), {}, 'format', 'config.vocabulary'],
    [with_({ ...encoder, types: 2 }, { task: 'order', seed: 1 }), {}, 'format', 'config.types'],
    [(await small({ variant: 'relaxed' })).file, {}, 'format', 'recipe.variant'],
    [(await small({ batchSize: 32 })).file, {}, 'format', 'recipe.batchSize'],
    [(await small()).file, { at: 5 }, 'range', 'at'],
    [(await small()).file, { at: 1.5 }, 'range', 'at'],
    [saved, { at: 1 }, 'unknown', 'at'],
    [saved, { steps: 0 }, 'range', 'steps'],
    [saved, { steps: 1e9 }, 'range', 'steps'],
  ]);
  for (const [file, options, code, parameter] of cases)
    await assert.rejects(pytorchFiles(gf, file, options), { name: 'GlassformerError', code, parameter }, parameter);
  assert.equal(run.step, 0);
  run.free();
});

const SCRIPT = fileURLToPath(new URL('../../../web/models/export.mjs', import.meta.url));
const call = (/** @type {string[]} */ ...given) =>
  spawnSync(process.execPath, [SCRIPT, ...given], { encoding: 'utf8' });

test('npm run export writes the folder, or says what is wrong', async () => {
  const to = join(folder, 'out');
  const done = call('creek', '--pytorch', to, '--at', '2', '--steps', '1');
  assert.equal(done.status, 0, done.stderr);
  assert.deepEqual(readdirSync(to).sort(), ['data.safetensors', 'run.json', 'run.safetensors', 'train.py']);
  const wanted = await pytorchFiles(gf, shipped('creek'), { at: 2, steps: 1 });
  for (const [name, bytes] of Object.entries(wanted))
    assert.deepEqual(readFileSync(join(to, name)), Buffer.from(bytes));
  const again = call(join(to, 'run.safetensors'), '--pytorch', join(to, 'again'), '--steps', '1');
  assert.equal(again.status, 0, again.stderr);
  assert.deepEqual(readFileSync(join(to, 'again/data.safetensors')), Buffer.from(wanted['data.safetensors']));
  for (const [given, why] of /** @type {[string[], RegExp][]} */ ([
    [['creek'], /--pytorch FOLDER is missing/],
    [['nobody', '--pytorch', to], /nobody is none of creek, translate, continue/],
    [['none.safetensors', '--pytorch', to], /there is no file none.safetensors/],
    [['creek', '--pytorch', to, '--at', '2001'], /at: must be a step from 0 to 2000/],
    [['creek', '--pytorch', to, '--at', 'x'], /--at must be a whole number/],
  ])) {
    const { status, stderr } = call(...given);
    assert.equal(status, 2, stderr);
    assert.match(stderr, why);
    assert.doesNotMatch(stderr, /\n {4}at /);
  }
});
