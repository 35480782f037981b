// Collects the measurements of a run: at each step, and of held-out data.

/**
 * @typedef {{
 *   step: number, loss: number, sequences: number, accuracy: number, mass: number, chance: number, head: string,
 * }} Check
 *   of held-out data: share of rows without a mistake, of right tokens; the best head's mass where the solution is
 * @typedef {{loss: number[], rate: number[], norm: number[], layers: (number[] | null)[]}} Steps from the first;
 *   `layers`: of the steps that are measured
 * @typedef {Steps & {checks: Check[]}} Measured
 */

export function createCurves() {
  /** @type {Steps} */
  const { loss, rate, norm, layers } = { loss: [], rate: [], norm: [], layers: [] };
  /** @type {Check[]} in the order of steps */
  let checks = [];

  return {
    /**
     * @param {number} step that was taken, from 0
     * @param {ReturnType<ReturnType<typeof import('./learner.js').createLearner>['step']>} report
     */
    add(step, report) {
      loss[step] = report.loss;
      rate[step] = report.learningRate;
      norm[step] = report.gradientNorm;
      layers[step] = report.layers;
    },
    /** @param {Check} check */
    addCheck(check) {
      checks = [...checks, check].sort((a, b) => a.step - b.step);
    },
    /** Forgets what came after a step. @param {number} step */
    drop(step) {
      for (const values of [loss, rate, norm, layers]) values.length = Math.min(values.length, step);
      checks = checks.filter((each) => each.step <= step);
    },
    /** @param {Measured} before what was measured of this run elsewhere */
    take(before) {
      for (const value of before.loss) loss.push(value);
      for (const value of before.rate) rate.push(value);
      for (const value of before.norm) norm.push(value);
      for (const value of before.layers) layers.push(value);
      checks = before.checks;
    },
    /** Of the steps after `from`. @param {number} from */
    curve: (from) => ({
      from,
      loss: loss.slice(from),
      rate: rate.slice(from),
      norm: norm.slice(from),
      layers: layers.slice(from),
    }),
    checks: () => checks,
    /** @returns {Measured} */
    all: () => ({ loss, rate, norm, layers, checks }),
  };
}
