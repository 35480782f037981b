// Training steps of two small models, their parts, and the recipe of a shipped model.
import { findEngines } from './engines.js';

const WORK = 'tests/bench/training-work.js';

/**
 * @param {import('./run.mjs').Options} options workloads: names of engines, instead of Node or Chromium
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function training({ workloads, browser, quick }) {
  const wanted = workloads.length ? workloads : browser ? ['Chromium'] : ['Node', 'Node, relaxed flag'];
  const engines = findEngines().engines.filter(({ name }) => wanted.includes(name));
  const effort = quick ? { rounds: 3, minMs: 20, warmupMs: 200 } : { rounds: 15, minMs: 20, warmupMs: 500 };
  const rows = [];
  const recipes = [];
  for (const { name, run } of engines) {
    rows.push(...(await run(WORK, { effort })).value.map((row) => [name, ...describe(row)]));
    if (!quick) recipes.push([name, await run(WORK, { recipe: true })]);
  }
  return {
    title: 'Training, float32, batches and targets as in the notes',
    tables: [
      {
        title: 'One step',
        columns: [
          'engine',
          'model',
          'variant',
          'ms',
          'least',
          'tokens/s',
          'GFLOP/s',
          'forward %',
          'backward %',
          'optimiser %',
        ],
        rows,
      },
      ...(recipes.length
        ? [
            {
              title: 'The recipe of translate, batches included',
              columns: ['engine', 'variant', 'seconds', 'processor s', 'steps', 'last loss'],
              rows: recipes.map(([name, { value }]) => [
                name,
                value.variant,
                value.seconds,
                value.ran,
                value.steps,
                value.loss,
              ]),
            },
          ]
        : []),
    ],
    notes: [
      'GPT: 2 decoder layers d=64 h=4 ff=256, T=32, B=16, V=64. Encoder–decoder: 2 + 2 layers, T=S=16, B=32, V=64. ' +
        'AdamW. Tokens are those of the targets.',
      'FLOP: 6 x matrix weights x tokens + attention, uncut by the causal mask. Forward = loss(), backward = ' +
        'gradients() - loss(), optimiser = step() - gradients(), medians of the rounds.',
      'PyTorch with OpenBLAS on AVX-512, one thread, another machine: 16.5 ms (GPT) and 43.4 ms (encoder–decoder).',
    ],
  };
}

/** A row of the table, after the engine. */
function describe({ model, variant, flops, tokens, median, least, ...parts }) {
  const percents = ['forward', 'backward', 'optimiser'].map((part) => Math.round((100 * parts[part]) / median));
  return [model, variant, median, least, (tokens / median) * 1000, flops / median / 1e6, ...percents];
}
