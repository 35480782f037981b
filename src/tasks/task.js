import { IGNORE, byStep, chunks, pack, paddingOf, seekable } from './batch.js';
import { GlassformerError } from '../js/errors.js';
import { integer, options, seedOf } from './check.js';
import { Random } from './random.js';
import { examine, headScores } from './scores.js';
import { showRow } from './show.js';
import { drawMany, isReserved } from './split.js';

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {import('./batch.js').PairBatch} PairBatch */
/** @typedef {import('./scores.js').Predict} Predict */
/** @typedef {import('./predict.js').ModelLike} ModelLike */
/**
 * @template {Batch | PairBatch} [B=Batch]
 * @typedef {import('./scores.js').Probe<B>} Probe
 */
/** @typedef {import('./scores.js').Question} Question */
/** @typedef {import('./vocabulary.js').Vocabulary} Vocabulary */

/**
 * By the names of `createModel` or `model.trainer`; a model of a vocabulary reads and writes texts.
 * @typedef {Record<string, string | number | boolean | Vocabulary>} Settings
 */

/** @typedef {'encoder' | 'decoder' | 'encoder-decoder' | 'feed-forward'} Kind */

/**
 * A task's texts for a page.
 * @typedef {object} About
 * @property {string} title a few words
 * @property {string} goal one sentence
 * @property {string} [input] what a reader may type in, for `ask`
 * @property {string} solved what the heads, or neurons, of a model look like that has learned it
 * @property {string} measure the number of its score that counts: `score[measure]`
 * @property {number} [atLeast] learned from there on
 * @property {number} [atMost] learned down to there
 * @property {number} steps within which the recipe learns it, at every seed that was measured; of a text, all of them
 */

/**
 * The members of every task. `steps` in `trainer` is how long the recipe trains, with any schedule.
 * @template {object} B a batch
 * @template H the held-out set
 * @template S the scores
 * @typedef {object} Task
 * @property {string} name
 * @property {Kind} kind of the model
 * @property {Settings} config of the model
 * @property {Settings} trainer
 * @property {number} batchSize
 * @property {(seed: number, options?: {from?: number}) => Generator<B, never, void>} batches training data without end;
 *   the same seed gives the same batches everywhere; `from`: go on from that step, 0 is the first
 * @property {(step?: number, seed?: number) => B} batch the batch of a step, from 0, of `batches(seed)`, by default of
 *   seed 0: `trainer.step(task.batch(trainer.steps))` trains, and goes on where a state was resumed
 * @property {(seed?: number, options?: any) => H} heldOut data that `batches` of the same seed never shows, unless the
 *   task says otherwise
 * @property {(model: any, heldOut?: H, options?: any) => Promise<S>} score of a model, or of a function that
 *   predicts; by default on the held-out data of seed 0
 */

/**
 * The further members of a live task: a small one, trained before the reader's eyes.
 * @template {object} B a batch
 * @typedef {object} Live
 * @property {Readonly<About>} about what a page says of it
 * @property {(score: any) => boolean} isLearned whether a score says so
 * @property {(batch: B, row: number, prediction?: any) => {right?: (boolean | null)[]}} show a row of a batch
 *   with its labels; with a prediction also that, and whether it is right
 * @property {(seed: number) => Record<string, import('./batch.js').Floats>} [initial] weights that its recipe
 *   starts from, to load with `strict: false`
 * @property {(model: any, heldOut?: any) => Promise<Pick<import('./scores.js').Score, 'heads' | 'best' | 'chance'>>}
 *   [headScore] how much of each head's weight falls where the solution needs it; none of an FFN
 */

/** All tasks: AdamW without decay, which is Adam, with the betas of Vaswani et al. 2017, section 5.3; and clipping. */
const ADAMW = /* @__PURE__ */ Object.freeze({
  optimizer: 'adamw',
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-9,
  weightDecay: 0,
  clip: 1,
});

/**
 * @param {{learningRate: number, schedule: 'constant' | 'linear' | 'cosine', warmup: number, steps: number}} recipe
 *   linear and cosine end at 2 % of the learning rate
 * @returns {Readonly<Settings>}
 */
export function trainerOf(recipe) {
  /** @type {Settings} */
  const settings = { ...ADAMW, ...recipe };
  if (recipe.schedule !== 'constant') settings.floor = 0.02;
  return Object.freeze(settings);
}

/**
 * A model with tied embeddings, sinusoidal positions and, before its layers' norms, a final one.
 * @param {Settings & {kind: string, norm?: 'pre' | 'post'}} recipe
 * @returns {Readonly<Settings>}
 */
