// Runs test files, one more at once than there are processors, as most wait for a browser, and prints what
// `node --test` prints.
//
//   node tests/run.mjs                     every test: npm run test:all
//   node tests/run.mjs --short [--page]    what npm test runs: without those of LONG; of the page alone
//   node tests/run.mjs FILE...             these
//
// `node --test` leaves one processor idle and starts files in the order of their names, so that a long one may come
// last and alone. Here the longest come first: the tours of the page, the native programs, the other tests of the page
// and what is LONG, then the rest; within each the larger file first, as it holds more tests.
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const PAGE = /^tests\/web\//;
/** Other engines; trainings; large or many files; packing; of the page what the short tour and these few leave. */
const LONG = [
  /^tests\/web\/tour\/(?!chromium\.)/,
  /^tests\/web\/(export|models|pytorch)\//,
  /^tests\/web\/app\/(access|anywhere|loading|offline|own-(?!json|download)|own\.|pinned|policy|reach|retrain|url)/,
  /^tests\/web\/claims\/(boundary|class\.|code|guess|journey|own|picture|projector|summary-page)/,
  /^tests\/web\/explore\/(?!answers|highlight|panels)/,
  /^tests\/web\/train\/(?!carry|keep|run)/,
  /^tests\/web\/(elements|memory|draw\/formulas|engine\/tokens)\./,
  /^tests\/smoke\//,
  /^tests\/js\/(hostile-checkpoints|large-files|safetensors-stream|shipped|tokenizer)\./,
  /^tests\/tasks\/(creek-scores|learned|predict|text|translate|twins)\./,
  /^tests\/(claims\/(flips|models)|tools\/package|types)\./,
];
/** @param {string} file */
const isLong = (file) => LONG.some((pattern) => pattern.test(file));

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
  .filter((path) => !args.includes('--short') || !isLong(path))
  .filter((path) => !args.includes('--page') || PAGE.test(path));
const files = (given.length ? given : found)
  .map((file) => ({ file: resolve(file), rank: rank(file), size: statSync(file).size }))
  .sort((a, b) => a.rank - b.rank || b.size - a.size || (a.file < b.file ? -1 : 1))
  .map(({ file }) => file);

run({ files, concurrency: availableParallelism() + 1 })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
