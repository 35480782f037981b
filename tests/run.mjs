// Runs test files, one more at once than there are processors, as most wait for a browser, and prints what
// `node --test` prints.
//
//   node tests/run.mjs           every test: npm run test:all
//   node tests/run.mjs --short   what npm test runs: without the long ones
//   node tests/run.mjs FILE...   these; with --without, all but these; with -t NAME, tests whose name matches
//
// Before the summary it names the 20 files that took longest.
//
// `node --test` leaves one processor idle and starts files in the order of their names, so that a long one may come
// last and alone. Here the longest come first: the tours of the page, the native programs, the other tests of the page
// and what is long, then the rest; within each the larger file first, as it holds more tests.
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { install } from '../src/tools/install.mjs';
import { isLong } from './long.js';

const PAGE = /^tests\/web\//;
/** @param {string} file */
function rank(file) {
  if (/^tests\/web\/tour\//.test(file)) return 0;
  if (file === 'tests/native.test.js') return 1;
  return PAGE.test(file) || isLong(file) ? 2 : 3;
}

const args = process.argv.slice(2);
const named = args.indexOf('-t');
const [, name] = named < 0 ? [] : args.splice(named, 2);
if (named >= 0 && !name) throw new Error('-t: the name of a test is needed, or a pattern of it');
const given = args.filter((arg) => !arg.startsWith('--'));
const found = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .map((path) => `tests/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.js') && !path.includes('node_modules'))
  .filter((path) => !args.includes('--short') || !isLong(path));
const isWithout = args.includes('--without');
const files = (given.length && !isWithout ? given : found.filter((path) => !given.includes(path)))
  .map((file) => ({ file: resolve(file), rank: rank(file), size: statSync(file).size }))
  .sort((a, b) => a.rank - b.rank || b.size - a.size || (a.file < b.file ? -1 : 1))
  .map(({ file }) => file);

install('tests/onnx');
if (files.some((file) => /tokenizer-(grid|today|vocabulary)/.test(file))) install('tests/tokenizers'); // 64 MB

/**
 * Adds the slowest files to the events of a run, before its summary.
 * @param {AsyncIterable<{type: string, data: any}>} events
 */
async function* withSlowest(events) {
  /** @type {[file: string, ms: number][]} */
  const times = [];
  for await (const event of events) {
    const { type, data } = event;
    // The process of a whole file is a test, too.
    if (type === 'test:complete' && data.name === data.file) times.push([data.file, data.details.duration_ms]);
    if (type === 'test:diagnostic' && data.nesting === 0 && /^tests \d+$/.test(data.message)) {
      times.sort(([, a], [, b]) => b - a);
      for (const [file, ms] of times.slice(0, 20)) {
        const message = `${(ms / 1000).toFixed(1).padStart(6)} s ${relative('.', file)}`;
        yield { type, data: { nesting: 0, message } };
      }
    }
    yield event;
  }
}

run({ files, concurrency: availableParallelism() + 1, ...(name && { testNamePatterns: [name] }) })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(withSlowest)
  .compose(new spec())
  .pipe(process.stdout);
