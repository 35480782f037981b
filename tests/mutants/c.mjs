// `npm run mutate -- [--sample N | --all] [--seed N] [--part NAME] [--match TEXT] [--verbose] [FILE…]`: how many faults
// put into the C the native tests notice. Each mutant is compiled, linked with the other objects and given to the
// programs of its part (src/kernel: tests/kernel) until one fails, then to the quick ones of the other parts, then to
// those of its part with the sanitizers.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { posix } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { mutants, typeNames } from './generate.js';
import { endWith, runGroup } from './group.js';
import { readListed } from './listed.js';

const PARTS = ['kernel', 'op', 'model', 'train'];
/** Less than this share of killed or listed ones is a failure. */
const WANTED = 0.9;
/** Programs that take longer, in seconds, are tried in their part alone, and not with the sanitizers. */
const LONG = 0.5;

const root = new URL('../..', import.meta.url).pathname;
process.chdir(root);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '1000' },
    all: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    part: { type: 'string', multiple: true, default: PARTS },
    match: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  },
});
const cc = readFileSync('dist/tools/cc', 'utf8').trim();
// A mutant may have unused names, and precedence that a reader would doubt.
const lenient = ['-Wno-unused', '-Wno-unused-parameter', '-Wno-parentheses'];
const kinds = /** @type {const} */ (['plain', 'native']);
const [plain, native] = readFileSync('dist/obj/flags', 'utf8').split('\n');
const flags = { plain: [...plain.split(' '), ...lenient], native: [...native.split(' '), ...lenient] };

/** @param {string} folder @param {RegExp} ending */
const list = (folder, ending) =>
  PARTS.flatMap((part) =>
    readdirSync(`${folder}/${part}`)
      .filter((name) => ending.test(name))
      .map((name) => `${folder}/${part}/${name}`),
  );
const object = (/** @type {string} */ file) => file.replace(/\.c$/, '.o');
const partOf = (/** @type {string} */ file) => file.split('/')[1];
const sources = list('src', /\.c$/),
  programs = list('tests', /\.c$/);

/** The C files that include each file. @type {Map<string, string[]>} */
const dependents = new Map();
for (const file of [...sources, ...programs]) {
  const rule = readFileSync(`dist/obj/plain/${file.replace(/c$/, 'd')}`, 'utf8').split('\n\n')[0];
  for (const name of rule.replace(/\\\n/g, ' ').split(/\s+/).slice(1).filter(Boolean)) {
    const path = posix.normalize(name);
    dependents.set(path, [...(dependents.get(path) ?? []), file]);
  }
}

/**
 * Runs a program; gives its exit code, or null when it was ended.
 * @param {string} program @param {string[]} args @param {string} [cwd] @returns {Promise<number | null>}
 */
const run = async (program, args, cwd = root) => (await runGroup(program, args, { cwd }, 600)).code;

/** Seconds that programs take as they are. @type {Map<string, number>} */
const seconds = new Map();

/** Runs a test program, so many seconds at most. @param {string} path @param {string} kind @param {number} limit */
const tried = (path, kind, limit) => {
  const memory = kind === 'plain' ? 'ulimit -v 4194304; ' : '';
  return run('sh', ['-c', `${memory}ulimit -c 0; ulimit -t ${Math.ceil(limit)}; exec "$0"`, path]);
};

/** Seconds of processor time that a program takes, which must pass. @param {string} path */
async function processorTime(path) {
  const { stdout } = await promisify(execFile)('sh', ['-c', '"$0" >/dev/null && times', path], { cwd: root });
  const [, minutes, rest] = /** @type {RegExpExecArray} */ (/(\d+)m([\d.]+)s \S+\s*$/.exec(stdout));
  return 60 * Number(minutes) + Number(rest);
}

mkdirSync('dist/mutants', { recursive: true });
const work = mkdtempSync('dist/mutants/run-');
endWith(() => rmSync(work, { recursive: true, force: true, maxRetries: 5 }));

/** A copy of the sources to compile in, one for each mutant at work. */
class Lane {
  /** @param {number} index */
  constructor(index) {
    this.folder = `${root}${work}/${index}`;
    for (const part of PARTS)
      for (const top of ['src', 'tests'])
        cpSync(`${top}/${part}`, `${this.folder}/${top}/${part}`, { recursive: true });
    cpSync('tests/check.h', `${this.folder}/tests/check.h`);
    for (const kind of [...kinds, 'optimized'])
      for (const top of ['src', 'tests'])
        for (const part of PARTS) mkdirSync(`${this.folder}/${kind}/${top}/${part}`, { recursive: true });
  }
  /** @param {string} kind @param {string} file @param {string[]} options */
  async compile(kind, file, options) {
    return (await run(cc, [...options, '-c', file, '-o', `${kind}/${object(file)}`], this.folder)) === 0;
  }
  /** @param {string} path */
  read(path) {
    return readFileSync(`${this.folder}/${path}`);
  }
}

