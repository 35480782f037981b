// The card of spanish: what is measured of the trained model, and the file that says it.
import { load } from 'glassformer';
import { alignmentOf, translationsOf } from './measure.mjs';

/** @typedef {import('./train.mjs').Subject} Subject */

/**
 * @param {Uint8Array} file with the weights as they are kept, rounded
 * @param {Subject} subject
 * @returns {Promise<import('../measure.mjs').Row[]>}
 */
export async function scoresOf(file, { verses, tokenizer, heldOutLoss }) {
  const gf = await load({ variant: 'simd' });
  const { model } = await gf.loadModel(file);
  const translations = await translationsOf(model, verses);
  const { heads, diagonal, count } = alignmentOf(model, tokenizer, verses.test);
  const alignments = /** @type {const} */ ([
    ['asked', 'linked word has a head’s largest weight where it is asked for'],
    ['read', 'the same where it was read'],
  ]).map(([measure, name]) => {
    const best = heads.reduce((a, b) => (b[measure] > a[measure] ? b : a));
    const note = `of ${count} linked words; ${diagonal.toFixed(3)} on the diagonal`;
    return { name, value: best[measure], head: { layer: best.layer, head: best.head }, note };
  });
  return [
    { name: 'held-out loss, nats per token', value: heldOutLoss(model) },
    ...translations.flatMap(({ name, ...scores }) => [
      { name: `BLEU, ${name}`, value: scores.bleu },
      { name: `chrF, ${name}`, value: scores.chrf },
    ]),
    ...alignments,
  ].map((row) => ({ ...row, value: Math.round(row.value * 1e4) / 1e4 }));
}

/**
 * The file of the model, always the same bytes: half precision, with its tokenizer, the ends and the start of its
 * texts, scores and the moments of its run.
 * @param {any} model @param {Subject} subject
 * @param {{moments: import('./train.mjs').Moment[], recipe: any, scores: import('../measure.mjs').Row[]}} card
 * @returns {Promise<Uint8Array>}
 */
export function fileOf(model, { tokenizer, edition }, { moments, recipe, scores }) {
  const { vocabulary } = edition.config;
  const short = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value;
  return model.save({
    ...{ tokenizer, endIds: [vocabulary - 1], rules: { start: vocabulary - 2 }, float16: true },
    recipe: { ...recipe, batchSize: recipe.tokens, dataSeed: recipe.seed, variant: 'simd' },
    metadata: { name: 'spanish', scores: JSON.stringify(scores), moments: JSON.stringify(moments, short) },
  });
}
