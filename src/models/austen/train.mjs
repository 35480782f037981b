// Trains austen, the decoder of real English: npm run train -- austen --text FILE --books DIR. It takes an hour or
// more: the run is kept in a file, and the same command goes on from there (sittings.mjs). The same seed gives the same
// bytes, in however many sittings and with any number of workers.
import { existsSync, readFileSync } from 'node:fs';
import { readSafetensors } from 'glassformer';
import { sittingOf, write } from '../sittings.mjs';
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
  const sitting = sittingOf({ until, ...given });
  const chapters = chaptersOfBooks(books);
  const trained = await trainAusten(EDITION, { run, ...given, text, books: chapters, ...sitting });
  if (!trained.isWhole) return;
  const { model, recipe } = trained;
  model.loadWeights(readSafetensors(await model.save({ float16: true })).tensors);
  const scores = scoresOf(model, trained);
  write(out, await fileOf(model, trained, scores), { name: 'austen', model, recipe, scores });
}
