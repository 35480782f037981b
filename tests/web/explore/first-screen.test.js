// The first screen: the picture high up, the explanation and the effect beside what was clicked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShare } from '../../../web/draw/numbers.js';
import { assertAxe, listedAnswers, point, ready, update, useBrowser } from '../browser.js';
import { shipped } from '../in-node.js';

/** @typedef {import('playwright-core').Page} Page */

const tools = useBrowser();

/** Sizes of the window, and how high the map begins at the latest. @type {[number, number, number][]} */
const WINDOWS = [
  [1440, 900, 260],
  [1280, 720, 260],
  [390, 844, 300],
];

/** Whether all of an element is in the window. @param {Page} page @param {string} selector */
const isWhole = (page, selector) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { top, bottom, left, right, height } = element.getBoundingClientRect();
      return height > 0 && top >= 0 && left >= 0 && bottom <= innerHeight + 0.5 && right <= innerWidth + 0.5;
    });

/** @param {Page} page @param {string} selector */
async function becomesWhole(page, selector) {
  for (const end = Date.now() + 5000; !(await isWhole(page, selector)); await page.waitForTimeout(50))
    assert(Date.now() < end, `${selector} is not all in the window`);
}

for (const [width, height, most] of WINDOWS) {
  test(`${width} × ${height}: the map begins within ${most} px, and a click on a cell explains it`, async () => {
    const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width, height } });
    await ready(page);
    const { y } = (await page.locator('#heatmap .map-scroll').boundingBox()) ?? { y: NaN };
    assert(y <= most, `it begins at ${y}`);
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await point(page, '#heatmap', 2, 1, 'click');
    await page.locator('#computation-title').getByText('Why').waitFor();
    await page.locator('#why-panel').getByText('was', { exact: true }).first().waitFor();
    await becomesWhole(page, '#why-panel');
    await tools.close(page);
  });

  test(`${width} × ${height}: with the head off, the answer before and after is in the window`, async () => {
    const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width, height } });
    await ready(page);
    const tab = page.locator('#sheet').getByRole('button', { name: 'Try' });
    if (await tab.isVisible()) await tab.click();
    await update(page, () => page.locator('#try .switch').click());
    await page.locator('#answers .answers-before').first().waitFor();
    await becomesWhole(page, '#answers');
    const own = shipped(tools.gf, 'creek');
    const ids = own.ids('the creek was cold and the spunky dog wanted to jump over it .');
    const shareOf = (/** @type {object} */ run) => {
      own.model.forward({ ids, ...run });
      const row = own.probabilities().data.subarray(12 * own.vocabulary.length, 13 * own.vocabulary.length);
      return row[own.vocabulary.indexOf('creek')];
    };
    const item = page.locator('.try-answers li', { hasText: 'creek' });
    assert.equal(
      (await item.locator('.number').innerText()).replaceAll('\u00a0', ' '),
      `${formatShare(shareOf({}))} → ${formatShare(shareOf({ ablate: [{ layer: 2, head: 1 }] }))}`.replaceAll(
        '\u00a0',
        ' ',
      ),
    );
    await tools.close(page);
  });
}

test('1440 × 900 at 200 %: six rows of the map are in the window', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 720, height: 450 } });
  await ready(page);
  const rows = await page.locator('#heatmap .map-rows > *').evaluateAll(
    (all) =>
      all.filter((row) => {
        const { top, bottom, height } = row.getBoundingClientRect();
        const sheet = document.querySelector('.why-pane')?.getBoundingClientRect().top ?? innerHeight;
        return height > 0 && top >= 0 && bottom <= sheet;
      }).length,
  );
  assert(rows >= 6, `${rows} rows`);
  await tools.close(page);
});

/** Each control that can be seen in the window. @param {Page} page */
const controlsIn = (page) =>
  page.evaluate(() => {
    const every = document.querySelectorAll(
      'a[href], button, input, select, textarea, summary, [role=button], [role=application], [role=radio]',
    );
    const seen = [...every].filter((each) => {
      const { top, bottom, width } = each.getBoundingClientRect();
      const isShown = each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      return isShown && width > 1 && bottom > 0 && top < innerHeight;
    });
    return seen.map((each) => each.textContent?.trim() || each.ariaLabel);
  });

/** The sizes of type in the window. @param {Page} page */
const sizesIn = (page) =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Set();
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      const { bottom = 0, top = 0 } = element?.getBoundingClientRect() ?? {};
      const isShown = element?.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      if (isShown && texts.currentNode.textContent?.trim() && bottom > 0 && top < innerHeight)
        found.add(getComputedStyle(element).fontSize);
    }
    return [...found];
  });

/**
 * The share of a word at “it” in Node, as it is written.
 * @param {string} last @param {string} word @param {object} [run]
 */
function shareOf(last, word, run = {}) {
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.ids(`the dog did not jump over the creek because it was ${last} .`), ...run });
  const row = own.probabilities().data.subarray(9 * own.vocabulary.length, 10 * own.vocabulary.length);
  return formatShare(row[own.vocabulary.indexOf(word)]);
}

