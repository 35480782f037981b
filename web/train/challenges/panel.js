// Challenges: judges the run that is shown once it has stopped, counts tries and keeps the best result.

import { addStyle } from '../../draw/style.js';
import { writeAddress } from '../schema.js';
import css from './challenges.css';
import { judge } from './judge.js';
import { CHALLENGES } from './list.js';
import { readRecords, withRun, writeRecords } from './records.js';
import { createChallengesView } from './view.js';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../state.js').Report} Report
 */

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} line at the top of the place, for the challenge that the reader has started
 * @param {{onChallenge: (task: string) => void}} actions
 * @param {TrainState} first
 */
export function createChallenges(root, line, { onChallenge }, { tasks }) {
  addStyle(css);
  const recipes = new Map([...tasks].map(([name, { recipe }]) => [name, recipe]));
  const records = readRecords(recipes);
  const view = createChallengesView(root, line, { onStart });
  let started = ''; // the task of the challenge that the reader has started
  /** @type {Report | null} */
  let judged = null;

  /** @param {import('./list.js').Challenge} challenge */
  function onStart({ id, task, limit }) {
    started = task;
    const { tries = [], best = null } = records.get(id) ?? {};
    records.set(id, { tries: limit ? [] : tries, best });
    writeRecords(records);
    onChallenge(task);
  }

  /** @param {Report} report of a moment with its hash */
  function judgeRun(report) {
    const { task, settings, changes, step, inspection } = report;
    const challenge = CHALLENGES.find((each) => each.task === task);
    const recipe = recipes.get(task);
    if (!challenge || !recipe) return null;
    const verdict = judge(challenge, report, recipe);
    const [key, link] = [0, step].map((to) => writeAddress({ task, settings, changes, step: to }, recipe));
    const before = /** @type {import('./records.js').Record} */ (records.get(challenge.id));
    const after = withRun(before, challenge, verdict, { key, link, hash: String(inspection.hash) });
    const isCounted = after.tries.includes(key);
    records.set(challenge.id, after);
    writeRecords(records);
    return { id: challenge.id, verdict, isCounted };
  }

  /** @type {ReturnType<typeof judgeRun>} */
  let shown = null;
  return {
    /** @param {TrainState} state */
    update({ report, running, task, challenge }) {
      if (challenge === task) started = task;
      if (running || !report || report.inspection.hash === null) return;
      if (report !== judged) shown = judgeRun(report);
      judged = report;
      view.update({ recipes, records, shown, started: started === task && report.task === task ? started : '' });
    },
  };
}
