// Runs test files, two processes more at once than there are processors, as many wait for a browser, and prints what
// `node --test` prints.
//
//   node tests/run.mjs              every test: npm run test:all
//   node tests/run.mjs --short      what npm test runs: without the long ones
//   node tests/run.mjs PATH...      files and folders
//   ... --without PATH...           but not these
//   ... -t NAME                     tests whose name matches
//   ... --trainings                 trainings, too, when nothing that decides them has changed (see long.js)
//
// Before the summary it names the 20 files that took longest.
//
// `node --test` starts a process for each file, in the order of their names, and leaves one processor idle. Here the
// files of a folder share processes, and so an engine and a browser; the longest come first: the tours of the page, the
// native programs, those that build copies or packages, the other tests of the page and what is long, then the rest.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { install } from '../src/tools/install.mjs';
import { TRAININGS, isLong } from './long.js';
import { trainingsPassed } from './trainings.mjs';

/** Files that share a process, at most. */
const TOGETHER = 12;

/** @param {string} file */
function rank(file) {
  if (/^tests\/web\/tour\//.test(file)) return 0;
  if (/^tests\/(native|recipes|smoke\/|programs\/programs|web\/claims\/projector)/.test(file)) return 1;
  return /^tests\/web\//.test(file) || isLong(file) ? 2 : 3;
}

const { values, tokens } = parseArgs({
  allowPositionals: true,
  tokens: true,
  options: {
    short: { type: 'boolean' },
    without: { type: 'boolean' },
    trainings: { type: 'boolean' },
    name: { type: 'string', short: 't' },
  },
});
const { name } = values;
if (name === '') throw new Error('-t: the name of a test is needed, or a pattern of it');
const without = tokens.find((token) => token.kind === 'option' && token.name === 'without')?.index ?? Infinity;
const found = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .map((path) => `tests/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.js') && !path.includes('node_modules'))
  .sort();

/** The test files at or below a path. @param {string} path */
function filesAt(path) {
  const own = relative('.', resolve(path));
  const files = found.filter((file) => file === own || file.startsWith(`${own}/`));
  if (files.length === 0) throw new Error(`${path}: there is no test file`);
  return files;
}
const paths = tokens.filter((token) => token.kind === 'positional');
const wanted = paths.filter(({ index }) => index < without).flatMap(({ value }) => filesAt(value));
const left = new Set(paths.filter(({ index }) => index > without).flatMap(({ value }) => filesAt(value)));
let files = (wanted.length ? [...new Set(wanted)] : found).filter((file) => !left.has(file));
if (values.short) files = files.filter((file) => !isLong(file));
const mayBeLeft = wanted.length || values.trainings ? [] : files.filter((file) => TRAININGS.includes(file));
const trained = mayBeLeft.length && (await trainingsPassed()) ? mayBeLeft : [];
files = files.filter((file) => !trained.includes(file));

install('tests/onnx');
if (files.some((file) => /tokenizer-(grid|today|vocabulary)/.test(file))) install('tests/tokenizers'); // 64 MB

/** Files of one kind share processes; two kinds of documents would have the same names. @param {string} file */
function kindOf(file) {
  if (rank(file) < 2) return file;
  const imported = readFileSync(file, 'utf8').matchAll(/'[./\w]*(browser\.js|table\.js|feet\.js|dom\.js|jsdom)'/g);
  const documents = [...imported].map(([, each]) => each).sort();
  return documents.some((each) => /dom/.test(each)) ? file : `${dirname(file)} ${rank(file)} ${documents}`;
}
/** The files of each process. @type {{files: string[], rank: number, kind: string, size: number}[]} */
const processes = [];
for (const file of files) {
  const kind = kindOf(file);
  let shared = processes.find((each) => each.kind === kind);
  if (!shared || shared.files.length === TOGETHER)
    processes.unshift((shared = { kind, rank: rank(file), files: [], size: 0 }));
  shared.files.push(file);
  shared.size += statSync(file).size;
}
processes.sort((a, b) => a.rank - b.rank || b.size - a.size);

mkdirSync('dist', { recursive: true });
const entries = mkdtempSync('dist/tests-');
process.on('exit', () => rmSync(entries, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

/**
 * Writes a module that runs files as suites, one after the other, once all of them have been read.
 * @param {{files: string[]}} process
 * @param {number} index
 */
function entryOf({ files: together }, index) {
  if (together.length === 1) return resolve(together[0]);
  const path = resolve(entries, `${index}.mjs`);
  writeFileSync(
    path,
    `import { AsyncResource } from 'node:async_hooks';
import { describe } from 'node:test';
let begin;
const all = new Promise((done) => (begin = done));
let last = Promise.resolve();
for (const file of ${JSON.stringify(together)}) {
  describe(file, () => {
    // Bound, or the tests of the file would not be those of this suite.
    const own = last.then(AsyncResource.bind(() => import(\`../../\${file}\`)));
    last = own.catch(() => {});
    return own.then(() => all);
  });
}
last.then(begin);
`,
  );
  return path;
}

/**
 * Adds to the events of a run, before its summary: the slowest files, and what was left out. Refuses a file without a
 * test.
 * @param {AsyncIterable<{type: string, data: any}>} events
 */
async function* withSlowest(events) {
  /** @type {[file: string, ms: number][]} */
  const times = [];
  let tests = 0; // of the file that is reported
  const line = (/** @type {string} */ message) => ({ type: 'test:diagnostic', data: { nesting: 0, message } });
  for await (const event of events) {
    const { type, data } = event;
    const file = data.name && relative('.', data.name);
    const isFile = files.includes(file);
    if (type === 'test:complete' && isFile) times.push([file, data.details.duration_ms]);
    if (type === 'test:pass' || type === 'test:fail') {
      if (isFile && tests === 0 && type === 'test:pass' && !name) {
        process.exitCode = 1;
        yield line(`${file}: no test in it ran`);
      }
      tests = isFile ? 0 : tests + 1;
    }
    if (type === 'test:diagnostic' && data.nesting === 0 && /^tests \d+$/.test(data.message)) {
      times.sort(([, a], [, b]) => b - a);
      for (const [slow, ms] of times.slice(0, 20)) yield line(`${(ms / 1000).toFixed(1).padStart(6)} s ${slow}`);
      if (trained.length) yield line(`left out, as nothing that decides them has changed: ${trained.join(', ')}`);
    }
    yield event;
  }
}

run({
  files: processes.map(entryOf),
  concurrency: availableParallelism() + 2,
  ...(name && { testNamePatterns: [name] }),
})
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(withSlowest)
  .compose(new spec())
  .pipe(process.stdout);
