// node tests/interop/resume.mjs FOLDER: for each case a folder with what carries a run on in PyTorch, the script that
// Train copies with the weights that it starts from, and what this engine comes to. The other half is resume.py.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'glassformer';
import { tasks } from 'glassformer/tasks';
import { pytorchFiles } from '../../web/pytorch/files.js';
import { torchOf } from '../../web/pytorch/script.js';
import { recipeOf, setText } from '../../web/train/run/recipes.js';
import { packRun, runFacts } from '../../web/train/run/run-file.js';
import { createRun } from '../../web/train/run/run.js';

const STEPS = 6;
const TEXT =
  'The creek was cold, and the dog was tired. "The boy" was kind [so to say]; the creek\n was  deep! '.repeat(30);

/** Runs of Train: task, settings beside its recipe, where it is left, what changes. @type {[string, object, any?][]} */
const RUNS = [
  ['copy', {}, { at: 9 }],
  ['reverse', { norm: 'none', residual: false, scoreScale: false, optimizer: 'sgd', clip: 0 }],
  ['reverse-variable', { norm: 'pre', activation: 'gelu', optimizer: 'adam', weightDecay: 0.01 }],
  ['sort', { d_ff: 0, positions: 'none', seed: 4294967295 }],
  ['order', { layers: 2, activation: 'silu', labelSmoothing: 0.1 }],
  ['addition', { activation: 'none', batch: 7 }, { changes: [[2, { learningRate: 0.001, batch: 5 }]] }],
  [
    'addition',
    { batch: 4 },
    {
      at: 4,
      changes: [
        [2, { batch: 6 }],
        [7, { batch: 9, schedule: 'constant', clip: 0.1 }],
      ],
    },
  ],
  ['induction', { norm: 'pre' }],
  ['text', { layers: 1 }, { level: 'words' }],
  ['text', { layers: 1 }, { level: 'characters' }],
  ['story', { layers: 1 }],
  ['copy', { attentionBias: false, head: 'linear' }],
  ['reverse', { head: 'linear', headBias: false, normAffine: false, activation: 'gelu-tanh' }],
  ['order', { embeddingNorm: true, finalNorm: true, headBias: false, warmup: 0 }],
  ['reverse', { positions: 'learned', activation: 'gelu-tanh', weightDecay: 0.1, clip: 0.3 }],
  ['square', {}],
  ['square', { steps: 12 }, { at: 4, changes: [[2, { schedule: 'cosine' }]] }],
  ['and', { steps: 8 }, { at: 3, changes: [[5, { schedule: 'linear' }]] }],
  ['xor', { activation: 'gelu', d_ff: 5 }],
  ['and', { activation: 'none' }],
];

/** Of the package: task, configuration and trainer beside its own. @type {[keyof typeof tasks, object, object][]} */
const MODELS = [
  ['translate', { tiedEmbeddings: false, finalNorm: true, norm: 'pre' }, { labelSmoothing: 0.1 }],
  ['translate', { norm: 'none', residual: false, head: 'linear' }, { frozen: ['encoder.layers.0', 'src_emb'] }],
  ['translate', { positions: 'learned', embeddingNorm: true, maxLength: 15, scoreScale: false }, { schedule: 'noam' }],
  ['reverse-decoder', { tiedEmbeddings: true, norm: 'pre', d_ff: 0 }, { weightDecay: 0.1, optimizer: 'adam' }],
  ['reverse-decoder', { layers: 2 }, { optimizer: 'sgd', momentum: 0.9, learningRate: 0.01, weightDecay: 0.01 }],
  ['neighbours', {}, {}],
  ['next-digit', {}, {}],
  ['creek', { d_model: 20, activation: 'gelu', norm: 'pre', finalNorm: true }, {}],
  ['creek', { headTransform: true, activation: 'gelu', window: 2, globalLayers: 2 }, {}],
  ['story', { headTransform: true, head: 'linear', layers: 3, window: 3, globalLayers: 5, norm: 'pre' }, {}],
  ['translate', { window: 2, globalLayers: 1, headTransform: true, activation: 'none', normAffine: false }, {}],
  ['neighbours', { window: 2 }, {}],
];