export function configOf({ norm = 'post', ...recipe }) {
  return Object.freeze({
    norm,
    finalNorm: norm === 'pre',
    activation: 'relu',
    positions: 'sinusoidal',
    embeddingScale: true,
    head: 'tied',
    headBias: true,
    ...recipe,
  });
}

/**
 * The draws of a held-out set.
 * @param {string} name of the task
 * @param {number} seed
 * @param {number} sample
 * @returns {Random}
 */
export function heldOutRandom(name, seed, sample) {
  return new Random(seedOf(seed), `${name} held-out ${integer(sample, 0, 1e9, 'sample')}`);
}

/**
 * @param {About} about
 * @param {any} score of that task
 * @returns {boolean} whether the task counts as learned
 */
export function isLearned({ measure, atLeast = -Infinity, atMost = Infinity }, score) {
  return score[measure] >= atLeast && score[measure] <= atMost;
}

/**
 * @typedef {object} Example one row of a batch
 * @property {number[]} ids
 * @property {number[]} [targetIds] what a decoder reads, as long as ids
 * @property {number[]} labels as long as ids; IGNORE where nothing is asked
 */

/**
 * The batch that the examples make: an encoder-decoder reads on both sides.
 * @template {Example} E
 * @typedef {E extends {targetIds: number[]} ? PairBatch : Batch} BatchOf
 */

/**
 * A task whose training data are drawn again at every step, from all but the reserved sequences; or, with `streams`,
 * from all, as its held-out rows are; or that has few examples, which are `all` in each batch and in the held-out set.
 * @template {Example} E
 * @typedef {object} Recipe
 * @property {string} name
 * @property {Omit<About, 'measure'> & {measure?: string}} about default: 99 % of the sequences
 * @property {Vocabulary} vocabulary
 * @property {Vocabulary} [outputVocabulary] of the labels, where they have one of their own
 * @property {Readonly<Settings>} config
 * @property {Readonly<Settings>} trainer
 * @property {number} [batchSize]
 * @property {number} width places in a row
 * @property {boolean} [padded] whether rows can be shorter
 * @property {number} [heldOutCount]
 * @property {(random: Random) => E} [draw]
 * @property {{training: string, heldOut: string}} [streams] of random numbers; the rows are then drawn independently
 * @property {(seed: number) => E[]} [all] instead of draw
 * @property {(characters: string[], text: string, seed: number) => E | undefined} read what a reader typed; undefined
 *   where it is not like that
 * @property {(example: E) => boolean} [reserved]
 * @property {(random: Random, count: number) => E[]} [drawHeldOut] instead of drawing reserved ones
 * @property {(example: E, at: number) => number[]} [links] of the question at a place
 * @property {(example: E, at: number) => boolean} [asked] which labels are asked of held-out data,
 *   default all
 */

/**
 * @template {Example} E
 * @param {Recipe<E>} recipe
 */
export function freshTask(recipe) {
  const { name, vocabulary, outputVocabulary, config, trainer, batchSize = 64, heldOutCount = 512 } = recipe;
  const examples = examplesOf(recipe);

  /**
   * @param {() => E[]} next the examples of a batch
   * @returns {Generator<BatchOf<E>, never, void>}
   */
  function* endless(next) {
    for (;;) yield batchOf(next(), recipe);
  }

  const batches = (/** @type {number} */ seed) => endless(examples.training(seedOf(seed), batchSize));
  const about = Object.freeze({ measure: 'sequences', atLeast: 0.99, ...recipe.about });
  const task = {
    name,
    about,
    kind: /** @type {Kind} */ (config.kind),
    vocabulary,
    ...(outputVocabulary && { outputVocabulary }),
    config,
    trainer,
    batchSize,

    batches: seekable(batches),
    batch: byStep(batches),

    /**
     * @param {number} [seed]
     * @param {{sample?: number, count?: number, rows?: number}} [given] another `sample` draws another set (0);
     *   `count` sequences; `rows` of a batch, by default as many as in training
     * @returns {Probe<BatchOf<E>>[]}
     */
    heldOut(seed = 0, given = {}) {
      const { sample, count, rows } = options(given, { sample: 0, count: heldOutCount, rows: batchSize });
      integer(count, 1, 1e5, 'count');
      integer(rows, 1, 1e5, 'rows');
      const list = examples.heldOut(seedOf(seed), integer(sample, 0, 1e9, 'sample'), count);
      return chunks(list, rows).map((part) => ({
        batch: batchOf(part, recipe),
        questions: part.flatMap((example, row) => questionsOf(example, row, recipe)),
      }));
    },

    /**
     * A row that a reader typed, with what is right there: for `examine`, `headScore` and `show`.
     * @param {string} text as `about.input` says
     * @param {number} [seed] of the facts, where a seed draws what is right
     * @returns {Probe<BatchOf<E>>}
     * @throws {GlassformerError} type, unknown, range
     */
    ask(text, seed = 0) {
      if (typeof text !== 'string') throw new GlassformerError('type', 'text', text, 'must be a string');
      const example = recipe.read(Array.from(text.replace(/\s/g, '')), text, seedOf(seed));
      if (!example) throw new GlassformerError('range', 'text', text, `must be ${about.input}`);
      return { batch: batchOf([example], recipe), questions: questionsOf(example, 0, recipe) };
    },

    /**
     * @param {Predict | ModelLike} model
     * @param {readonly Probe<BatchOf<E>>[]} [heldOut] default those of seed 0
     */
    score: (model, heldOut = task.heldOut()) => examine(model, heldOut),

    /**
     * Whether a score says that the task is learned.
     * @param {import('./scores.js').Score} score
     */
    isLearned: (score) => isLearned(about, score),

    /**
     * The share of each head's weight that falls where the solution needs it: `heads` by layer and head
     * with their `mass`.
     * @param {Predict | ModelLike} model
     * @param {readonly Probe<BatchOf<E>>[]} [heldOut] default one batch of those of seed 0
     */
    headScore: (model, heldOut = task.heldOut(0, { count: batchSize })) => headScores(model, heldOut),

    /**
     * A row of a batch in words, with a prediction also right and wrong.
     * @param {BatchOf<E>} batch
     * @param {number} row
     * @param {import('./scores.js').Prediction} [prediction] of that batch, as `predictor` gives it
     */
    show: (batch, row, prediction) => showRow(vocabulary, batch, row, prediction, outputVocabulary),
  };
  return task;
}

