// `npm run mutate -- --js FOLDER [--sample N] [--seed N] [--tests TEXT] [--verbose]`: how many faults put into the
// JavaScript of a folder (or file) the tests notice that npm test runs without a browser. Stryker's instrumenter puts
// all mutants into one copy of the sources, each behind a switch; a test that passes no mutant is not run for it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from '../../src/tools/install.mjs';
import { isLong } from '../long.js';
import { endWith, runGroup } from './group.js';

const { values } = parseArgs({
  options: {
    js: { type: 'string' },
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  },
});
const folder = String(values.js).replace(/\/$/, '');
/** Texts for people: tests hold the ones that matter. */
const excludedMutations = ['StringLiteral'];
/** A test in a browser; tests/js/engines.js has the engines of WebAssembly. @param {string} path */
function usesBrowser(path) {
  const text = readFileSync(path, 'utf8');
  if (/\buse(Browser|Page)\(|launchEngine/.test(text)) return true;
  return path.startsWith('tests/web/') && /from '[./]*(browser|engines|claims)\.js'/.test(text);
}

const start = performance.now();
install('tests/mutants');
mkdirSync('dist/mutants', { recursive: true });
const work = mkdtempSync(resolve('dist/mutants/js-'));
endWith(() => rmSync(work, { recursive: true, force: true, maxRetries: 5 }));

const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  .split('\n')
  .filter(Boolean);
const sources = tracked.filter((path) => path.endsWith('.js') && (path === folder || path.startsWith(`${folder}/`)));
if (!sources.length) throw new Error(`--js: there is no script in ${folder}`);
for (const path of tracked) {
  mkdirSync(dirname(`${work}/${path}`), { recursive: true });
  cpSync(path, `${work}/${path}`);
}
for (const each of readdirSync('tests')) {
  const packages = resolve(`tests/${each}/node_modules`);
  if (tracked.includes(`tests/${each}/package.json`) && readdirSync(dirname(packages)).includes('node_modules'))
    symlinkSync(packages, `${work}/tests/${each}/node_modules`);
}

/** @type {{Instrumenter: new (logger: object) => {instrument: Function}}} */
const { Instrumenter } = await import(
  resolve('tests/mutants/node_modules/@stryker-mutator/instrumenter/dist/src/index.js')
);
const logger = { debug() {}, info() {}, warn: console.warn, isDebugEnabled: () => false };
/** @typedef {{id: string, fileName: string, mutatorName: string, replacement: string, location: any}} Mutant */
/** @type {{files: {name: string, content: string}[], mutants: (Mutant & {status?: string})[]}} */
const { files, mutants: made } = await new Instrumenter(logger).instrument(
  sources.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') })),
  { plugins: null, excludedMutations, ignorers: [] },
);
const mutants = made.filter(({ status }) => status !== 'Ignored');
/** In what the instrumenter adds to a file. */
const COUNTING = /(var a = arguments;\s*)(for \(var i = 0; i < a\.length; i\+\+\))/;
for (const { name, content } of files) {
  if (content.includes('function stryCov_') !== COUNTING.test(content))
    throw new Error(`${name}: the instrumenter counts in another way`);
  // A place counts once, and not while a mutant is on: a loop over 100 MB took longer than the limit of a test file.
  const quick = content.replace(COUNTING, '$1if (ns.activeMutant !== undefined || a[0] in c) return; $2');
  writeFileSync(`${work}/${name}`, quick);
}
if (/^src\/(js|tasks|claims)\b/.test(folder)) {
  const left = /^(native|obj|coverage|docs|mutants|web|tools)$/;
  for (const name of readdirSync('dist').filter((name) => !left.test(name)))
    cpSync(`dist/${name}`, `${work}/dist/${name}`, { recursive: true });
  for (const name of ['obj', 'mutants']) mkdirSync(`${work}/dist/${name}`, { recursive: true });
  for (const name of ['web', 'tools']) symlinkSync(resolve(`dist/${name}`), `${work}/dist/${name}`);
  execFileSync('node', ['src/tools/build.mjs'], { cwd: work, stdio: 'inherit' });
} else symlinkSync(resolve('dist'), `${work}/dist`);

/**
 * Runs a test file; gives its seconds: NaN where it failed, infinitely many where it took too long.
 * @param {string} file @param {Record<string, string>} more of the environment @param {number} limit in seconds
 * @returns {Promise<number>}
 */
async function run(file, more, limit) {
  const begin = performance.now();
  const { code, isLate } = await runGroup('node', [file], { cwd: work, env: { ...process.env, ...more } }, limit);
  return code === 0 ? (performance.now() - begin) / 1000 : isLate ? Infinity : NaN;
}

/** Works through a list on all processors. @template T @param {T[]} items @param {(item: T) => Promise<void>} action */
async function each(items, action) {
  const queue = [...items];
  const lanes = Array.from({ length: availableParallelism() }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await action(item);
  });
  await Promise.all(lanes);
}

