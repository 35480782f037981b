// node tests/twins.mjs [TASK...]
//
// Trains each task with each switch and seeds 0, 1 and 2, as the page trains its twins, prints the shares of whole
// held-out rows that are right, and says whether they are those of web/train/twins/table.js. Exit code 1 where not.
import { load } from 'glassformer';
import { readCommand } from '../web/models/command.mjs';
import { ROWS } from '../web/train/twins/table.js';
import { cellsOf, compute, tasks } from './twins-table.js';

const { names } = readCommand(`npm run twins -- [${tasks.join(' | ')} ...]`, {
  names: tasks,
  least: 0,
  most: tasks.length,
});
const gf = await load({ variant: 'simd' });
const show = (/** @type {number[]} */ shares) => shares.map((share) => share.toFixed(2)).join(' ');
let equal = 0;
let count = 0;

console.log(`share of whole rows right, of the first ${ROWS} held-out ones, seeds 0 1 2`);
for (const task of names.length > 0 ? names : tasks) {
  for (const cell of cellsOf(task)) {
    const { shares, equal: isEqual } = await compute(gf, cell);
    const verdict = isEqual ? 'equals the table' : `DIFFERS from the table: ${show(cell.shares)}`;
    console.log(
      `${task.padEnd(17)} @${String(cell.steps).padEnd(5)} ${cell.name.padEnd(24)} ${show(shares)}  ${verdict}`,
    );
    equal += Number(isEqual);
    count++;
  }
}
console.log(
  equal === count
    ? `${equal} of ${count} cells equal the table: the bits are the same, so the numbers are.`
    : `${equal} of ${count} cells equal the table.`,
);
process.exitCode = equal === count ? 0 : 1;
