// Heads of twins. A twin has another seed, and the same settings and changes before the step at which its head is
// wanted: it is trained to that step.

import { changeAt } from '../settings/changes.js';
import { graftsOf, writeHead } from '../settings/operations.js';
import { takeHead } from './operate.js';

/**
 * @typedef {readonly import('../settings/changes.js').Change[]} Changes
 * @typedef {{seed: number, step: number, steps: number}} Twin how far one is
 * @typedef {(twin: Twin) => boolean | Promise<boolean>} OnTwin called after each step of one; false gives it up
 * @typedef {Map<string, Float32Array[]>} Donated heads with their moments
 */

/** @param {Changes} changes @param {number} step */
const earlier = (changes, step) => changes.filter(([at]) => at < step);

/** @param {Changes} changes @param {number} step @param {import('../settings/operations.js').Graft} graft */
const keyOf = (changes, step, { head, seed }) => JSON.stringify([writeHead(head), seed, step, earlier(changes, step)]);

/** @param {(seed: number, changes: Changes) => ReturnType<typeof import('./learner.js').createLearner>} createTwin */
export function createDonors(createTwin) {
  /** @type {Donated} */
  let donated = new Map();

  /** @param {Changes} changes @returns {Donated} all that they put in, where it is here */
  function usedBy(changes) {
    const keys = changes.flatMap(([step, patch]) => graftsOf(patch).map((graft) => keyOf(changes, step, graft)));
    return new Map([...donated].filter(([key]) => keys.includes(key)));
  }

  /** @param {number} seed @param {Changes} changes @param {number} steps @param {OnTwin} onTwin */
  async function train(seed, changes, steps, onTwin) {
    const before = earlier(changes, steps);
    const twin = createTwin(seed, before);
    twin.restoreDonated(donated); // else it would train the twins of earlier grafts again
    const { config } = twin.now.model;
    try {
      for (let step = 1; step <= steps; step++) {
        if (!(await twin.prepare(step, before, onTwin))) return false;
        try {
          twin.step();
        } catch (error) {
          const failed = /** @type {Error} */ (error);
          failed.message = `Seed ${seed} fails at step ${step}, so its head cannot be taken: ${failed.message}`;
          throw error;
        }
        twin.operate();
        if (!(await onTwin({ seed, step, steps }))) return false;
      }
      donated = usedBy(changes);
      for (let layer = 0; layer < config.layers; layer++)
        for (let head = 0; head < config.heads; head++)
          donated.set(keyOf(changes, steps, { head: { layer, head }, seed }), takeHead(twin.now, { layer, head }));
      return true;
    } finally {
      twin.now.model.free();
    }
  }

  return {
    /**
     * Trains the twins whose heads are put in at a step, where that has not been done.
     * @param {Changes} changes @param {number} step @param {OnTwin} onTwin @returns {Promise<boolean>} false: given up
     */
    async prepare(changes, step, onTwin) {
      for (const graft of graftsOf(changeAt(changes, step)))
        if (!donated.has(keyOf(changes, step, graft)) && !(await train(graft.seed, changes, step, onTwin)))
          return false;
      return true;
    },

    /** What is put in at a step that was prepared. @param {Changes} changes @param {number} step */
    at: (changes, step) =>
      graftsOf(changeAt(changes, step)).map((graft) => ({
        head: graft.head,
        numbers: /** @type {Float32Array[]} */ (donated.get(keyOf(changes, step, graft))),
      })),

    usedBy,

    /** Has these instead of its own. @param {Donated} given */
    restore: (given) => void (donated = given),
  };
}
