// The map of where a claim begins to hold, in jsdom: filled by the reader, cell by cell, with Node's numbers.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { load } from 'glassformer';
import { claim, run } from '../../../src/claims/length.js';
import { cellsOf, numberOf } from '../../../src/claims/shared/boundary.js';
import { openClaims } from './dom.js';

const boundary = claim.boundary ?? assert.fail();
const cells = cellsOf({ ...claim, boundary });

afterEach(() => localStorage.clear());

/** @param {string} hash */
async function reveal(hash) {
  const shown = await openClaims(hash);
  await shown.there('.claims-question');
  assert.equal(shown.all('.claims-boundary').length, 0);
  await shown.click('button', /^Run without a bet$/);
  await shown.there('.claims-boundary');
  return shown;
}

test('earlier measurements are marked until the reader’s own replace them, which are Node’s', async () => {
  const shown = await reveal('#/claims?card=23');
  assert.equal(shown.all('.claims-boundary td a').length, cells.length);
  assert.equal(shown.all('.claims-boundary [data-from="earlier"]').length, cells.length + 1);
  await shown.click('.claims-boundary button', /^Measure it here$/);
  await shown.there('.claims-boundary button', /^Measure again$/);
  const links = shown.all('.claims-boundary td [data-from="live"]');
  assert.equal(links.length, cells.length);
  const gf = await load({ variant: 'simd' });
  for (const [i, cell] of cells.entries())
    assert.equal(
      Number(links[i].style.getPropertyValue('--share')),
      numberOf(boundary, cell, await run(gf, cell.params)),
    );
});

test('the arrow keys move in the grid, which has one tab stop; a cell leads to its card', async () => {
  const shown = await reveal('#/claims?card=23');
  const stops = () => shown.all('.claims-boundary td a[tabindex="0"]');
  const all = shown.all('.claims-boundary td a');
  const width = boundary.x.values.length;
  all[0].focus();
  for (const [key, at] of /** @type {[string, number][]} */ ([
    ...[
      ['ArrowLeft', 0],
      ['ArrowUp', 0],
      ['End', width - 1],
      ['ArrowRight', width - 1],
      ['x', width - 1],
    ],
    ...[
      ['ArrowDown', 2 * width - 1],
      ['Home', width],
      ['ArrowUp', 0],
    ],
    ...[
      ['ArrowDown', width],
      ['ArrowDown', 2 * width],
      ['ArrowRight', 2 * width + 1],
    ],
  ])) {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    assert.equal(all.indexOf(/** @type {any} */ (document.activeElement)), at, key);
    await new Promise(setImmediate);
  }
  assert.deepEqual(stops(), [document.activeElement]);
  assert.match(document.activeElement?.getAttribute('aria-label') ?? '', /^Keys 64, Gap 9: 99 %, measured on \d{4}-/);
  assert.equal(document.activeElement?.getAttribute('href'), '#/claims?card=23&gap=9');
  await shown.go('#/claims?card=23&gap=9');
  await shown.tested();
  assert.equal(/** @type {any} */ (await shown.there('.claims-switches [value="9"]')).checked, true);
});

test('a map stops and goes on; it also stops where the reader goes to another card', async () => {
  const shown = await reveal('#/claims?card=16');
  const count = () => shown.all('.claims-boundary td [data-from="live"]').length;
  await shown.click('.claims-boundary button', /^Measure it here$/);
  await shown.there('.claims-boundary td [data-from="live"]');
  await shown.click('.claims-boundary button', /^Stop$/);
  const before = count();
  await shown.there('.claims-boundary', new RegExp(`${before} of 9 cells are measured.`));
  await shown.click('.claims-boundary button', /^Go on$/);
  for (const end = Date.now() + 60_000; count() === before && Date.now() < end;)
    await new Promise((done) => setTimeout(done, 5));
  assert.ok(count() > before);
  await shown.go('#/claims?card=23');
  dispatchEvent(new Event('hashchange'));
  await shown.there('.claims-question, .claims-found');
  await shown.go('#/claims?card=16');
  await shown.there('.claims-boundary button', /^(Go on|Measure again)$/);
});
