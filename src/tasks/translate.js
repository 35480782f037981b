import { byStep, chunks, IGNORE, pack, paddingOf, seekable } from './batch.js';
import { integer, options as readOptions, seedOf } from './check.js';
import { predictOf } from './predict.js';
import { Random } from './random.js';
import { answersOf, largest, mapRow, mapsOf, sum } from './scores.js';
import { drawMany } from './split.js';
import { configOf, heldOutRandom, trainerOf } from './task.js';
import { drawPair } from './translate-grammar.js';
import { englishWords, frenchWords } from './translate-lexicon.js';
import { Vocabulary } from './vocabulary.js';

/** @typedef {import('./batch.js').PairBatch} Batch */
/** @typedef {import('./predict.js').ModelLike} ModelLike */
/** @typedef {import('./scores.js').Predict} Predict */
/** @typedef {import('./scores.js').Tensor} Tensor */
/** @typedef {import('./translate-grammar.js').Pair} Pair */

/** The longest sentence of the grammar; in French with [BOS] before or [EOS] behind. */
const WIDTH = { source: 15, target: 15 };
const POOL = 30000;
const HELD_OUT = 500;
const BATCH = 64;

const makeVocabulary = () => new Vocabulary(['[PAD]', ...englishWords()]);
const makeTargetVocabulary = () => new Vocabulary(['[PAD]', '[BOS]', '[EOS]', ...frenchWords()]);
const vocabulary = /* @__PURE__ */ makeVocabulary();
const targetVocabulary = /* @__PURE__ */ makeTargetVocabulary();
/** The ids of [BOS] and [EOS]. */
const BEGIN = 1;
const END = 2;

/** Sentences that readers know; the first is never trained on. */
const SENTENCES = /* @__PURE__ */ Object.freeze([
  {
    source: 'the creek was cold and the spunky dog wanted to jump over it .',
    target: 'le ruisseau était froid et le chien fougueux voulait le franchir .',
  },
  {
    source: 'the river was cold and the spunky dog wanted to jump over it .',
    target: 'la rivière était froide et le chien fougueux voulait la franchir .',
  },
  {
    source: 'the dog did not jump over the river because it was tired .',
    target: 'le chien ne franchissait pas la rivière car il était fatigué .',
  },
  {
    source: 'the dog did not jump over the river because it was deep .',
    target: 'le chien ne franchissait pas la rivière car elle était profonde .',
  },
]);

/** @param {Pair} pair */
const sourceOf = ({ source }) => source.join(' ');

/** @param {number} seed */
function drawTraining(seed) {
  const random = new Random(seedOf(seed), 'translate pool');
  return drawMany(
    POOL,
    () => drawPair(random),
    (pair) => sourceOf(pair) !== SENTENCES[0].source,
  );
}

/**
 * @param {readonly {source: readonly string[], target: readonly string[]}[]} pairs
 * @returns {Batch}
 */
function batchOf(pairs) {
  const sources = pairs.map(({ source }) => vocabulary.ids(source));
  const targets = pairs.map(({ target }) => targetVocabulary.ids(target));
  const inputs = targets.map((ids) => [BEGIN, ...ids]);
  return {
    sourceIds: pack(sources, WIDTH.source, 0),
    sourcePadding: paddingOf(sources, WIDTH.source),
    targetIds: pack(inputs, WIDTH.target, 0),
    targetPadding: paddingOf(inputs, WIDTH.target),
    labels: pack(
      targets.map((ids) => [...ids, END]),
      WIDTH.target,
      IGNORE,
    ),
  };
}

/**
 * @param {readonly Pair[]} pool
 * @param {Random} random
 * @returns {Generator<Batch, never, void>}
 */
function* endless(pool, random) {
  for (;;) yield batchOf(Array.from({ length: BATCH }, () => random.choose(pool)));
}

/**
 * Translates greedily: always the likeliest next word, until [EOS].
 * @param {Predict | ModelLike} model
 * @param {readonly string[]} sources
 * @returns {Promise<string[]>}
 */
async function translateGreedily(model, sources) {
  const predict = predictOf(model);
  const rows = sources.map((source) => vocabulary.ids(source.split(' ')));
  const source = { sourceIds: pack(rows, WIDTH.source, 0), sourcePadding: paddingOf(rows, WIDTH.source) };
  const written = rows.map(() => [BEGIN]);
  const ended = () => written.every((row) => row.includes(END));
  for (let length = 1; length <= WIDTH.target && !ended(); length++) {
    const batch = {
      ...source,
      targetIds: pack(written, length, 0),
      labels: pack(
        written.map(() => []),
        length,
        IGNORE,
      ),
    };
    const answers = answersOf(await predict(batch, { maps: false }), batch);
    written.forEach((row, i) => row.push(answers[i * length + length - 1]));
  }
  return written.map((row) => {
    const end = row.indexOf(END);
    return targetVocabulary.decode(row.slice(1, end < 0 ? undefined : end));
  });
}

