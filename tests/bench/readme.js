// The guides' table of speeds: each engine in turn, and the rows as Markdown, ready to be pasted.
import { findEngines } from './engines.js';
import { FULL, QUICK, fastest, merge } from './peers.js';
import { probes } from './probe.js';
import { WORK as VARIANTS, bareLoops, persist } from './variants.js';
import { WORKLOADS } from './workloads.js';

const GROUP = 'tests/bench/group.js';

/** Which variant load() takes there. */
const COLUMNS = { Node: 'simd', Chromium: 'relaxed', Firefox: 'relaxed', WebKitGTK: 'simd' };

/** Its rows: their name, and the workloads that they are made of. */
const ROWS = [
  { row: 'product 512³', of: ['matmul 512x512x512'] },
  { row: 'the same, arrays in and out', of: ['matmul 512x512x512'], how: ', arrays' },
  { row: 'encoder layer, T = 128, d = 512', of: ['encoder layer T=128'] },
  { row: 'base encoder, 6 layers, T = 128', of: ['encoder 6 layers T=128'] },
  { row: 'tiny: 2 layers, T = 16, d = 64', of: ['tiny T=16 d=64 h=4 ff=256, 2 layers'] },
  { row: 'softmax · LayerNorm · GELU, 512²', of: ['softmax 512x512', 'LayerNorm 512x512', 'GELU 128x2048'] },
];
const NAMES = [...new Set(ROWS.flatMap(({ of }) => of))];

/**
 * @param {import('./run.mjs').Options} options workloads: names of engines, as `--browser` gives one
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function readme({ workloads, browser, quick }) {
  const wanted = [...workloads, ...(browser ? [browser] : [])].map((name) => name.toLowerCase());
  const { engines } = findEngines();
  const { processes, timing } = quick ? QUICK : FULL;
  const bare = await probes();
  const notes = [];
  const results = [];
  for (const { name, run } of engines) {
    if (!(name in COLUMNS) || (wanted.length && !wanted.some((one) => name.toLowerCase().startsWith(one)))) continue;
    const tell = (why) => notes.push(`${name} failed: ${why}`);
    const runs = [];
    for (let i = 0; i < processes; i++) {
      // A group to a process, as in peers: what one leaves in the memory is not the next one's.
      for (const names of groups()) {
        console.error(`${name}: process ${i + 1} of ${processes}, ${names.join(', ')}`);
        const ran = await persist(() => run(GROUP, { names, threads: 1, timing }), tell);
        if (ran) runs.push(ran.value);
      }
    }
    const given = { ...timing, titles: ['matmul 512³'], probes: bare };
    const probed = await persist(() => run(VARIANTS, given), tell);
    if (runs.length && probed) results.push({ name, version: probed.version, value: probed.value, ...merge(runs) });
  }
  if (!results.length) throw new Error(`no engine gave figures: ${notes.join('; ') || wanted.join(', ')}`);
  const beside = bareLoops(results);
  return {
    title: 'The table of the guide Benchmarks',
    tables: [every(results), beside],
    notes: [...notes, ...markdown(results, beside)],
  };
}

const groups = () =>
  [...new Set(WORKLOADS.map(({ group }) => group))]
    .map((group) => WORKLOADS.filter((one) => one.group === group && NAMES.includes(one.name)).map(({ name }) => name))
    .filter((names) => names.length);

/** One workload: our milliseconds, share of the peak, and how many times the better peer's speed. */
function figures({ timings, peaks }, name, variant, how = '') {
  const all = timings[name];
  const mine = all[`ours ${variant}${how}`];
  if (!mine) return undefined;
  const { flops } = /** @type {any} */ (WORKLOADS.find((one) => one.name === name));
  const tfjs = (all[`tfjs${how}`] ?? all.tfjs).median;
  const times = Math.min(tfjs, fastest(all, /^ORT/)) / mine.median;
  return { ms: mine.median, times, share: flops ? flops / mine.median / 1e6 / peaks[name][variant] : undefined };
}

/** Both variants, for whoever compares them with what was asked. */
function every(results) {
  const variants = ['simd', 'relaxed'];
  const rows = ROWS.flatMap(({ row, of, how }) =>
    of.flatMap((name) =>
      results.map((result) => {
        const cells = variants.flatMap((variant) => {
          const found = figures(result, name, variant, how);
          return found ? [found.ms, found.times] : ['–', '–'];
        });
        return [of.length > 1 ? name : row, result.name, ...cells];
      }),
    ),
  );
  return {
    title: 'Milliseconds, and times the better peer',
    columns: ['row', 'engine', ...variants.flatMap((variant) => [`${variant} ms`, `${variant} x`])],
    rows,
  };
}

/** The least of them chooses the unit. @param {number[]} all milliseconds */
const durations = (all) => {
  const short = Math.min(...all);
  if (all.length === 1 && short < 0.2) return `${digits(1000 * short)} µs`;
  return `${all.map((ms) => (ms < 1 ? ms.toFixed(2).slice(1) : digits(ms))).join(' · ')} ms`;
};

/** Two digits, three from 100 on. @param {number} value */
const digits = (value) => (value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(value < 10 ? 2 : 3))));

function markdown(results, beside) {
  const head = results.flatMap(({ name, version }) => [
    `${name} ${/^2\.\d+|^\d+/.exec(version)}, \`${COLUMNS[name]}\``,
    'times the better peer',
  ]);
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const rows = ROWS.map(({ row, of, how }) =>
    line([
      row,
      ...results.flatMap((result) => {
        const all = of.map((name) => figures(result, name, COLUMNS[result.name], how)).filter((one) => one);
        if (all.length < of.length) return ['–', '–'];
        const [{ share }] = all;
        const percent = share && !how ? `, ${Math.round(100 * share)} %` : '';
        return [durations(all.map(({ ms }) => ms)) + percent, all.map(({ times }) => times.toFixed(1)).join(' · ')];
      }),
    ]),
  );
  const shares = results.flatMap(({ name }) => {
    const found = beside.rows.find(([engine, variant]) => engine === name && variant === COLUMNS[name]);
    return [found ? `${Math.round(100 * found.at(-1))} %` : '–', ''];
  });
  return [
    line(['', ...head]),
    `|${'---|'.repeat(head.length + 1)}`,
    ...rows,
    line(['product 512³, of a bare loop by hand', ...shares]),
  ];
}
