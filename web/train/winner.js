// Which of some runs is ahead, by more than chance: an exact permutation test over their seeds.

import { CHECK_EVERY } from './settings/settings.js';

/** Below this p a difference is one. */
export const LEVEL = 0.05;
const ROUNDING = 1e-9;

/** @param {readonly number[]} values */
const total = (values) => values.reduce((sum, each) => sum + each, 0);

/**
 * The probability that seeds dealt at random to the two sides differ by as much: of all splits into lists of these
 * lengths the share whose means are at least as far apart, in either direction.
 * @param {readonly number[]} first @param {readonly number[]} second
 */
export function permutationP(first, second) {
  const all = [...first, ...second];
  const even = (total(all) * first.length) / all.length;
  const least = Math.abs(total(first) - even) * (1 - ROUNDING);
  let [far, splits] = [0, 0];
  /** @param {number} from @param {number} left to be chosen @param {number} sum of those chosen */
  function choose(from, left, sum) {
    if (left === 0) {
      splits++;
      if (Math.abs(sum - even) >= least) far++;
      return;
    }
    for (let i = from; i <= all.length - left; i++) choose(i + 1, left - 1, sum + all[i]);
  }
  choose(0, first.length, 0);
  return far / splits;
}

/** The smallest p that so many seeds against as many can give. @param {number} seeds */
export function leastP(seeds) {
  let splits = 1;
  for (let i = 1; i <= seeds; i++) splits *= (seeds + i) / i;
  return Math.min(1, 2 / splits);
}

/**
 * Which run is ahead of each other one: sooner at the threshold on average, a failure counted as the first measurement
 * after the last step, with p < .05. Fewer than four seeds cannot show that: then the one with more seeds that reach it
 * or, with as many, the one that is sooner by more than a measurement.
 * @param {(number | null)[][]} reached the step, by run, then by seed
 * @param {number} within the last step
 * @returns {{run: number | null, p: number | null}} `run`: null: none is ahead; `p`: against the next one, null with
 *   fewer than four seeds
 */
export function winnerOf(reached, within) {
  const runs = reached.map((steps, run) => {
    const counted = steps.map((step) => step ?? within + CHECK_EVERY);
    const found = steps.filter((step) => step !== null);
    return { run, counted, mean: total(counted), count: found.length, sooner: total(found) / found.length };
  });
  if (leastP(reached[0].length) < LEVEL) {
    const [best, ...others] = runs.sort((a, b) => a.mean - b.mean);
    const p = Math.max(...others.map((each) => permutationP(best.counted, each.counted)));
    return { run: p < LEVEL ? best.run : null, p };
  }
  const [best, next] = runs.sort((a, b) => b.count - a.count || a.sooner - b.sooner);
  const isAhead = best.count > next.count || next.sooner - best.sooner > CHECK_EVERY;
  return { run: isAhead ? best.run : null, p: null };
}
