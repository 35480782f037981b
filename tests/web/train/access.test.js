// Train for everybody, in Chromium: with all that it shows axe finds nothing, and nothing runs off the side of a phone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from '../browser.js';
import { assertAccessible, at, openAt, press } from './watch.js';

const tools = useBrowser();

/**
 * In either scheme.
 * @param {import('playwright-core').Page} page @param {Parameters<typeof assertAccessible>[1]} [of]
 */
async function good(page, of) {
  for (const colorScheme of /** @type {const} */ (['dark', 'light'])) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.evaluate(() => document.getAnimations().forEach((each) => each.finish()));
    await assertAccessible(page, of);
  }
}

test('390 px: settings, folds, FFNs alone, a comparison, a challenge, which stands in 1280 px, too', async () => {
  const viewport = { width: 390, height: 844 };
  const page = await openAt(tools, '#/train?task=addition&step=20&d_ff=0', { viewport });
  const go = async (/** @type {string} */ hash, /** @type {number} */ step) => {
    await page.evaluate((to) => (location.hash = to), hash);
    await page
      .locator(`[name=train-task] [value=${/task=(\w+)/.exec(hash)?.[1]}]:checked`)
      .waitFor({ state: 'attached' });
    await at(page, step);
  };
  await at(page, 20);
  await press(page, 'Settings');
  await page.locator('#train-seed').fill('-1');
  await page.locator('#train-seed').press('Enter');
  await page.locator('#train-seed-problem').waitFor();
  await good(page);
  await page.locator('#train-fold-settings > summary').click();

  await go('#/train?task=order&steps=60&step=50', 50);
  const apart = () =>
    page.evaluate(() => {
      const [course, line] = ['.train-controls', '.train-break'].map((each) => document.querySelector(each));
      return Number(line?.getBoundingClientRect().top) - Number(course?.getBoundingClientRect().top);
    });
  const before = await apart();
  await press(page, 'Cut layer 1, head 1');
  await page.getByRole('button', { name: 'From step 50 – Cut: layer 1, head 1' }).waitFor();
  await at(page, 50);
  assert.equal(await apart(), before, 'the lists of changes and runs do not move what is played with');
  await good(page);

  await go('#/train?task=sort&step=30', 30);
  await page.getByText('Gradients and updates by layer').click();
  await page.locator('.train-parts').waitFor();
  await press(page, '✎ type your own');
  await page.locator('#train-own').fill('abc');
  await page.locator('#train-own').press('Enter');
  await page.locator('#train-own-note .error').waitFor();
  await good(page);

  for (const task of ['square', 'and']) {
    await go(`#/train?task=${task}&step=100`, 100);
    await page.locator('.train-ffn svg').first().waitFor();
    await good(page);
  }

  await go('#/train?task=order&twins=3:25:0:positions=none', 0);
  const form = page.locator('#train-fold-compare .compare-form');
  await form.getByRole('radio', { name: 'as set', exact: true }).check();
  await form.getByRole('button', { name: 'Start' }).click();
  await page.locator('.compare-verdict p').first().waitFor();
  await good(page, { within: '#train-fold-compare *', scrolls: '.compare-scroll' });

  await go('#/train?task=copy&residual=0&step=75', 75);
  await go('#/train?task=copy&challenge=1', 0);
  const panel = page.locator('#train-lesson');
  await panel.filter({ hasText: 'Residual connections must be off.' }).waitFor();
  for (const link of ['residual=0&step=75', 'residual=0&step=75&challenge=1']) {
    await go(`#/train?task=copy&${link}`, 75);
    await panel.filter({ hasText: 'Best: 75 steps' }).waitFor({ state: /challenge/.test(link) ? 'visible' : 'hidden' });
  }
  await panel.locator('details').evaluateAll((all) => all.forEach((each) => each.setAttribute('open', '')));
  for (const width of [390, 1280]) {
    await page.setViewportSize({ ...viewport, width });
    await good(page, { within: '#train-lesson, #train-lesson *' });
  }
  await tools.close(page);
});