const cost = (/** @type {string} */ program) => seconds.get(program) ?? 0;
const same = (/** @type {string} */ a, /** @type {string} */ b) => partOf(a) === partOf(b);
/** Programs that may notice a mutant: its file's, its part's, then quick ones of others; the most successful first. */
function order(/** @type {string} */ file) {
  const name = /** @type {string} */ (/(\w+)\.\w+$/.exec(file))[1];
  const own = new RegExp(`/${name}(_\\w+)?\\.c$`);
  const rank = (/** @type {string} */ program) =>
    (own.test(program) && same(program, file) ? 0 : same(program, file) ? 10 : 100) +
    cost(program) -
    (kills.get(`${file} ${program}`) ?? 0);
  return programs.filter((program) => same(program, file) || cost(program) <= LONG).sort((a, b) => rank(a) - rank(b));
}
/** Counts the mutants of a file that a program noticed. @type {Map<string, number>} */
const kills = new Map();

/**
 * Whether a program notices the mutant that lies in the lane.
 * @param {Lane} lane @param {'plain' | 'native'} kind @param {string} file @param {string} program
 */
async function notices(lane, kind, file, program) {
  const changed = dependents.get(file) ?? [];
  const compiled = new Set(sources.filter((source) => changed.includes(source)));
  if (changed.includes(program)) {
    compiled.add(program);
    if (!(await lane.compile(kind, program, flags[kind]))) return true;
  }
  const objects = [program, ...sources].map((source) =>
    compiled.has(source) ? `${kind}/${object(source)}` : `${root}dist/obj/${kind}/${object(source)}`,
  );
  if ((await run(cc, [...flags[kind], ...objects, '-lm', '-o', 'program'], lane.folder)) !== 0) return true;
  const limit = kind === 'plain' ? 2 + 3 * cost(program) : 20 + 30 * cost(program);
  return (await tried(`${lane.folder}/program`, kind, limit)) !== 0;
}

/** Objects of the sources as they are, optimised. @type {Map<string, Promise<Buffer>>} */
const optimized = new Map();
const OPTIMIZED = flags.plain.map((flag) => (flag === '-O1' ? '-O2' : flag));
const original = (/** @type {string} */ source) => {
  const path = `${work}/${source.replaceAll('/', '-')}.o`;
  const made =
    optimized.get(source) ?? run(cc, [...OPTIMIZED, '-c', source, '-o', path]).then(() => readFileSync(path));
  optimized.set(source, made);
  return made;
};

/**
 * @param {Lane} lane @param {{file: string, text: string}} mutant
 * @returns {Promise<'killed' | 'survived' | 'same' | 'refused'>}
 */
async function judge(lane, { file, text }) {
  const before = readFileSync(file);
  const changed = sources.filter((source) => dependents.get(file)?.includes(source));
  writeFileSync(`${lane.folder}/${file}`, text);
  try {
    let unchanged = true;
    for (const source of changed) {
      if (!(await lane.compile('plain', source, flags.plain))) return 'refused';
      unchanged &&= lane.read(`plain/${object(source)}`).equals(readFileSync(`dist/obj/plain/${object(source)}`));
    }
    if (unchanged) return 'same';
    for (const program of order(file)) {
      if (await notices(lane, 'plain', file, program)) {
        kills.set(`${file} ${program}`, (kills.get(`${file} ${program}`) ?? 0) + 1);
        return 'killed';
      }
    }
    unchanged = true;
    for (const source of changed) {
      // Optimizing may find what is refused.
      const compiled = await lane.compile('optimized', source, OPTIMIZED);
      unchanged &&= compiled && lane.read(`optimized/${object(source)}`).equals(await original(source));
    }
    if (unchanged) return 'same';
    for (const source of changed) await lane.compile('native', source, flags.native);
    for (const program of order(file).filter((program) => same(program, file) && cost(program) <= LONG))
      if (await notices(lane, 'native', file, program)) return 'killed';
    return 'survived';
  } finally {
    writeFileSync(`${lane.folder}/${file}`, before);
  }
}

/** Works through a list, each lane one item at a time. */
async function each(/** @type {any[]} */ items, /** @type {(lane: Lane, item: any) => Promise<void>} */ work) {
  const queue = [...items];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(lane, item);
    }),
  );
}

