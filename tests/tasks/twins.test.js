// The twins' table of order and reverse, computed again: every cell to the two decimals that it has. All five tasks:
// npm run twins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { SWITCHES, TABLE } from '../../web/train/twins/table.js';
import { cellsOf, compute } from '../twins-table.js';

const gf = await load({ variant: 'simd' });

for (const task of ['order', 'reverse']) {
  for (const cell of cellsOf(task)) {
    test(`${task}, ${cell.name}: ${cell.shares.join(' ')} after ${cell.steps} steps`, async () => {
      const { shares, equal } = await compute(gf, cell);
      assert(equal, `${shares.map((share) => share.toFixed(4))}`);
    });
  }
}

test('another number is told from the table’s', async () => {
  const [cell] = cellsOf('order');
  const { equal } = await compute(gf, { ...cell, steps: 25 });
  assert.equal(equal, false);
});

test('the table has every switch of five tasks; what is no cell is the recipe itself', () => {
  assert.equal(Object.keys(TABLE).length, 5);
  const cells = Object.keys(TABLE).flatMap(cellsOf);
  assert.equal(cells.length, 5 * (1 + SWITCHES.length) - 1 + 1); // reverse has one head; addition has a later cell
  assert(cells.every(({ shares }) => shares.length === 3));
});
