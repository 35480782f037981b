// Both variants, and the tiles of the relaxed one, in every engine at hand: is what load() takes the fastest there?
import { findEngines } from './engines.js';

const WORK = 'tests/bench/variants-work.js';
const CHOSEN = 'load()';
const CLOSE = 1.04; // what is as near as this is as fast, on a machine that others share

/**
 * @param {import('./run.mjs').Options} options
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function variants({ workloads, quick }) {
  const { engines, absent } = findEngines();
  const effort = quick ? { rounds: 3, minMs: 20, warmupMs: 200 } : { rounds: 9, minMs: 40, warmupMs: 400 };
  const results = [];
  for (const { name, run } of engines.filter((engine) => !workloads.length || workloads.some((part) => engine.name.includes(part)))) {
    try {
      results.push({ name, ...await run(WORK, effort) });
    } catch (error) {
      absent.push(`${name} (${error.message.split('\n')[0]})`);
    }
  }
  const titles = Object.keys(results[0]?.value.times ?? {});
  const contestants = [...new Set(results.flatMap(({ value }) => Object.keys(value.times[titles[0]])))];
  return {
    title: 'Both variants in every engine',
    tables: [peaks(results), ...titles.map((title) => timesOf(title, results, contestants)), choices(results, titles)],
    notes: absent.map((name) => `absent: ${name}`),
  };
}

function peaks(results) {
  return {
    title: 'Peak of registers alone, GFLOP/s',
    columns: ['engine', 'version', 'simd', 'relaxed', 'relaxed / simd', 'relaxed_madd'],
    rows: results.map(({ name, version, value: { peak, fused } }) => [name, version, peak.simd, peak.relaxed ?? '–',
      peak.relaxed ? peak.relaxed / peak.simd : '–', peak.relaxed ? (fused ? 'fused' : 'rounds twice') : '–']),
  };
}

function timesOf(title, results, contestants) {
  const [, ...others] = contestants;
  return {
    title: `${title}, ms: median (least)`,
    columns: ['engine', ...contestants, ...others.map((name) => `simd / ${name}`)],
    rows: results.map(({ name, value }) => {
      const times = value.times[title];
      return [name, ...contestants.map((one) => (times[one] ? `${times[one].median.toPrecision(3)} (${times[one].min.toPrecision(3)})` : '–')),
        ...others.map((one) => (times[one] ? times.simd.median / times[one].median : '–'))];
    }),
  };
}

/** load() is itself a contestant, so that this table holds however it chooses. */
function choices(results, titles) {
  return {
    title: 'What load() takes: its time over that of the best, and the mean of these',
    columns: ['engine', 'variant', ...titles, 'mean', 'fastest', 'best mean', 'reason'],
    rows: results.map(({ name, value: { choice, times } }) => {
      const names = Object.keys(times[titles[0]]);
      const means = names.map((one) => geometricMean(titles.map((title) => slowdown(times[title], one))));
      const mean = means[names.indexOf(CHOSEN)];
      const least = Math.min(...means);
      return [name, choice.variant, ...titles.map((title) => slowdown(times[title], CHOSEN)), mean,
        mean <= CLOSE * least ? 'yes' : 'NO', `${names[means.indexOf(least)]}: ${least.toFixed(2)}`, choice.reason];
    }),
  };
}

/** @param {Record<string, {median: number}>} times @param {string} name */
const slowdown = (times, name) => times[name].median / Math.min(...Object.values(times).map(({ median }) => median));

/** @param {number[]} values */
const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
