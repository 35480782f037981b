// A run: one task, its settings, what of them changes on the way, and a seed. It steps, scores held-out data, keeps
// moments and returns to them with the same bits. It knows nothing of the page and of workers.

import { examine } from 'glassformer/tasks';
import { stretchesOf, withChange } from '../settings/changes.js';
import { createMeter, isMeasured } from './measures.js';
import { fetchTask, modelConfig, rowReader, trainerConfig } from './recipes.js';
import { createTimeline } from './timeline.js';

/**
 * @typedef {Awaited<ReturnType<typeof import('glassformer').load>>} Engine
 * @typedef {import('./recipes.js').Settings} Settings
 * @typedef {{
 *   step: number, loss: number, sequences: number, accuracy: number, mass: number, chance: number, head: string,
 * }} Check
 *   of held-out data: share of rows without a mistake, of right tokens; the best head's mass where the solution is
 * @typedef {{step: number, tensor: string, layer: number | null, message: string}} Failure a step that changed nothing
 * @typedef {{
 *   loss: number[], rate: number[], norm: number[], layers: (number[] | null)[], checks: Check[],
 * }} Measured
 * @typedef {Measured & import('./timeline.js').All & {
 *   step: number, changes: readonly import('../settings/changes.js').Change[],
 * }} Kept
 */

export const CHECK_EVERY = 25; // steps
const PROBES = 4; // batches of held-out data: 256 rows, of the story 128
const MASS_PROBES = 1; // of them those of which heads are scored: the arithmetic is in JavaScript

/**
 * @param {Engine} engine
 * @param {string} name of a task
 * @param {Settings} settings
 * @param {Parameters<typeof createTimeline>[0] & {
 *   changes?: readonly import('../settings/changes.js').Change[],
 *   probes?: ReturnType<import('./recipes.js').Task['heldOut']>,
 * }} [options] limits of the timeline; `changes` that are made when their step is reached; `probes`: held-out data to
 *   be scored, without heads, instead of the task's usual ones
 * @throws {import('glassformer').GlassformerError} of a setting that cannot be
 */
