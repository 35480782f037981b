import { WORD } from '../js/text/cuts.js';
import { GlassformerError } from '../js/errors.js';
import { byStep, chunks, seekable } from './batch.js';
import { choice, integer, options, seedOf } from './check.js';
import { predictOf } from './predict.js';
import { Random } from './random.js';
import { answersOf, probabilities } from './scores.js';
import { showRow } from './show.js';
import { batchOf, configOf, continued, questionsOf, trainerOf } from './task.js';
import { TEST_SHARE, evenly, splitText } from './text-split.js';
import { Vocabulary } from './vocabulary.js';

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {import('./predict.js').ModelLike} ModelLike */
/** @typedef {import('./scores.js').Predict} Predict */
/** @typedef {import('./scores.js').Probe} Probe */

/**
 * The score of a model on a part of a text.
 * @typedef {object} TextScore
 * @property {number} loss mean cross-entropy, nats a token
 * @property {number} accuracy share of the tokens whose likeliest continuation is the right one
 * @property {number} count tokens asked
 */

/** Stands for every word that the vocabulary has no place for. */
const UNKNOWN = '[UNK]';

/** Recipes measured to learn well within seconds, by level. */
const RECIPES = {
  words: {
    cut: (/** @type {string} */ text) => text.toLowerCase().match(WORD) ?? [],
    glue: ' ',
    model: { d_model: 32, heads: 2, d_ff: 64, layers: 2 },
    steps: 300,
  },
  characters: {
    cut: (/** @type {string} */ text) => Array.from(text.replace(/[^\S\n]+/g, ' ').replace(/ ?\n[\s]*/g, '\n')),
    glue: '',
    model: { d_model: 48, heads: 4, d_ff: 96, layers: 2 },
    steps: 1000,
  },
};

/**
 * A text of one's own: says the next word, or character, of every place. The vocabulary is made of the text: its most
 * frequent words, written small, or its characters; the others are [UNK]. A tenth of the text is never trained on.
 * Words want some 5,000 of them; a small text is learned by heart, which the difference of the losses shows.
 *
 * `heldOut` chooses the tenth. `'end'`, the default, takes the last tenth, which may repeat what was trained on.
 * `'unseen'` takes rows from all over the text. Each of their phrases, of 5 words or 20 characters, occurs once in the
 * whole text, so the training part has none of them. A text with fewer than half the rows needed, such as a song with
 * a refrain, falls back to its last tenth. `split` says of how many tokens a phrase is, and which share of the phrases
 * held out is also trained on.
 * @param {string} text
 * @param {{level?: 'words' | 'characters', maxWords?: number, length?: number, batchSize?: number,
 *   heldOut?: 'end' | 'unseen'}} [given] default words, 1000 in the vocabulary, 32 tokens in a row, 16 rows, the end
 * @throws {GlassformerError} type, unknown; range where the text is too short for rows of that length
 * @example
 * import { makeText } from 'glassformer/tasks';
 * const task = makeText('The creek was cold. '.repeat(20), { length: 4 });
 * task.vocabulary.words; // → ['the', 'creek', 'was', 'cold', '.']
 * task.decode(task.encode('Cold creek')); // → 'cold creek'
 * task.config.vocabulary === task.vocabulary; // → true
 * task.batches(1).next().value.ids.shape; // → [16, 4]
 */
export function makeText(text, given = {}) {
  const { level, maxWords, length, batchSize, heldOut } = settingsOf(given);
  const { cut, glue, model, steps } = RECIPES[level];
  const { vocabulary, idOf, ids } = readText(text, { cut, level, maxWords, length });
  const { split, rows, starts } = splitText(ids, { length, level, heldOut });
  const config = configOf({ kind: 'decoder', vocabulary, ...model, causal: true });
  const { row, probeOf, probesAt } = rowsOf(ids, length, config);

  const batches = (/** @type {number} */ seed) => {
    const random = new Random(seedOf(seed), 'text batches');
    return (function* () {
      for (;;) {
        const places = Array.from({ length: batchSize }, () => starts.at(random.integer(starts.count)));
        yield batchOf(places.map(row), { width: length });
      }
    })();
  };

  const task = {
    name: 'text',
    kind: /** @type {const} */ ('decoder'),
    about: aboutOf(level, length, steps),
    vocabulary,
    config,
    trainer: trainerOf({ learningRate: 1e-2, schedule: 'cosine', warmup: 50, steps }),
    batchSize,

    /** Numbers of tokens trained on and held out; `repeated`: share of the held-out phrases that are trained on. */
    split,

    batches: seekable(batches),
    batch: byStep(batches),

    /**
     * Rows of the test, which do not overlap each other.
     * @param {number} [seed] only checked: the text alone decides
     * @param {{count?: number}} [given] default 256, evenly spread
     * @returns {Probe[]}
     */
    heldOut(seed = 0, given = {}) {
      seedOf(seed);
      return probesAt(rows.test, options(given, { count: 256 }).count);
    },

    /**
     * As many rows of what is trained on, to compare with.
     * @param {{count?: number}} [given] default 256, evenly spread
     * @returns {Probe[]}
     */
    seen(given = {}) {
      return probesAt(rows.train, options(given, { count: 256 }).count);
    },

    /**
     * @param {Predict | ModelLike} model
     * @param {readonly Probe[]} [heldOut] default those of the test
     * @returns {Promise<TextScore>}
     */
    score: (model, heldOut = task.heldOut()) => scoreOf(model, heldOut),

    /**
     * A reader's text with the expected continuation, for `examine`, `predictor` and `show`.
     * @param {string} typed of at most `length` + 1 tokens
     * @returns {Probe}
     * @throws {GlassformerError} type, unknown, range
     */
    ask(typed) {
      if (typeof typed !== 'string') throw new GlassformerError('type', 'text', typed, 'must be a string');
      const list = cut(typed).map(idOf);
      if (list.length < 2 || list.length > length + 1) {
        throw new GlassformerError('range', 'text', typed, `must be 2 to ${length + 1} ${level}`);
      }
      return probeOf([continued(list)]);
    },

    /**
     * A row of a batch in tokens, with a prediction also right and wrong.
     * @param {Batch} batch
     * @param {number} at which row
     * @param {import('./scores.js').Prediction} [prediction] of that batch, as `predictor` gives it
     */
    show: (batch, at, prediction) => showRow(vocabulary, batch, at, prediction),

    /**
     * @param {string} prompt cut as the text was
     * @returns {Int32Array} ids, for `generate`
     * @throws {GlassformerError} unknown for a token that is not in the vocabulary, if that has no [UNK]
     */
    encode: (prompt) => Int32Array.from(cut(prompt), idOf),

    /**
     * @param {ArrayLike<number>} list
     * @returns {string} words with spaces between them, characters without
     */
    decode: (list) => Array.from(list, (id) => vocabulary.token(id)).join(glue),
  };
  return task;
}

