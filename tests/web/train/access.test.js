// Train for everybody, in Chromium: with all that it shows axe finds nothing, and nothing runs off the side of a phone.
import { test } from 'node:test';
import { useBrowser } from '../browser.js';
import { assertAccessible, at, openAt, press } from './watch.js';

const tools = useBrowser();

for (const [colorScheme, wide] of /** @type {const} */ ([
  ['light', 390],
  ['dark', 1280],
]))
  test(`${colorScheme}, 390 px: settings, folds, FFNs alone, a comparison; challenges at ${wide} px`, async () => {
    const viewport = { width: 390, height: 844 };
    const page = await openAt(tools, '#/train?task=addition&step=20&d_ff=0', { colorScheme, viewport });
    const go = async (/** @type {string} */ hash, /** @type {number} */ step) => {
      await page.evaluate((to) => (location.hash = to), hash);
      await page
        .locator(`[name=train-task][value=${/task=(\w+)/.exec(hash)?.[1]}]:checked`)
        .waitFor({ state: 'attached' });
      await at(page, step);
    };
    await at(page, 20);
    await press(page, 'Settings');
    await page.locator('#train-seed').fill('-1');
    await page.locator('#train-seed').press('Enter');
    await page.locator('#train-seed-problem').waitFor();
    await assertAccessible(page);
    await page.locator('#train-fold-settings > summary').click();

    await go('#/train?task=sort&step=30', 30);
    await page.getByText('Gradients and updates by layer').click();
    await page.locator('.train-parts').waitFor();
    await press(page, '✎ type your own');
    await page.locator('#train-own').fill('abc');
    await page.locator('#train-own').press('Enter');
    await page.locator('#train-own-note .error').waitFor();
    await assertAccessible(page);

    for (const task of ['square', 'and']) {
      await go(`#/train?task=${task}&step=100`, 100);
      await page.locator('.train-ffn svg').first().waitFor();
      await assertAccessible(page);
    }

    await go('#/train?task=order&twins=3:25:0:positions=none', 0);
    const form = page.locator('#train-fold-compare .compare-form');
    await form.getByRole('radio', { name: 'as set', exact: true }).check();
    await form.getByRole('button', { name: 'Start' }).click();
    await page.locator('.compare-verdict p').waitFor();
    await assertAccessible(page, { within: '#train-fold-compare *', scrolls: '.compare-scroll' });

    await page.setViewportSize({ ...viewport, width: wide });
    await go('#/train?task=copy&residual=0&step=75', 75);
    await go('#/train?task=copy&challenge=1', 0);
    const panel = page.locator('#train-lesson');
    await panel.filter({ hasText: 'Residual connections must be off.' }).waitFor();
    for (const link of ['residual=0&step=75', 'residual=0&step=75&challenge=1']) {
      await go(`#/train?task=copy&${link}`, 75);
      await panel
        .filter({ hasText: 'Best: 75 steps' })
        .waitFor({ state: /challenge/.test(link) ? 'visible' : 'hidden' });
    }
    await panel.locator('details').evaluateAll((all) => all.forEach((each) => each.setAttribute('open', '')));
    await assertAccessible(page, { within: '#train-lesson, #train-lesson *' });
    await tools.close(page);
  });