const tests = tracked.filter(
  (path) => /^tests\/.*\.test\.js$/.test(path) && path.includes(values.tests) && !isLong(path) && !usesBrowser(path),
);
/** The test files that pass a mutant, with their seconds. @type {Map<string, [file: string, seconds: number][]>} */
const passing = new Map(mutants.map(({ id }) => [id, []]));
const left = /** @type {string[]} */ ([]);
await each(tests, async (file) => {
  const covered = mkdtempSync(`${work}/covered-`);
  const hook = `--import ${resolve('tests/mutants/covered.mjs')}`;
  const seconds = await run(file, { NODE_OPTIONS: hook, GLASSFORMER_COVERED: covered }, 600);
  if (!Number.isFinite(seconds)) left.push(`${file} ${seconds === Infinity ? 'takes too long' : 'fails'}`);
  else
    for (const name of readdirSync(covered))
      for (const id of JSON.parse(readFileSync(`${covered}/${name}`, 'utf8'))) {
        const known = passing.get(id);
        if (known && known.at(-1)?.[0] !== file) known.push([file, seconds]);
      }
  rmSync(covered, { recursive: true });
});
if (left.length) console.log(`not used, in a copy of the sources: ${left.join(', ')}`);

const lineOf = (/** @type {Mutant} */ { fileName, location }) => `${fileName}:${location.start.line + 1}`;
const textOf = (/** @type {Mutant} */ { fileName, location: { start, end } }) => {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column);
  lines[0] = lines[0].slice(start.column);
  return lines.join('\n');
};
const keyOf = (/** @type {Mutant} */ mutant) => `${mutant.fileName} ${textOf(mutant)} → ${mutant.replacement}`;
const ticket = (/** @type {Mutant} */ mutant) =>
  createHash('sha256')
    .update(`${values.seed} ${keyOf(mutant)}`)
    .digest('hex');
// An order that hangs on their text alone: a change elsewhere draws the same.
const chosen = mutants
  .map((mutant) => ({ mutant, ticket: ticket(mutant) }))
  .sort((a, b) => (a.ticket < b.ticket ? -1 : 1))
  .slice(0, Number(values.sample))
  .map(({ mutant }) => mutant);
const survivors = /** @type {Mutant[]} */ ([]);
const kills = new Map();
await each(chosen, async (mutant) => {
  const able = /** @type {[string, number][]} */ (passing.get(mutant.id));
  const rank = (/** @type {[string, number]} */ [file, seconds]) => seconds - (kills.get(file) ?? 0);
  for (const [file, seconds] of able.sort((a, b) => rank(a) - rank(b))) {
    if (Number.isFinite(await run(file, { __STRYKER_ACTIVE_MUTANT__: mutant.id }, 10 + 5 * seconds))) continue;
    kills.set(file, (kills.get(file) ?? 0) + 1);
    if (values.verbose) console.log(`killed ${lineOf(mutant)} by ${file}`);
    return;
  }
  survivors.push(mutant);
});

for (const mutant of survivors.sort((a, b) => (lineOf(a) < lineOf(b) ? -1 : 1))) {
  const fate = passing.get(mutant.id)?.length ? 'SURVIVED' : 'SURVIVED, as no test passes it';
  console.log(`\n${lineOf(mutant)} ${mutant.mutatorName} ${fate}\n  ${textOf(mutant)}\n→ ${mutant.replacement}`);
}
const killed = chosen.length - survivors.length;
console.log(
  `\n${mutants.length} mutants in ${sources.length} files of ${folder}, ${chosen.length} tried, seed ${values.seed}`,
);
console.log(`${killed} killed, ${survivors.length} survived: ${((100 * killed) / chosen.length).toFixed(1)} %`);
console.log(`${((performance.now() - start) / 1000).toFixed(0)} s, ${tests.length - left.length} test files`);
