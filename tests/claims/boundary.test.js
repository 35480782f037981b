// The maps of claims: each cell is a run that the card can make, and those that come with the page are such runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from './kept.js';
import { settingsOf } from '../../src/claims/shared/claim.js';
import { cellsOf, numberOf, numbersOf } from '../../src/claims/shared/boundary.js';
import { known } from '../../web/claims/known.js';
import { gf } from './check.js';

/** @type {Record<string, {when: string, values: number[], twins?: number[]}>} */
const maps = known.maps;
const mapped = claims.flatMap(({ claim, run }) => (claim.boundary ? [{ claim, boundary: claim.boundary, run }] : []));

test('each cell has switches that its card offers, and each has a number of earlier measurements', () => {
  assert.deepEqual(
    Object.keys(maps).map(Number),
    mapped.map(({ claim }) => claim.number).sort((a, b) => a - b),
  );
  for (const { claim, boundary } of mapped) {
    const cells = cellsOf({ ...claim, boundary });
    assert.equal(cells.length, boundary.x.values.length * boundary.y.values.length);
    for (const { params } of cells) settingsOf(claim, params);
    const { when, values, twins = [] } = maps[claim.number];
    assert.match(when, /^\d{4}-\d\d-\d\d$/);
    assert.equal(values.length, cells.length);
    assert.equal(twins.length, boundary.twin ? cells.length : 0);
    for (const value of [...values, ...twins]) assert.ok(value >= 0 && value <= 1, `${claim.number}: ${value}`);
  }
});

test('what comes with the page is to the bit what the run of the cell says', async () => {
  for (const { claim, boundary, run } of mapped) {
    const cells = cellsOf({ ...claim, boundary });
    // Of long claims the cheapest cell, the first.
    for (const [i, cell] of (claim.long ? cells.slice(0, 1) : cells).entries())
      assert.deepEqual(
        numbersOf(boundary, cell, await run(gf, cell.params)),
        [maps[claim.number].values, ...(boundary.twin ? [maps[claim.number].twins ?? []] : [])].map((list) => list[i]),
      );
  }
});

test('the map of training without the scale has a twin with it', () => {
  const { twin } = mapped.find(({ claim }) => claim.number === 2)?.boundary ?? assert.fail();
  assert.equal(twin?.name, 'scaledShare');
});

test('a number that the run has not is refused', () => {
  const { boundary } = mapped[0];
  assert.throws(() => numberOf(boundary, { x: 0 }, {}), { name: 'RangeError', message: /no number “at16”/ });
});
