const SLICE = 50; // milliseconds

/**
 * What a run calls before each of its steps: it reports progress, lets others have their turn now and then, and throws
 * the signal's reason.
 * @param {number} total number of steps
 * @param {import('./claim.js').OnProgress} [onProgress]
 * @param {import('./claim.js').Signal} [signal]
 * @returns {() => Promise<void>}
 */
export function stepper(total, onProgress, signal) {
  let done = 0;
  let since = performance.now();
  return async () => {
    if (performance.now() - since > SLICE) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      since = performance.now();
    }
    signal?.throwIfAborted();
    onProgress?.(Math.min(done++ / total, 1));
  };
}

/**
 * Runs a body for each seed and gathers what it gives in lists by name.
 * @template {Record<string, number | number[]>} R
 * @param {readonly number[]} seeds
 * @param {(seed: number) => R | Promise<R>} body
 * @param {import('./claim.js').OnProgress} [onProgress] not given where the body reports by a stepper of its own
 * @param {import('./claim.js').Signal} [signal]
 * @returns {Promise<{[K in keyof R]: R[K][]}>}
 */
export async function overSeeds(seeds, body, onProgress, signal) {
  const step = stepper(seeds.length, onProgress, signal);
  /** @type {R[]} */
  const results = [];
  for (const seed of seeds) {
    await step();
    results.push(await body(seed));
  }
  onProgress?.(1);
  const names = /** @type {(keyof R)[]} */ (Object.keys(results[0]));
  const lists = names.map((name) => [name, results.map((one) => one[name])]);
  return /** @type {{[K in keyof R]: R[K][]}} */ (Object.fromEntries(lists));
}
