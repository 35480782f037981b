// The training of a dictionary of features: a top-k layer that rebuilds rows which stand in the module.
import { findEngines } from './engines.js';

const WORK = 'tests/bench/features-work.js';

/**
 * @param {import('./run.mjs').Options} options workloads: names of engines, instead of Node or Chromium
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function features({ workloads, browser, quick }) {
  const wanted = workloads.length ? workloads : browser ? ['Chromium'] : ['Node'];
  const engines = findEngines().engines.filter(({ name }) => wanted.includes(name));
  const rows = [];
  for (const { name, run } of engines) {
    for (const row of (await run(WORK, { steps: quick ? 300 : 3000 })).value) {
      const { variant, seconds, processor, step, relu, flops, peak, megabytes, beside } = row;
      const speed = flops / step / 1e6;
      const cells = [name, variant, seconds, processor, step, relu / step, speed, (100 * speed) / peak];
      rows.push([...cells, megabytes, beside]);
    }
  }
  const times = ['s', 'processor s', 'ms a step', 'ReLU/top-k', 'GFLOP/s', '% of peak'];
  return {
    title: 'A dictionary of features: steps of 256 rows, 96 → 192 → 96, 6 active, drawn from 50,000 rows',
    tables: [
      {
        title: quick ? '300 steps' : '3,000 steps',
        columns: ['engine', 'variant', ...times, 'MB in all', 'MB beside rows'],
        rows,
      },
    ],
    notes: [
      'Seconds of all steps one after the other, by the clock and of the processor. A step, one with ReLU in the ' +
        'place of top-k, and the peak of the registers: medians in turn, processor time.',
      "FLOP: 5 products of 2 × 256 × 96 × 192. MB of the module's memory, rows included, and beside them.",
    ],
  };
}
