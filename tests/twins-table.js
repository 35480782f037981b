// The table of web/train/twins/table.js computed again, as the page trains its twins.
import { TASKS, recipeOf } from '../web/train/run/recipes.js';
import { createTwins } from '../web/train/run/twins-run.js';
import { LATER, SEEDS, SWITCHES, TABLE } from '../web/train/twins/table.js';

/**
 * What is to be computed of a task: each variant with the shares that the table has.
 * @param {string} task
 * @returns {{task: string, name: string, change: object, steps: number, shares: number[]}[]}
 */
export function cellsOf(task) {
  const { steps, recipe, switches } = TABLE[task];
  const cells = [{ task, name: 'recipe', change: {}, steps, shares: recipe }];
  SWITCHES.forEach(({ name, change }, i) => {
    const shares = switches[i];
    if (shares) cells.push({ task, name, change, steps, shares });
  });
  if (LATER.task === task) cells.push({ ...cells.find(({ name }) => name === LATER.name), ...LATER });
  return cells;
}

/**
 * Trains a variant with every seed.
 * @param {import('../web/train/run/run.js').Engine} gf
 * @param {ReturnType<typeof cellsOf>[number]} cell
 * @returns {Promise<{shares: number[], equal: boolean}>} `equal`: to the two decimals that the table has
 */
export async function compute(gf, { task, change, steps, shares: wanted }) {
  const twins = await createTwins(gf, task, [{ ...recipeOf(task), ...change }], SEEDS);
  await twins.train(steps, () => true);
  const { checks } = twins.report();
  twins.free();
  const shares = checks.map(([list]) => list[list.length - 1].sequences);
  return { shares, equal: shares.every((share, i) => share.toFixed(2) === wanted[i].toFixed(2)) };
}

export const tasks = Object.keys(TASKS).filter((task) => task in TABLE);
