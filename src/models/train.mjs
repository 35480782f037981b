// node src/models/train.mjs NAME [--seed N] [--out FILE] [--steps N] [--variant simd]
//
// Trains a shipped model again: creek, translate or continue; austen and spanish with their texts. Writes FILE
// (safetensors in half precision, spanish in 8 bits) with what it takes to use the model and to make it again. With
// the simd variant the same seed gives the same bytes on every machine; without --seed, it is that of the shipped
// model.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { load, readSafetensors } from 'glassformer';
import { austen } from './austen/train.mjs';
import { readCommand } from './command.mjs';
import { fileOf, holds, measure, MODELS, pathOf, readModel, tableOf } from './measure.mjs';
import { progress } from './progress.mjs';
import { spanish } from './spanish/train.mjs';

const USAGE =
  `npm run train -- ${Object.keys(MODELS).join(' | ')} ` +
  '[--seed N] [--out FILE.safetensors] [--steps N] [--variant simd | relaxed]\n' +
  'npm run train -- austen --text FILE --books DIR [--seed N] [--out FILE.safetensors] [--run FILE] ' +
  '[--until HH:MM] [--steps N | --decay N]\n' +
  'npm run train -- spanish --english FILE --spanish FILE [the options of austen but --text, --books]';
/** With texts of their own. @type {Record<string, (given: any) => Promise<void>>} */
const IN_SITTINGS = { austen, spanish };
const EVERY = 25; // steps between two measurements of the accuracy

const given = readCommand(USAGE, {
  names: [...Object.keys(MODELS), ...Object.keys(IN_SITTINGS)],
  least: 1,
  most: 1,
  counts: { seed: 0, steps: 1, decay: 1 },
  words: {
    out: /\.safetensors$/,
    variant: /^(simd|relaxed)$/,
    text: /./,
    english: /./,
    spanish: /./,
    run: /./,
    books: /./,
    until: /^([01]\d|2[0-3]):[0-5]\d$/,
  },
});
const inSittings = IN_SITTINGS[given.names[0]];
if (inSittings) {
  await inSittings(given).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
  process.exit();
}
/** @type {import('./measure.mjs').Name} */
const name = given.names[0];
const { task } = MODELS[name];
const { seed = shippedSeed(), variant = 'simd', steps = Number(task.trainer.steps) } = given;
const { out = `dist/models/${name}.safetensors` } = given;
const settings = { ...task.trainer, steps, warmup: Math.min(Number(task.trainer.warmup), steps - 1) };

const started = performance.now();
const gf = await load({ variant });
const model = gf.createModel({ ...task.config, seed });
train();
const seconds = (performance.now() - started) / 1000;

// Measures the file, not the weights before they were rounded.
model.loadWeights(readSafetensors(await model.save({ float16: true })).tensors);
const scores = await measure(name, model, seed, 0);
const file = await fileOf(name, model, recipe(), scores);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, file);

console.log(`${name}, seed ${seed}, ${steps} steps, ${model.parameterCount} parameters, ${seconds.toFixed(1)} s\n`);
console.log(tableOf(scores));
console.log(`\n${out}: ${file.length} bytes, SHA-256 ${createHash('sha256').update(file).digest('hex')}`);
console.log(scores.every(holds) ? 'all thresholds hold' : 'a threshold is missed');

function shippedSeed() {
  return existsSync(pathOf(name)) ? readModel(name).recipe.seed : 0;
}

function train() {
  const trainer = model.trainer(settings);
  const show = progress(name, steps);
  let accuracy = NaN;
  for (let step = 1; step <= steps; step++) {
    const batch = task.batch(step - 1, seed);
    const { loss } = trainer.step(batch);
    if (step === 1 || step % EVERY === 0) accuracy = accuracyOf(batch.labels.data);
    show(step, loss, accuracy);
  }
}

/**
 * The share of right answers to the batch that was just learnt from, before the step.
 * @param {Int32Array} labels
 */
function accuracyOf(labels) {
  const { data, shape } = model.tensor('logits');
  const width = shape[2];
  let right = 0;
  let count = 0;
  labels.forEach((target, place) => {
    if (target < 0) return;
    const row = data.subarray(place * width, (place + 1) * width);
    right += Number(row.every((value) => value <= row[target]));
    count++;
  });
  return right / count;
}

function recipe() {
  return {
    task: task.name,
    seed,
    dataSeed: seed,
    steps,
    batchSize: task.batchSize,
    trainer: settings,
    glassformer: gf.version,
    variant,
  };
}
