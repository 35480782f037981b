// Trains a model in as many sittings as it takes. The learning rate stays the same for as long as there is time (the
// stable part), then it falls to zero (the decay): Hu et al. 2024, "MiniCPM", section 4. Each part keeps a file of its
// own: a decay leaves the stable part's as it is, and the stable part can go on after it.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { load, readSafetensors } from 'glassformer';
import { tableOf } from './measure.mjs';

const KEEP = 5 * 60_000; // ms between two states that are kept

/** Parts of a batch, whose gradients are added in one order, whatever computes them. */
const SHARDS = 4;

/**
 * Whether a time of the clock is over, today or, if it is over now, tomorrow.
 * @param {string} time as 05:50 @param {() => Date} [now]
 */
export function overAt(time, now = () => new Date()) {
  const [hours, minutes] = time.split(':').map(Number);
  const end = now();
  end.setHours(hours, minutes, 0, 0);
  if (end <= now()) end.setDate(end.getDate() + 1);
  return () => now() >= end;
}

/**
 * The end of a sitting: at a time of the clock, at a signal, at a step of the stable part; and its threads.
 * @param {{until?: string, steps?: number, decay?: number}} given of the command line
 */
export function sittingOf({ until, steps, decay }) {
  const isLate = until ? overAt(until) : () => false;
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (isStopped = true)); // a second one kills
  const isOver = (/** @type {number} */ step) => isStopped || isLate() || (!decay && step === steps);
  return { isOver, workers: Math.min(2, availableParallelism()) };
}

/**
 * Writes the file of a trained model, and says what it is.
 * @param {string} out @param {Uint8Array} file
 * @param {{name: string, model: any, recipe: {seed: number, steps: number}, scores: import('./measure.mjs').Row[]}} of
 */
export function write(out, file, { name, model, recipe, scores }) {
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, file);
  console.log(`${name}, seed ${recipe.seed}, ${recipe.steps} steps, ${model.parameterCount} parameters\n`);
  console.log(tableOf(scores));
  console.log(`\n${out}: ${file.length} bytes, SHA-256 ${createHash('sha256').update(file).digest('hex')}`);
}

/**
 * Of a model in training: what its recipe begins with, the batch of a step with the number of its tokens, and a
 * measurement, in words and as it is kept.
 * @template M
 * @typedef {object} Subject
 * @property {{config: any, trainer: any, warmup: number, measureEvery: number}} edition measureEvery: steps
 * @property {Record<string, unknown>} recipe
 * @property {(step: number) => any} batch
 * @property {(batch: any) => number} tokensIn
 * @property {(model: any, step: number) => {words: string, moment: M}} measure
 */

/**
 * @template M
 * @param {Subject<M>} subject
 * @param {object} given
 * @param {string} given.run the stable part's file; that of its decay has `.decay` behind the name
 * @param {number} [given.decay] steps of a decay, which begins where the stable part is
 * @param {(step: number) => boolean} [given.isOver] ends the sitting; a decay ends by itself, too
 * @param {(line: string) => void} [given.log]
 * @param {number} [given.seed]
 * @param {number} [given.workers] threads, which change no bit
 */
export async function trainInSittings(subject, { run, decay = 0, seed = 0, ...given }) {
  const { isOver = () => false, log = console.log, workers = 0 } = given;
  const { edition } = subject;
  const gf = await load({ variant: 'simd' });
  const model = gf.createModel({ ...edition.config, seed });
  const file = decay ? `${run}.decay` : run;
  const kept = [file, run].map(read).find((each) => each !== undefined);
  if (decay && !kept) throw new Error(`${run} is not there: a decay begins where the stable part is`);
  const from = kept?.recipe.decay?.from ?? kept?.steps;
  const { warmup } = edition;
  const schedule = decay
    ? { schedule: 'linear', warmup: from, steps: from + decay, floor: 0 } // at `from` as high as in the stable part
    : { schedule: 'constant', warmup };
  const settings = { ...edition.trainer, seed, shards: SHARDS };
  const stable = { ...subject.recipe, settings };
  const recipe = { ...stable, ...(decay && { decay: { from, steps: decay } }) };
  if (kept && JSON.stringify(kept.recipe) !== JSON.stringify(kept.recipe.decay ? recipe : stable)) {
    throw new Error(`${kept.path} is a run of another recipe: ${JSON.stringify(kept.recipe)}`);
  }
  const trainer = model.trainer({ ...settings, ...schedule, workers });
  if (kept) await trainer.resume(kept.bytes);
  /** @type {M[]} */
  const moments = kept?.moments ?? [];
  const isDone = () => isOver(trainer.steps) || (decay > 0 && trainer.steps === from + decay);

  const first = trainer.steps;
  let keptAt = performance.now();
  /** @type {number[]} since then */
  let losses = [];
  let tokens = 0;
  while (!isDone()) {
    const batch = subject.batch(trainer.steps);
    const { loss, step } = await trainer.step(batch);
    losses.push(loss);
    tokens += subject.tokensIn(batch);
    if (step % edition.measureEvery === 0) measure();
    if (performance.now() - keptAt > KEEP) await keep();
    await turn(); // without workers a step gives none, and no signal would come through
  }
  if (trainer.steps > first) await keep();
  trainer.free();
  const { steps } = trainer;
  const isWhole = decay > 0 && steps === from + decay;
  return { model, moments, isWhole, recipe: { ...recipe, steps, trainer: trainer.settings } };

  function measure() {
    const { words, moment } = subject.measure(model, trainer.steps);
    say(words);
    moments.push(moment);
  }

  async function keep() {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.part`, await trainer.save({ recipe, metadata: { moments: JSON.stringify(moments) } }));
    renameSync(`${file}.part`, file); // whole, whenever it is stopped
    const mean = losses.reduce((sum, each) => sum + each, 0) / losses.length;
    const speed = (tokens * 1000) / (performance.now() - keptAt);
    say(`loss ${mean.toFixed(4)} over ${losses.length} steps, ${speed.toFixed(0)} tokens/s`);
    losses = [];
    tokens = 0;
    keptAt = performance.now();
  }

  /** @param {string} words */
  function say(words) {
    log(`${new Date().toISOString().slice(0, 19)} step ${trainer.steps}: ${words}`);
  }
}

/** A run that is kept. @param {string} path */
function read(path) {
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  const { metadata } = readSafetensors(bytes);
  const said = (/** @type {string} */ name) => JSON.parse(String(metadata.get(name)));
  const recipe = said('glassformer.recipe');
  return { path, bytes, recipe, steps: said('glassformer.trainer').steps, moments: said('moments') };
}
