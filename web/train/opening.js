// The run that is shown is another one: begun from settings, or opened from what was kept.

import { settingsAt } from './settings/changes.js';
import { recipeOf } from './state.js';

/**
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {import('./state.js').Settings} Settings
 */

/** @typedef {ReturnType<typeof createOpening>} Opening */

/** The task of the guided run. */
export const GUIDED = 'reverse';

/**
 * @param {import('./place.js').Place} place
 * @param {import('./playback.js').Playback} playback
 * @param {ReturnType<typeof import('./link.js').createLink>} link
 */
export function createOpening({ state, client, set, take }, { inTurn, trainTo }, link) {
  const opening = {
    /**
     * A new run; at once up to a step where a link says so.
     * @param {string} task @param {Settings} [settings] @param {number} [to] @param {boolean} [isEntry] of the history
     * @param {TrainState['changes']} [changes] on the way @param {TrainState['trial']} [trial] that it is
     * @returns {Promise<unknown>}
     */
    open(task, settings = recipeOf(state, task), to = 0, isEntry = false, changes = [], trial = null) {
      if (isEntry) link.write(); // Back is to lead to this moment
      const last = state.task === task ? state.head : null;
      if (state.task !== task) Object.assign(state, { before: null, example: 0, edits: false });
      if (task !== GUIDED) state.guide = null;
      if (task !== state.challenge) state.challenge = '';
      const until = Number(settingsAt(settings, changes, Infinity).steps);
      const comparison = state.opens ? state.comparison : null; // of other settings
      set({ task, settings, start: settings, changes, problem: null, until, comparison, trial });
      return inTurn(async () => {
        if (isEntry) link.enter({ task, settings, step: 0 }, recipeOf(state, task));
        const report = await client.start({ task, settings, changes, example: state.example });
        state.head = last ?? { layer: report.inspection.maps.length - 1, head: 0 };
        state.cell = null;
        take(report);
      }).then(() => {
        if (state.report || !state.problem) return to && !state.problem && trainTo(to, 0);
        state.notice = `The settings of this link do not work: ${state.problem.text} The recipe’s are shown.`;
        return opening.open(task); // there would be nothing to see, and no field to mend it
      });
    },

    /** Shows a run that the worker has opened. @param {import('./run/worker.js').Opened} opened */
    takeOver(opened) {
      link.write();
      const { facts, settings, report } = opened;
      const { changes, step } = report;
      link.enter({ task: facts.name, settings, changes, step }, facts.recipe);
      Object.assign(state, { guide: null, challenge: '', notice: '', comparison: null, trial: null });
      opening.showOpened(opened);
    },

    /** @param {import('./run/worker.js').Opened} opened @param {TrainState['before']} [before] */
    showOpened({ facts, settings, source, report }, before = null) {
      const { name: task } = facts;
      if (state.task !== task) state.before = before;
      const tasks = new Map([...state.tasks, [task, facts]]);
      const until = Math.max(Number(settingsAt(settings, report.changes, Infinity).steps), report.step);
      Object.assign(state, { tasks, task, start: settings, ...source, until, problem: null, example: 0 });
      if (source) state.draft = null;
      take(report);
    },
  };
  return opening;
}
