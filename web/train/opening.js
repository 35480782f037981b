// The run that is shown is another one: begun from settings, or opened from what was kept.

import { taskOf } from './schema.js';
import { settingsAt } from './settings/changes.js';
import { recipeOf } from './state.js';

/**
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {import('./state.js').Settings} Settings
 */

/** @typedef {ReturnType<typeof createOpening>} Opening */

/**
 * @param {import('./state.js').Place} place
 * @param {import('./playback.js').Playback} playback
 * @param {ReturnType<typeof import('./link.js').createRunLink>} link
 */
export function createOpening({ get, put, client, set, take }, { inTurn, trainTo }, link) {
  const opening = {
    /**
     * A new run; at once up to a step where a link says so.
     * @param {string} task @param {Settings} [settings] @param {number} [to] @param {boolean} [isEntry] of the history
     * @param {TrainState['changes']} [changes] on the way @param {TrainState['trial']} [trial] that it is
     * @returns {Promise<unknown>}
     */
    open(task, settings = recipeOf(get(), task), to = 0, isEntry = false, changes = [], trial = null) {
      if (isEntry) link.write(); // Back is to lead to this moment
      const last = get().task === task ? get().head : null;
      if (get().task !== task) put({ before: null, example: 0, edits: false });
      if (task !== taskOf(get().lesson)) put({ lesson: '' });
      const until = Number(settingsAt(settings, changes, Infinity).steps);
      const comparison = get().opens ? get().comparison : null; // of other settings
      set({ task, settings, start: settings, changes, problem: null, until, comparison, trial });
      return inTurn(async () => {
        if (isEntry) link.enter({ task, settings, step: 0 }, recipeOf(get(), task));
        const report = await client.start({ task, settings, changes, example: get().example });
        put({ head: last ?? { layer: report.inspection.maps.length - 1, head: 0 }, cell: null });
        take(report);
      }).then(() => {
        const { report, problem } = get();
        if (report || !problem) return to && !problem && trainTo(to, 0);
        put({ notice: `The settings of this link do not work: ${problem.text} The recipe’s are shown.` });
        return opening.open(task); // there would be nothing to see, and no field to mend it
      });
    },

    /** Shows a run that the worker has opened. @param {import('./run/worker.js').Opened} opened */
    takeOver(opened) {
      link.write();
      const { facts, settings, report } = opened;
      const { changes, step } = report;
      link.enter({ task: facts.name, settings, changes, step }, facts.recipe);
      put({ lesson: '', notice: '', comparison: null, trial: null });
      opening.showOpened(opened);
    },

    /** @param {import('./run/worker.js').Opened} opened @param {TrainState['before']} [before] */
    showOpened({ facts, settings, source, report }, before = null) {
      const { name: task } = facts;
      if (get().task !== task) put({ before });
      const tasks = new Map([...get().tasks, [task, facts]]);
      const until = Math.max(Number(settingsAt(settings, report.changes, Infinity).steps), report.step);
      const text = source && { ...source, draft: null };
      put({ tasks, task, start: settings, ...text, until, problem: null, example: 0 });
      take(report);
    },
  };
  return opening;
}
