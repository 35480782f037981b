// From the import of the package to the first result of a tiny model, cold: a fresh process for every sample.
import { findEngines } from './engines.js';
import { median } from './harness.js';

const WORK = 'tests/bench/startup-work.js';
const SETTLE = 1000; // after its window opens, a browser is busy with its own start for about this long, in ms
const ENGINES = ['Node', 'Node, relaxed flag', 'Node 22', 'Node 24', 'Chromium'];

/**
 * @param {import('./run.mjs').Options} options
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function startup({ workloads, quick }) {
  const wanted = workloads.length ? workloads : ENGINES;
  const engines = findEngines().engines.filter(({ name }) => wanted.includes(name));
  const contestants = engines.flatMap((engine) =>
    ['simd', 'relaxed'].map((variant) => ({ ...engine, variant, samples: [] })),
  );
  for (let round = 0; round < (quick ? 3 : 9); round++) {
    for (const contestant of contestants) {
      const { name, run, variant, samples } = contestant;
      try {
        samples.push((await run(WORK, { variant, settle: name.startsWith('Node') ? 0 : SETTLE })).value);
      } catch (error) {
        if (!String(error).includes('no relaxed SIMD')) throw error;
      }
    }
  }
  const measured = contestants.filter(({ samples }) => samples.length);
  const parts = Object.keys(measured[0].samples[0]);
  const rows = (summary) =>
    measured.map(({ name, variant, samples }) => [
      name,
      variant,
      ...parts.map((part) => summary(samples.map((sample) => sample[part]))),
    ]);
  const columns = ['engine', 'variant', ...parts];
  return {
    title: 'Start-up: import to the first result (T=16, d=64, 2 layers), ms',
    tables: [
      { title: `Median of ${measured[0].samples.length} fresh processes`, columns, rows: rows(median) },
      { title: 'Least', columns, rows: rows((values) => Math.min(...values)) },
    ],
    notes: [
      'Not counted: the start of the process or browser. The browser waits a second, then fetches over loopback ' +
        'with an empty cache.',
    ],
  };
}
