import { callback, maybe, readOptions, refuseType, signalReader } from '../arrays/tensor.js';

/** @typedef {import('./trainer.js').StepReport} StepReport */
/** @typedef {import('./trainer.js').TrainingBatch} TrainingBatch */

/**
 * Batches: an iterable, as an array or a generator, which may be asynchronous; or a function that is asked for the
 * batch of each step, by its number from 0, until it gives undefined.
 * @typedef {Iterable<TrainingBatch> | AsyncIterable<TrainingBatch>
 *   | ((step: number) => TrainingBatch | undefined | Promise<TrainingBatch | undefined>)} Batches
 */

/**
 * @typedef {object} TrainOptions
 * @property {(report: StepReport) => unknown} [onProgress] called after each step, and awaited; false ends the training
 * @property {import('./generate.js').Signal} [signal] an AbortSignal: aborted, it rejects with its reason
 */

/**
 * @param {any} batches
 * @returns {{next: () => any, return?: () => any}}
 */
function iteratorOf(batches) {
  if (typeof batches !== 'function') {
    const iterate = batches?.[Symbol.asyncIterator] ?? batches?.[Symbol.iterator];
    return typeof batches === 'object' && iterate
      ? iterate.call(batches)
      : refuseType('batches', batches, 'an iterable of batches, or a function that gives one');
  }
  let count = 0;
  return {
    async next() {
      const value = await batches(count++);
      return { value, done: value === undefined };
    },
  };
}

/**
 * A step on each batch. While a worker takes one, the next batch is made.
 * @param {(batch: TrainingBatch, signal: TrainOptions['signal']) => Promise<StepReport>} take takes a step
 * @param {Batches} batches
 * @param {TrainOptions} [options]
 * @returns {Promise<StepReport[]>} of all steps
 */
export async function train(take, batches, options = {}) {
  const readers = { onProgress: maybe(callback), signal: maybe(signalReader) };
  const { onProgress, signal } = readOptions(options, readers);
  /** @type {StepReport[]} */
  const reports = [];
  const iterator = iteratorOf(batches);
  try {
    for (let next = await iterator.next(); !next.done;) {
      signal?.throwIfAborted();
      const step = take(next.value, signal);
      step.catch(() => {}); // where the next batch throws first
      next = await iterator.next();
      const report = await step;
      reports.push(report);
      if ((await onProgress?.(report)) === false) break;
    }
  } finally {
    await iterator.return?.();
  }
  return reports;
}
