// A model that learns: its trainer, and the settings that hold at each step.

import { resumeTrainer, saveTrainer } from 'glassformer/core';
import { changeAt, stretchesOf, withChange } from '../settings/changes.js';
import { cutsOf, readHead } from '../settings/cuts.js';
import { createMeter, isMeasured } from './measures.js';
import { modelConfig, rowReader, trainerConfig } from './recipes.js';
import { readSafetensors, writeSafetensors } from 'glassformer';

/**
 * @typedef {import('./recipes.js').Settings} Settings
 * @typedef {{model: import('glassformer').Model, trainer: import('glassformer').Trainer}} Parts
 */

/**
 * @param {import('./run.js').Engine} engine
 * @param {string} name of a task
 * @param {import('./recipes.js').Task} task
 * @param {Settings} settings
 * @param {readonly import('../settings/changes.js').Change[]} changes that are made when their step is reached
 */
export function createLearner(engine, name, task, settings, changes) {
  const rows = rowReader(task, Number(settings.seed));
  let stretches = stretchesOf(settings, changes);
  let present = stretches[0];
  const now = build(engine, name, task, settings);

  /**
   * Goes on with other settings, and with the same moments.
   * @param {typeof present} stretch
   */
  function use(stretch) {
    if (stretch === present) return;
    const state = now.trainer.state();
    now.trainer = now.model.trainer(trainerConfig(name, stretch.settings, now.model));
    now.trainer.resume(state);
    present = stretch;
  }

  /** Uses the settings with which the next step is taken. */
  const useNext = () => use(stretches.filter(({ from }) => from <= now.trainer.steps).slice(-1)[0]);

  return {
    /** Its parts; in another engine they are others. */
    now,

    useNext,

    /** Cuts the heads that are cut at the present step. Done twice it changes nothing more. */
    operate() {
      const cuts = cutsOf(changeAt(changes, now.trainer.steps));
      if (cuts.length) cutHeads(now, cuts.map(readHead));
    },

    /** One step; one that fails changes nothing. */
    step() {
      useNext();
      const { trainer, meter } = now;
      const { from, row, settings: own } = present;
      const count = Number(own.batch);
      const batch = rows(row + (trainer.steps - from) * count, count);
      const measures = isMeasured(trainer.steps + 1);
      if (measures) meter.begin();
      const report = trainer.step(batch);
      return { ...report, layers: measures ? meter.end() : null };
    },

    /**
     * Other values from the present step on.
     * @param {Settings} patch
     * @returns {boolean} whether other heads are cut at this step
     * @throws {import('glassformer').GlassformerError} of a value that cannot be: nothing is changed
     */
    change(patch) {
      const step = now.trainer.steps;
      const next = withChange(settings, changes, step, patch);
      const [before, after] = [changes, next].map((each) => changeAt(each, step));
      const all = stretchesOf(settings, next);
      use(all[all.length - 1]);
      changes = next;
      stretches = all;
      return before.cut !== after.cut;
    },
    changes: () => changes,

    /** Begins again in another engine. @param {import('./run.js').Engine} next */
    rebuild(next) {
      engine = next;
      Object.assign(now, build(next, name, task, settings));
      present = stretches[0];
    },

    /**
     * One file: `gf.loadModel` gives its model and trainer. See run-file.js.
     * @param {Record<string, string>} [metadata] what else it says
     */
    save(metadata = {}) {
      useNext();
      const recipe = { task: name, ...settings, ...(changes.length ? { changes } : {}) };
      return /** @type {Uint8Array<ArrayBuffer>} */ (saveTrainer(now.trainer, { recipe, metadata }));
    },
  };
}

/**
 * @param {import('./run.js').Engine} engine @param {string} name of a task
 * @param {import('./recipes.js').Task} task @param {Settings} settings
 */
function build(engine, name, task, settings) {
  const model = engine.createModel(modelConfig(name, settings));
  try {
    if (task.ffn) model.loadWeights(task.ffn.initial(settings), { strict: false });
    return { model, trainer: model.trainer(trainerConfig(name, settings, model)), meter: createMeter(model) };
  } catch (error) {
    model.free();
    throw error;
  }
}

/**
 * Sets the columns of these heads in the output projection to 0, so they add nothing. Repeating it changes nothing.
 * @param {Parts} parts
 * @param {readonly import('../settings/cuts.js').Head[]} heads
 */
function cutHeads({ model, trainer }, heads) {
  const { tensors, metadata } = readSafetensors(saveTrainer(trainer));
  const { kind, d_model: width, heads: count } = model.config;
  const size = width / count;
  for (const { layer, head } of heads)
    for (const moment of ['', 'moment1.', 'moment2.']) {
      const weight = tensors.get(`${moment}${kind}.layers.${layer}.self_attn.out_proj.weight`);
      if (!weight) continue; // SGD has no second moment
      for (let start = head * size; start < weight.data.length; start += width)
        weight.data.fill(0, start, start + size);
    }
  resumeTrainer(trainer, writeSafetensors(tensors, { metadata }));
}