/**
 * The agreement of a layer's cross-attention, mean of its heads, with the gold links.
 * @typedef {object} Alignment
 * @property {number} error alignment error rate: share of the French words whose row (the one that
 *   predicts the word) has its largest weight on no linked word
 * @property {number} mass mean weight on the linked words
 * @property {number} count French words
 */

/**
 * @param {readonly Tensor[]} maps of one layer, one for each batch
 * @param {readonly (readonly Pair[])[]} lists the pairs of each batch
 * @param {boolean} contentOnly
 * @returns {Alignment}
 */
function alignment(maps, lists, contentOnly) {
  let wrong = 0;
  let mass = 0;
  let count = 0;
  lists.forEach((pairs, i) =>
    pairs.forEach(({ links, content }, row) =>
      links.forEach((places, at) => {
        if (contentOnly && !content[at]) return;
        const weights = meanRow(maps[i], row, at);
        wrong += Number(!places.includes(largest(weights)));
        mass += sum(places, weights);
        count++;
      }),
    ),
  );
  return { error: wrong / count, mass: mass / count, count };
}

/**
 * @param {Tensor} map [B,H,T,S]
 * @param {number} row
 * @param {number} at
 * @returns {number[]} mean of the heads
 */
function meanRow(map, row, at) {
  const heads = Array.from({ length: map.shape[1] }, (_, head) => mapRow(map, row, head, at));
  return heads[0].map((_, key) => heads.reduce((total, weights) => total + weights[key], 0) / heads.length);
}

const batches = (/** @type {number} */ seed) =>
  endless(drawTraining(seed), new Random(seedOf(seed), 'translate batches'));

function makeTranslate() {
  const task = {
    name: 'translate',
    kind: /** @type {const} */ ('encoder-decoder'),
    vocabulary,
    targetVocabulary,
    config: configOf({
      kind: 'encoder-decoder',
      vocabulary,
      targetVocabulary,
      d_model: 48,
      heads: 4,
      d_ff: 96,
      layers: 2,
      decoderLayers: 2,
      causal: true,
    }),
    trainer: trainerOf({ learningRate: 3e-3, schedule: 'cosine', warmup: 200, steps: 1000 }),
    batchSize: BATCH,
    sentences: SENTENCES,

    /** Draws the pool for the `batches` of a seed. */
    pool: drawTraining,

    batches: seekable(batches),
    batch: byStep(batches),

    /**
     * @param {number} [seed] of the training data that it must not meet
     * @param {{sample?: number, count?: number}} [options] another `sample` draws another set (0);
     *   `count` pairs (500)
     * @returns {Pair[]} their English is in no training batch
     */
    heldOut(seed = 0, options = {}) {
      const { sample, count } = readOptions(options, { sample: 0, count: HELD_OUT });
      const random = heldOutRandom('translate', seed, sample);
      const trained = new Set(drawTraining(seed).map(sourceOf));
      return drawMany(
        integer(count, 1, 1e5, 'count'),
        () => drawPair(random),
        (pair) => !trained.has(sourceOf(pair)),
      );
    },

    batchOf,
    translate: translateGreedily,

    /**
     * @param {Predict | ModelLike} model
     * @param {readonly Pair[]} [heldOut] default those of seed 0
     * @returns {Promise<{exact: number, count: number, layers: {all: Alignment, content: Alignment}[],
     *   sentences: {source: string, target: string, answer: string}[]}>} exact: share translated word
     *   by word as the grammar does; layers: alignment from the first to the last; sentences: those
     *   that readers know
     */
    async score(model, heldOut = task.heldOut()) {
      const predict = predictOf(model);
      const lists = chunks(heldOut, BATCH);
      /** @type {Tensor[][]} */
      const maps = [];
      let exact = 0;
      for (const pairs of lists) {
        const answers = await translateGreedily(predict, pairs.map(sourceOf));
        exact += pairs.filter(({ target }, i) => target.join(' ') === answers[i]).length;
        const batch = batchOf(pairs);
        maps.push([...mapsOf(await predict(batch, { maps: true }), batch)]);
      }
      const layers = maps[0].map((_, layer) => {
        const ofLayer = maps.map((batch) => batch[layer]);
        return { all: alignment(ofLayer, lists, false), content: alignment(ofLayer, lists, true) };
      });
      const answers = await translateGreedily(
        predict,
        SENTENCES.map(({ source }) => source),
      );
      return {
        exact: exact / heldOut.length,
        count: heldOut.length,
        layers,
        sentences: SENTENCES.map((one, i) => ({ ...one, answer: answers[i] })),
      };
    },
  };
  return task;
}

/** English to French, with gold alignment. `maps` of a prediction are the cross-attention. */
export const translate = /* @__PURE__ */ makeTranslate();
