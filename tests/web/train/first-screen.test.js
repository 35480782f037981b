// A newcomer's view of Train: the row, the head and the course of a run, in the first window.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { point, useBrowser } from '../browser.js';
import { at, press } from './watch.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} hash @param {object} [options] */
const open = async (hash, options) => {
  const page = await tools.open({ ...options, at: hash });
  await at(page, 0);
  return page;
};

/** Where an element ends. @param {Page} page @param {string} selector */
async function endOf(page, selector) {
  const box = await page.locator(selector).first().boundingBox();
  return box ? box.y + box.height : NaN;
}

for (const [width, height] of [
  [1440, 900],
  [1280, 720],
])
  test(`${width} × ${height}: all that is played with is in the window, at most 22 controls`, async () => {
    const page = await open('#/train', { viewport: { width, height } });
    for (const part of ['.train-tiles', '.train-map .map-grid', '.train-held', '.train-timeline', '.train-break'])
      assert((await endOf(page, part)) <= height, `${part} ends at ${await endOf(page, part)}`);
    const controls = await page.evaluate(() => {
      const isShown = (/** @type {Element} */ each) =>
        each.checkVisibility({ visibilityProperty: true }) && !each.matches('.skip-link, :disabled');
      return [...document.querySelectorAll('a, button, input, select, summary, textarea, [role=application]')]
        .filter((each) => {
          const { top, bottom, width } = each.getBoundingClientRect();
          return width > 0 && bottom > 0 && top < innerHeight && isShown(each);
        })
        .map((each) => each.textContent || each.id || each.localName);
    });
    assert(controls.length <= 22, `${controls.length}: ${controls.join('; ')}`);
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await tools.close(page);
  });

test('390 × 844: the row, the beginning of the map and the button that trains are in the window', async () => {
  const page = await open('#/train', { viewport: { width: 390, height: 844 } });
  const bar = (await page.locator('.train-go').boundingBox())?.y ?? NaN;
  assert((await endOf(page, '.train-tiles')) < bar);
  const map = await page.locator('.train-map .map-grid').boundingBox();
  assert(map && map.y + map.height / 2 < bar, 'half of the map');
  assert((await endOf(page, '.train-play')) <= 844);
  await press(page, 'Settings');
  const rate = page.locator('#train-learningRate');
  await rate.scrollIntoViewIfNeeded();
  const sheet = await page.locator('#train-fold-settings').boundingBox();
  assert(sheet && sheet.y > 0.24 * 844 && sheet.y + sheet.height <= 845, JSON.stringify(sheet));
  await page.locator('#train-fold-settings > summary').click();
  assert.equal(await rate.isVisible(), false);
  assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await tools.close(page);
});

test('reversal is drawn step by step: at least 100 states, each as its row, its map and its number', async () => {
  const page = await open('#/train', {
    setUp: (/** @type {Page} */ each) =>
      each.addInitScript(() => {
        if (location.protocol === 'http:') localStorage.removeItem('glassformer-train-speed');
      }),
  });
  assert.equal(await page.getByLabel('Speed').inputValue(), '-1');
  await page.evaluate(() => {
    const states = new Set();
    Object.assign(globalThis, { states });
    const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('.train-map canvas'));
    const look = () => {
      states.add([document.querySelector('.train-step strong')?.textContent, canvas.toDataURL()].join());
      requestAnimationFrame(look);
    };
    look();
  });
  await press(page, 'Train');
  await at(page, 400);
  const states = await page.evaluate(() => /** @type {any} */ (globalThis).states.size);
  assert(states >= 100, `${states} states`);

  // Each figure can be saved.
  assert.equal(await page.locator('.train-map .map-columns bdi').count(), 8, 'each column has its label');
  await page.locator('.train-rate').evaluate((each) => each.closest('details')?.setAttribute('open', ''));
  await page.locator('.train-rate').getByText('Save').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.train-rate').getByRole('button', { name: 'CSV' }).click(),
  ]);
  assert.match(readFileSync(await download.path(), 'utf8'), /step 400/);
  await point(page, '.train-map', 1, 1, 'click');
  await page.locator('.train-map .map-foot summary').last().click();
  const fold = page.locator('.train-map .map-foot .fold-body').last();
  await fold.getByRole('button', { name: 'SVG' }).waitFor();
  assert.equal(await fold.getByRole('button', { name: 'Copy as code' }).count(), 0, 'no code of another place');
  await tools.close(page);
});