/** @param {NonNullable<Parameters<typeof makeText>[1]>} given */
function settingsOf(given) {
  const settings = options(given, {
    level: /** @type {'words' | 'characters'} */ ('words'),
    maxWords: 1000,
    length: 32,
    batchSize: 16,
    heldOut: /** @type {import('./text-split.js').HeldOut} */ ('end'),
  });
  choice(settings.level, ['words', 'characters'], 'level');
  choice(settings.heldOut, ['end', 'unseen'], 'heldOut');
  integer(settings.maxWords, 2, 65536, 'maxWords');
  integer(settings.length, 1, 512, 'length');
  integer(settings.batchSize, 1, 4096, 'batchSize');
  return settings;
}

/**
 * The task's description.
 * @param {'words' | 'characters'} level
 * @param {number} length
 * @param {number} steps
 */
const aboutOf = (level, length, steps) =>
  Object.freeze({
    title: 'Your own text',
    input: `2 to ${length + 1} ${level}`,
    goal: `Say the next ${level === 'words' ? 'word' : 'character'} of a text.`,
    solved: 'Heads that attend to the places just before; on so little text no induction head forms.',
    measure: 'loss',
    steps,
  });

/**
 * Rows of a text.
 * @param {Int32Array} ids of its tokens
 * @param {number} length
 * @param {ReturnType<typeof configOf>} config
 */
function rowsOf(ids, length, config) {
  const row = (/** @type {number} */ start) => continued([...ids.subarray(start, start + length + 1)]);

  /** @param {import('./task.js').Example[]} examples of one length @returns {Probe} */
  const probeOf = (examples) => ({
    batch: batchOf(examples, { width: examples[0].ids.length }),
    questions: examples.flatMap((example, at) => questionsOf(example, at, { config })),
  });

  /**
   * @param {readonly number[]} starts of rows
   * @param {number} count at most so many of them, evenly spread
   * @returns {Probe[]}
   */
  const probesAt = (starts, count) =>
    chunks(evenly(starts, integer(count, 1, 1e5, 'count')), 64).map((some) => probeOf(some.map(row)));

  return { row, probeOf, probesAt };
}

/**
 * The vocabulary of a text, and the ids of its tokens.
 * @param {string} text
 * @param {{cut: (text: string) => string[], level: 'words' | 'characters', maxWords: number, length: number}} settings
 */
function readText(text, { cut, level, maxWords, length }) {
  if (typeof text !== 'string') throw new GlassformerError('type', 'text', text, 'must be a string');
  const tokens = cut(text);
  const vocabulary = new Vocabulary(vocabularyOf(tokens, maxWords), { level });
  const needed = Math.ceil((length + 1) / TEST_SHARE);
  if (tokens.length < needed) {
    throw new GlassformerError('range', 'text', tokens.length, `must have at least ${needed} ${level}`);
  }
  if (vocabulary.size < 2) throw new GlassformerError('range', 'text', vocabulary.size, `must have two ${level}`);
  const known = (/** @type {string} */ token) => vocabulary.has(token) || !vocabulary.has(UNKNOWN);
  const idOf = (/** @type {string} */ token) => vocabulary.id(known(token) ? token : UNKNOWN);
  return { vocabulary, idOf, ids: Int32Array.from(tokens, idOf) };
}

/**
 * @param {readonly string[]} tokens
 * @param {number} most
 * @returns {string[]} the most frequent first, of equals the earlier one; last [UNK], if some have no place
 */
function vocabularyOf(tokens, most) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  const words = [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
  if (words.length <= most) return words;
  return [...words.slice(0, most - 1), UNKNOWN];
}

/**
 * @param {Predict | ModelLike} model
 * @param {readonly Probe[]} probes every place of which is asked
 * @returns {Promise<TextScore>}
 */
async function scoreOf(model, probes) {
  const predict = predictOf(model);
  let loss = 0;
  let right = 0;
  let count = 0;
  for (const { batch } of probes) {
    const prediction = await predict(batch, { maps: false });
    const answers = answersOf(prediction, batch);
    const { data, shape } = batch.labels;
    data.forEach((target, place) => {
      const row = Math.floor(place / shape[1]);
      loss -= Math.log(probabilities(prediction, batch, row, place % shape[1])[target]);
      right += Number(answers[place] === target);
      count++;
    });
  }
  return { loss: loss / count, accuracy: right / count, count };
}