const files = list('src', /\.(c|h|def)$/);
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const types = typeNames([...texts.values()]);
const every = files.flatMap((file) =>
  mutants(file, /** @type {string} */ (texts.get(file)), types).map((mutant) => ({ ...mutant, file })),
);
const listed = readListed(readFileSync(new URL('listed.txt', import.meta.url), 'utf8'));
const gone = [...listed.keys()].filter((key) => !every.some((mutant) => mutant.key === key));
for (const key of gone) console.log(`listed.txt names a mutant that is no more: ${key}`);

// The first of an order that hangs on their text alone: a change elsewhere draws the same, and 30 are among the 1000.
const ticket = (/** @type {string} */ key) => createHash('sha256').update(`${values.seed} ${key}`).digest('hex');
const chosen = every
  .filter(({ file }) => values.part.includes(partOf(file)) && (!positionals.length || positionals.includes(file)))
  .filter(({ key }) => key.includes(values.match))
  .map((mutant) => ({ ...mutant, ticket: ticket(mutant.key) }))
  .sort((a, b) => (a.ticket < b.ticket ? -1 : 1))
  .slice(0, values.all ? undefined : Number(values.sample));
if (chosen.length === 0) throw new Error('no such mutant');

const start = performance.now();
const lanes = Array.from({ length: availableParallelism() }, (_, index) => new Lane(index));
const measured = 'dist/mutants/seconds.json';
const current = Math.max(
  ...[...programs, ...sources].map((file) => statSync(`dist/obj/plain/${object(file)}`).mtimeMs),
);
if (existsSync(measured) && statSync(measured).mtimeMs > current)
  for (const [program, time] of Object.entries(JSON.parse(readFileSync(measured, 'utf8')))) seconds.set(program, time);
await each(seconds.size ? [] : programs, async (lane, program) => {
  const objects = [program, ...sources].map((source) => `${root}dist/obj/plain/${object(source)}`);
  await run(cc, [...flags.plain, ...objects, '-lm', '-o', 'program'], lane.folder);
  seconds.set(program, await processorTime(`${lane.folder}/program`));
});
writeFileSync(measured, JSON.stringify(Object.fromEntries(seconds)));

/** @type {Map<string, Record<string, number>>} */
const rows = new Map();
const survivors = /** @type {typeof chosen} */ ([]);
let done = 0;
await each(chosen, async (lane, mutant) => {
  const fate = await judge(lane, mutant);
  if (fate === 'survived') survivors.push(mutant);
  if (values.verbose) console.log(`${fate} ${mutant.key}`);
  if (fate === 'killed' && listed.has(mutant.key))
    console.log(`listed.txt names a mutant that is killed: ${mutant.key}`);
  const row = rows.get(partOf(mutant.file)) ?? { killed: 0, survived: 0, listed: 0, same: 0, refused: 0 };
  row[fate]++;
  if (fate === 'survived' && /^(equivalent|below)/.test(listed.get(mutant.key) ?? '')) row.listed++; // not the gaps
  rows.set(partOf(mutant.file), row);
  if (++done % 50 === 0) console.error(`${done} of ${chosen.length}, ${survivors.length} survived`);
});

console.log(`${every.length} mutants in ${files.length} files, ${chosen.length} tried, seed ${values.seed}\n`);
console.log('part      mutants  killed  survived  of these listed  same code  not compiled  per cent  with listed');
const share = (/** @type {Record<string, number>} */ { killed, survived, listed }, with_ = 0) =>
  (killed + with_ * listed) / (killed + survived);
const per = (/** @type {number} */ x) => (100 * x).toFixed(1);
const all = { killed: 0, survived: 0, listed: 0, same: 0, refused: 0 };
const print = (/** @type {string} */ name, /** @type {any} */ row) => {
  const { killed, survived, listed, same, refused } = row;
  const cells = [killed + survived, killed, survived, listed, same, refused, per(share(row)), per(share(row, 1))];
  console.log(name.padEnd(8) + cells.map((cell, i) => `${cell}`.padStart([9, 8, 10, 17, 11, 14, 10, 13][i])).join(''));
};
for (const part of PARTS.filter((part) => rows.has(part))) {
  const row = /** @type {any} */ (rows.get(part));
  print(part, row);
  for (const key of /** @type {(keyof all)[]} */ (Object.keys(all))) all[key] += row[key];
}
print('all', all);
for (const { file, line, key } of survivors.sort((a, b) => (a.key < b.key ? -1 : 1)))
  console.log(
    listed.has(key) ? `\n${file}:${line} ${listed.get(key)}\n  ${key}` : `\n${file}:${line} SURVIVED\n  ${key}`,
  );
console.log(`\n${((performance.now() - start) / 1000).toFixed(0)} s`);
if (gone.length || share(all, 1) < WANTED) {
  console.log(gone.length ? 'FAILED: mend listed.txt' : `FAILED: less than ${100 * WANTED} % killed or listed`);
  process.exitCode = 1;
}