/**
 * Where a task's examples come from.
 * @template {Example} E
 * @param {Recipe<E>} recipe
 * @returns {{training: (seed: number, count: number) => () => E[],
 *   heldOut: (seed: number, sample: number, count: number) => E[]}}
 */
function examplesOf({ name, draw, streams, all, drawHeldOut, reserved = ({ ids }) => isReserved(ids) }) {
  if (all) return { training: (seed) => () => all(seed), heldOut: (seed, _, count) => all(seed).slice(0, count) };
  const one = /** @type {(random: Random) => E} */ (draw);
  const many = (/** @type {Random} */ random, /** @type {number} */ count, /** @type {boolean} */ held) =>
    drawMany(
      count,
      () => one(random),
      (example) => Boolean(streams) || reserved(example) === held,
    );
  return {
    training(seed, count) {
      const random = new Random(seed, streams?.training ?? `${name} batches`);
      return () => many(random, count, false);
    },
    heldOut(seed, sample, count) {
      const apart = streams && new Random(seed, sample ? `${streams.heldOut} ${sample}` : streams.heldOut);
      const random = apart ?? heldOutRandom(name, seed, sample);
      return drawHeldOut?.(random, count) ?? many(random, count, true);
    },
  };
}

/**
 * @template {Example} E
 * @param {readonly E[]} examples
 * @param {{width: number, padded?: boolean}} shape
 * @returns {BatchOf<E>}
 */
export function batchOf(examples, { width, padded = false }) {
  const ids = examples.map((example) => example.ids);
  const labels = pack(
    examples.map((example) => example.labels),
    width,
    IGNORE,
  );
  const decoded = examples.flatMap(({ targetIds }) => (targetIds ? [targetIds] : []));
  const isPair = decoded.length > 0;
  return /** @type {any} */ (
    isPair
      ? { sourceIds: pack(ids, width, 0), targetIds: pack(decoded, width, 0), labels }
      : { ids: pack(ids, width, 0), ...(padded ? { padding: paddingOf(ids, width) } : {}), labels }
  );
}

/**
 * @template {Example} E
 * @param {E} example
 * @param {number} row
 * @param {Pick<Recipe<E>, 'config' | 'links' | 'asked'>} recipe
 * @returns {Question[]} one for each target
 */
export function questionsOf(example, row, { config, links = () => [], asked = () => true }) {
  const { ids, labels } = example;
  const causal = config.causal && config.kind !== 'encoder-decoder'; // its maps are those of cross-attention
  return labels.flatMap((target, at) =>
    target === IGNORE || !asked(example, at)
      ? []
      : [{ row, at, accepts: [target], links: links(example, at), keys: causal ? at + 1 : ids.length }],
  );
}

/**
 * A sequence as a causal model reads it: every token is asked of the ones before it.
 * @param {readonly number[]} sequence
 * @param {(at: number) => boolean} [asked] whether the token at that place of the sequence counts
 * @returns {Example}
 */
export function continued(sequence, asked = () => true) {
  return { ids: sequence.slice(0, -1), labels: sequence.slice(1).map((id, i) => (asked(i + 1) ? id : IGNORE)) };
}
