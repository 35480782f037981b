// A run as one file. `gf.loadModel` opens it: weights, moments, step, settings, vocabulary. Beside these its metadata
// holds what the page needs to go on: the curves and, where that is the task, the reader's own text.

import { readSafetensors } from 'glassformer';
import { beginning } from '../../kit/letters.js';
import { readChanges, writeChange } from '../settings/changes.js';
import { TASKS, recipeOf, setText } from './recipes.js';
import { createRun } from './run.js';
import { FIELDS, problemOf, unnamed } from '../settings/settings.js';

/**
 * @typedef {import('./run.js').Run} Run
 * @typedef {import('./recipes.js').Settings} Settings
 * @typedef {import('./recipes.js').Source} Source
 * @typedef {import('./run.js').Measured & {source: Source | null}} Kept `source`: the reader's own text
 */

const KEY = 'glassformer-train';

/** The run at the step where it stands. @param {Run} run @returns {Uint8Array<ArrayBuffer>} */
export function packRun(run) {
  const { loss, rate, norm, layers } = run.curve(0);
  /** @type {Kept} */
  const kept = { source: run.task.source ?? null, loss, rate, norm, layers, checks: run.checks() };
  return run.save({ [KEY]: JSON.stringify(kept) });
}

/**
 * A run from its file, where it stood: going on gives the same bits as if it had not stopped. A file that is refused
 * changes nothing.
 * @param {import('./run.js').Engine} engine
 * @param {Uint8Array} file
 * @param {Parameters<typeof createRun>[3]} [limits]
 * @returns {Promise<Run>}
 * @throws {Error} says what is wrong with the file
 */
export async function openRun(engine, file, limits) {
  const { task, settings, changes, config, trainer, vocabulary, kept } = readRun(file);
  const { text } = TASKS;
  /** @type {Run | null} */
  let run = null;
  try {
    if (kept.source) setText(kept.source.text, kept.source.level);
    run = await createRun(engine, task, settings, { ...limits, changes });
    expectSame('model', { ...defaultsOf(engine, run.model.config), ...config }, run.model.config);
    if (run.task.vocabulary.words.join('\n') !== vocabulary.join('\n'))
      throw new Error(`its vocabulary is not that of the task ${task}`);
    await run.reopen(file, kept);
    expectSame('trainer', trainer, run.trainer.settings);
    return run;
  } catch (error) {
    run?.free();
    TASKS.text = text;
    throw error;
  }
}

/**
 * The values of settings that older files lack. Each file has those that are given here.
 * @param {import('./run.js').Engine} engine @param {Run['model']['config']} config of the same kind
 */
function defaultsOf(engine, { kind }) {
  const given = { kind, d_model: 1, heads: 1, d_ff: 1, layers: 0, maxLength: 1 };
  const smallest = engine.createModel(given);
  const later = Object.entries(smallest.config).filter(([name]) => !(name in given));
  smallest.free();
  return Object.fromEntries(later);
}

/**
 * A file leaves out what is 0, false, f32 or index (saveModel).
 * @param {string} what @param {Record<string, any>} given @param {Record<string, any>} own of the task and settings
 */
function expectSame(what, given, own) {
  const isLeftOut = (/** @type {unknown} */ value) => !value || /^(f32|index)$/.test(String(value));
  const other = Object.keys(own).find(
    (name) => (name in given ? String(given[name]) !== String(own[name]) : !isLeftOut(own[name])), // frozen is a list
  );
  const unknown = Object.keys(given).find((name) => !(name in own)); // of a later version
  if (unknown !== undefined) throw new Error(`its ${what} has “${beginning(unknown, 40)}”, which Train does not know`);
  if (other) throw new Error(`the ${other} of its ${what} is ${given[other]}, that of its task ${own[other]}`);
}

/** @param {Uint8Array} file */
function readRun(file) {
  const { metadata } = readSafetensors(file);
  const said = ['config', 'trainer', 'recipe', 'vocabulary'].map((name) => `glassformer.${name}`);
  const [config, trainer, recipe, vocabulary, kept] = [...said, KEY].map((key) => {
    const text = metadata.get(key);
    return text === undefined ? null : JSON.parse(text);
  });
  if (!config) throw new Error('it is a safetensors file of another program');
  if (!trainer || !kept) throw new Error('it holds a model, but no run of this page: open it in Explore');
  const { task } = Object(recipe);
  if (!Object.hasOwn(TASKS, task)) throw new Error(`there is no task “${task}” here`);
  const { changes: listed = [], ...given } = recipe;
  delete given.task;
  // The page writes settings into code that readers run: none but its own, which are checked.
  const own = new Map(FIELDS.filter(({ name }) => name in recipeOf(task)).map((field) => [field.name, field]));
  const other = Object.keys(given).find((name) => !own.has(name));
  if (other !== undefined) throw new Error(`its recipe has “${beginning(other, 40)}”, which is no setting of ${task}`);
  /** @type {Settings} */
  const settings = { ...unnamed(recipeOf(task)), ...given };
  if (!Array.isArray(listed) || !listed.every(isChange)) throw new Error('its changes are no list of changes');
  const texts = listed.map(writeChange);
  const { changes, refused } = readChanges(texts, settings, Infinity);
  for (const field of own.values()) {
    const problem = problemOf(field, settings[field.name], settings);
    if (problem) throw new Error(`${field.label} ${problem}, not ${settings[field.name]}`);
  }
  if (refused) throw new Error(`its changes cannot be: ${texts.join(' ')}`);
  return {
    task: String(task),
    settings,
    changes,
    config,
    trainer: trainer.settings,
    vocabulary: [...Object(vocabulary?.words ?? vocabulary ?? [])],
    kept: readKept(kept, trainer.steps),
  };
}

/** JSON has null for a number that is not finite. @param {unknown} value */
const numberOf = (value) => (typeof value === 'number' ? value : NaN);

/** @param {unknown} value */
const isChange = (value) => Array.isArray(value) && typeof value[1] === 'object' && value[1] !== null;

/** @param {any} kept @param {number} steps that were taken @returns {Kept} */
function readKept({ source, ...lists }, steps) {
  // An object that only says how long it is would become a list of that length.
  const isList = (/** @type {string} */ name) => Array.isArray((lists[name] ??= []));
  if (!['loss', 'rate', 'norm', 'layers', 'checks'].every(isList) || lists.checks.includes(null))
    throw new Error('its curves are no lists');
  const { checks, layers } = lists;
  const [loss, rate, norm] = ['loss', 'rate', 'norm'].map((name) => lists[name].map(numberOf));
  if (loss.length < steps || rate.length !== loss.length || norm.length !== loss.length)
    throw new Error(`its curves do not reach its step ${steps}`);
  return {
    source: source && { text: String(source.text), level: source.level },
    loss,
    rate,
    norm,
    layers: layers.map((/** @type {unknown} */ each) => (Array.isArray(each) ? each.map(numberOf) : null)),
    checks: checks.map((/** @type {any} */ check) => ({
      step: Number(check.step),
      loss: numberOf(check.loss),
      sequences: numberOf(check.sequences),
      accuracy: numberOf(check.accuracy),
      mass: numberOf(check.mass),
      chance: numberOf(check.chance),
      head: String(check.head),
    })),
  };
}
