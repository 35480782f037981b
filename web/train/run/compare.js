// Runs of the same seeds that differ by some settings, trained in turn. Like a run it knows nothing of the page.

import { fetchTask } from './recipes.js';
import { createRun } from './run.js';
import { CHECK_EVERY } from '../settings/settings.js';

/**
 * @typedef {{step: number, checks: import('./run.js').Check[][][], failures: (number | null)[][]}} ComparisonReport
 *   each by seed, then by run; `failures`: the step that was not taken
 */

const BYTES = 4e6; // of the moments of one run
const BATCH = 64;
/** Held-out rows, of the seed's own. */
const ROWS = 192;

/**
 * @param {import('./run.js').Engine} engine
 * @param {string} name of a task
 * @param {import('./recipes.js').Settings[]} variants
 * @param {number[]} seeds
 */
export async function createComparison(engine, name, variants, seeds) {
  /** @type {import('./run.js').Run[][]} by seed, then by run */
  const runs = [];
  const free = () => runs.flat().forEach((run) => run.free());
  try {
    const task = await fetchTask(name, variants[0]);
    for (const seed of seeds) {
      const probes = task.heldOut(seed).slice(0, ROWS / BATCH);
      const group = runs[runs.push([]) - 1];
      for (const settings of variants)
        group.push(await createRun(engine, name, { ...settings, seed }, { probes, mostBytes: BYTES }));
    }
  } catch (error) {
    free();
    throw error;
  }
  let step = 0;

  return {
    /** @returns {ComparisonReport} */
    report: () => ({
      step,
      checks: runs.map((group) => group.map((run) => run.checks().filter((each) => each.step <= step))),
      failures: runs.map((group) => group.map((run) => run.failure?.step ?? null)),
    }),

    /**
     * All of them, in rounds from check to check; those of one seed take each batch one after the other.
     * @param {number} until a step
     * @param {() => boolean | Promise<boolean>} goesOn asked after each step
     * @param {() => Promise<unknown> | unknown} [onRound]
     */
    async train(until, goesOn, onRound) {
      while (step < until) {
        const next = Math.min(until, step + CHECK_EVERY);
        for (const group of runs) {
          for (let at = step; at < next; at++) {
            for (const run of group) if (!run.failure) await run.advance();
            if (!(await goesOn())) return;
          }
        }
        step = next;
        await onRound?.();
      }
    },
    free,
  };
}
