// The recipe of each task on the page: the task's own, and the settings in it that the reader may change.
// In the worker only: the tasks bring their data along.

import { addition, copy, induction, makeText, order, reverse, reverseVariable, sort, story } from 'glassformer/tasks';
import { FIRST_TEXT, repeated } from '../own-text.js';
import { FLOOR, MODEL, frozenOf, hasFinalNorm } from '../settings/settings.js';

/**
 * @typedef {'words' | 'characters'} Level
 * @typedef {ReturnType<typeof makeText>['split'] & {own: number, copies: number}} Split `own`: tokens of one copy of
 *   the text; `copies`: how often it is repeated, where it is short
 * @typedef {{text: string, level: Level}} Source
 */

/** The page holds out this part of a text, unless a link or an older file says otherwise. */
export const HELD_OUT = 'unseen';
const ROWS_SHOWN = 3; // its rows are long

/**
 * @param {string} text
 * @param {Level} level
 * @param {any} [heldOut] as `makeText` takes it
 * @throws {import('glassformer').GlassformerError} where it has not two different tokens
 */
export function ownText(text, level, heldOut = HELD_OUT) {
  const { text: whole, ...rest } = repeated(text, level);
  const task = makeText(whole, { level, heldOut });
  return { ...task, split: { ...task.split, ...rest }, rowsShown: ROWS_SHOWN, source: { text, level } };
}

/**
 * @typedef {string | number | boolean} Value
 * @typedef {Readonly<Record<string, Value>>} Settings of model, trainer, data and seed, by one name each
 * @typedef {import('glassformer/tasks').Batch} Batch
 * @typedef {'name' | 'vocabulary' | 'config' | 'trainer' | 'batchSize' | 'batch' | 'heldOut' | 'ask'} Part
 * @typedef {Pick<typeof reverse, Part> & {
 *   about: {input?: string}, rowsShown?: number, decode?: (ids: ArrayLike<number>) => string,
 *   source?: Source, split?: Split,
 *   ffn?: import('./ffn-tasks.js').Ffn,
 * }} Task `decode`: of tasks that write a text; `source` and `split`: of the reader's own text; `ffn`: of an FFN alone
 */

const GATE = { learningRate: 3e-2, schedule: 'constant', steps: 400 };

/**
 * An FFN alone before ffn-tasks.js is fetched: only its recipe is known.
 * @param {string} name @param {number} d_ff @param {object} recipe @returns {any}
 */
const ffnAlone = (name, d_ff, recipe) => ({
  name,
  config: { d_ff, activation: 'relu' },
  trainer: { optimizer: 'adam', warmup: 0, weightDecay: 0, clip: 0, ...recipe },
  vocabulary: { words: [], size: 0 },
  about: {},
  ffn: {},
});

/** @type {Record<string, Task>} */
export const TASKS = {
  copy,
  reverse,
  'reverse-variable': reverseVariable,
  sort,
  order,
  addition,
  induction,
  story: { ...story, decode: (ids) => Array.from(ids, (id) => story.vocabulary.words[id]).join(' ') },
  text: ownText(FIRST_TEXT, 'words'),
  square: ffnAlone('square', 8, { learningRate: 2e-2, schedule: 'linear', steps: 1500 }),
  and: ffnAlone('and', 12, GATE),
  xor: ffnAlone('xor', 12, GATE),
};

/**
 * A task with all that it needs to be trained with some settings.
 * @param {string} name @param {Settings} [settings] default: its recipe @returns {Promise<Task>}
 */
export async function fetchTask(name, { heldOut } = recipeOf(name)) {
  if (TASKS[name].ffn) Object.assign(TASKS, (await import('./ffn-tasks.js')).FFN_TASKS);
  const { source } = TASKS[name];
  return source && heldOut !== HELD_OUT ? ownText(source.text, source.level, heldOut) : TASKS[name];
}

/**
 * Puts another text in the place of the reader's own.
 * @param {string} text @param {Level} level
 */
export function setText(text, level) {
  TASKS.text = ownText(text, level);
}

