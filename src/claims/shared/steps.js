const SLICE = 50; // milliseconds

/**
 * Makes the function that a run calls before each step: it reports progress, yields to other work every 50 ms, and
 * throws the signal's reason.
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
 * Runs a body for each seed and gathers what it gives in lists by name. After each seed it reports the numbers so far.
 * @template {Record<string, number | number[]>} R
 * @template [N={[K in keyof R]: R[K][]}]
 * @param {readonly number[]} seeds
 * @param {(seed: number) => R | Promise<R>} body
 * @param {import('./claim.js').OnProgress} [onProgress]
 * @param {import('./claim.js').Signal} [signal]
 * @param {(lists: {[K in keyof R]: R[K][]}) => N} [numbersOf] makes the numbers of the run from the lists
 * @returns {Promise<N>}
 */
export async function overSeeds(seeds, body, onProgress, signal, numbersOf = (lists) => /** @type {any} */ (lists)) {
  /** @type {R[]} */
  const results = [];
  const soFar = () => {
    const names = /** @type {(keyof R)[]} */ (Object.keys(results[0]));
    const lists = Object.fromEntries(names.map((name) => [name, results.map((one) => one[name])]));
    return numbersOf(/** @type {{[K in keyof R]: R[K][]}} */ (lists));
  };
  /** @param {number} share */
  const report = (share) =>
    onProgress?.(share, results.length ? { seeds: results.length, numbers: /** @type {any} */ (soFar()) } : undefined);
  const step = stepper(seeds.length, report, signal);
  for (const seed of seeds) {
    await step();
    results.push(await body(seed));
  }
  report(1);
  return soFar();
}
