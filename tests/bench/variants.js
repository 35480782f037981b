// Both variants, and the tiles of the relaxed one, in every engine at hand: is what load() takes the fastest there?
import { findEngines } from './engines.js';
import { median } from './harness.js';
import { probes } from './probe.js';

export const WORK = 'tests/bench/variants-work.js';
const CLOSE = 1.04; // times within this factor count as equal, on a machine that others share

/**
 * @param {import('./run.mjs').Options} options
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function variants({ workloads, quick }) {
  const { engines, absent } = findEngines();
  const effort = quick ? { rounds: 3, minMs: 20, warmupMs: 200 } : { rounds: 15, minMs: 30, warmupMs: 400 };
  const bare = await probes();
  const results = [];
  const notes = absent.map((name) => `absent: ${name}`);
  for (const { name, run } of engines.filter(
    (engine) => !workloads.length || workloads.some((part) => engine.name.includes(part)),
  )) {
    const value = await persist(
      () => run(WORK, { ...effort, probes: bare }),
      (why) => notes.push(`${name} failed: ${why}`),
    );
    if (value) results.push({ name, ...value });
  }
  const titles = Object.keys(results[0]?.value.times ?? {});
  const contestants = [...new Set(results.flatMap(({ value }) => Object.keys(value.times[titles[0]])))];
  return {
    title: 'Both variants in every engine',
    tables: [
      peaks(results),
      bareLoops(results),
      ...titles.map((title) => timesOf(title, results, contestants)),
      choices(results),
    ],
    notes,
  };
}

/**
 * Tries thrice, and tells each failure: WebKitGTK 2.50 now and then reads out of bounds in a fresh instance, though
 * never with JSC_useConcurrentJIT=0: it seems to lose a race as it replaces running code.
 */
export async function persist(call, tell) {
  for (let tries = 0; tries < 3; tries++) {
    try {
      return await call();
    } catch (error) {
      tell(error.message.split('\n')[0]);
    }
  }
}

function peaks(results) {
  return {
    title: 'Peak of registers alone, GFLOP/s',
    columns: ['engine', 'version', 'simd', 'relaxed', 'relaxed / simd', 'relaxed_madd'],
    rows: results.map(({ name, version, value: { peak, fused } }) => [
      name,
      version,
      peak.simd,
      peak.relaxed ?? '–',
      peak.relaxed ? peak.relaxed / peak.simd : '–',
      peak.relaxed ? (fused ? 'fused' : 'rounds twice') : '–',
    ]),
  };
}

/** The measurements besides the bare loop by hand, both in products of 512³. */
export function bareLoops(results) {
  const row = ({ name, value: { probe, times } }, variant) => {
    const ours = Object.entries(times['matmul 512³']).filter(([one]) => one.startsWith(`${variant} `));
    if (!probe[variant] || !ours.length) return [];
    const [best, { median: ms }] = ours.reduce((a, b) => (b[1].median < a[1].median ? b : a));
    const speed = (2 * 512 ** 3) / ms / 1e6;
    return [[name, variant, probe[variant].name, probe[variant].speed, best, speed, speed / probe[variant].speed]];
  };
  return {
    title: 'Products of 512³, GFLOP/s: the best bare loop by hand (probe.js), and our best tile',
    columns: ['engine', 'variant', 'bare loop', 'GFLOP/s', 'ours', 'GFLOP/s', 'ours / bare loop'],
    rows: results.flatMap((result) => [...row(result, 'simd'), ...row(result, 'relaxed')]),
  };
}

function timesOf(title, results, contestants) {
  const [first, ...others] = contestants;
  return {
    title: `${title}, ms: median (least)`,
    columns: ['engine', ...contestants, ...others.map((name) => `${first} / ${name}`)],
    rows: results.map(({ name, value }) => {
      const times = value.times[title];
      const text = ({ median: middle, min }) => `${middle.toPrecision(3)} (${min.toPrecision(3)})`;
      return [
        name,
        ...contestants.map((one) => (times[one] ? text(times[one]) : '–')),
        ...others.map((one) => (times[one] ? 1 / overFirst(times, one) : '–')),
      ];
    }),
  };
}

/**
 * A contestant's time over that of the first: the median of the rounds' own ratios, because the machine's speed drifts.
 */
const overFirst = (times, name) => {
  const [first] = Object.values(times);
  return median(times[name].samples.map((ms, round) => ms / first.samples[round]));
};

function choices(results) {
  return {
    title: 'What load() takes, and time over that of simd with 4 rows, geometric mean of the workloads',
    columns: ['engine', 'load() takes', 'its mean', 'best', 'best mean', 'right', 'reason'],
    rows: results.map(({ name, value: { chosen, reason, times } }) => {
      const all = Object.values(times);
      const means = Object.fromEntries(
        Object.keys(all[0]).map((one) => [one, geometricMean(all.map((each) => overFirst(each, one)))]),
      );
      const best = Object.keys(means).reduce((a, b) => (means[b] < means[a] ? b : a));
      return [
        name,
        chosen,
        means[chosen],
        best,
        means[best],
        means[chosen] <= CLOSE * means[best] ? 'yes' : 'NO',
        reason,
      ];
    }),
  };
}

/** @param {number[]} values */
const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
