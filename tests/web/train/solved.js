import assert from 'node:assert/strict';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { TEXTS } from '../../../web/train/tasks.js';

/**
 * Trains a live task by the page's recipe: it must be solved within the steps that the page states.
 * @param {import('glassformer').Engine} gf @param {string} task @param {number} seed
 */
export async function solved(gf, task, seed) {
  const { within, measure } = TEXTS[task];
  const most = Number(within.replace(/\D/g, ''));
  const run = await createRun(gf, task, { ...recipeOf(task), seed });
  await run.go(most, () => run.checks().every((each) => each[measure] < 0.99));
  const best = Math.max(...run.checks().map((each) => each[measure]));
  assert(best >= 0.99, `${task}, seed ${seed}: ${best} in ${most} steps`);
  run.free();
}
