import { byStep, seekable } from './batch.js';
import { integer, options as readOptions, seedOf } from './check.js';
import { batchOf, maskSentence, vocabulary } from './creek-batch.js';
import { COLUMNS, columnProbes, scoreColumns } from './creek-columns.js';
import { drawPair, drawSentence } from './creek-grammar.js';
import { flipProbes, pseudoLogLikelihood, scoreFlips, scoreOrder, scorePronoun } from './creek-probes.js';
import { predictOf } from './predict.js';
import { Random } from './random.js';
import { drawMany } from './split.js';
import { configOf, heldOutRandom, trainerOf } from './task.js';

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {import('./creek-grammar.js').Sentence} Sentence */
/** @typedef {import('./scores.js').Predict} Predict */

const POOL = 20000;
const FRESH = 4000;
const PAIRS = 300;
const BATCH = 64;

/** @param {Sentence} sentence */
const textOf = ({ tokens }) => tokens.map(({ word }) => word).join(' ');

/** @param {number} seed */
function drawTraining(seed) {
  const random = new Random(seedOf(seed), 'creek pool');
  return drawMany(POOL, () => drawSentence(random));
}

/**
 * @param {readonly Sentence[]} pool
 * @param {Random} random
 * @returns {Generator<Batch, never, void>}
 */
function* endless(pool, random) {
  for (;;) {
    const rows = Array.from({ length: BATCH }, () => maskSentence(random.choose(pool), random));
    yield batchOf(
      rows.map(({ ids }) => ids),
      rows.map(({ labels }) => labels),
    );
  }
}

/**
 * @typedef {object} CreekHeldOut
 * @property {Sentence[]} sentences none of them trained on
 * @property {Record<string, import('./scores.js').Probe[]>} columns what is asked of them
 * @property {import('./creek-probes.js').FlipProbe[]} pairs minimal pairs, none of them trained on
 */

const batches = (/** @type {number} */ seed) => endless(drawTraining(seed), new Random(seedOf(seed), 'creek batches'));

function makeCreek() {
  const task = {
    name: 'creek',
    kind: /** @type {const} */ ('encoder'),
    vocabulary,
    config: configOf({ kind: 'encoder', vocabulary, d_model: 48, heads: 2, d_ff: 96, layers: 3 }),
    trainer: trainerOf({ learningRate: 3e-3, schedule: 'cosine', warmup: 200, steps: 2000 }),
    batchSize: BATCH,
    columns: COLUMNS,

    /** Sentences that readers know; the grammar has them all. */
    sentences: Object.freeze({
      creek: 'the creek was cold and the spunky dog wanted to jump over it .',
      tired: 'the dog did not jump over the creek because it was tired .',
      deep: 'the dog did not jump over the creek because it was deep .',
      cat: 'the cat sat on the mat .',
    }),

    /** Draws the pool for the `batches` of a seed. */
    pool: drawTraining,

    batches: seekable(batches),
    batch: byStep(batches),

    /**
     * @param {number} [seed] of the training data that it must not meet
     * @param {{sample?: number, limit?: number}} [options] another `sample` draws another set (0);
     *   at most `limit` questions in a column (600)
     * @returns {CreekHeldOut}
     */
    heldOut(seed = 0, options = {}) {
      const { sample, limit } = readOptions(options, { sample: 0, limit: 600 });
      integer(limit, 1, FRESH, 'limit');
      const random = heldOutRandom('creek', seed, sample);
      const trained = new Set(drawTraining(seed).map(textOf));
      const fresh = drawMany(FRESH, () => drawSentence(random));
      const sentences = fresh.filter((sentence) => !trained.has(textOf(sentence)));
      const pairs = drawMany(
        PAIRS,
        () => drawPair(random),
        (pair) => pair.sentences.every((words) => !trained.has(words.join(' '))),
      );
      return { sentences, columns: columnProbes(sentences, random, limit), pairs: flipProbes(pairs) };
    },

    /**
     * @param {Predict | import('./predict.js').ModelLike} model
     * @param {CreekHeldOut} [heldOut] default that of seed 0
     * @param {{ablate?: boolean}} [options] `ablate`: ask again with the best head of a column off
     */
    async score(model, heldOut = task.heldOut(), options = {}) {
      const predict = predictOf(model);
      const { ablate } = readOptions(options, { ablate: false });
      return {
        columns: await scoreColumns(predict, heldOut.columns, ablate),
        flip: await scoreFlips(predict, heldOut.pairs),
        pronoun: await scorePronoun(predict, task.sentences.creek),
        order: await scoreOrder(predict),
      };
    },

    pseudoLogLikelihood,
  };
  return task;
}

/** Guess hidden words, and say what a pronoun stands for. */
export const creek = /* @__PURE__ */ makeCreek();
