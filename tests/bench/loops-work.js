// The work of `loops` in each engine: a model's loops one by one, and a training step of creek in its parts.
import { load } from '../../dist/js/index.js';
import { creek } from '../../dist/tasks/index.js';
import group from './group.js';
import { paired, processor } from './harness.js';

/**
 * @param {{names: string[], steps: boolean, timing: Parameters<typeof paired>[1]}} options names of workloads; steps:
 *   whether to train
 * @returns {Promise<Awaited<ReturnType<typeof group>>>}
 */
export default async function work({ names, steps, timing }) {
  const { timings, peaks } = await group({ names, threads: 1, timing });
  return { timings: { ...timings, ...(steps && (await train(timing))) }, peaks };
}

/** A batch of creek's recipe, 64 sentences: the pass and its loss, the gradients too, the whole step. */
async function train(timing) {
  const batch = creek.batches(0).next().value;
  const trainers = new Map();
  for (const variant of /** @type {const} */ (['simd', 'relaxed'])) {
    try {
      const gf = await load({ variant });
      trainers.set(`ours ${variant}`, gf.createModel({ ...creek.config, seed: 7 }).trainer(creek.trainer));
    } catch (error) {
      if (error.code !== 'unsupported') throw error;
    }
  }
  const timings = {};
  for (const part of ['loss', 'gradients', 'step']) {
    const calls = Object.fromEntries([...trainers].map(([name, trainer]) => [name, () => trainer[part](batch)]));
    const all = await paired(calls, { ...timing, clock: processor });
    timings[`creek, ${part}`] = Object.fromEntries(
      Object.entries(all).map(([name, { median, min }]) => [name, { median, min }]),
    );
  }
  return timings;
}
