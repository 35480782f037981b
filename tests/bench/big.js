// A token of a large model against what reading its weights costs.
import { configOf } from '../checkpoints/make-big.mjs';
import { findEngines } from './engines.js';

const WORK = 'tests/bench/big-work.js';
const [C, F, LAYERS, V] = [768, 3072, 12, 50257];
const CONFIG = configOf({ layers: LAYERS, d_model: C, heads: 12, vocabulary: V, length: 1024 });
/** Inputs and outputs of the matrices that a token reads, and how many of them. */
const PRODUCTS = [
  [C, C, 4 * LAYERS],
  [C, F, LAYERS],
  [F, C, LAYERS],
  [C, V, 1],
];

/**
 * @param {import('./run.mjs').Options} options workloads: an engine by name, instead of Node or Chromium
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function big({ workloads, browser, quick }) {
  const wanted = workloads[0] ?? (browser ? 'Chromium' : 'Node');
  const engine = findEngines().engines.find(({ name }) => name === wanted);
  if (!engine) throw new Error(`${wanted} is not here`);
  const variant = /^Node$|WebKitGTK$/.test(engine.name) ? 'simd' : 'relaxed';
  const timing = quick ? { rounds: 5, minMs: 20, warmupMs: 200 } : { rounds: 15, minMs: 30, warmupMs: 500 };
  const { version, value } = await engine.run(WORK, { variant, config: CONFIG, products: PRODUCTS, timing });
  const { bytes, timings } = value;
  const speed = (ms, size) => size / ms / 1e6;
  const read = timings.read.median;
  const tokens = Object.entries(timings).filter(([name]) => /^(b?f|int)\d+, /.test(name));
  return {
    title: `GPT-2's shape, ${(bytes / 1e6).toFixed(0)} MB of random weights: ${engine.name} (${version}), ${variant}`,
    tables: [
      {
        title: 'With the cache, medians; and times a plain read of all weights',
        columns: ['weights, tokens', 'ms', 'GB/s', '÷ read'],
        rows: [['read', timings.read], ...tokens].map(([name, { median }]) => [
          name,
          median,
          speed(median, bytes * (/f16/.test(name) ? 1 / 2 : /int8/.test(name) ? 9 / 32 : 1)),
          median / read,
        ]),
      },
      {
        title: 'A pass over 14 tokens, all captured',
        columns: ['computed', 'ms', '÷ read'],
        rows: [
          ['the last token', timings.last.median, timings.last.median / read],
          ['all', timings.whole.median, timings.whole.median / read],
        ],
      },
      {
        title: 'The matrices of a pass',
        columns: ['inputs to outputs, rows', 'of them', 'ms in all', 'GB/s', 'times the read'],
        rows: PRODUCTS.flatMap(([K, N, count]) =>
          [1, 4].map((rows) => {
            const { median } = timings[`${K} to ${N}, ${rows}`];
            const size = 4 * K * N;
            return [
              `${K} to ${N}, ${rows}`,
              count,
              count * median,
              speed(median, size),
              median / ((read * size) / bytes),
            ];
          }),
        ),
      },
    ],
    notes: [],
  };
}
