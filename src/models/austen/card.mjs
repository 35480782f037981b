// The card of austen: what is measured of a trained model, and the file that says it.
import { BOOKS } from './books.mjs';
import { encoderOf, piecesOf } from './bpe.mjs';
import { headsOf, wholeLossOf } from './measure.mjs';
import { gzipBits, Ngrams } from './rivals.mjs';
import { SHA_256 } from './text.mjs';

/**
 * @typedef {Awaited<ReturnType<typeof import('./sittings.mjs').trainAusten>>} Trained
 */

const ORDER = 5;

/** The name of each measure of a head. @type {Record<string, string>} */
const MEASURES = {
  previous: 'most weight on the token before',
  induction: 'most weight behind the earlier occurrence, random tokens repeated',
  quotation: 'most weight of a speech on the mark that opens it',
  sentence: 'most weight on the last end of a sentence',
};

/**
 * @param {any} model @param {Trained} trained
 * @returns {import('../measure.mjs').Row[]}
 */
export function scoresOf(model, { tokenizer, unseen, learned, heldOut, word, moments }) {
  const encode = encoderOf(tokenizer);
  const [known, asked] = [learned, heldOut].map((texts) => texts.map((text) => piecesOf(text).flatMap(encode)));
  const bytes = heldOut.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const tokens = asked.reduce((sum, ids) => sum + ids.length - 1, 0); // the first of a chapter has nothing before it
  const bitsOf = (/** @type {number} */ nats) => nats / Math.LN2 / bytes;
  const nats = wholeLossOf(model, asked, unseen.length);
  const ngrams = new Ngrams(known, ORDER, model.config.vocabulary);
  const counted = asked.reduce((sum, ids) => sum + ngrams.loss(ids), 0);
  const { heads, even, repeated } = headsOf(model, unseen, word);
  return [
    { name: 'held-out loss, nats per token', value: nats / tokens },
    { name: 'held-out bits per byte', value: bitsOf(nats) },
    { name: `the same, ${ORDER}-gram of the same tokens`, value: bitsOf(counted) },
    { name: 'the same, gzip -9 of the held-out text alone', value: gzipBits(heldOut.join('\n')) },
    ...Object.entries(MEASURES).map(([measure, name]) => {
      const best = heads.reduce((a, b) => (b[measure] > a[measure] ? b : a));
      const head = { layer: best.layer, head: best.head };
      const note = `${formed(moments, measure, head)}; ${even[measure].toFixed(3)} if it attended evenly`;
      return { name, value: best[measure], head, note };
    }),
    { name: 'loss on random tokens, nats', value: repeated.first },
    { name: 'loss where they are repeated, nats', value: repeated.second },
  ].map((row) => ({ ...row, value: Math.round(row.value * 1e4) / 1e4 }));
}

/**
 * When a head came to do what it does: the first moment at which half of what it has at the end, above what a head has
 * that attends evenly, was there. A head that has less than twice of that at the end does not do it.
 * @param {import('./train.mjs').Moment[]} moments @param {string} measure @param {{layer: number, head: number}} at
 */
function formed(moments, measure, at) {
  const values = moments.map(({ step, heads, even }) => ({
    step,
    even: even[measure],
    value: Number(heads.find(({ layer, head }) => layer === at.layer && head === at.head)?.[measure]),
  }));
  const last = values.at(-1);
  if (!last || last.value < 2 * last.even) return 'no head does this';
  const first = values.find(({ value, even }) => value - even >= (last.value - last.even) / 2);
  return `half of it there by step ${first?.step}`;
}

/**
 * The file of the model, always the same bytes: half precision, with its tokenizer, scores and the moments of its run.
 * @param {any} model @param {Trained} trained
 * @param {import('../measure.mjs').Row[]} scores
 * @returns {Promise<Uint8Array>}
 */
export async function fileOf(model, { tokenizer, moments, recipe }, scores) {
  const short = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value;
  const metadata = {
    name: 'austen',
    scores: JSON.stringify(scores),
    tokenizer: JSON.stringify(tokenizer),
    moments: JSON.stringify(moments, short),
  };
  const books = BOOKS.map(({ name, author, sha256 }) => ({ name, author, sha256 }));
  const whole = { ...recipe, batchSize: recipe.rows, dataSeed: recipe.seed, text: SHA_256, books, variant: 'simd' };
  return model.save({ recipe: whole, float16: true, metadata });
}
