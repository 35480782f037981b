// The worker of the place Train: one run at a time, which it trains, shows and takes back to earlier moments.
// Always in the variant `simd`, so that the same seed gives the same bits everywhere.

import { load } from 'glassformer';
import { serve } from 'glassformer/worker';
import { withFresh } from '../../kit/trap.js';
import { turnOfOthers } from '../../kit/turn.js';
import { lookAt as inspect } from './look.js';
import { TASKS, longestOf, recipeOf, setText } from './recipes.js';
import { createRun } from './run.js';
import { readChanges, writeChange } from '../settings/changes.js';
import { unnamed } from '../settings/settings.js';
import { createStorage } from './storage.js';

/**
 * @typedef {import('./recipes.js').Settings} Settings
 * @typedef {import('./look.js').Row} Row
 * @typedef {import('./look.js').Example} Example
 * @typedef {{
 *   name: string, causal: boolean, recipe: Settings, words: number, input: string, ffn: boolean, width: number,
 *   longest: number,
 * }} TaskFacts `words`: in the vocabulary; `width`: tokens of a row; `longest`: rows of learned positions;
 * `input`: the form of a row of the reader's own; `ffn`: an FFN alone
 *
 * A report to the page. `settings`: with which the run began; `curve`: of the steps after `curve.from`.
 * @typedef {{
 *   task: string, settings: Settings, step: number,
 *   parameters: number, bytes: number, milliseconds: number, inspection: import('./look.js').Look,
 *   curve: ReturnType<import('./run.js').Run['curve']>, checks: import('./run.js').Check[], parts: string[],
 *   moments: {steps: number[], interval: number}, failure: import('./run.js').Failure | null,
 *   changes: readonly import('../settings/changes.js').Change[],
 *   keeping: import('./storage.js').Keeping, split: import('./recipes.js').Split | null,
 * }} Report `split`: of the reader's own text
 * @typedef {{
 *   task: string, settings: Settings, changes?: readonly import('../settings/changes.js').Change[], example: Example,
 *   keeps?: boolean,
 * }} Start `changes`: to be made when their step is reached; `keeps`: whether this browser keeps the run
 * @typedef {Awaited<ReturnType<typeof opened>>} Opened a run that the worker has gone on with
 *
 * @typedef {{until: number, perSecond: number, example: Example, signal: AbortSignal,
 *   onProgress: (report: Report) => unknown}} TrainRequest `perSecond`: steps; 0: as many as there can be
 *
 * @typedef {{
 *   task: string, source: import('./recipes.js').Source | null, variants: Settings[], seeds: number[], until: number,
 *   signal: AbortSignal, onProgress: (report: import('./compare.js').ComparisonReport) => unknown,
 * }} CompareRequest `source`: of the reader's own text
 */

const SLICE = 30; // ms of training between two checks for messages
const PROGRESS = 160; // ms between two reports of a run as fast as it goes
const WHOLE = 400; // ms between two that have all of their parts
const FRAMES = 60; // a second, at most, of a run at its own speed

let engine = start();
/** @type {import('./run.js').Run | null} */
let run = null;
let isBroken = false; // the module that the run is in
const storage = createStorage();
/** @type {Awaited<ReturnType<typeof import('./compare.js').createComparison>> | null} */
let comparison = null;
let sent = 0; // steps whose curve the page has
let spent = 0; // ms
let taken = 0; // steps in that time

function start() {
  const started = load({ variant: 'simd' });
  started.catch(() => {}); // each call carries the error
  return started;
}

/**
 * Does something with the module; where that traps, once more with a fresh one.
 * @template T
 * @param {() => Promise<T>} action
 */
const withEngine = (action) =>
  withFresh(action, () => {
    engine = start();
    isBroken = true;
    comparison = null; // it starts again
  });

/**
 * Does something with the run, which goes on in a fresh module where it was, with the same bits.
 * @template T
 * @param {(run: import('./run.js').Run) => Promise<T>} action
 */
const withRun = (action) =>
  withEngine(async () => {
    const now = /** @type {import('./run.js').Run} */ (run);
    if (isBroken) await now.rebuild(await engine);
    isBroken = false;
    return action(now);
  });

/** @param {import('./run.js').Run} next */
function show(next) {
  if (!isBroken) run?.free();
  run = next;
  isBroken = false;
  sent = spent = taken = 0;
}

/** @param {Example} example */
async function opened(example) {
  const { name, settings, task } = /** @type {import('./run.js').Run} */ (run);
  return { facts: factsOf(name), settings, source: task.source ?? null, report: await report(example) };
}

/**
 * @param {Example} example
 * @param {boolean} [whole] with hash and neurons, which take long
 * @returns {Promise<Report>}
 */
async function report(example, whole = true) {
  const now = /** @type {import('./run.js').Run} */ (run);
  const from = Math.min(sent, now.step);
  const curve = now.curve(from);
  const inspection = await inspect(now, example, whole);
  sent = from + curve.loss.length; // a report that fails has sent nothing
  return {
    task: now.name,
    settings: now.settings,
    step: now.step,
    parameters: now.model.parameterCount,
    bytes: now.bytes(),
    milliseconds: taken ? spent / taken : 0,
    inspection,
    curve,
    parts: now.parts,
    checks: now.checks(),
    moments: now.moments(),
    failure: now.failure,
    changes: now.changes(),
    keeping: storage.keeping(),
    split: now.task.split ?? null,
  };
}

