// The timing of one group of workloads in one process: in Node, or in a page, where peers.js sends it.
import { paired, processor, wall } from './harness.js';
import { check } from './reference.js';
import { FLOPS, loops } from './peak.js';
import { ours } from './ours.js';
import { ort } from './ort.js';
import { tfjs } from './tfjs.js';
import { LOOPS, WORKLOADS, problem } from './workloads.js';

const inPage = typeof document === 'object';
const MODULES = '/tests/bench/node_modules/';

/** @param {string} file */
const script = (file) =>
  new Promise((resolve, reject) => {
    document.head.append(
      Object.assign(document.createElement('script'), { src: MODULES + file, onload: resolve, onerror: reject }),
    );
  });

/**
 * @param {{names: string[], threads: number, timing: Parameters<typeof paired>[1]}} options names of workloads;
 *   threads: 1 is everyone, more is ORT alone, which fixes their number for the process
 * @returns {Promise<{
 *   timings: Record<string, Record<string, {median: number, min: number}>>,
 *   peaks: Record<string, Record<string, number>>,
 * }>} by workload and contestant; peaks in GFLOP/s
 */
export default async function group({ names, threads, timing }) {
  const engines = {};
  if (threads === 1) {
    engines['ours simd'] = await ours('simd');
    // Where the engine has no relaxed SIMD, that variant is left out; the report says so.
    const peaks = await loops();
    if (peaks.relaxed) engines['ours relaxed'] = await ours('relaxed');
    engines.tfjs = await tfjs(inPage ? script : undefined);
  }
  engines[threads === 1 ? 'ORT' : `ORT ${threads} threads`] = await ort(
    threads,
    inPage ? `${MODULES}onnxruntime-web/dist/ort.wasm.bundle.min.mjs` : undefined,
  );

  // One thread's processor time is its time undisturbed. The gain of two threads shows only in the elapsed time.
  const clock = threads > 1 ? wall : processor;
  const registers = await loops();
  const timings = {},
    peaks = {};
  const known = new Map([...WORKLOADS, ...LOOPS].map((workload) => [workload.name, workload]));
  for (const name of names) {
    const workload = /** @type {import('./workloads.js').Workload} */ (known.get(name));
    const given = problem(workload),
      calls = {};
    for (const [engine, contestants] of Object.entries(engines)) {
      if ((workload.transposed || workload.own) && !engine.startsWith('ours')) continue;
      for (const [how, { call, result }] of Object.entries(await contestants(workload, given))) {
        check(`${workload.name}, ${engine}${how}`, await result(), given.expected);
        calls[engine + how] = call;
      }
    }
    if (!Object.keys(calls).length) continue;
    for (const [name, loop] of Object.entries(registers)) calls[`peak ${name}`] = loop;
    timings[workload.name] = await paired(calls, { ...timing, clock });
    peaks[workload.name] = {};
    for (const name of Object.keys(registers)) {
      peaks[workload.name][name] = FLOPS / timings[workload.name][`peak ${name}`].min / 1e6;
      delete timings[workload.name][`peak ${name}`];
    }
    for (const found of Object.values(timings[workload.name])) delete found.samples;
  }
  return { timings, peaks };
}
