// A run: one task, its settings, what of them changes on the way, and a seed. It steps, scores held-out data, keeps
// moments and returns to them with the same bits. It knows nothing of the page and of workers.

import { examine } from 'glassformer/tasks';
import { createCurves } from './curves.js';
import { createLearner } from './learner.js';
import { fetchTask } from './recipes.js';
import { createTimeline } from './timeline.js';
import { CHECK_EVERY } from '../settings/settings.js';

/**
 * @typedef {Awaited<ReturnType<typeof import('glassformer').load>>} Engine
 * @typedef {import('./recipes.js').Settings} Settings
 * @typedef {import('./curves.js').Check} Check
 * @typedef {import('./curves.js').Measured} Measured
 * @typedef {ReturnType<import('./recipes.js').Task['heldOut']>} Probes
 * @typedef {{step: number, tensor: string, layer: number | null, message: string}} Failure a step that changed nothing
 * @typedef {Measured & import('./timeline.js').All & {
 *   step: number, changes: readonly import('../settings/changes.js').Change[],
 * }} Kept
 */

const PROBES = 4; // batches of held-out data: 256 rows, of the story 128
const MASS_PROBES = 1; // of them those of which heads are scored: the arithmetic is in JavaScript

/**
 * @param {Engine} engine
 * @param {string} name of a task
 * @param {Settings} settings
 * @param {Parameters<typeof createTimeline>[0] & {
 *   changes?: readonly import('../settings/changes.js').Change[], probes?: Probes,
 * }} [options] limits of the timeline; `changes` that are made when their step is reached; `probes`: held-out data to
 *   be scored, without heads, instead of the task's usual ones
 * @throws {import('glassformer').GlassformerError} of a setting that cannot be
 */
export async function createRun(engine, name, settings, { changes = [], probes, ...limits } = {}) {
  const task = await fetchTask(name, settings);
  const heldOut = task.heldOut();
  const learner = createLearner(engine, name, task, settings, changes);
  const timeline = createTimeline(limits);
  const curves = createCurves();
  const steps = createSteps(learner, timeline, curves, scorer(task, heldOut, probes));
  const { now } = learner;
  await steps.record();

  return {
    name,
    task,
    settings,
    heldOut,
    /** Of what the numbers of each step by layer are. */
    parts: now.meter.parts,
    get model() {
      return now.model;
    },
    get trainer() {
      return now.trainer;
    },
    get step() {
      return now.trainer.steps;
    },
    /** Why it cannot go on from here. */
    get failure() {
      return steps.state.failure;
    },
    advance: steps.advance,
    go: steps.go,
    change: steps.change,
    changes: learner.changes,
    rebuild: steps.rebuild,
    curve: curves.curve,
    checks: curves.checks,
    revision: timeline.revision,
    moments: () => ({ steps: timeline.steps(), interval: timeline.interval() }),
    /**
     * Goes on from a file of the same settings and changes.
     * @param {Uint8Array} file @param {Measured} measured what the file says of its run
     */
    async reopen(file, measured) {
      await now.trainer.resume(file);
      learner.useNext();
      timeline.keep(now.trainer.state(), true);
      steps.state.taken = now.trainer.steps;
      curves.take(measured);
      await steps.measure();
    },
    /** All that it needs to go on in another worker. */
    kept: () => ({ step: steps.state.taken, changes: learner.changes(), ...curves.all(), ...timeline.all() }),
    /** Goes on from that of the same settings and changes, with the same bits. @param {Kept} kept */
    restore({ step, moments, interval, opened, ...measured }) {
      timeline.restore({ moments, interval, opened });
      curves.take(measured);
      return steps.go(step);
    },
    save: learner.save,
    /** The memory of the moments. */
    bytes: timeline.bytes,
    free: () => now.model.free(),
  };
}

/** @typedef {Awaited<ReturnType<typeof createRun>>} Run */

