// Twins: runs of the same seeds that differ by one switch, trained in turn. Like a run it knows nothing of the page.

import { lookAt } from './look.js';
import { fetchTask } from './recipes.js';
import { createRun } from './run.js';
import { CHECK_EVERY } from '../settings/settings.js';
import { ROWS } from '../twins/table.js';

/**
 * @typedef {import('./run.js').Run} Run
 * @typedef {import('./recipes.js').Settings} Settings
 * @typedef {{shared: number, equal: number}} Start weights of the same name and shape as those of the first variant,
 *   and how many of these begin with the same bits
 * @typedef {{
 *   step: number, starts: Start[][], checks: import('./run.js').Check[][][], failures: (number | null)[][],
 * }} TwinsReport each by seed, then by variant; `failures`: the step that was not taken
 * @typedef {{words: string[], maps: import('./look.js').LayerMaps[]}} TwinLook of one variant
 */

const BYTES = 4e6; // of the moments of one run
const BATCH = 64;

/**
 * @param {import('./run.js').Engine} engine
 * @param {string} name of a task
 * @param {Settings[]} variants
 * @param {number[]} seeds
 */
export async function createTwins(engine, name, variants, seeds) {
  /** @type {Run[][]} by seed, then by variant */
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
  const starts = runs.map((group) => group.map((run) => compare(group[0].model, run.model)));
  let step = 0;

  return {
    /** @returns {TwinsReport} */
    report: () => ({
      step,
      starts,
      checks: runs.map((group) => group.map((run) => run.checks().filter((each) => each.step <= step))),
      failures: runs.map((group) => group.map((run) => run.failure?.step ?? null)),
    }),

    /**
     * All of them, in rounds from check to check; those of one seed take each batch one after the other.
     * @param {number} until a step
     * @param {() => boolean | Promise<boolean>} goesOn asked after each step
     * @param {() => Promise<unknown>} [onRound]
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

    /**
     * The maps of all variants at a step, of the same held-out row.
     * @param {number} at a step @param {number} seed which of them @param {import('./look.js').Example} example
     * @returns {Promise<TwinLook[]>}
     */
    async look(at, seed, example) {
      const looks = [];
      for (const run of runs[seed]) {
        if (run.step !== at) await run.go(at);
        const { rows, maps, example: row } = await lookAt(run, example);
        looks.push({ words: rows[row].words, maps });
      }
      return looks;
    },
    free,
  };
}

/** @param {Run['model']} first @param {Run['model']} other @returns {Start} */
function compare(first, other) {
  const weights = other.weights();
  const pairs = [...first.weights()].map(([name, own]) => [own, weights.get(name)]);
  const shared = pairs.filter(([a, b]) => a && b && String(a.shape) === String(b.shape));
  const equal = shared.filter(([a, b]) => a?.data.every((value, i) => Object.is(value, b?.data[i])));
  return { shared: shared.length, equal: equal.length };
}