const SHIPPED = { creek: 'creek', translate: 'translate', continue: 'story' };

const folder = process.argv[2];
const gf = await load({ variant: 'simd' });
/** @type {string[]} */
const names = [];

/** @param {string} name @param {Record<string, Uint8Array | string>} files @param {object} facts */
function put(name, files, facts) {
  const place = `${names.length}-${name}`;
  names.push(place);
  mkdirSync(join(folder, place), { recursive: true });
  for (const [file, content] of Object.entries({ ...files, 'facts.json': JSON.stringify(facts) }))
    writeFileSync(join(folder, place, file), content);
}

for (const [name, task] of Object.entries(SHIPPED)) {
  const file = readFileSync(new URL(`../../web/models/${name}.safetensors`, import.meta.url));
  const files = await pytorchFiles(gf, file, { at: 12, steps: STEPS });
  const { model, trainer } = await gf.loadModel(files['run.safetensors']);
  const { seed } = JSON.parse(JSON.stringify((await gf.loadModel(file)).recipe));
  put(name, ...afterwards(files, model, trainer, (step) => tasks[/** @type {'creek'} */ (task)].batch(step, seed)));
}

for (const [task, config, settings] of MODELS) {
  const { config: own, trainer: recipe, batch, batchSize } = /** @type {any} */ (tasks[task]);
  const model = gf.createModel({ ...own, ...config, seed: 3 });
  const trainer = model.trainer({ ...recipe, ...settings });
  while (trainer.steps < 4) trainer.step(batch(trainer.steps, 3));
  const file = trainer.save({ recipe: { task, seed: 3, batch: batchSize } });
  const files = await pytorchFiles(gf, file, { steps: STEPS });
  put(task, ...afterwards(files, model, trainer, (step) => batch(step, 3)));
}

/**
 * @param {Record<string, Uint8Array>} files @param {any} model @param {any} trainer
 * @param {(step: number) => any} batch
 * @returns {[Record<string, Uint8Array>, object]}
 */
function afterwards(files, model, trainer, batch) {
  const losses = [];
  for (let i = 0; i < STEPS; i++) losses.push(trainer.step(batch(trainer.steps)).loss);
  const all = { ...files, 'ours.safetensors': trainer.save() };
  model.free();
  return [all, { steps: STEPS, losses }];
}

for (const [task, patch, { at = 3, changes = [], level = 'words' } = {}] of RUNS) {
  const settings = { ...recipeOf(task), ...patch };
  if (task === 'text') setText(TEXT, level);
  const run = await createRun(gf, task, settings, { changes });
  const start = run.save({});
  await run.go(at);
  const files = await pytorchFiles(gf, packRun(run), { steps: STEPS });
  await run.go(at + STEPS);
  const script = torchOf({ task, settings, changes, step: at + STEPS, level, ...runFacts(run) });
  const { loss } = run.curve(0);
  put(
    task,
    {
      ...files,
      'ours.safetensors': run.save({}),
      'copied.py': script,
      [`${task}-0.safetensors`]: start,
      'text.txt': TEXT,
    },
    { steps: STEPS, losses: loss.slice(at), copied: loss },
  );
  const lines = task === 'story' ? (script.split('"""')[1].match(/^ {4}.*$/gm) ?? []).join('\n') : '';
  const rows = join(folder, /** @type {string} */ (names.at(-1)), 'rows.json');
  const code = lines.replace(`'rows.json'`, JSON.stringify(rows));
  if (code) execFileSync(process.execPath, ['--input-type=module', '-e', code]);
  run.free();
}
console.log(JSON.stringify(names));
