// The list and a card in Chromium: printed, and nothing that axe finds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from '../browser.js';
import { assertAccessible } from '../train/watch.js';
import { openCard, predict, tested } from './watch.js';

const tools = useBrowser();
const CLAIMS = { within: '#claims, #claims *' };

test('the list and what a card has measured are printed alone; axe finds nothing in list and class', async () => {
  const page = await openCard(tools, '#/claims?card=22');
  await predict(page, 0);
  await tested(page);
  await page.locator('.claims-fresh .picture').waitFor();
  const print = async (/** @type {string[]} */ hidden) => {
    await page.emulateMedia({ media: 'print' });
    for (const each of hidden) assert.equal(await page.locator(each).first().isVisible(), false, each);
  };
  await print([
    '.page-head',
    '.claims-switches',
    '.claims-share',
    '.claims-way',
    '.claims-matching',
    '.picture .map-foot',
  ]);
  await page.emulateMedia({ media: null });
  await page.evaluate(() => (location.hash = '#/claims?view=list'));
  const row = page.locator('.claims-list li', { hasText: 'bottleneck' });
  await row.waitFor();
  await assertAccessible(page, CLAIMS);
  await print(['.page-head', '.claims-tools', '.claims-list-end']);
  assert(await row.isVisible());
  await page.emulateMedia({ media: null });
  await page.getByRole('link', { name: 'For a class' }).click();
  await page.locator('.claims-class input').first().check();
  await assertAccessible(page, CLAIMS);
  await page.goBack();
  await row.waitFor();
  await page.evaluate(() => (location.hash = '#/explore'));
  await page.locator('.page-head').waitFor();
  await tools.close(page);
});
