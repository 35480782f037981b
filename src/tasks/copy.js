import { integer, options } from './check.js';
import { digitsTask } from './digits.js';

/**
 * Says each digit again. The residual alone can do that: attention stays unused, which is the
 * lesson. Head score: mass on the diagonal.
 * @param {{length?: number}} [given] default 8
 * @example
 * import { makeCopy } from 'glassformer/tasks';
 * makeCopy({ length: 4 }).batches(1).next().value.ids.shape; // → [64, 4]
 */
export function makeCopy(given = {}) {
  const length = integer(options(given, { length: 8 }).length, 1, 64, 'length');
  return digitsTask({
    name: 'copy',
    about: {
      title: 'Copy',
      goal: `Say each of ${length} digits again, at its own place.`,
      solved: 'Attention may stay spread out: the residual connection carries each digit to its answer.',
      steps: 25,
    },
    length,
    layers: 1,
    heads: 1,
    trainer: { learningRate: 5e-3, schedule: 'constant', warmup: 50, steps: 100 },
    answer: (digits) => [...digits],
    links: (_, at) => [at],
  });
}

export const copy = /* @__PURE__ */ makeCopy();
