// Runs test files, as many at once as there are processors, and prints what `node --test` prints.
//
// `node --test` leaves one processor idle and starts files in the order of their names, so that a long one may come
// last and alone. Here the longest come first: the tours of the page, the native programs, the other tests of the page,
// then the rest; within each the larger file first, as it holds more tests.
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const RANKS = [/[\\/]tests[\\/]web[\\/]tour[\\/]/, /[\\/]tests[\\/]native\.test\.js$/, /[\\/]tests[\\/]web[\\/]/, /./];

/** @param {string} file */
const rank = (file) => RANKS.findIndex((pattern) => pattern.test(file));

const files = process.argv
  .slice(2)
  .map((file) => resolve(file))
  .map((file) => ({ file, rank: rank(file), size: statSync(file).size }))
  .sort((a, b) => a.rank - b.rank || b.size - a.size)
  .map(({ file }) => file);

run({ files, concurrency: availableParallelism() })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
