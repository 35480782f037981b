// What must hold of the first screen: the picture high up, the explanation and the effect beside what was clicked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShare } from '../../../web/draw/share.js';
import { listedAnswers, point, ready, shipped, update, useBrowser } from '../browser.js';

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
  test(`${width} × ${height}: the map begins within ${most} px, nothing is wider than the window`, async () => {
    const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width, height } });
    await ready(page);
    const { y } = (await page.locator('#heatmap .map-scroll').boundingBox()) ?? { y: NaN };
    assert(y <= most, `it begins at ${y}`);
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await tools.close(page);
  });

  test(`${width} × ${height}: a click on a cell explains it in the window`, async () => {
    const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width, height } });
    await ready(page);
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

test('few controls beside the words and the nodes of the graph, and six sizes of type', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: { width: 1440, height: 900 } });
  await ready(page);
  const { controls, sizes } = await page.evaluate(() => {
    const isSeen = (/** @type {Element} */ element) => {
      const { top, bottom, width } = element.getBoundingClientRect();
      const shown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      return shown && width > 1 && bottom > 0 && top < innerHeight;
    };
    const every = document.querySelectorAll('a[href], button, input, select, textarea, summary, [role=application]');
    const own = [...every].filter((each) => isSeen(each) && !each.matches('.token, #model-graph *'));
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Set();
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      if (element && texts.currentNode.textContent?.trim() && isSeen(element))
        found.add(getComputedStyle(element).fontSize);
    }
    return { controls: own.map((each) => each.textContent?.trim() || each.ariaLabel), sizes: [...found] };
  });
  assert(controls.length <= 35, `${controls.length}: ${controls.join(', ')}`);
  assert(sizes.length <= 6, sizes.join(', '));
  await tools.close(page);
});

test('two words to flip: the sentence, the answer and the map follow', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', viewport: { width: 1440, height: 900 } });
  await ready(page);
  const own = shipped(tools.gf, 'creek');
  for (const word of ['tired', 'deep', 'tired']) {
    await page.getByRole('button', { name: 'tired ⇄ deep' }).click();
    const words = `the dog did not jump over the creek because it was ${word} .`;
    own.model.forward({ ids: own.ids(words), capture: true });
    const row = own.probabilities().data.subarray(9 * own.vocabulary.length, 10 * own.vocabulary.length);
    const best = own.vocabulary[row.indexOf(Math.max(...row))];
    await page.locator('#tokens-encoder .token-word', { hasText: word }).waitFor();
    await page.locator('.answers-list li').first().getByText(best, { exact: true }).waitFor();
    assert.equal((await listedAnswers(page))[0][1]?.trim(), formatShare(Math.max(...row)));
  }
  await tools.close(page);
});

test('the first hover lights what it points at', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 1440, height: 900 } });
  await ready(page);
  await page.locator('#tokens-encoder .token').nth(7).hover(); // one move of the pointer
  await page.locator('#heatmap .map-rows [data-lit]').waitFor();
  await tools.close(page);
});