export async function createRun(engine, name, settings, { changes = [], probes: given, ...limits } = {}) {
  const task = await fetchTask(name);
  const rows = rowReader(task, Number(settings.seed));
  const heldOut = task.heldOut();
  const probes = given ?? heldOut.slice(0, PROBES);
  const headProbes = heldOut.slice(0, given ? 0 : MASS_PROBES);
  const timeline = createTimeline(limits);
  let stretches = stretchesOf(settings, changes);
  let { model, trainer } = build(engine);
  let present = stretches[0];
  let meter = createMeter(model);
  const first = model.weights();
  /** @type {number[]} of the step before, from the first */
  const loss = [];
  /** @type {number[]} */
  const rate = [];
  /** @type {number[]} */
  const norm = [];
  /** @type {(number[] | null)[]} by layer, of the steps that are measured */
  const layers = [];
  /** @type {Check[]} in the order of steps */
  let checks = [];
  /** @type {Failure | null} */
  let failure = null;
  let taken = 0; // steps; a module that broke down cannot be asked

  /** @param {Engine} gf */
  function build(gf) {
    const made = gf.createModel(modelConfig(name, settings));
    try {
      if (task.ffn) made.loadWeights(task.ffn.initial(settings), { strict: false });
      return { model: made, trainer: made.trainer(trainerConfig(name, settings)) };
    } catch (error) {
      made.free();
      throw error;
    }
  }

  /** @param {number} step from which the next one is taken */
  const stretchAt = (step) => stretches.filter(({ from }) => from <= step).slice(-1)[0];

  /**
   * Goes on with other settings, and with the same moments.
   * @param {typeof present} stretch
   */
  function use(stretch) {
    if (stretch === present) return;
    const state = trainer.state();
    trainer = model.trainer(trainerConfig(name, stretch.settings));
    trainer.resume(state);
    present = stretch;
  }

  /** Keeps and measures what belongs to this step. */
  async function record() {
    const step = trainer.steps;
    if (timeline.takes(step)) timeline.keep(trainer.state());
    if (step % CHECK_EVERY || checks.some((each) => each.step === step)) return;
    checks = [...checks, { step, ...(await (task.ffn ? task.ffn.check(model) : checkRows())) }];
    checks.sort((a, b) => a.step - b.step);
  }

  async function checkRows() {
    const { accuracy, sequences } = await examine(model, probes, { maps: false });
    const losses = probes.map(({ batch }) => trainer.loss(batch));
    const count = losses.reduce((sum, each) => sum + each.count, 0);
    const loss = losses.reduce((sum, each) => sum + each.loss * each.count, 0) / count;
    const { best, chance } = await examine(model, headProbes);
    const head = best ? `layer ${best.layer + 1}, head ${best.head + 1}` : '';
    return { loss, sequences, accuracy, mass: best?.mass ?? NaN, chance, head };
  }

  async function advance() {
    const step = trainer.steps;
    try {
      use(stretchAt(step));
      const { from, row, settings: now } = present;
      const count = Number(now.batch);
      const batch = rows(row + (step - from) * count, count);
      const measures = isMeasured(step + 1);
      if (measures) meter.begin();
      const report = trainer.step(batch);
      layers[step] = measures ? meter.end() : null;
      loss[step] = report.loss;
      rate[step] = report.learningRate;
      norm[step] = report.gradientNorm;
      taken = step + 1;
    } catch (error) {
      const { code, parameter: tensor = '', message } = /** @type {any} */ (error);
      if (code !== 'number') throw error;
      const layer = /\blayers\.(\d+)\./.exec(tensor);
      failure = { step: step + 1, tensor, layer: layer && Number(layer[1]) + 1, message };
      return;
    }
    await record();
  }

  /**
   * Returns to a moment, or trains up to it from the last one before.
   * @param {number} step
   * @param {() => boolean} [goesOn] asked after each step
   */
  async function go(step, goesOn = () => true) {
    const before = timeline.before(step);
    failure = null;
    if (trainer.steps > step || trainer.steps < before.steps) trainer.resume(before);
    taken = trainer.steps;
    while (trainer.steps < step && !failure && goesOn()) await advance();
  }

  /** @param {Measured} before what was measured of this run elsewhere */
  function take(before) {
    loss.push(...before.loss);
    rate.push(...before.rate);
    norm.push(...before.norm);
    layers.push(...before.layers);
    checks = before.checks;
  }

  await record();

  return {
    name,
    task,
    settings,
    heldOut,
    /** The weights at step 0. */
    first,
    /** Of what the numbers of each step by layer are. */
    parts: meter.parts,
    get model() {
      return model;
    },
    get trainer() {
      return trainer;
    },
    get step() {
      return trainer.steps;
    },
    /** Why it cannot go on from here. */
    get failure() {
      return failure;
    },
    /** One step; one that fails changes nothing. */
    advance,
    go,
    /**
     * Other values from the present step on; what came after it is dropped.
     * @param {Settings} patch
     * @throws {import('glassformer').GlassformerError} of a value that cannot be: nothing is changed
     */
    change(patch) {
      const step = trainer.steps;
      const next = withChange(settings, changes, step, patch);
      const all = stretchesOf(settings, next);
      use(all[all.length - 1]);
      changes = next;
      stretches = all;
      for (const values of [loss, rate, norm, layers]) values.length = Math.min(values.length, step);
      checks = checks.filter((each) => each.step <= step);
      timeline.drop(step);
      failure = null;
    },
    changes: () => changes,
    /** Goes on where it was in another engine, after the first one broke down. @param {Engine} next */
    async rebuild(next) {
      ({ model, trainer } = build(next));
      present = stretches[0];
      meter = createMeter(model);
      const to = taken;
      trainer.resume(timeline.before(to));
      while (trainer.steps < to) await advance();
    },
    /** What was measured of the steps after `from`. @param {number} from */
    curve: (from) => ({
      from,
      loss: loss.slice(from),
      rate: rate.slice(from),
      norm: norm.slice(from),
      layers: layers.slice(from),
    }),
    checks: () => checks,
    /** How often the moments have changed. */
    revision: () => timeline.revision(),
    moments: () => ({ steps: timeline.steps(), interval: timeline.interval() }),
    /**
     * Goes on from a file of the same settings and changes.
     * @param {Uint8Array} file @param {Measured} measured what the file says of its run
     */
    async reopen(file, measured) {
      trainer.resume(file);
      use(stretchAt(trainer.steps));
      timeline.keep(trainer.state(), true);
      taken = trainer.steps;
      take(measured);
      await record();
    },
    /** All that it needs to go on in another worker. */
    kept: () => ({ step: taken, changes, loss, rate, norm, layers, checks, ...timeline.all() }),
    /** Goes on from that of the same settings and changes, with the same bits. @param {Kept} kept */
    async restore({ step, moments, interval, opened, ...measured }) {
      timeline.restore({ moments, interval, opened });
      take(measured);
      trainer.resume(timeline.before(step));
      taken = trainer.steps;
      await go(step);
    },
    /**
     * The run as one file: `gf.loadModel` gives its model and trainer. See run-file.js.
     * @param {Record<string, string>} [metadata] what else it says
     */
    save(metadata = {}) {
      use(stretchAt(trainer.steps));
      const recipe = { task: name, ...settings, ...(changes.length ? { changes } : {}) };
      const file = trainer.save({ ...(task.ffn ? {} : { vocabulary: task.vocabulary.words }), recipe, metadata });
      return /** @type {Uint8Array<ArrayBuffer>} */ (file);
    },
    /** What the moments take. */
    bytes: () => timeline.bytes(),
    free: () => model.free(),
  };
}

/** @typedef {Awaited<ReturnType<typeof createRun>>} Run */
