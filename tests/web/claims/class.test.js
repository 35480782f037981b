// Claims for a class in Chromium: chosen cards and their link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from '../browser.js';
import { assertAccessible } from '../train/watch.js';
import { openCard, predict, tested } from './watch.js';

const tools = useBrowser();
const CLAIMS = { within: '#claims, #claims *' };

/** @typedef {import('playwright-core').Page} Page */

/** Where the clipboard takes what is copied. @param {Page} page */
const withClipboard = (page) =>
  page.evaluate(() => {
    const clipboard = { writeText: async (/** @type {string} */ text) => void (document.body.dataset.copied = text) };
    Object.defineProperty(navigator, 'clipboard', { value: clipboard });
  });
const copied = (/** @type {Page} */ page) => page.evaluate(() => document.body.dataset.copied ?? '');

test('the teacher chooses cards, in an order, and copies their link', async () => {
  const page = await openCard(tools, '#/claims?view=list');
  await page.getByRole('link', { name: 'For a class' }).click();
  const bar = page.locator('.claims-class-bar');
  const card = (/** @type {number} */ number) => page.getByRole('checkbox', { name: new RegExp(`card ${number}\\b`) });
  assert(await bar.getByRole('button', { name: 'Copy link' }).isDisabled());
  await withClipboard(page);
  for (const number of [22, 9, 20, 12]) await card(number).check();
  await card(9).uncheck();
  assert.match(await bar.innerText(), /3 cards chosen/);
  assert.equal(await page.evaluate(() => location.hash), '#/claims?cards=22,20,12&view=class');
  await bar.getByRole('button', { name: 'Copy link' }).click();
  await bar.getByText('Link copied.').waitFor();
  assert.equal(new URL(await copied(page)).hash, '#/claims?cards=22,20,12');
  await assertAccessible(page, CLAIMS);
  await page.reload();
  await card(12).waitFor();
  assert.deepEqual(await Promise.all([22, 20, 12, 9].map((each) => card(each).isChecked())), [true, true, true, false]);
  await bar.getByRole('button', { name: 'Clear' }).click();
  assert.equal(await page.evaluate(() => location.hash), '#/claims?view=class');
  await tools.close(page);
});

test('the link of a class shows its cards alone, in their order; the others are a link away', async () => {
  const page = await openCard(tools, '#/claims?cards=22,20,12');
  const way = page.locator('.claims-way');
  await page.locator('.claims-question').waitFor();
  assert.match(await way.innerText(), /^Card 1 of 3 of your class: [^]*0 of 3 tested$/);
  const tiles = page.getByRole('navigation', { name: 'Cards of your class' });
  const numbers = await tiles
    .locator('.claims-tile')
    .evaluateAll((all) => all.map((each) => each.textContent?.split(',')[0]));
  assert.deepEqual(numbers, ['17', '1', '10'], 'by their places in the course');
  await predict(page, 0);
  await tested(page);
  assert.equal(await page.evaluate(() => location.hash), '#/claims?cards=22,20,12&card=22');
  await page.locator('.claims-next').click();
  await page.waitForURL(/cards=22,20,12&card=20$/);
  await way.getByText(/^Card 2 of 3/).waitFor(); // else the key turns the card before
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/cards=22,20,12&card=12$/);
  await way.getByText(/^Card 3 of 3/).waitFor();
  assert.equal(await page.locator('a[rel=next]').count(), 0);
  await predict(page, 0);
  await tested(page);
  await page.locator('.claims-next').click();
  await page.waitForURL(/cards=22,20,12&view=list$/);
  const list = page.locator('.claims-list > li');
  await list.first().waitFor();
  assert.equal(await list.count(), 3);
  assert.equal(await list.locator('[data-verdict]').count(), 2, 'one is not tested');
  await page.goto(`${tools.url}#/claims?cards=22,20,12`);
  await way.getByText(/^Card 2 of 3/).waitFor();
  await assertAccessible(page, CLAIMS);
  await tiles.getByRole('link', { name: 'All 23' }).click();
  await page.waitForURL(/#\/claims\?view=list$/);
  await tools.close(page);
});

test('what a class’s link has too much is named, the rest is shown', async () => {
  const page = await openCard(tools, '#/claims?cards=22,<b>x</b>,22,12');
  assert.equal(
    await page.locator('.claims .notices').innerText(),
    'Not all of this link can be shown: “cards” lists “<b>x</b>”, which is no card; “cards” lists card 22 twice.',
  );
  await page
    .locator('.claims-way')
    .getByText(/^Card 1 of 2 of your class/)
    .waitFor();
  await tools.close(page);
});
