// Trains austen in as many sittings as it takes. The learning rate stays the same for as long as there
// is time (the stable part), then it falls to zero (the decay): Hu et al. 2024, "MiniCPM", section 4. Each part keeps a
// file of its own: a decay leaves the stable part's as it is, and the stable part can go on after it.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { load, readSafetensors } from 'glassformer';
import { encoderOf, piecesOf, trainTokenizer } from './bpe.mjs';
import { headsOf, wholeLossOf } from './measure.mjs';
import { Rows, SHARDS } from './recipe.mjs';
import { chaptersOf } from './text.mjs';

const KEEP = 5 * 60_000; // ms between two states that are kept

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

/** @typedef {import('./recipe.mjs').Edition} Edition */

/**
 * @param {object} given
 * @param {Edition} given.edition
 * @param {string} given.text of the six novels
 * @param {readonly string[]} [given.books] further chapters to learn from
 * @param {string} given.run the stable part's file; that of its decay has `.decay` behind the name
 * @param {number} [given.decay] steps of a decay, which begins where the stable part is
 * @param {(step: number) => boolean} [given.isOver] ends the sitting; a decay ends by itself, too
 * @param {(line: string) => void} [given.log]
 * @param {number} [given.seed]
 * @param {number} [given.workers] threads, which change no bit
 */
export async function trainInSittings({ edition, text, books = [], run, decay = 0, seed = 0, ...given }) {
  const { isOver = () => false, log = console.log, workers = 0 } = given;
  const texts = textsOf(edition, text, books);
  const gf = await load({ variant: 'simd' });
  const model = gf.createModel({ ...edition.config, seed });
  const file = decay ? `${run}.decay` : run;
  const kept = [file, run].map(read).find((each) => each !== undefined);
  if (decay && !kept) throw new Error(`${run} is not there: a decay begins where the stable part is`);
  const from = kept?.recipe.decay?.from ?? kept?.steps;
  const { warmup, rows, length, config } = edition;
  const schedule = decay
    ? { schedule: 'linear', warmup: from, steps: from + decay, floor: 0 } // at `from` as high as in the stable part
    : { schedule: 'constant', warmup };
  const settings = { ...edition.trainer, seed, shards: SHARDS };
  const stable = { task: 'austen', edition: 2, seed, rows, length, warmup, config, learned: texts.sha256, settings };
  const recipe = { ...stable, ...(decay && { decay: { from, steps: decay } }) };
  if (kept && JSON.stringify(kept.recipe) !== JSON.stringify(kept.recipe.decay ? recipe : stable)) {
    throw new Error(`${kept.path} is a run of another recipe: ${JSON.stringify(kept.recipe)}`);
  }
  const trainer = model.trainer({ ...settings, ...schedule, workers });
  if (kept) await trainer.resume(kept.bytes);
  /** @type {import('./train.mjs').Moment[]} */
  const moments = kept?.moments ?? [];
  const isDone = () => isOver(trainer.steps) || (decay > 0 && trainer.steps === from + decay);

  const first = trainer.steps;
  let keptAt = performance.now();
  /** @type {number[]} since then */
  let losses = [];
  while (!isDone()) {
    const { loss, step } = await trainer.step(texts.rows.batch(trainer.steps, seed, rows));
    losses.push(loss);
    if (step % edition.measureEvery === 0) moments.push(measure());
    if (performance.now() - keptAt > KEEP) await keep();
    await turn(); // without workers a step gives none, and no signal would come through
  }
  if (trainer.steps > first) await keep();
  trainer.free();
  const { steps } = trainer;
  const isWhole = decay > 0 && steps === from + decay;
  return { model, ...texts, moments, isWhole, recipe: { ...recipe, steps, trainer: trainer.settings } };

  /** The loss on all held-out chapters, and the heads. */
  function measure() {
    const nats = wholeLossOf(model, texts.asked, length);
    say(`held out ${(nats / Math.LN2 / texts.bytes).toFixed(4)} bits a byte`);
    return { step: trainer.steps, heldOut: nats / texts.count, ...headsOf(model, texts.unseen, texts.word) };
  }

  async function keep() {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.part`, await trainer.save({ recipe, metadata: { moments: JSON.stringify(moments) } }));
    renameSync(`${file}.part`, file); // whole, whenever it is stopped
    const mean = losses.reduce((sum, each) => sum + each, 0) / losses.length;
    const speed = (losses.length * rows * length * 1000) / (performance.now() - keptAt);
    say(`loss ${mean.toFixed(4)} over ${losses.length} steps, ${speed.toFixed(0)} tokens/s`);
    losses = [];
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

/**
 * The texts that the model learns from, and those that measure it.
 * @param {Edition} edition @param {string} text @param {readonly string[]} books
 */
function textsOf({ config, length }, text, books) {
  const { learned: novels, heldOut } = chaptersOf(text);
  const learned = [...novels, ...books];
  const tokenizer = trainTokenizer(learned, config.vocabulary);
  const encode = encoderOf(tokenizer);
  const asked = heldOut.map((each) => piecesOf(each).flatMap(encode));
  const tokens = Object.keys(tokenizer.model.vocab);
  return {
    ...{ learned, heldOut, tokenizer, asked },
    rows: new Rows(learned, tokenizer, length),
    unseen: new Rows(heldOut, tokenizer, length),
    word: (/** @type {number} */ id) => tokens[id],
    count: asked.reduce((sum, ids) => sum + ids.length - 1, 0), // the first of a chapter has nothing before it
    bytes: heldOut.reduce((sum, each) => sum + Buffer.byteLength(each), 0),
    sha256: createHash('sha256').update(learned.join('\n')).digest('hex'),
  };
}
