// Trains austen, the decoder of real English: npm run train -- austen --text FILE. It takes hours: every 100 steps the
// run is kept in a file, and the same command goes on from there. The same seed gives the same bytes, in however many
// sittings and with any number of workers.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { availableParallelism } from 'node:os';
import { load, readSafetensors } from 'glassformer';
import { tableOf } from '../measure.mjs';
import { progress } from '../progress.mjs';
import { trainTokenizer } from './bpe.mjs';
import { fileOf, scoresOf } from './card.mjs';
import { headsOf, lossOf } from './measure.mjs';
import { CONFIG, ROWS, Rows, SHARDS, TRAINER } from './recipe.mjs';
import { chaptersOf, HOW, isTheText } from './text.mjs';

const KEEP = 100; // steps between two states that are kept
const MEASURE_EVERY = 250; // steps between two measurements of the heads

/** @typedef {{step: number, heldOut: number} & ReturnType<typeof headsOf>} Moment heldOut: loss, nats per token */

/**
 * Trains, measures the weights as the file has them, rounded, and writes it.
 * @param {{text?: string, seed?: number, steps?: number, out?: string, run?: string}} given of the command line
 */
export async function austen({ text: path = '', out = 'dist/models/austen.safetensors', ...given }) {
  if (!existsSync(path)) throw new Error(`--text must be the file of the six novels, is '${path}'. To get it:\n${HOW}`);
  const text = readFileSync(path, 'utf8');
  if (!isTheText(text)) console.error(`${path} is not the text of the shipped model: the file will be another`);
  const trained = await trainAusten({ run: out.replace(/\.safetensors$/, '.run.safetensors'), ...given, text });
  const { model, recipe } = trained;
  model.loadWeights(readSafetensors(await model.save({ float16: true })).tensors);
  const scores = scoresOf(model, trained);
  const file = await fileOf(model, trained, scores);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, file);
  console.log(`austen, seed ${recipe.seed}, ${recipe.steps} steps, ${model.parameterCount} parameters\n`);
  console.log(tableOf(scores));
  console.log(`\n${out}: ${file.length} bytes, SHA-256 ${createHash('sha256').update(file).digest('hex')}`);
}

/**
 * @param {{text: string, seed?: number, steps?: number, run: string, config?: any, rows?: number,
 *   length?: number, until?: number}} given config, rows and length: of another size; until: a step to stop at
 */
export async function trainAusten({ text, seed = 0, steps = TRAINER.steps, run, ...given }) {
  const { config, rows = ROWS, length, until = steps } = given;
  const { learned, heldOut } = chaptersOf(text);
  const whole = { ...CONFIG, ...config };
  const tokenizer = trainTokenizer(learned, whole.vocabulary);
  const trained = new Rows(learned, tokenizer, length);
  const unseen = new Rows(heldOut, tokenizer, length);
  const settings = { ...TRAINER, steps, warmup: Math.min(TRAINER.warmup, steps - 1), seed, shards: SHARDS };
  const recipe = { task: 'austen', seed, steps, rows, length: trained.length, trainer: settings };

  const gf = await load({ variant: 'simd' });
  const model = gf.createModel({ ...whole, seed });
  const trainer = model.trainer({ ...settings, workers: Math.min(2, availableParallelism()) });
  /** @type {Moment[]} */
  const moments = existsSync(run) ? await goOn() : [];
  const tokens = Object.keys(tokenizer.model.vocab);
  const word = (/** @type {number} */ id) => tokens[id];
  const show = progress('austen', steps);
  while (trainer.steps < until) {
    const { loss, step } = await trainer.step(trained.batch(trainer.steps, seed, rows));
    show(step, loss);
    if (step % MEASURE_EVERY === 0 || step === steps) {
      moments.push({ step, heldOut: lossOf(trainer, unseen, 64), ...headsOf(model, unseen, word) });
    }
    if (step % KEEP === 0 || step === steps) await keep();
  }
  trainer.free();
  return { model, tokenizer, word, unseen, learned, heldOut, moments, recipe };

  async function keep() {
    mkdirSync(dirname(run), { recursive: true });
    writeFileSync(`${run}.part`, await trainer.save({ recipe, metadata: { moments: JSON.stringify(moments) } }));
    renameSync(`${run}.part`, run); // whole, whenever it is stopped
  }

  /** @returns {Promise<Moment[]>} what was measured before */
  async function goOn() {
    const file = readFileSync(run);
    const { metadata } = readSafetensors(file);
    if (metadata.get('glassformer.recipe') !== JSON.stringify(recipe)) {
      throw new Error(`${run} is a run of another recipe: ${metadata.get('glassformer.recipe')}`);
    }
    await trainer.resume(file);
    return JSON.parse(String(metadata.get('moments')));
  }
}
