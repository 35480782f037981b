// The map of where a claim begins to hold, in Chromium: filled by the reader, cell by cell, with Node's numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { claim, run } from '../../../src/claims/length.js';
import { cellsOf, numberOf } from '../../../src/claims/shared/boundary.js';
import { useBrowser } from '../browser.js';
import { openCard } from './watch.js';

const tools = useBrowser();
const boundary = claim.boundary ?? assert.fail();
const cells = cellsOf({ ...claim, boundary });

/** @param {string} hash */
async function reveal(hash) {
  const page = await openCard(tools, hash);
  assert.equal(await page.locator('.claims-boundary').count(), 0);
  await page.getByRole('button', { name: 'Run without a bet' }).click();
  await page.locator('.claims-boundary').waitFor();
  return page;
}

test('earlier measurements are marked until the reader’s own replace them, which are Node’s', async () => {
  const page = await reveal('#/claims?card=23');
  const links = page.locator('.claims-boundary td a');
  assert.equal(await links.count(), cells.length);
  assert.equal(await page.locator('.claims-boundary [data-from="earlier"]').count(), cells.length + 1);
  await page.getByRole('button', { name: 'Measure it here' }).click();
  await page.getByRole('button', { name: 'Measure again' }).waitFor();
  assert.equal(await page.locator('.claims-boundary td [data-from="live"]').count(), cells.length);
  const gf = await load({ variant: 'simd' });
  for (const [i, cell] of cells.entries()) {
    const value = numberOf(boundary, cell, await run(gf, cell.params));
    const shown = await links.nth(i).evaluate((link) => link.style.getPropertyValue('--share'));
    assert.equal(Number(shown), value);
  }
  await tools.close(page);
});

test('the arrow keys move in the grid, which has one tab stop; Enter opens the cell’s card', async () => {
  const page = await reveal('#/claims?card=23');
  const links = page.locator('.claims-boundary td a');
  assert.equal(await page.locator('.claims-boundary td a[tabindex="0"]').count(), 1);
  await links.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  const name = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  assert.match(name ?? '', /^Keys 64, Gap 9: 99 %, measured on \d{4}-/);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash === '#/claims?card=23&gap=9');
  await page.locator('.claims-switches [value="9"]:checked').waitFor();
  await tools.close(page);
});

test('a long map stops and goes on', async () => {
  const page = await reveal('#/claims?card=16');
  const live = page.locator('.claims-boundary td [data-from="live"]');
  await page.getByRole('button', { name: 'Measure it here' }).click();
  await live.first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  const count = await live.count();
  await page.getByText(`${count} of 9 cells are measured.`).waitFor();
  await page.getByRole('button', { name: 'Go on' }).click();
  await live.nth(count).waitFor();
  await page.locator('.claims-boundary').getByRole('button', { name: 'Stop' }).click();
  assert.ok((await live.count()) > count);
  await tools.close(page);
});