const methods = {
  /** All tasks with their recipes and sample rows. @returns {TaskFacts[]} */
  tasks: () => Object.keys(TASKS).map(factsOf),

  /**
   * Another text of the reader's own.
   * @param {{text: string, level: string}} request
   * @returns {TaskFacts}
   */
  text({ text, level }) {
    setText(text, /** @type {import('./recipes.js').Level} */ (level));
    return factsOf('text');
  },

  /** Connects the page, which stores the kept run. @param {MessagePort} page */
  storage: (page) => storage.connect(page),

  /** A new run, at step 0. @param {Start} request */
  start: ({ task, settings, changes = [], example, keeps = true }) =>
    withEngine(async () => {
      const next = await createRun(await engine, task, settings, { changes });
      show(next);
      if (keeps) storage.follow(next);
      return report(example);
    }),

  /** Trains until a step, a pause or a failure. @param {TrainRequest} request */
  train: ({ until, perSecond, example, signal, onProgress }) =>
    withRun(async (now) => {
      const together = Math.max(1, Math.round(perSecond / FRAMES)); // steps that are shown as one
      let due = performance.now(); // when the next one is to be taken
      let [shown, whole] = [due, due];
      let goesOn = true;
      let kept = now.revision();
      while (goesOn && !signal.aborted && now.step < until && !now.failure) {
        const began = performance.now();
        const first = now.step;
        let waited = 0; // for the storage
        do {
          await now.advance();
          taken++;
          if (now.revision() === kept) continue;
          kept = now.revision();
          const before = performance.now();
          await storage.keep(now);
          waited += performance.now() - before;
        } while (
          (perSecond ? now.step - first < together : performance.now() - began < SLICE) &&
          now.step < until &&
          !now.failure
        );
        const end = performance.now();
        spent += end - began - waited;
        if (perSecond || end - shown >= PROGRESS) {
          const isWhole = end - whole >= WHOLE;
          goesOn = onProgress(await report(example, isWhole)) !== false;
          shown = performance.now();
          if (isWhole) whole = shown;
        }
        due = Math.max(due + (1000 * (now.step - first)) / perSecond, end); // does not catch up after a delay
        const rest = perSecond ? due - performance.now() : 0;
        if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
        else await turnOfOthers();
      }
      await storage.keep(now);
      return report(example);
    }),

  /** The present moment as one file. @returns {Promise<Uint8Array<ArrayBuffer>>} */
  save: () => withRun(async (now) => (await import('./run-file.js')).packRun(now)),

  /** The model of the present moment, without what training needs. */
  model: () =>
    withRun(async ({ model, task, name, settings }) => {
      const recipe = { task: name, ...settings };
      return {
        file: /** @type {Uint8Array<ArrayBuffer>} */ (await model.save({ recipe })),
        vocabulary: [...task.vocabulary.words],
      };
    }),

  /**
   * Goes on with a saved run in the place of the present one, which stays where the file is refused.
   * @param {{file: Uint8Array, example: Example}} request
   */
  open: ({ file, example }) =>
    withEngine(async () => {
      const { openRun } = await import('./run-file.js');
      const next = await openRun(await engine, file);
      show(next);
      storage.follow(next);
      await storage.keep(next);
      return opened(example);
    }),

  /**
   * Goes on with the run that this browser keeps, if it is that of the task and settings that are given.
   * @param {{wanted: import('./storage.js').Wanted | null, example: Example}} request
   */
  async comeBack({ wanted, example }) {
    const found = await storage.read(wanted);
    if (!found) return null;
    const { task, settings, source } = found.origin;
    const { text } = TASKS;
    const { refused } = readChanges(found.kept.changes.map(writeChange), settings, Infinity);
    if (refused) return null;
    try {
      return await withEngine(async () => {
        if (source) setText(source.text, source.level);
        const next = await createRun(
          await engine,
          task,
          { ...unnamed(recipeOf(task)), ...settings },
          { changes: found.kept.changes },
        );
        await next.restore(found.kept);
        show(next);
        found.follow();
        return opened(example);
      });
    } catch {
      TASKS.text = text;
      return null; // it is of another version of the page
    }
  },

  /** Deletes what this browser keeps. @param {{example: Example}} request */
  async forget({ example }) {
    await storage.forget();
    return report(example);
  },

  /** Trains runs side by side, all from step 0. @param {CompareRequest} request */
  compare: ({ task, source, variants, seeds, until, signal, onProgress }) =>
    withEngine(async () => {
      if (source) setText(source.text, source.level);
      comparison?.free();
      const { createComparison } = await import('./compare.js');
      const now = (comparison = await createComparison(await engine, task, variants, seeds));
      onProgress(now.report());
      const goesOn = async () => {
        await turnOfOthers();
        return !signal.aborted;
      };
      await now.train(until, goesOn, () => onProgress(now.report()));
    }),

  /**
   * Other settings from a step on.
   * @param {{step: number, patch: Settings, example: Example}} request
   */
  change: ({ step, patch, example }) =>
    withRun(async (now) => {
      await now.go(step);
      if (now.step === step) await now.change(patch);
      await storage.keep(now);
      return report(example);
    }),

  /** Returns to a moment. @param {{step: number, example: Example}} request */
  go: ({ step, example }) =>
    withRun(async (now) => {
      await now.go(step);
      await storage.keep(now);
      return report(example);
    }),
};

/** @typedef {typeof methods} Methods what the page may ask */
serve(methods);

/** @param {string} name of a task @returns {TaskFacts} */
function factsOf(name) {
  const { config, vocabulary, about, ffn } = TASKS[name];
  return {
    name,
    causal: config.causal === true,
    recipe: recipeOf(name),
    words: vocabulary.size,
    width: name === 'text' || ffn ? 0 : TASKS[name].batch(0, 1).ids.shape[1],
    ffn: Boolean(ffn),
    longest: longestOf(name),
    input: about.input ?? '',
  };
}
