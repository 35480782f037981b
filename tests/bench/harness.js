// Timing that survives a shared machine: every contestant takes its turn in every round, so what slows one slows all.
// Runs wherever performance.now does: Node, a page, a worker.

/**
 * @typedef {Record<string, () => unknown>} Contestants functions by name; a promise is waited for
 * @typedef {{median: number, min: number, samples: number[]}} Timing milliseconds per call
 */

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b),
    half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** The value that a share of the values does not exceed. @param {number[]} values @param {number} share */
export const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)];

/** The speed of `ours` relative to `theirs`. @param {number} ours @param {number} theirs */
export const ratio = (ours, theirs) => theirs / ours;

/**
 * Seeded random numbers of the normal distribution, so that every process and engine computes on the same inputs.
 * @param {number} seed
 * @returns {(count: number, scale?: number) => Float32Array<ArrayBuffer>}
 */
export function normal(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    // mulberry32
    let t = (state = (state + 0x6d2b79f5) >>> 0);
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return (count, scale = 1) =>
    Float32Array.from(
      { length: count },
      () => scale * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
    );
}

/**
 * Calls, waiting only for what is a promise: an await costs as much as the smallest workload.
 * @param {() => unknown} call
 */
async function repeat(call, times) {
  for (let i = 0; i < times; i++) {
    const result = call();
    if (result instanceof Promise) await result;
  }
}

/** Milliseconds per call over `times` calls. */
async function sample(call, times, clock) {
  const start = clock();
  await repeat(call, times);
  return (clock() - start) / times;
}

/** The time that passes. */
export const wall = () => performance.now();

/** The processor time of this thread, which the neighbours on a busy machine do not lengthen. */
export const processor =
  typeof document === 'object'
    ? askedFor
    : () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
      };

let asked = 0,
  cost = 0;
/** A page has no such clock, but its server does (browser.js). Asking takes a while, which is taken off. */
function askedFor() {
  const ask = () => {
    const request = new XMLHttpRequest();
    request.open('GET', '/clock', false);
    request.send();
    return Number(request.responseText);
  };
  if (asked === 0) {
    const times = Array.from({ length: 41 }, ask);
    cost = median(times.slice(1).map((time, i) => time - times[i]));
  }
  return ask() - cost * asked++;
}

/**
 * Times contestants against each other. Each is first called for `warmupMs`, which lets the engine's optimising
 * compiler finish; then each gives one sample a round, of as many calls as last `minMs`, in an order that changes.
 * @param {Contestants} contestants
 * @param {{rounds?: number, minMs?: number, warmupMs?: number, clock?: () => number}} [options] clock in milliseconds
 * @returns {Promise<Record<string, Timing>>}
 */
export async function paired(contestants, { rounds = 9, minMs = 30, warmupMs = 400, clock = wall } = {}) {
  const names = Object.keys(contestants);
  const calls = {},
    samples = {};
  for (const name of names) {
    // Growing batches, as reading a page's clock takes longer than the shortest call. The last one says how many make
    // a sample.
    let each = 0;
    for (let spent = 0, times = 1, took = 0; spent < warmupMs; spent += Math.max(took, 0)) {
      if (took * 8 < warmupMs && each) times *= 2;
      each = await sample(contestants[name], times, clock);
      took = each * times;
    }
    calls[name] = Math.max(1, Math.ceil(minMs / each));
    samples[name] = [];
  }
  for (let round = 0; round < rounds; round++) {
    const turn = names.map((_, i) => names[(i + round) % names.length]);
    if (round % 2) turn.reverse();
    for (const name of turn) samples[name].push(await sample(contestants[name], calls[name], clock));
  }
  return Object.fromEntries(
    names.map((name) => {
      const all = samples[name];
      return [name, { median: median(all), min: Math.min(...all), samples: all }];
    }),
  );
}