for (const [width, height, most] of WINDOWS) {
  test(`${width} × ${height}: it opens with a word to flip; four taps show causes and effects`, async () => {
    const isPhone = width < 500;
    const phone = isPhone ? { hasTouch: true, isMobile: true } : {};
    const page = await tools.open({
      model: '',
      layout: 'workspace',
      fresh: true,
      viewport: { width, height },
      ...phone,
    });
    await page.evaluate(() => {
      Object.assign(self, { shifts: [], answered: [] });
      new PerformanceObserver((list) => {
        for (const each of /** @type {any[]} */ (list.getEntries()))
          if (!each.hadRecentInput) Reflect.get(self, 'shifts').push(each);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const line = page.locator('#opening [role=status]');
    await line.getByText('Tap deep.').waitFor();
    const weights = await line
      .locator('p, bdi')
      .evaluateAll((all) => new Set(all.map((each) => getComputedStyle(each).fontWeight)).size);
    assert.equal(weights, 1, 'a word that is only named looks like no button');
    const controls = await controlsIn(page);
    assert(controls.length <= 25, `${controls.length}: ${controls.join(', ')}`);
    const sizes = await sizesIn(page);
    assert(sizes.length <= 6, sizes.join(', '));
    const mapAt = async () => (await page.locator('#heatmap .map-scroll').boundingBox())?.y ?? NaN;
    const y = await mapAt();
    assert(y <= most, `the map begins at ${y}`);
    if (!isPhone) await assertAxe(page, 'the opening');
    /**
     * By finger, or by Enter, as the focus has gone to what is next; then waits for the line that answers.
     * @param {string} selector @param {string} text @param {boolean} [moves]
     */
    async function tap(selector, text, moves = true) {
      const from = await page.evaluate(() => performance.now());
      const target = page.locator(selector);
      await target.waitFor();
      if (isPhone) {
        const box = (await target.boundingBox()) ?? { width: 0, height: 0 };
        assert(Math.min(box.width, box.height) >= 44, `${selector}: ${box.width} × ${box.height}`);
        await target.tap();
      } else {
        if (moves) await page.waitForFunction((which) => document.activeElement?.matches(which), selector);
        else await target.focus();
        await page.keyboard.press('Enter');
      }
      await line.getByText(text).waitFor();
      // The changes by a tap are no shift, also where a busy machine draws them later than in the browser's 500 ms.
      await page.evaluate(async (from) => {
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
        Reflect.get(self, 'answered').push([from, performance.now()]);
      }, from);
    }
    await tap('.token.flip', 'Now it looks at dog, and the answer is dog.', false);
    assert.equal((await listedAnswers(page))[0].join(' '), `dog ${shareOf('tired', 'dog')}`);
    await tap('#opening .primary', 'the marked one matters most. Tap it to switch it off.');
    const [before, after] = [{}, { ablate: [{ layer: 2, head: 1 }] }].map((run) => shareOf('tired', 'dog', run));
    await tap('#model-graph .head.behind', `Without head 2 of layer 3, dog goes from ${before} to ${after}.`);
    await becomesWhole(page, '#answers');
    assert.equal(await page.locator('#opening').isVisible(), true);
    await page
      .locator(isPhone ? '#sheet button' : '#computation-title')
      .first()
      .waitFor();
    if (!isPhone) assert.equal(await mapAt(), y, 'the map has not moved');
    await tap('#opening .primary', '2 links and 1 FFN decide: without each, dog has');
    assert(await page.locator('.decision-ffn').isVisible());
    const steps = page.locator('.decision-steps li');
    assert.match((await steps.allTextContents()).join(' '), /Layer 2, FFN makes the difference at\s+it: switched off/);
    if (!isPhone) {
      await page.waitForFunction(() => document.activeElement?.id === 'decision-title');
      const { y: top = NaN, height: high = NaN } = (await steps.last().boundingBox()) ?? {};
      assert(top + high <= height, 'all steps are in the window');
    }
    const shift = await page.evaluate(() =>
      Reflect.get(self, 'shifts')
        .filter(({ startTime: at }) => !Reflect.get(self, 'answered').some(([from, to]) => at >= from && at <= to))
        .reduce((/** @type {number} */ sum, /** @type {any} */ { value }) => sum + value, 0),
    );
    assert(shift < 0.001, `a layout shift of ${shift}`); // the full stop, behind a shorter word
    await page.goto('about:blank');
    await page.goto(tools.url);
    await ready(page);
    assert.equal(await page.locator('#opening').count(), 0, 'who returns finds the instrument');
    assert.match((await page.locator('.tokens').first().innerText()).replace(/\s+/g, ' '), /^The creek was cold/);
    await tools.close(page);
  });
}

test('the first hover lights what it points at', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 1440, height: 900 } });
  await ready(page);
  await page.locator('#tokens-encoder .token').nth(7).hover(); // one move of the pointer
  await page.locator('#heatmap .map-rows [data-lit]').waitFor();
  await tools.close(page);
});
