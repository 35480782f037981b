// A newcomer's view of Train: the row, the head and the course of a run, or an FFN's neurons, in the first window.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { point, useBrowser } from '../browser.js';
import { TEXTS } from '../../../web/train/tasks.js';
import { at, press } from './watch.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} hash @param {object} [options] @param {number} [step] that it comes to */
const open = async (hash, options, step = 0) => {
  const page = await tools.open({ ...options, at: hash });
  await at(page, step);
  return page;
};

/** Where an element ends. @param {Page} page @param {string} selector */
async function endOf(page, selector) {
  const box = await page.locator(selector).first().boundingBox();
  return box ? box.y + box.height : NaN;
}

const SIZES = [
  [1440, 900],
  [1280, 720],
];

/**
 * The controls of the whole page, in the window or below it: each one that can be used, also every radio and every tile
 * of a group, without the link that skips the bar.
 * @param {Page} page
 */
const controlsOf = (page) =>
  page.evaluate(() => {
    const isShown = (/** @type {Element} */ each) =>
      each.checkVisibility({ visibilityProperty: true }) && !each.matches('.skip-link, :disabled');
    return [...document.querySelectorAll('a, button, input, select, summary, textarea, [role=application]')]
      .filter((each) => each.getBoundingClientRect().width > 0 && isShown(each))
      .map((each) => each.textContent || each.id || each.localName);
  });

for (const [width, height] of SIZES) {
  test(`${width} × ${height}: all that is played with is in the window`, async () => {
    const page = await open('#/train', { viewport: { width, height } });
    for (const part of ['.train-tiles', '.train-map .map-grid', '.train-held', '.train-timeline', '.train-break'])
      assert((await endOf(page, part)) <= height, `${part} ends at ${await endOf(page, part)}`);
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await tools.close(page);
  });

  test(`${width} × ${height}: an FFN is trained, its neurons watched and one explained without scrolling`, async () => {
    const page = await open('#/train?task=xor', { viewport: { width, height } });
    for (const task of ['xor', 'and', 'square']) {
      await page.getByLabel('Task').selectOption(task); // of which the one before has taken steps
      await at(page, 0);
      const isGate = task !== 'square';
      const parts = ['.train-play', '.train-excited .map-grid', '.train-dead', '.train-reason', '.train-timeline'];
      parts.push(...(isGate ? ['.train-surface > svg', '.train-above', '.train-neurons table'] : ['.train-plot']));
      const inside = async () => {
        for (const part of parts)
          assert((await endOf(page, part)) <= height, `${task}: ${part} ${await endOf(page, part)}`);
        assert.equal(await page.evaluate(() => scrollY), 0);
      };
      await inside();
      await page.getByLabel('Speed').selectOption('-1', { force: true });
      await page.evaluate(
        (selector) => {
          const seen = { kinks: new Set(), cells: new Set() };
          Object.assign(globalThis, { seen });
          const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('.train-excited .map-cells canvas'));
          const look = () => {
            seen.kinks.add([...document.querySelectorAll(selector)].map((each) => each.getAttribute('d')).join());
            seen.cells.add(canvas.toDataURL());
            requestAnimationFrame(look);
          };
          look();
        },
        isGate ? '.train-hinge' : '.train-kink',
      );
      const { x = 0, y = 0 } = (await page.locator('.train-play').boundingBox()) ?? {};
      await page.mouse.click(x + 10, y + 10);
      await page.waitForFunction(() => Number(document.querySelector('.train-step strong')?.textContent) > 40);
      await inside();
      assert((await controlsOf(page)).length <= 22, 'while it trains');
      await page.mouse.click(x + 10, y + 10);
      const counts = await page.evaluate(() => {
        const { seen } = /** @type {any} */ (globalThis);
        return [seen.kinks.size, seen.cells.size];
      });
      assert(Math.min(...counts) >= 10, `${task}: ${counts} states of the kinks, of the neurons`);
      await point(page, '.train-excited', 1, 1, 'click');
      await page.locator('.train-reason').filter({ hasText: 'Why' }).waitFor();
      if (isGate) assert.equal(await page.locator('.train-hinge.chosen').count(), 1);
      assert.deepEqual(
        await page
          .locator('.train-play')
          .boundingBox()
          .then((box) => box?.y),
        y,
        'nothing moves',
      );
      await inside();
    }
    await tools.close(page);
  });
}

test('at most 22 controls on the page of each task', async (t) => {
  for (const task of Object.keys(TEXTS)) {
    const page = await open(`#/train?task=${task}`, { viewport: { width: 1440, height: 900 } });
    const late = /^(square|and|xor)$/.test(task)
      ? '.train-excited .map-grid'
      : task === 'text'
        ? '#train-text'
        : '.train-map';
    await page.locator(late).waitFor();
    const controls = await controlsOf(page);
    t.diagnostic(`${task} ${controls.length}`);
    assert(controls.length <= 22, `${task} ${controls.length}: ${controls.join('; ')}`);
    await tools.close(page);
  }
});

/** The sizes of all text of the page in px, also of what a control shows, and where one is found. @param {Page} page */
const sizesOf = (page) =>
  page.evaluate(() => {
    /** @type {Record<string, string>} */
    const sizes = {};
    for (const each of document.querySelectorAll('body, body *')) {
      const hasText = [...each.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim());
      if (!(hasText || each.matches('input, select, textarea')) || each.matches('script, style, option')) continue;
      if (each.checkVisibility()) sizes[parseFloat(getComputedStyle(each).fontSize)] = each.outerHTML.slice(0, 80);
    }
    return sizes;
  });

test('at most six sizes of text, with every fold open, at 1440 and at 390 px', async (t) => {
  for (const width of [1440, 390])
    for (const task of ['reverse', 'order', 'story', 'text', 'xor', 'square']) {
      const page = await open(`#/train?task=${task}&step=20`, { viewport: { width, height: 900 } }, 20);
      const folds = page.locator('#train details');
      await folds.evaluateAll((all) => all.forEach((each) => each.setAttribute('open', '')));
      const last = task === 'xor' || task === 'square' ? '#train-fold-layers svg text' : '.compare-form';
      await page.locator(last).first().waitFor();
      const sizes = await sizesOf(page);
      t.diagnostic(`${width} ${task}: ${Object.keys(sizes).join(', ')}`);
      assert(Object.keys(sizes).length <= 6, `${width} ${task}: ${JSON.stringify(sizes, null, 1)}`);
      await tools.close(page);
    }
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
  await page
    .locator('#train-more, #train-fold-settings')
    .evaluateAll((all) => all.forEach((each) => (each.open = true)));
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
