// train.py beside Glassformer: weights, first loss, rows and learning rates. Where there is no PyTorch, in torch-stub.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load, readSafetensors } from 'glassformer';
import { tasks } from 'glassformer/tasks';
import { MODELS, RUNS, STEPS, TEXT } from '../../interop/cases.js';
import { pytorchFiles, scriptOf } from '../../../web/pytorch/files.js';
import { TASKS, recipeOf, rowsOf, setText } from '../../../web/train/run/recipes.js';
import { packRun, startOf } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';

const folder = mkdtempSync(join(tmpdir(), 'glassformer-torch-'));
after(() => rmSync(folder, { recursive: true }));
const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const TRAIN = pathOf('../../../web/pytorch/train.py');
const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';
const env = { ...process.env, PYTHONPATH: pathOf('torch-stub'), PYTHONDONTWRITEBYTECODE: '1' };

/** @type {import('../../../web/train/run/run.js').Engine} */
let gf;
before(async () => {
  gf = await load({ variant: 'simd' });
});

/** @typedef {{name: string, loss: number, rates: number[], isDrawn: boolean}} Case what Glassformer says */
/** @type {Case[]} */
const cases = [];

/** @param {string} task @param {Uint8Array} file @param {any} trainer @param {() => Promise<number[]>} ratesOf */
async function put(task, file, trainer, ratesOf) {
  const files = await pytorchFiles(gf, file, { steps: STEPS });
  const name = `${cases.length}-${task}`;
  mkdirSync(join(folder, name));
  for (const [path, bytes] of Object.entries(files)) writeFileSync(join(folder, name, path), bytes);
  const data = Object.fromEntries(readSafetensors(files['data.safetensors']).tensors);
  const { loss } = trainer.loss(
    data.ids || data.sourceIds ? rowsOf(/** @type {any} */ (data), 0, 2) : TASKS[task].batch(0, 0),
  );
  cases.push({ name, loss, rates: await ratesOf(), isDrawn: task in TASKS && !/story|text/.test(task) });
}

const MANY = { layers: 34, window: 3, globalLayers: (1 << 31) | (1 << 2), globalLayersAbove: 2, d_model: 8, heads: 2 };

test('every run of the interop test: the same weights, loss, rows and learning rates', { skip }, async () => {
  for (const [task, patch, { at = 3, changes = [], level = 'words' } = {}] of RUNS) {
    if (task === 'text') setText(TEXT, level);
    const run = await createRun(gf, task, { ...recipeOf(task), ...patch }, { changes });
    await run.go(at);
    await put(task, packRun(run), run.trainer, async () => {
      await run.go(at + STEPS);
      return run.curve(at).rate;
    });
    run.free();
  }
  for (const [task, config, settings] of [...MODELS, /** @type {const} */ (['order', MANY, {}])]) {
    const { config: own, trainer: recipe, batch, batchSize } = /** @type {any} */ (tasks[task]);
    const model = gf.createModel({ ...own, ...config, seed: 3 });
    const trainer = model.trainer({ ...recipe, ...settings });
    const step = () => trainer.step(batch(trainer.steps, 3)).learningRate;
    while (trainer.steps < 4) step();
    const file = await trainer.save({ recipe: { task, seed: 3, batch: batchSize } });
    await put(task, file, trainer, async () => Array.from({ length: STEPS }, step));
    model.free();
  }
  const folders = cases.map(({ name }) => join(folder, name));
  const printed = execFileSync('python3', [pathOf('check.py'), TRAIN, ...folders], { env, encoding: 'utf8' });
  const answers = printed.trim().split('\n');
  assert.equal(answers.length, cases.length);
  cases.forEach(({ name, loss, rates, isDrawn }, i) => {
    const own = JSON.parse(answers[i]);
    assert(Math.abs(own.loss - loss) < 1e-5 * loss, `${name}: loss ${own.loss}, not ${loss}`);
    rates.forEach((rate, step) => assert(Math.abs(own.rates[step] - rate) <= 1e-12, `${name} ${step}: ${own.rates}`));
    assert(own.same, `${name}: rows`);
    assert.equal(own.drawn, isDrawn, `${name}: rows that train.py draws`);
  });
});

test('the copied script is train.py with the run in it, from its first step', { skip }, async () => {
  const changes = /** @type {any} */ ([[2, { batch: 5, schedule: 'linear' }]]);
  const run = await createRun(gf, 'addition', { ...recipeOf('addition'), seed: 9 }, { changes });
  const { 'run.json': json } = await pytorchFiles(gf, packRun(run), { steps: 7 });
  await run.go(3);
  const script = scriptOf(readFileSync(TRAIN, 'utf8'), startOf(run), run.task, 7);
  run.free();
  const path = join(folder, 'addition.py');
  writeFileSync(path, script);
  const code = 'import json, addition; print(json.dumps(addition.read_run()))';
  const printed = execFileSync('python3', ['-c', code], { cwd: folder, env, encoding: 'utf8' });
  assert.deepEqual(JSON.parse(printed), JSON.parse(new TextDecoder().decode(json)));
  assert.equal(script.replace(/^RUN = r"""[^]*?^"""$/m, '#'), readFileSync(TRAIN, 'utf8').replace(/^RUN = .*$/m, '#'));
});
