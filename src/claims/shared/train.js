// Shared by the claims that train models.
import { say } from './numbers.js';
import { overSeeds, stepper } from './steps.js';

/** @typedef {import('glassformer').Engine} Engine */
/** @typedef {import('glassformer').Model} Model */
/** @typedef {import('glassformer').Trainer} Trainer */

/** @typedef {import('glassformer').TrainerOptions} TrainerOptions */

/**
 * AdamW without decay, which is the Adam of Vaswani et al. 2017, section 5.3, with clipping, as the tasks have it, and
 * a learning rate that falls to 2 % over the steps; without them it stays.
 * @param {number} learningRate
 * @param {number} [steps]
 * @param {number} [warmup]
 * @returns {TrainerOptions}
 */
export const recipeOf = (learningRate, steps, warmup = 50) => ({
  optimizer: 'adamw',
  beta2: 0.98,
  epsilon: 1e-9,
  clip: 1,
  learningRate,
  warmup,
  ...(steps ? { schedule: 'linear', steps, floor: 0.02 } : {}),
});

/**
 * The members used of a task of `glassformer/tasks` that has a vocabulary.
 * @typedef {{
 *   config: Readonly<Record<string, any>>,
 *   batches: (seed: number) => Iterator<any, never, void>,
 *   heldOut: (seed: number, given: {count: number, rows: number}) => import('glassformer/tasks').Probe<any>[],
 * }} TaskLike
 */

/**
 * The data of a task: what gives the next batch of a seed, and its held-out rows in one batch.
 * @param {TaskLike} task
 * @param {number} seed
 * @param {number} count of held-out rows
 */
export function dataOf(task, seed, count) {
  const [heldOut] = task.heldOut(seed, { count, rows: count });
  return {
    heldOut,
    batches() {
      const all = task.batches(seed);
      return () => all.next().value;
    },
  };
}

/**
 * Runs the body with a model that is freed whatever happens.
 * @template T
 * @param {Engine} gf
 * @param {Parameters<Engine['createModel']>[0]} config
 * @param {(model: Model) => T | Promise<T>} body
 * @returns {Promise<T>}
 */
export const withModel = (gf, config, body) => freed(gf.createModel(config), body);

/**
 * The same with one that another made.
 * @template T
 * @param {Model} model
 * @param {(model: Model) => T | Promise<T>} body
 * @returns {Promise<T>}
 */
export async function freed(model, body) {
  try {
    return await body(model);
  } finally {
    model.free();
  }
}

/**
 * A model that the body trains, to be freed by who gets it.
 * @param {Engine} gf
 * @param {Parameters<Engine['createModel']>[0]} config
 * @param {(model: Model) => Promise<unknown>} body
 * @returns {Promise<Model>}
 */
export async function trained(gf, config, body) {
  const model = gf.createModel(config);
  try {
    await body(model);
    return model;
  } catch (error) {
    model.free();
    throw error;
  }
}

/**
 * Runs a body that trains for each seed, as `overSeeds`, and reports each of its steps.
 * @template {Record<string, number | number[]>} R
 * @template [N={[K in keyof R]: R[K][]}]
 * @param {readonly number[]} seeds
 * @param {number} total steps that a seed takes, at most
 * @param {(seed: number, step: () => Promise<void>) => Promise<R>} body calls `step` before each of them
 * @param {import('./claim.js').OnProgress} [onProgress]
 * @param {import('./claim.js').Signal} [signal]
 * @param {(lists: {[K in keyof R]: R[K][]}) => N} [numbersOf] makes the numbers of the run from the lists
 */
export const overTrainings = (seeds, total, body, onProgress, signal, numbersOf) =>
  overSeeds(
    seeds,
    (seed) => {
      const share = (/** @type {number} */ part) => onProgress?.((seeds.indexOf(seed) + part) / seeds.length);
      return body(seed, stepper(total, share, signal));
    },
    onProgress,
    signal,
    numbersOf,
  );

/**
 * Trains, and measures on the way.
 * @param {Trainer} trainer
 * @param {() => any} next the next batch
 * @param {number} steps
 * @param {() => Promise<void>} step what a `stepper` gave
 * @param {(at: number, loss: number) => boolean | void} [after] each step, counted from 1; true ends it
 */
export async function train(trainer, next, steps, step, after) {
  for (let at = 1; at <= steps; at++) {
    await step();
    const { loss } = trainer.step(next());
    if (after?.(at, loss)) return;
  }
}

/**
 * @param {Model} model
 * @param {any} batch with its labels
 * @param {object} [changes] further options of `forward`
 * @returns {number} share of the labels that are the likeliest token
 */
export function shareRight(model, { labels, ...inputs }, changes = {}) {
  const { logits } = model.forward({ ...inputs, ...changes });
  if (!logits) throw new Error('a model with an output head is needed');
  const size = /** @type {number} */ (logits.shape.at(-1));
  let right = 0;
  let count = 0;
  labels.data.forEach((/** @type {number} */ target, /** @type {number} */ at) => {
    if (target < 0) return;
    const row = logits.data.subarray(at * size, (at + 1) * size);
    count++;
    right += Number(row.every((value) => value <= row[target]));
  });
  return right / count;
}

/**
 * Shares for a sentence.
 * @param {number | readonly number[]} shares 0 to 1
 */
export const percent = (shares) => `${say([shares].flat().map((share) => 100 * share))} %`;

/**
 * The attention maps of a batch, their mean over its rows.
 * @param {{data: ArrayLike<number>, shape: readonly number[]}} weights [B,H,T,S]
 * @returns {number[]} [H,T,S]
 */
export function meanMaps({ data, shape: [rows, ...rest] }) {
  const size = rest.reduce((product, n) => product * n, 1);
  const sums = new Array(size).fill(0);
  for (let i = 0; i < rows * size; i++) sums[i % size] += data[i] / rows;
  return sums;
}

/**
 * The mean weight of each head from a place to the one at a distance, over all places that have such a one.
 * @param {{data: ArrayLike<number>, shape: readonly number[]}} weights [B,H,T,S]
 * @param {(at: number) => number} other the place that is attended to
 * @param {readonly number[]} places
 * @returns {number[]} by head
 */
export function massOf({ data, shape: [rows, heads, queries, keys] }, other, places) {
  return Array.from({ length: heads }, (_, head) => {
    let sum = 0;
    for (let row = 0; row < rows; row++)
      for (const at of places) sum += data[((row * heads + head) * queries + at) * keys + other(at)];
    return sum / (rows * places.length);
  });
}
