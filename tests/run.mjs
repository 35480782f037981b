// Runs test files, one more at once than there are processors, as most wait for a browser, and prints what
// `node --test` prints.
//
//   node tests/run.mjs           every test: npm run test:all
//   node tests/run.mjs --short   what npm test runs: without the long ones
//   node tests/run.mjs FILE...   these; with --without, all but these
//
// `node --test` leaves one processor idle and starts files in the order of their names, so that a long one may come
// last and alone. Here the longest come first: the tours of the page, the native programs, the other tests of the page
// and what is long, then the rest; within each the larger file first, as it holds more tests.
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
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
if (files.some((file) => /tokenizer-(grid|today)/.test(file))) install('tests/tokenizers'); // 64 MB

run({ files, concurrency: availableParallelism() + 1 })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
