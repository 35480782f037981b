// node tests/interop/resume.mjs FOLDER: for each case a folder with what continues a run in PyTorch, the script that
// Train copies beside the run at step 0, and what this engine arrives at. The other half is resume.py.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { load } from 'glassformer';
import { tasks } from 'glassformer/tasks';
import { pytorchFiles, scriptOf } from '../../web/pytorch/files.js';
import { recipeOf, setText } from '../../web/train/run/recipes.js';
import { packRun, startOf } from '../../web/train/run/run-file.js';
import { createRun } from '../../web/train/run/run.js';
import { MODELS, RUNS, STEPS, TEXT } from './cases.js';

const SHIPPED = { creek: 'creek', translate: 'translate', continue: 'story' };

const script = readFileSync(new URL('../../web/pytorch/train.py', import.meta.url), 'utf8');
const folder = process.argv[2];
const gf = await load({ variant: 'simd' });
/** @type {string[]} */
const names = [];

/** @param {string} name @param {Record<string, Uint8Array | string>} files @param {object} facts */
function put(name, files, facts) {
  const place = `${names.length}-${name}`;
  names.push(place);
  const all = { 'train.py': script, ...files, 'facts.json': JSON.stringify(facts) };
  for (const [file, content] of Object.entries(all)) {
    const path = join(folder, place, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

for (const [name, task] of Object.entries(SHIPPED)) {
  const file = readFileSync(new URL(`../../web/models/${name}.safetensors`, import.meta.url));
  const files = await pytorchFiles(gf, file, { at: 12, steps: STEPS });
  const { model, trainer } = await gf.loadModel(files['run.safetensors']);
  const { seed } = JSON.parse(JSON.stringify((await gf.loadModel(file)).recipe));
  put(
    name,
    ...(await afterwards(files, model, trainer, (step) => tasks[/** @type {'creek'} */ (task)].batch(step, seed))),
  );
}

for (const [task, config, settings] of MODELS) {
  const { config: own, trainer: recipe, batch, batchSize } = /** @type {any} */ (tasks[task]);
  const model = gf.createModel({ ...own, ...config, seed: 3 });
  const trainer = model.trainer({ ...recipe, ...settings });
  while (trainer.steps < 4) trainer.step(batch(trainer.steps, 3));
  const file = await trainer.save({ recipe: { task, seed: 3, batch: batchSize } });
  const files = await pytorchFiles(gf, file, { steps: STEPS });
  put(task, ...(await afterwards(files, model, trainer, (step) => batch(step, 3))));
}

/**
 * @param {Record<string, Uint8Array>} files @param {any} model @param {any} trainer
 * @param {(step: number) => any} batch
 * @returns {Promise<[Record<string, Uint8Array>, object]>}
 */
async function afterwards(files, model, trainer, batch) {
  const losses = [];
  for (let i = 0; i < STEPS; i++) losses.push(trainer.step(batch(trainer.steps)).loss);
  const all = { ...files, 'ours.safetensors': await trainer.save() };
  model.free();
  return [all, { steps: STEPS, losses }];
}

for (const [task, patch, { at = 3, changes = [], level = 'words' } = {}] of RUNS) {
  const settings = { ...recipeOf(task), ...patch };
  if (task === 'text') setText(TEXT, level);
  const run = await createRun(gf, task, settings, { changes });
  const start = packRun(run);
  const { 'data.safetensors': rows } = await pytorchFiles(gf, start, { steps: at + STEPS });
  await run.go(at);
  const files = await pytorchFiles(gf, packRun(run), { steps: STEPS });
  await run.go(at + STEPS);
  const { loss } = run.curve(0);
  const copied = {
    'copied/train.py': scriptOf(script, startOf(run), run.task, at + STEPS),
    'copied/run.safetensors': start,
    ...(/story|text/.test(task) ? { 'copied/data.safetensors': rows } : {}), // train.py draws those of the others
  };
  const facts = { steps: STEPS, losses: loss.slice(at), copied: loss };
  put(task, { ...files, 'ours.safetensors': run.save({}), ...copied }, facts);
  run.free();
}
console.log(JSON.stringify(names));