/**
 * Takes the steps of a run, and returns to those before.
 * @param {ReturnType<typeof createLearner>} learner
 * @param {ReturnType<typeof createTimeline>} timeline
 * @param {ReturnType<typeof createCurves>} curves
 * @param {ReturnType<typeof scorer>} score
 */
function createSteps(learner, timeline, curves, score) {
  const { now } = learner;
  /** @type {{failure: Failure | null, taken: number}} `taken`: a module that broke down cannot be asked */
  const state = { failure: null, taken: 0 };

  /** Keeps what belongs to this step, operates on it and measures it. */
  async function record() {
    if (timeline.takes(now.trainer.steps)) timeline.keep(now.trainer.state());
    learner.operate();
    await measure();
  }

  async function measure() {
    const step = now.trainer.steps;
    if (step % CHECK_EVERY || curves.checks().some((each) => each.step === step)) return;
    curves.addCheck({ step, ...(await score(now)) });
  }

  /** @param {ReturnType<typeof timeline.before>} moment as it was before what is done to its weights */
  function resume(moment) {
    now.trainer.resume(moment);
    if (moment.steps !== timeline.opened()) learner.operate(); // in a file that has been done
  }

  /** One step; one that fails changes nothing. */
  async function advance() {
    const step = now.trainer.steps;
    try {
      curves.add(step, learner.step());
      state.taken = step + 1;
    } catch (error) {
      const { code, parameter: tensor = '', message } = /** @type {any} */ (error);
      if (code !== 'number') throw error;
      const layer = /\blayers\.(\d+)\./.exec(tensor);
      state.failure = { step: step + 1, tensor, layer: layer && Number(layer[1]) + 1, message };
      return;
    }
    await record();
  }

  const steps = {
    state,
    record,
    measure,
    advance,

    /**
     * Returns to a moment, or trains up to it from the last one before.
     * @param {number} step
     * @param {() => boolean} [goesOn] asked after each step
     */
    async go(step, goesOn = () => true) {
      const before = timeline.before(step);
      state.failure = null;
      if (now.trainer.steps > step || now.trainer.steps < before.steps) resume(before);
      state.taken = now.trainer.steps;
      while (now.trainer.steps < step && !state.failure && goesOn()) await advance();
    },

    /**
     * Other values from the present step on; later steps are dropped. Where other heads are cut, the step is
     * taken once more, from a moment before.
     * @param {Settings} patch
     * @throws {import('glassformer').GlassformerError} of a value that cannot be: nothing is changed
     */
    async change(patch) {
      const step = now.trainer.steps;
      const operates = learner.change(patch);
      const last = operates ? step - 1 : step;
      curves.drop(last);
      timeline.drop(last);
      state.failure = null;
      if (!operates) return;
      resume(timeline.before(last));
      await steps.go(step);
    },

    /** Goes on where it was in another engine, after the first one broke down. @param {Engine} next */
    async rebuild(next) {
      learner.rebuild(next);
      const to = state.taken;
      resume(timeline.before(to));
      while (now.trainer.steps < to) await advance();
    },
  };
  return steps;
}

/**
 * Scores held-out data.
 * @param {import('./recipes.js').Task} task
 * @param {Probes} heldOut @param {Probes} [given] instead of it
 */
function scorer(task, heldOut, given) {
  const probes = given ?? heldOut.slice(0, PROBES);
  const headProbes = heldOut.slice(0, given ? 0 : MASS_PROBES);
  return async (/** @type {ReturnType<typeof createLearner>['now']} */ { model, trainer }) => {
    if (task.ffn) return task.ffn.check(model);
    const { accuracy, sequences } = await examine(model, probes, { maps: false });
    const losses = probes.map(({ batch }) => trainer.loss(batch));
    const count = losses.reduce((sum, each) => sum + each.count, 0);
    const loss = losses.reduce((sum, each) => sum + each.loss * each.count, 0) / count;
    const { best, chance } = await examine(model, headProbes);
    const head = best ? `layer ${best.layer + 1}, head ${best.head + 1}` : '';
    return { loss, sequences, accuracy, mass: best?.mass ?? NaN, chance, head };
  };
}
