// austen in sittings: its texts, its batches, and what is measured as it learns.
import { createHash } from 'node:crypto';
import { trainInSittings } from '../sittings.mjs';
import { encoderOf, piecesOf, trainTokenizer } from './bpe.mjs';
import { headsOf, wholeLossOf } from './measure.mjs';
import { Rows } from './recipe.mjs';
import { chaptersOf } from './text.mjs';

/** @typedef {import('./recipe.mjs').Edition} Edition */

/**
 * @param {Edition} edition
 * @param {{text: string, books?: readonly string[], seed?: number} &
 *   Parameters<typeof trainInSittings>[1]} given text: the six novels; books: further chapters to learn from
 */
export async function trainAusten(edition, { text, books = [], seed = 0, ...given }) {
  const texts = textsOf(edition, text, books);
  const { config, warmup, rows, length } = edition;
  const trained = await trainInSittings(
    {
      edition,
      recipe: { task: 'austen', edition: 2, seed, rows, length, warmup, config, learned: texts.sha256 },
      batch: (step) => texts.rows.batch(step, seed, rows),
      tokensIn: () => rows * length,
      /** The loss on all held-out chapters, and the heads. @returns {{words: string, moment: Moment}} */
      measure(model, step) {
        const nats = wholeLossOf(model, texts.asked, length);
        return {
          words: `held out ${(nats / Math.LN2 / texts.bytes).toFixed(4)} bits a byte`,
          moment: { step, heldOut: nats / texts.count, ...headsOf(model, texts.unseen, texts.word) },
        };
      },
    },
    { ...given, seed },
  );
  return { ...texts, ...trained };
}

/** @typedef {import('./train.mjs').Moment} Moment */

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
