// Instructions instead of seconds: the kernels' native build under valgrind --tool=callgrind, repeatable whatever else
// the machine does; and what the engine made of the micro-kernels: its own disassembly, with the spills of each inner
// loop.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findEngines } from './engines.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const N = 128;
/** Name, and what its instructions are divided by. @type {[string, number, string][]} */
const WORKLOADS = [
  [`matmul ${N}x${N}x${N}`, 2 * N ** 3, 'FLOP'],
  [`matmul ${N}x${N}x${N} A B^T`, 2 * N ** 3, 'FLOP'],
  [`matmul ${N}x${N}x${N} A^T B`, 2 * N ** 3, 'FLOP'],
  [`matmul 16x${N}x${N} A B^T`, 2 * 16 * N * N, 'FLOP'],
  [`softmax ${N}x${N}`, N * N, 'element'],
  [`LayerNorm ${N}x${N}`, N * N, 'element'],
  [`GELU ${N}x${N}`, N * N, 'element'],
  ['AdamW 16384', N * N, 'element'],
];
const TIMES = 20;

/** @param {string} folder @returns {Report['tables'][number]} */
function counted(folder) {
  const program = join(folder, 'instructions');
  const kernels = readdirSync(join(root, 'src/kernel'))
    .filter((name) => name.endsWith('.c'))
    .map((name) => join(root, 'src/kernel', name));
  execFileSync('cc', [
    '-O3',
    '-std=c11',
    '-DNDEBUG',
    '-ffp-contract=off',
    '-fno-math-errno',
    join(root, 'tests/bench/instructions.c'),
    ...kernels,
    '-lm',
    '-o',
    program,
  ]);
  const count = (name, times) => {
    const out = join(folder, 'callgrind.out');
    execFileSync('valgrind', ['--tool=callgrind', `--callgrind-out-file=${out}`, program, name, String(times)], {
      stdio: 'ignore',
    });
    return Number(/^(?:summary|totals): (\d+)/m.exec(readFileSync(out, 'utf8'))?.[1]);
  };
  return {
    title: `Native instructions (SSE2, 4 rows), callgrind`,
    columns: ['workload', 'instructions', 'per', 'each'],
    rows: WORKLOADS.map(([name, unit, of]) => {
      const each = (count(name, TIMES + 1) - count(name, 1)) / TIMES; // without the start
      return [name, Math.round(each), of, each / unit];
    }),
  };
}

const PRODUCTS = `
  const [path, tile] = process.argv.slice(1);
  const env = { emscripten_notify_memory_growth() {} };
  const bytes = (await import('node:fs')).readFileSync(path);
  const { instance: { exports: e } } = await WebAssembly.instantiate(bytes, { env });
  e._initialize();
  e.gf_tile(Number(tile));
  const [a, b, c] = [0, 0, 0].map(() => e.gf_alloc(4 * 128 * 128));
  for (let i = 0; i < 60; i++) for (const t of [0, 1]) e.gf_matmul(c, a, b, 1, 126, 128, 128, 0, t);`;

/**
 * The inner loops of the products as the engine's optimising compiler makes them: the stretches between a jump's target
 * and the jump back that multiply most.
 * @param {string} node @param {string[]} flags @param {string} variant @param {number} tile
 */
function loops(node, flags, variant, tile) {
  const text = execFileSync(
    node,
    [
      ...flags,
      '--no-liftoff',
      '--print-wasm-code',
      '--input-type=module',
      '-e',
      PRODUCTS,
      join(root, `dist/${variant}.wasm`),
      String(tile),
    ],
    { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  return text.split('--- WebAssembly code ---').flatMap((code) => {
    const lines = code
      .split('\n')
      .flatMap((line) => /^(0x[0-9a-f]+)\s+[0-9a-f]+\s+[0-9a-f]+\s+(.*)$/.exec(line)?.slice(1, 3).join(' ') ?? []);
    const places = new Map(lines.map((line, i) => [line.split(' ')[0], i]));
    return lines.flatMap((line, end) => {
      const start = places.get(/ j\w+ (0x[0-9a-f]+)/.exec(line)?.[1] ?? '') ?? end;
      const body = lines.slice(start, end);
      const multiplies = body.filter((each) => /vfmadd|vmulps/.test(each)).length;
      const inner =
        start < end &&
        multiplies >= 8 &&
        !body.some((each, i) => (places.get(/ j\w+ (0x[0-9a-f]+)/.exec(each)?.[1] ?? '') ?? end) < start + i && i > 0);
      return inner
        ? [
            {
              multiplies,
              instructions: body.length + 1,
              spills: body.filter((each) => /vmov\w+ .*\[r[sb]p/.test(each)).length,
            },
          ]
        : [];
    });
  });
}

/** @typedef {import('./run.mjs').Report} Report */

/** @returns {Promise<Report>} */
export default async function instructions() {
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  try {
    const tables = [counted(folder)];
    const node = (/** @type {number} */ version) =>
      fileURLToPath(new URL(`node_modules/node${version}/bin/node`, import.meta.url));
    const asked = /** @type {[string, string, string[], string, number][]} */ ([
      ['Node, simd', process.execPath, [], 'simd', 4],
      ['Node 22, relaxed', node(22), [], 'relaxed', 4],
      ['Node 24, relaxed', node(24), [], 'relaxed', 6],
    ]);
    const { absent } = findEngines();
    const rows = asked
      .filter(([name]) => !absent.includes(name.split(',')[0]))
      .flatMap(([name, path, flags, variant, tile]) =>
        loops(path, flags, variant, tile).map(({ multiplies, instructions: all, spills }) => [
          name,
          tile,
          multiplies,
          all,
          all / multiplies,
          spills,
        ]),
      );
    tables.push({
      title: 'Inner loops of the products in the engine’s optimised code',
      rows,
      columns: ['engine', 'tile', 'multiply–adds a turn', 'instructions a turn', 'each', 'vector spills'],
    });
    return {
      title: 'Instructions, not seconds',
      tables,
      notes: [
        'Callgrind counts the same twice for the same binary. A spill is a vector moved to or from the stack ' +
          'inside the loop.',
      ],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
