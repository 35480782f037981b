// Glassformer beside onnxruntime-web and tfjs-backend-wasm, and all of them beside what the engine can do at most.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { threadTimes } from './browser.js';
import { findEngines } from './engines.js';
import { ratio } from './harness.js';
import { TOLERANCE } from './reference.js';
import { WORKLOADS } from './workloads.js';

const MODULE = 'tests/bench/group.js';

// Whole processes of ORT, and now and then of others, stay in the baseline compiler: of several, the best counts.
export const FULL = { processes: 3, timing: { rounds: 7, minMs: 30, warmupMs: 500 } };
export const QUICK = { processes: 1, timing: { rounds: 3, minMs: 20, warmupMs: 300 } };

/**
 * Calls a module's default export in its own process.
 * @param {string} module
 * @param {unknown} options
 * @returns {Promise<any>}
 */
async function inNode(module, options) {
  const child = fileURLToPath(new URL('child.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...process.execArgv, child, module, JSON.stringify(options)],
    { maxBuffer: 2 ** 26 },
  );
  return JSON.parse(stdout);
}

const NAMES = { '': 'Node', chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKitGTK' };

/** @param {string} name of an engine that is here */
function runnerOf(name) {
  const engine = findEngines().engines.find((one) => one.name === name);
  if (!engine) throw new Error(`${name} is not here`);
  return async (/** @type {string} */ module, /** @type {unknown} */ options) =>
    (await engine.run(module, options)).value;
}

/**
 * For each contestant alike the best process: its median, and the least sample of all.
 * @param {Awaited<ReturnType<typeof import('./group.js').default>>[]} runs
 */
export function merge(runs) {
  const timings = {},
    peaks = {};
  for (const run of runs) {
    for (const [workload, contestants] of Object.entries(run.timings)) {
      for (const [name, { median, min }] of Object.entries(contestants)) {
        const best = ((timings[workload] ??= {})[name] ??= { median: Infinity, min: Infinity });
        best.median = Math.min(best.median, median);
        best.min = Math.min(best.min, min);
      }
      for (const [name, value] of Object.entries(run.peaks[workload] ?? {})) {
        (peaks[workload] ??= {})[name] = Math.max(peaks[workload][name] ?? 0, value);
      }
    }
  }
  return { timings, peaks };
}

/** Milliseconds of the fastest whose name matches; Infinity without one. */
export const fastest = (contestants, pattern) =>
  Math.min(...Object.entries(contestants).flatMap(([name, { median }]) => (pattern.test(name) ? [median] : [])));

/** Every contestant of a group. */
function details(group, workloads, { timings, peaks }) {
  const rows = workloads.flatMap(({ name, flops }) =>
    Object.entries(timings[name]).map(([contestant, { median, min }]) => {
      const top = peaks[name][contestant.includes('relaxed') ? 'relaxed' : 'simd'],
        speed = flops && flops / median / 1e6;
      const against = (variant) => {
        const us = timings[name][variant] ?? timings[name][`${variant}, arrays`];
        return us ? ratio(us.median, median) : '';
      };
      return [
        name,
        contestant,
        median,
        min,
        speed ?? '',
        speed ? (100 * speed) / top : '',
        against('ours simd'),
        against('ours relaxed'),
      ];
    }),
  );
  return {
    title: group,
    columns: ['workload', 'contestant', 'median ms', 'min ms', 'GFLOP/s', '% of peak', 'x simd', 'x relaxed'],
    rows,
  };
}

/**
 * The speedup over the better peer, and the one at the peak of the registers if there were nothing but products. An
 * operation is also timed from arrays to arrays, as ORT alone always works.
 */
function summary(workloads, { timings, peaks }) {
  const rows = workloads
    .filter(({ transposed }) => !transposed)
    .flatMap(({ name, flops }) => {
      const all = timings[name],
        two = fastest(all, /^ORT \d/),
        ort = fastest(all, /^ORT (?!\d)/);
      const row = (how) => {
        if (!all[`ours simd${how}`]) return [];
        const tfjs = (all[`tfjs${how}`] ?? all.tfjs).median,
          one = Math.min(tfjs, ort);
        const times = (variant, theirs) => (all[variant + how] ? ratio(all[variant + how].median, theirs) : '');
        const most = (variant) => (flops && peaks[name][variant] ? ratio(flops / peaks[name][variant] / 1e6, one) : '');
        return [
          [
            name + how,
            tfjs,
            ort,
            two,
            times('ours simd', one),
            most('simd'),
            times('ours relaxed', one),
            most('relaxed'),
            times('ours simd', two),
            times('ours relaxed', two),
          ],
        ];
      };
      return [...row(''), ...row(', packed'), ...row(', arrays')];
    });
  return {
    title: 'How many times faster than the better peer',
    columns: [
      'workload',
      'tfjs ms',
      'ORT ms',
      'ORT 2 threads ms',
      'simd x',
      'at most',
      'relaxed x',
      'at most',
      'simd x 2 threads',
      'relaxed x 2 threads',
    ],
    rows,
  };
}

/**
 * @param {import('./run.mjs').Options} options
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function peers({ workloads: wanted, browser, quick }) {
  const chosen = WORKLOADS.filter(
    ({ name, group }) =>
      !wanted.length || wanted.some((word) => `${group} ${name}`.toLowerCase().includes(word.toLowerCase())),
  );
  if (!chosen.length)
    throw new Error(
      `no workload is called ${wanted.join(' or ')}: there are ${WORKLOADS.map(({ name }) => name).join('; ')}`,
    );
  const { processes, timing } = quick ? QUICK : FULL;
  const place = NAMES[browser];
  const inProcess = browser ? runnerOf(place) : inNode;
  const problems = new Set();
  const tables = [],
    all = { timings: {}, peaks: {} };
  const groups = [...new Set(chosen.map(({ group }) => group))];
  for (const group of groups) {
    const workloads = chosen.filter((workload) => workload.group === group),
      names = workloads.map(({ name }) => name);
    const runs = [];
    for (let i = 0; i < processes; i++) {
      for (const threads of workloads.some(({ transposed }) => !transposed) ? [1, 2] : [1]) {
        console.error(`${group}: process ${i + 1} of ${processes}, ${threads} thread${threads > 1 ? 's' : ''}`);
        try {
          runs.push(await inProcess(MODULE, { names, threads, timing }));
        } catch (error) {
          if (threads === 1) throw error; // an isolated page may have no threads all the same
          problems.add(`ORT with two threads failed in ${place}: ${error.message.split('\n')[0]}`);
        }
      }
    }
    const merged = merge(runs);
    Object.assign(all.timings, merged.timings);
    Object.assign(all.peaks, merged.peaks);
    tables.push(details(group, workloads, merged));
  }
  const relaxed = Object.values(all.peaks).some((peaks) => 'relaxed' in peaks);
  return {
    title: `Glassformer and its peers in ${place}, float32, batch 1`,
    tables: [...tables, summary(chosen, all)],
    notes: [
      ...problems,
      `Every result agreed with one in double precision, to ${TOLERANCE} of its largest number.`,
      `Best of ${processes} processes for each contestant, each ${timing.rounds} interleaved samples of ` +
        `${timing.minMs} ms or more after ${timing.warmupMs} ms.`,
      `Peak of the registers, the best sample: ${['simd', 'relaxed']
        .filter((name) => name === 'simd' || relaxed)
        .map(
          (name) => `${name} ${Math.max(...Object.values(all.peaks).map((peaks) => peaks[name])).toFixed(1)} GFLOP/s`,
        )
        .join(', ')}.`,
      `Time is ${browser && !threadTimes ? 'what passes' : "the thread's processor time, with 2 threads what passes"}.`,
      'Operations: ours and tfjs on data in their memory, and with ", arrays" through the JS API, copied in and ' +
        'out, as ORT always does.',
      'Layers and models: from arrays to arrays for all, through the JS API. A factor b is constant for the peers, ' +
        'but where inputs are new.',
      ...(relaxed ? [] : ['This engine has no relaxed SIMD without a flag: that variant is left out.']),
    ],
  };
}
