// `npm run coverage`: which lines and branches of src's C the native tests run, by gcc's or clang's counts. All lines
// but those of EXCUSED must run, and 96 % of the branches.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const objects = 'dist/obj/coverage/src';
const BRANCHES = 96;

/** Lines that no native test can run. @type {{file: string, text: RegExp, why: string}[]} */
const EXCUSED = [
  {
    file: 'src/kernel/simd.h',
    text: /v4_load_then_splat/,
    why: 'of the simd variant alone, whose golden cases run it: natively six rows are unrolled',
  },
  { file: 'src/kernel/tile.c', text: /steps_by_two|v4_load_then_splat/, why: 'as above' },
];

/** Branches that no model or no number reaches, for the reader. @type {{file: string, text: RegExp, why: string}[]} */
const UNREACHED = [
  { file: 'activation.c', text: /switch \(f\)/, why: 'a value outside of the enumeration, which config.c refuses' },
  { file: 'init.c', text: /switch/, why: 'a role that is not drawn is no weight' },
  { file: 'norm.c', text: /variance < 0/, why: 'rounding would have to make a variance negative' },
  { file: 'row.c', text: /value > 0/, why: 'rounding would have to make a probability exceed 1' },
  { file: 'sample.c', text: /./, why: 'rounding of the sum of probabilities' },
  { file: 'settings.c', text: /TRAINER_FIELDS/, why: 'the type of a row is a constant, so half of its test is dead' },
  { file: 'config.c', text: /CONFIG_FIELDS/, why: 'a limit of a row that is that of its type' },
  { file: 'api.c', text: /INT32_MAX|0x7fffffff/, why: 'two thousand million models, a gigabyte of weights' },
  {
    file: 'tensors.c',
    text: /LIMIT|capacity/,
    why: 'sizes stop at LIMIT before they overflow; paths fit by assertion',
  },
];

const run = promisify(execFile);

/** Runs `work` on all items, as many at once as there are processors. @template T
 *  @param {T[]} items @param {(item: T) => Promise<void>} work */
async function each(items, work) {
  const rest = [...items];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
    }),
  );
}

/** @param {string} folder @param {string} end */
const files = (folder, end) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));

/** The reader of counts that goes with the compiler: gcov, or llvm-cov beside clang. */
async function reader() {
  const cc = readFileSync(`${root}dist/tools/cc`, 'utf8').trim();
  const { stdout } = await run(cc, ['--version']);
  if (!stdout.includes('clang')) return ['gcov'];
  const { stdout: path } = await run(cc, ['-print-prog-name=llvm-cov']);
  return [path.trim(), 'gcov'];
}

/** @typedef {{text: string, code: boolean, ran: boolean, branches: boolean[]}} Line */

/** Adds what gcov prints of one object. @param {string} text @param {Map<string, Map<number, Line>>} all */
function collect(text, all) {
  /** @type {Map<number, Line>} */ let lines = new Map();
  /** @type {Line | undefined} */ let line;
  let branch = 0;
  for (const row of text.split('\n')) {
    const source = /^ +-: +0:Source:(.*)/.exec(row);
    const count = /^ *([\d#=-]+)\*?: *(\d+):(.*)/.exec(row);
    const taken = /^branch +\d+ (?:never executed|taken (\d+))/.exec(row);
    if (source) {
      lines = all.get(source[1]) ?? new Map();
      all.set(source[1], lines);
    } else if (count && count[2] !== '0') {
      const [, times, number, code] = count;
      line = lines.get(Number(number)) ?? { text: code.trim(), code: false, ran: false, branches: [] };
      lines.set(Number(number), line);
      line.code ||= times !== '-';
      line.ran ||= /^\d/.test(times);
      branch = 0;
    } else if (taken && line) {
      line.branches[branch] = line.branches[branch] || Number(taken[1] ?? 0) > 0;
      branch++;
    }
  }
}

const programs = files('dist/coverage', '').filter((name) => /^dist\/coverage\/\w+\/\w+$/.test(name));
for (const name of files(objects, '.gcda')) rmSync(root + name);
const start = performance.now();
// the longest first; a fourth of its rounds runs the same lines
await each(
  programs.sort((a, b) => Number(b.endsWith('gradient')) - Number(a.endsWith('gradient'))),
  async (name) => void (await run(root + name, name.endsWith('gradient') ? ['4'] : [], { cwd: root })),
);
const [tool, ...args] = await reader();
/** @type {Map<string, Map<number, Line>>} */ const all = new Map();
await each(files(objects, '.gcda'), async (name) => {
  const options = ['-b', '-t', ...(args.length ? [] : ['-o', dirname(name)]), name];
  collect((await run(tool, [...args, ...options], { cwd: root, maxBuffer: 1 << 28 })).stdout, all);
});

/** @param {{file: string, text: RegExp, why: string}[]} list @param {string} file @param {string} text */
const reason = (list, file, text) => list.find((one) => file.endsWith(one.file) && one.text.test(text))?.why;
const sum = { lines: 0, ran: 0, excused: 0, branches: 0, taken: 0 };
/** @type {string[]} */ const missed = [];
for (const [file, lines] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
  if (!file.startsWith('src/')) continue;
  const own = { lines: 0, ran: 0, excused: 0, branches: 0, taken: 0 };
  let steps = false; // inside of a function that is excused
  for (const [number, { text, code, ran, branches }] of [...lines].sort(([a], [b]) => a - b)) {
    steps = /^(static|SIMD_INLINE)/.test(text) ? Boolean(reason(EXCUSED, file, text)) : steps;
    const why = steps ? 'as above' : reason(EXCUSED, file, text);
    const taken = branches.filter(Boolean).length;
    own.lines += Number(code);
    own.ran += Number(code && ran);
    own.excused += Number(code && !ran && Boolean(why));
    own.branches += branches.length;
    own.taken += taken;
    if (code && !ran) missed.push(`${file}:${number}: not run (${why ?? 'NOT EXCUSED'}): ${text}`);
    else if (taken < branches.length) {
      const known = reason(UNREACHED, file, text) ?? '';
      missed.push(`${file}:${number}: ${taken} of ${branches.length} branches${known && ` (${known})`}: ${text}`);
    }
  }
  console.log(`${file.padEnd(28)} lines ${own.ran} of ${own.lines}, branches ${own.taken} of ${own.branches}`);
  for (const key of /** @type {(keyof typeof sum)[]} */ (Object.keys(sum))) sum[key] += own[key];
}
const percent = (100 * sum.taken) / sum.branches;
const seconds = ((performance.now() - start) / 1000).toFixed(0);
console.log(missed.join('\n'));
console.log(
  `coverage: lines ${sum.ran} of ${sum.lines}, ${sum.excused} excused; branches ${sum.taken} of ${sum.branches}, ` +
    `${percent.toFixed(1)} % (at least ${BRANCHES} %); ${programs.length} programs in ${seconds} s`,
);
if (sum.ran + sum.excused < sum.lines || !(percent >= BRANCHES)) process.exitCode = 1;
