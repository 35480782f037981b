// Time and memory of a forward pass against length, width and depth: they should grow as the arithmetic does.
import { findEngines } from './engines.js';

const WORK = 'tests/bench/growth-work.js';
const HEADS = 4;
const MEGABYTE = 2 ** 20;
const GOAL = 64; // MB of memory in all at the longest T, without capture
const LINEAR = 1.1; // factor by which memory may outgrow T over two doublings
const EVEN = 1.5; // factor by which time may outgrow the arithmetic over all doublings but the first two

const doubling = (from, to) => Array.from({ length: Math.log2(to / from) + 1 }, (_, i) => from * 2 ** i);
const SWEEPS = {
  T: doubling(64, 4096).map((T) => ({ T, d_model: 64, layers: 2 })),
  d_model: doubling(64, 1024).map((d_model) => ({ T: 128, d_model, layers: 2 })),
  layers: doubling(1, 8).map((layers) => ({ T: 256, d_model: 128, layers })),
};

/**
 * @param {import('./run.mjs').Options} options workloads: an engine by name, instead of Node or Chromium
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function growth({ workloads, browser, quick }) {
  const wanted = workloads[0] ?? (browser ? 'Chromium' : 'Node');
  const engine = findEngines().engines.find(({ name }) => name === wanted);
  if (!engine) throw new Error(`${wanted} is not here`);
  const tables = [];
  const notes = [];
  for (const [axis, shapes] of Object.entries(SWEEPS)) {
    for (const capture of [false, true]) {
      const {
        value: { variant, rows },
      } = await engine.run(WORK, { shapes, heads: HEADS, capture, quick });
      tables.push(table(axis, shapes, capture, `${engine.name}, ${variant}`, rows));
      if (axis === 'T' && !capture) notes.push(...verdicts(shapes, rows));
    }
  }
  return {
    title: `Growth of a forward pass: encoder, ${HEADS} heads, d_ff = 4 d_model, batch 1`,
    tables,
    notes: [
      ...notes,
      'The arithmetic: products, and 20 operations for the softmax of each score. x: against the row before. ' +
        'Memory is the whole WebAssembly memory of a fresh engine, weights included; it grows in steps of a fifth.',
    ],
  };
}

function table(axis, shapes, capture, where, rows) {
  const others = Object.entries(shapes[0])
    .filter(([name]) => name !== axis)
    .map(([name, value]) => `${name} ${value}`);
  const factor = (values, i) => (i && values[i] !== null ? values[i] / values[i - 1] : '');
  const column = (name) => rows.map((row) => row[name]);
  return {
    title: `${axis}, ${others.join(', ')}, ${capture ? 'with' : 'without'} capture (${where})`,
    columns: [axis, 'GFLOP', 'x', 'ms', 'x', 'ms/GFLOP', 'memory MB', 'x', `kB / ${axis}`],
    rows: rows.map(({ gflop, ms, bytes }, i) => [
      shapes[i][axis],
      gflop,
      factor(column('gflop'), i),
      ms ?? 'refused',
      factor(column('ms'), i),
      ms === null ? '' : ms / gflop,
      bytes === null ? 'refused' : bytes / MEGABYTE,
      factor(column('bytes'), i),
      bytes === null ? '' : bytes / 1024 / shapes[i][axis],
    ]),
  };
}

/** Limits without capture: little memory, linear in T, and time that grows as the arithmetic does. */
function verdicts(shapes, rows) {
  const last = rows.length - 1;
  const { T, d_model } = shapes[last];
  const bytes = rows[last].bytes ?? Infinity;
  const growth = (name, from) => (rows[last][name] ?? Infinity) / rows[from][name];
  const memory = growth('bytes', last - 2);
  const [time, arithmetic] = ['ms', 'gflop'].map((name) => growth(name, 2));
  const say = (holds, text) => `${holds ? 'HOLDS' : 'MISSED'}: ${text}`;
  return [
    say(
      bytes <= GOAL * MEGABYTE,
      `T=${T}, d_model ${d_model}, no capture: ${(bytes / MEGABYTE).toFixed(1)} MB, to be at most ${GOAL}`,
    ),
    say(
      memory <= 4 * LINEAR,
      `from T=${shapes[last - 2].T} to ${T} memory grows ${memory.toFixed(2)} times, to be at most ${4 * LINEAR}`,
    ),
    say(
      time <= EVEN * arithmetic,
      `from T=${shapes[2].T} to ${T} time grows ${time.toFixed(0)} times, the arithmetic ${arithmetic.toFixed(0)}, ` +
        `to be within ${EVEN} times`,
    ),
  ];
}
