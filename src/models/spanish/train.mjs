// Trains spanish, English to Spanish as two translations of the Bible have it: npm run train -- spanish --english FILE
// --spanish FILE. It takes some two hours of two processors: the run is kept in a file, and the same command goes on
// from there (sittings.mjs). The same seed gives the same bytes, in however many sittings and with any number of
// workers.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { sittingOf, trainInSittings, write } from '../sittings.mjs';
import { fileOf, scoresOf } from './card.mjs';
import { lossOf } from './measure.mjs';
import { EDITION, Pairs, tokenizerOf } from './recipe.mjs';
import { HOW, versesOf } from './verses.mjs';

/** @typedef {{step: number, heldOut: number}} Moment heldOut: nats per token of the watched books */

/**
 * Trains until it is told to end. When a decay is over, it measures the weights as the file has them, rounded, and
 * writes it.
 * @param {{english?: string, spanish?: string, seed?: number, steps?: number, out?: string, until?: string,
 *   run?: string, decay?: number}} given of the command line; steps: a step of the stable part to stop at
 */
export async function spanish({ out = 'dist/models/spanish.safetensors', until, seed = 0, decay = 0, ...given }) {
  const [english, other] = [given.english, given.spanish].map((path = '') => {
    if (!existsSync(path)) throw new Error(`--english and --spanish must be files, is '${path}'. To get them:\n${HOW}`);
    return readFileSync(path, 'utf8');
  });
  const subject = subjectOf(EDITION, versesOf(english, other), seed);
  const sitting = sittingOf({ until, steps: given.steps, decay });
  const { run = out.replace(/\.safetensors$/, '.run.safetensors') } = given;
  const trained = await trainInSittings(subject, { run, decay, seed, ...sitting });
  if (!trained.isWhole) return;
  const { model, moments, recipe } = trained;
  const scores = await scoresOf(await fileOf(model, subject, { moments, recipe, scores: [] }), subject);
  const file = await fileOf(model, subject, { moments, recipe, scores });
  write(out, file, { name: 'spanish', model, recipe, scores });
}

/** @typedef {ReturnType<typeof subjectOf>} Subject */

/**
 * @param {import('./recipe.mjs').Edition} edition
 * @param {ReturnType<typeof versesOf>} verses
 * @param {number} seed
 */
export function subjectOf(edition, verses, seed) {
  const { config, warmup, tokens, longest } = edition;
  const texts = verses.learned.flatMap(({ english, spanish }) => [english, spanish]);
  const tokenizer = tokenizerOf(texts, config.vocabulary);
  const pairs = new Pairs(verses.learned, tokenizer, edition);
  const [watched, held] = [verses.watched, verses.test].map((each) => new Pairs(each, tokenizer, edition));
  const learned = createHash('sha256').update(texts.join('\n')).digest('hex');
  return {
    ...{ edition, verses, tokenizer, pairs },
    heldOutLoss: (/** @type {any} */ model) => lossOf(model, held),
    recipe: { task: 'spanish', edition: 1, seed, tokens, longest, warmup, config, learned },
    batch: (/** @type {number} */ step) => pairs.batch(step, seed),
    tokensIn: (/** @type {any} */ { labels }) =>
      labels.data.reduce((/** @type {number} */ sum, /** @type {number} */ id) => sum + Number(id >= 0), 0),
    measure(/** @type {any} */ model, /** @type {number} */ step) {
      const heldOut = lossOf(model, watched);
      return { words: `watched books ${heldOut.toFixed(4)} nats a token`, moment: { step, heldOut } };
    },
  };
}
