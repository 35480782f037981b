// The life of a run that needs a real browser, in Chromium: a crash, its own quota, a drag of the slider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from '../browser.js';
import { hashInNode } from './node.js';
import { at, openAt, press, seen } from './watch.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} hash @param {object} [options] */
const open = (hash, options) => openAt(tools, hash, options);

/** The page's note on the kept run. @param {Page} page */
const kept = async (page) => ((await page.locator('.train-kept').textContent()) ?? '').replace(/\s+/g, ' ').trim();

/** Opens a new page in the same browser. @param {Page} page @param {string} hash */
async function again(page, hash) {
  const next = await page.context().newPage();
  await next.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
  await next.goto(`${tools.url}${hash}`);
  return next;
}
/** The number of steps that are shown while it trains. @param {Page} page */
const shown = (page) =>
  page.evaluate(() => Number(document.querySelector('.train-step strong')?.textContent?.replace(',', '')));

test('crash: at most one interval of steps is lost', async () => {
  const page = await open('#/train?task=story');
  await at(page, 0);
  await press(page, 'Train');
  await page.waitForFunction(() => Number(document.querySelector('.train-step strong')?.textContent) >= 12);
  const next = await page.context().newPage();
  const [step] = await Promise.all([shown(page), page.close()]);
  await next.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
  await next.goto(`${tools.url}#/train`);
  await next.locator('.train-kept').waitFor({ state: 'attached' });
  const back = await shown(next);
  assert(back >= step - 5, `${back} of at least ${step}`);
  assert.equal((await seen(next)).hash, await hashInNode('story', back));
  await next.context().close();
});

test('a slow drag of the slider never goes back, and ends at a kept moment', async () => {
  const page = await open('#/train?task=order&step=100');
  await at(page, 100);
  await page.evaluate(() => {
    const seen = /** @type {any} */ (globalThis);
    const step = /** @type {Element} */ (document.querySelector('.train-step strong'));
    const note = () => seen.steps.at(-1) !== Number(step.textContent) && seen.steps.push(Number(step.textContent));
    seen.steps = [];
    new MutationObserver(note).observe(step, { childList: true, subtree: true, characterData: true });
  });
  const slider = page.locator('#train-moment');
  await slider.scrollIntoViewIfNeeded();
  const { x, y, width, height } = /** @type {any} */ (await slider.boundingBox());
  const place = (/** @type {number} */ step) => x + 8 + ((width - 16) * step) / 200; // of all steps to come
  await page.mouse.move(place(60), y + height / 2);
  await page.mouse.down();
  const value = () => slider.evaluate((/** @type {any} */ input) => Number(input.value));
  for (let step = 60; step <= 73; step++) {
    await page.mouse.move(place(step), y + height / 2);
    const moment = 5 * Math.round(step / 5);
    await page.waitForFunction(
      (to) => Number(document.querySelector('.train-step strong')?.textContent) === to,
      moment,
    );
    assert.ok(Math.abs((await value()) - step) <= 1, `${await value()} where the pointer is at ${step}`);
  }
  await page.mouse.up();
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#train-moment')).value === '75');
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).steps), [60, 65, 70, 75]);
  await slider.press('ArrowRight');
  await at(page, 80);
  await tools.close(page);
});

test('the browser’s own quota is used up: what was kept before comes back', async () => {
  const page = await open('#/train?task=order&steps=60', {
    async setUp(/** @type {Page} */ to) {
      const devtools = await to.context().newCDPSession(to);
      const { origin } = new URL(tools.url);
      await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1e6 }); // some eight moments
    },
  });
  await at(page, 0);
  await press(page, 'Train');
  await at(page, 60);
  const [, step] = /up to step (\d+): .*The browser’s storage is full/.exec(await kept(page)) ?? [];
  assert(Number(step) >= 5 && Number(step) < 60, step);
  assert.equal((await seen(page)).hash, await hashInNode('order', 60, { steps: 60 }));
  const next = await again(page, '#/train');
  await at(next, Number(step));
  assert.equal((await seen(next)).hash, await hashInNode('order', Number(step), { steps: 60 }));
  await tools.close(page);
});
