// The three places: header, landmarks, skip link, and what Back undoes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} name */
const link = (page, name) => page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name });

/**
 * Which places are in sight and which link is current, once the title is this.
 * @param {Page} page
 * @param {string} title
 */
const shown = async (page, title) => {
  await page.waitForFunction((expected) => document.title === expected, title);
  return page.evaluate(() => ({
    places: ['explore', 'train', 'claims'].filter((id) => !document.getElementById(id).hidden),
    current: [...document.querySelectorAll('.places [aria-current=page]')].map((each) => each.textContent),
  }));
};

const EXPLORE = 'Glassformer: a Transformer you can see through';

/** @param {Page} page @param {string} address */
const at = (page, address) => page.waitForFunction((part) => location.hash.includes(part), address);

test('Train is left and opened again before its worker has answered', async () => {
  let go = () => {};
  const answered = new Promise((resolve) => (go = () => resolve(undefined)));
  const page = await tools.open({
    model: '',
    setUp: (each) => each.route('**/trainer.js', async (route) => answered.then(() => route.continue())),
  });
  await ready(page);
  for (const place of ['Train', 'Claims', 'Train']) {
    await link(page, place).click();
    await shown(page, `${place} · Glassformer`);
    if (place === 'Train') await page.getByText('Loading…').first().waitFor();
  }
  go();
  await page.locator('.train-play').waitFor();
  await tools.close(page);
});

test('one header and one main; each place has its address, and Back leads through them', async () => {
  const page = await tools.open({ model: '' });
  await ready(page);
  for (const role of /** @type {const} */ (['banner', 'main', 'navigation']))
    assert.equal(await page.getByRole(role).count(), 1, role);
  assert.deepEqual(await shown(page, EXPLORE), { places: ['explore'], current: ['Explore'] });
  await at(page, '#/explore?model=creek');
  await update(page, () => page.locator('#text').fill('the cat sat on the rug .'));
  await at(page, 'the+cat');
  const address = page.url();

  await link(page, 'Train').click();
  assert.deepEqual(await shown(page, 'Train · Glassformer'), { places: ['train'], current: ['Train'] });
  assert.match(await page.getByRole('main').innerText(), /Teach a Transformer/);
  await link(page, 'Claims').click();
  assert.deepEqual(await shown(page, 'Claims · Glassformer'), { places: ['claims'], current: ['Claims'] });
  assert.match(await page.getByRole('main').innerText(), /Bet on a textbook’s sentence/);

  await page.goBack();
  assert.deepEqual((await shown(page, 'Train · Glassformer')).places, ['train']);
  await page.goBack();
  assert.deepEqual(await shown(page, EXPLORE), { places: ['explore'], current: ['Explore'] });
  assert.equal(page.url(), address);
  assert.equal(await page.locator('#text').inputValue(), 'the cat sat on the rug .');
  await page.goForward();
  assert.deepEqual(await shown(page, 'Train · Glassformer'), { places: ['train'], current: ['Train'] });
  await link(page, 'Explore').click();
  assert.equal(await page.locator('#text').inputValue(), 'the cat sat on the rug .', 'as it was left');
  await tools.close(page);
});

test('Lessons of the bar opens them from Claims, too', async () => {
  const page = await tools.open({ model: '' });
  await ready(page);
  const button = page.locator('#book-button');
  for (const isOpen of [false, true]) {
    await link(page, 'Claims').click();
    await shown(page, 'Claims · Glassformer');
    assert.equal(await button.getAttribute('aria-expanded'), 'false', `open in Explore: ${isOpen}`);
    await button.click();
    assert.deepEqual((await shown(page, EXPLORE)).places, ['explore']);
    await page.locator('#book-title').waitFor();
    await page.waitForFunction(() => document.getElementById('book-button').ariaExpanded === 'true');
  }
  await tools.close(page);
});

test('a place opens by its address; the skip link is first and leads to the content', async () => {
  const page = await tools.open({ model: '' });
  await ready(page);
  await page.goto(`${tools.url}#/claims`);
  await page.waitForFunction(() => !document.getElementById('claims').hidden);
  await page.reload();
  assert.deepEqual((await shown(page, 'Claims · Glassformer')).places, ['claims']);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip-link');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
  assert.match(page.url(), /#\/claims$/, 'the address stays');
  await link(page, 'Explore').click();
  await ready(page);
  assert.deepEqual((await shown(page, EXPLORE)).places, ['explore']);
  await tools.close(page);
});