const FFN = ['d_ff', 'activation'];
const TRAINER = ['optimizer', 'learningRate', 'schedule', 'warmup', 'steps'];
const REGULARISATION = ['weightDecay', 'dropout', 'labelSmoothing', 'clip'];
/** Values of settings that recipes do not name. */
const DEFAULTS = {
  scoreScale: true,
  residual: true,
  causal: false,
  embeddingScale: true,
  embeddingNorm: false,
  normAffine: true,
  finalNorm: false,
  attentionBias: true,
  normKind: 'layer',
  ffn: 'plain',
  ffnBias: true,
  keyValueHeads: 0,
  weightDecay: 0,
  dropout: 0,
  labelSmoothing: 0,
  clip: 0,
  frozen: 'none',
  seed: 1,
};

/** @param {Readonly<Record<string, any>>} from @param {string[]} names */
const pick = (from, names) =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));

/** @param {string} name of a task @returns {Settings} with which it is known to converge */
export function recipeOf(name) {
  const { config, trainer, batchSize, source, ffn } = TASKS[name];
  if (ffn) return { ...pick(config, FFN), ...pick(trainer, [...TRAINER, 'weightDecay', 'clip']), seed: DEFAULTS.seed };
  return {
    ...DEFAULTS,
    ...pick(config, MODEL),
    ...pick(trainer, [...TRAINER, ...REGULARISATION]),
    batch: batchSize,
    ...(source && { heldOut: HELD_OUT }),
  };
}

/** Rows of learned positions. @param {string} name of a task */
export const longestOf = (name) => Number(TASKS[name].config.maxLength ?? 512); // the default of `createModel`

/** @param {string} name of a task @param {Settings} settings @returns {any} what `createModel` takes */
export const modelConfig = (name, settings) => ({
  ...TASKS[name].config,
  ...pick(settings, MODEL),
  ...(TASKS[name].ffn ? {} : { finalNorm: hasFinalNorm(settings) }),
  seed: settings.seed,
});

/** Where a schedule ends. @param {string} name of a task @param {Value} schedule */
const floorOf = (name, schedule) =>
  schedule === TASKS[name].trainer.schedule ? (TASKS[name].trainer.floor ?? 0) : schedule === 'constant' ? 0 : FLOOR;

/**
 * @param {string} name of a task @param {Settings} settings
 * @param {import('./measures.js').Model} model @returns {any} what `model.trainer` takes
 */
export const trainerConfig = (name, settings, model) => ({
  ...TASKS[name].trainer,
  ...pick(settings, [...TRAINER, ...REGULARISATION]),
  floor: floorOf(name, settings.schedule),
  frozen: frozenOf(settings.frozen, model.weights().keys()),
  seed: settings.seed,
});

/**
 * The rows `from`..`to` of a batch.
 * @param {Batch} batch
 * @param {number} from
 * @param {number} to
 * @returns {Batch}
 */
export function rowsOf(batch, from, to) {
  const parts = Object.entries(batch).map(
    ([
      name,
      {
        data,
        shape: [, width],
      },
    ]) => [name, { data: data.slice(from * width, to * width), shape: [to - from, width] }],
  );
  return Object.fromEntries(parts);
}

/**
 * Reads a task's data from any row on. It draws row after row, so the first rows are the first batch that it would draw
 * if that were its own size.
 * @param {Task} task
 * @param {number} seed
 * @returns {(from: number, count: number) => Batch}
 */
export function rowReader({ batch, batchSize: own, ffn }, seed) {
  if (ffn) return () => batch(0, seed); // all of the data at every step
  return (first, count) => {
    if (count === own && first % own === 0) return batch(first / own, seed);
    /** @type {Batch[]} */
    const parts = [];
    for (let row = first; row < first + count;) {
      const from = row % own;
      const to = Math.min(own, from + first + count - row);
      parts.push(rowsOf(batch(Math.floor(row / own), seed), from, to));
      row += to - from;
    }
    return parts.reduce(joined);
  };
}

/** @param {Batch} first @param {Batch} second @returns {Batch} one below the other */
function joined(first, second) {
  const names = /** @type {('ids' | 'padding' | 'labels')[]} */ (Object.keys(first));
  const parts = names.map((name) => {
    const [a, b] = /** @type {any[]} */ ([first[name], second[name]]);
    const data = new a.data.constructor(a.data.length + b.data.length);
    data.set(a.data);
    data.set(b.data, a.data.length);
    return [name, { data, shape: [a.shape[0] + b.shape[0], a.shape[1]] }];
  });
  return Object.fromEntries(parts);
}
