// Shared by the claims on translation: a small encoder–decoder that learns English to French, and what it writes.
import { translate } from 'glassformer/tasks';
import { recipeOf, train, withModel } from './train.js';

/** @typedef {import('./train.js').Model} Model */
/** @typedef {ReturnType<typeof translate.heldOut>[number]} Pair */

const BATCH = 32;
const HELD_OUT = 64;
const WARMUP = 50;
export const RATE = 6e-3;
const [BEGIN, END] = [1, 2];
const LONGEST = 15; // words

/** @type {import('./claim.js').Sketch} */
export const TRANSLATOR = {
  input: ['the', 'creek', 'was', '…', '.'],
  stacks: [
    { name: 'encoder', layers: 2, parts: ['attention: 4', 'FFN: 64'] },
    { name: 'decoder', layers: 2, parts: ['attention: 4', 'cross-attention: 4', 'FFN: 64'] },
  ],
  output: 'the sentence in French',
  width: 32,
  steps: 600,
};

/** @type {import('./claim.js').Scale[]} */
export const WIDTHS = [
  { name: 'width', label: 'Width d_model', values: [16, 32, 48], default: 32 },
  { name: 'learningRate', label: 'Learning rate', values: [3e-3, RATE, 1e-2], default: RATE },
];

/**
 * Teaches a translator, and looks at it on the way.
 * @param {import('./train.js').Engine} gf
 * @param {{seed: number, width: number, learningRate: number, steps: number, heads?: number}} settings
 * @param {() => Promise<void>} step called before each
 * @param {readonly number[]} stops steps after which we look
 * @param {(model: Model, pairs: readonly Pair[], at: number) => Promise<void>} look with pairs that it never meets
 */
export function teach(gf, { seed, width, learningRate, steps, heads = 4 }, step, stops, look) {
  const config = { ...translate.config, d_model: width, d_ff: 2 * width, heads, seed };
  return withModel(gf, config, async (model) => {
    const pool = translate.pool(seed);
    const pairs = translate.heldOut(seed, { count: HELD_OUT });
    const trainer = model.trainer(recipeOf(learningRate, steps, WARMUP));
    let at = 0;
    const next = () => translate.batchOf(pool.slice(at * BATCH, ++at * BATCH));
    for (const stop of stops) {
      await train(trainer, next, stop - at, step);
      await look(model, pairs, stop);
    }
  });
}

/**
 * Translates, and counts the words that would have to be put in, taken out or changed.
 * @param {Model} model
 * @param {readonly Pair[]} pairs
 * @param {number} beams 1: greedily
 * @param {number} [lengthPenalty] of beams
 * @returns {Promise<{wrong: number, length: number}>} words wrong, and words written, for each word of the grammar's
 *   translations
 */
export async function translated(model, pairs, beams, lengthPenalty = 1) {
  let [wrong, written, words] = [0, 0, 0];
  const search = beams > 1 ? { beams, lengthPenalty } : {};
  for (const { source, target } of pairs) {
    const sourceIds = [...translate.vocabulary.ids(source)];
    const { newIds } = await model.generate({
      sourceIds,
      targetIds: [BEGIN],
      maxTokens: LONGEST,
      endId: END,
      ...search,
    });
    const ids = [...newIds].filter((id) => id !== END);
    const truth = [...translate.targetVocabulary.ids(target)];
    wrong += distance(ids, truth);
    written += ids.length;
    words += truth.length;
  }
  return { wrong: wrong / words, length: written / words };
}

/**
 * Levenshtein's distance.
 * @param {readonly number[]} one
 * @param {readonly number[]} other
 */
function distance(one, other) {
  const row = Array.from({ length: other.length + 1 }, (_, at) => at);
  one.forEach((id, i) => {
    let corner = row[0];
    row[0] = i + 1;
    other.forEach((truth, j) => {
      const above = row[j + 1];
      row[j + 1] = Math.min(corner + Number(id !== truth), above + 1, row[j] + 1);
      corner = above;
    });
  });
  return row[other.length];
}
