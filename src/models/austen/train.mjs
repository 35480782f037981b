// Trains austen, the decoder of real English: npm run train -- austen --text FILE --books DIR. It takes an hour or
// more: the run is kept in a file, and the same command goes on from there (sittings.mjs). The same seed gives the same
// bytes, in however many sittings and with any number of workers.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { availableParallelism } from 'node:os';
import { readSafetensors } from 'glassformer';
import { tableOf } from '../measure.mjs';
import { overAt } from '../sittings.mjs';
import { chaptersOfBooks, HOW_BOOKS } from './books.mjs';
import { fileOf, scoresOf } from './card.mjs';
import { EDITION } from './recipe.mjs';
import { trainAusten } from './sittings.mjs';
import { HOW, isTheText } from './text.mjs';

/**
 * @typedef {{step: number, heldOut: number} & ReturnType<typeof import('./measure.mjs').headsOf>} Moment
 * heldOut: loss, nats per token
 */

/**
 * Trains until it is told to end. When a decay is over, it measures the weights as the file has them, rounded, and
 * writes it.
 * @param {{text?: string, seed?: number, steps?: number, out?: string, run?: string, books?: string, until?: string,
 *   decay?: number}} given of the command line; steps: a step of the stable part to stop at
 */
export async function austen({ text: path = '', out = 'dist/models/austen.safetensors', books = '', until, ...given }) {
  if (!existsSync(path)) throw new Error(`--text must be the file of the six novels, is '${path}'. To get it:\n${HOW}`);
  if (!books) throw new Error(`--books must be the folder of three more novels. To get it:\n${HOW_BOOKS}`);
  const text = readFileSync(path, 'utf8');
  if (!isTheText(text)) console.error(`${path} is not the text of the shipped model: the file will be another`);
  const run = out.replace(/\.safetensors$/, '.run.safetensors');
  const { steps, decay } = given;
  const isLate = until ? overAt(until) : () => false;
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (isStopped = true)); // a second one kills
  const isOver = (/** @type {number} */ step) => isStopped || isLate() || (!decay && step === steps);
  const workers = Math.min(2, availableParallelism());
  const chapters = chaptersOfBooks(books);
  const trained = await trainAusten(EDITION, { run, ...given, text, books: chapters, isOver, workers });
  if (!trained.isWhole) return;
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
