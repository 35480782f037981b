// The card of spanish: what is measured of the trained model, and the file that says it.
import { load } from 'glassformer';
import { alignmentOf, translationsOf } from './measure.mjs';

/** @typedef {import('./train.mjs').Subject} Subject */

/** @type {Record<string, string>} */
const ROWS = { asked: 'in the row that writes its translation', read: 'in the row that has read it' };

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
  const alignments = Array.from({ length: model.config.decoderLayers }, (_, layer) =>
    heads.filter((each) => each.layer === layer),
  ).flatMap((own, layer) =>
    Object.entries(ROWS).map(([measure, row]) => {
      const best = own.reduce((a, b) => (b[measure] > a[measure] ? b : a));
      return {
        name: `layer ${layer + 1}: largest weight on the linked word, ${row}`,
        value: best[measure],
        head: { layer, head: best.head },
        note: `of ${count} linked words; ${(100 * diagonal).toFixed(1)} % on the diagonal`,
      };
    }),
  );
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
 * The file of the model, always the same bytes: 8 bits a number, with its tokenizer, the ends and the start of its
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
    ...{ tokenizer, endIds: [vocabulary - 1], rules: { start: vocabulary - 2, lengthPenalty: 0.6 }, int8: true },
    recipe: { ...recipe, batchSize: recipe.tokens, dataSeed: recipe.seed, variant: 'simd' },
    metadata: { name: 'spanish', scores: JSON.stringify(scores), moments: JSON.stringify(moments, short) },
  });
}
