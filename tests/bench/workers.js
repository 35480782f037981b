// Steps of training in shards, by none, one and two workers; passes of GPT-2's shape on one thread and on two.
import { configOf, SIZES } from '../checkpoints/make-big.mjs';
import { findEngines } from './engines.js';
import { median } from './harness.js';

/**
 * @param {import('./run.mjs').Options} options workloads: names of engines, instead of Node or Chromium
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function workers({ workloads, browser, quick }) {
  const wanted = workloads.length ? workloads : [browser ? 'Chromium' : 'Node'];
  const engines = findEngines().engines.filter(({ name }) => wanted.includes(name));
  const effort = quick ? { rounds: 3, minMs: 20, warmupMs: 200 } : { rounds: 15, minMs: 100, warmupMs: 1000 };
  const rows = [];
  const passes = [];
  for (const { name, run } of engines) {
    const { value } = await run('tests/bench/workers-work.js', { effort });
    for (const row of value) {
      const none = value.find(({ model, way }) => model === row.model && way === '0 workers');
      const faster = median(row.samples.map((ms, round) => none.samples[round] / ms));
      const best = Math.min(...none.samples) / Math.min(...row.samples);
      rows.push([name, row.model, row.way, row.workers, row.median, 1000 / row.median, faster, best]);
    }
    const options = { config: configOf(SIZES), lengths: [32, 128], effort: { ...effort, warmupMs: 200 } };
    const cut = (await run('tests/bench/passes-work.js', options)).value;
    for (const row of cut) {
      const one = cut.find(({ pass, workers }) => pass === row.pass && workers === 1);
      const faster = median(row.samples.map((ms, round) => one.samples[round] / ms));
      const best = Math.min(...one.samples) / Math.min(...row.samples);
      passes.push([name, row.pass, row.workers, row.median, faster, best]);
    }
  }
  return {
    title: 'Steps in 4 shards, and large passes, by workers',
    tables: [
      {
        title: 'One step',
        columns: ['engine', 'model', 'computed', 'workers', 'ms', 'steps/s', 'times 0 workers', 'by best rounds'],
        rows,
      },
      {
        title: "Passes of GPT-2's shape, random float32 weights",
        columns: ['engine', 'pass', 'threads', 'ms', 'times one thread', 'by best rounds'],
        rows: passes,
      },
    ],
    notes: [
      "creek's recipe: its model, settings and first batch. The other: a decoder of 4 layers, d_model 128, d_ff 512, " +
        '4 heads, T=64, B=16, V=256, AdamW.',
      '“Times 0 workers” (passes: one thread) is the median of the rounds, in each of which all take turns. Two ' +
        'workers need two idle cores: the last column compares the best round of each, in which nothing else took one.',
      'Two engines at once: a whole step in each of two workers that wait for nobody, counted by step: what these ' +
        'cores give to two threads, beside which two workers are to be read.',
    ],
  };
}
