// Reads plain numbers of a run for the judges and sentences of lessons.

import { readAddress, writeAddress } from './schema.js';
import { settingsAt } from './settings/changes.js';
import { MODEL } from './settings/settings.js';
import { SOLVED, lastCheck, percent } from './tasks.js';

/**
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {ReadonlyMap<string, import('./state.js').Settings>} Recipes by task
 */

/**
 * The facts that a challenge's judge reads.
 * @param {import('../lessons/challenges.js').Attempt} report of a run of its task
 * @param {import('./state.js').Settings} recipe of the task
 */
export function factsOfRun(report, recipe) {
  const checks = report.checks.filter(({ step }) => step <= report.step);
  return {
    attempt: { ...report, checks },
    recipe,
    lastStep: Number(settingsAt(report.settings, report.changes, Infinity).steps),
    solvedAt: checks.find(({ sequences }) => sequences >= SOLVED)?.step ?? null,
    model: MODEL,
  };
}

/** The facts that the guided run mentions. @param {TrainState} state @returns {import('../lessons/guided.js').Seen} */
export function seenIn({ report, loss, settings }) {
  const { step, checks, inspection, parameters, moments } = /** @type {import('./state.js').Report} */ (report);
  const answers = inspection.rows.flatMap((row) => row.answers);
  const check = lastCheck({ checks, step });
  return {
    ...{ step, check, parameters },
    loss: loss[step - 1],
    sequences: percent(check?.sequences ?? 0),
    accuracy: percent(check?.accuracy ?? 0),
    isSolved: (check?.sequences ?? 0) >= SOLVED,
    digits: answers.length,
    right: answers.filter((each) => each.right).length,
    interval: moments.interval,
    hasPositions: settings.positions !== 'none',
  };
}

/**
 * The run of an address, where the page itself would write it for a run of this task; else null.
 * @param {string | undefined} link @param {string} task @param {Recipes} recipes
 */
export function checkedRun(link, task, recipes) {
  if (link === undefined) return null;
  const run = readAddress(link, recipes);
  const { refused, settings, changes, step } = run;
  if (refused.length || run.task !== task) return null;
  const written = writeAddress({ task, settings, changes, step }, /** @type {any} */ (recipes.get(task)));
  return written === link ? run : null;
}
