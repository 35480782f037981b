import { integer, options } from './check.js';
import { digitsTask } from './digits.js';

/** @param {readonly number[]} digits */
const sorted = (digits) => [...digits].sort((a, b) => a - b);

/**
 * Says at place i the i-th smallest digit. Head score: mass of row i on the digits equal to it.
 * @param {{length?: number}} [given] default 8
 * @example
 * import { makeSort } from 'glassformer/tasks';
 * makeSort({ length: 4 }).batches(1).next().value.labels.shape; // → [64, 4]
 */
export function makeSort(given = {}) {
  const length = integer(options(given, { length: 8 }).length, 1, 64, 'length');
  return digitsTask({
    name: 'sort',
    about: {
      title: 'Sort',
      goal: `Say ${length} digits in ascending order.`,
      solved: 'In the second layer, place i attends to the digits that equal the i-th smallest, wherever they stand.',
      steps: 675,
    },
    length,
    layers: 2,
    heads: 2,
    // A constant rate leaves one run in three short of 99 %.
    trainer: { learningRate: 5e-3, schedule: 'linear', warmup: 50, steps: 1000 },
    answer: sorted,
    links(digits, at) {
      const wanted = sorted(digits)[at];
      return digits.flatMap((digit, place) => (digit === wanted ? [place] : []));
    },
  });
}

export const sort = /* @__PURE__ */ makeSort();
