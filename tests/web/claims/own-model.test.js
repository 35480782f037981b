// From a card to its own model in Explore, in Chromium: focus, cancel, its link. Its numbers: in-explore.test.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedAnswers, readout, update, useBrowser } from '../browser.js';
import { openCard, unfold } from './watch.js';

const tools = useBrowser();
const BUTTON = 'Open its model in Explore';

/** @param {string} hash */
async function reveal(hash) {
  const page = await openCard(tools, hash);
  await page.getByRole('button', { name: 'Run without a bet' }).click();
  await page.locator('.claims-model').waitFor({ state: 'attached' });
  await unfold(page);
  return page;
}

/** The text and the answers in Explore. @param {import('playwright-core').Page} page */
const seen = async (page) => ({ text: await page.locator('#text').inputValue(), answers: await listedAnswers(page) });

test('an FFN without heads has neither a map nor a temperature; the focus is at the models', async () => {
  const page = await reveal('#/claims?card=8');
  await update(page, () => page.getByRole('button', { name: BUTTON }).click());
  await page.locator('#ffn .map-readout strong').waitFor();
  for (const each of ['.model-graph .head', '#try .temperature'])
    assert.equal(await page.locator(each).count(), 0, each);
  assert.equal(await page.locator('#heatmap, #computation').filter({ visible: true }).count(), 0);
  const isAtModels = () => page.evaluate(() => document.activeElement?.matches('#models summary'));
  assert(await isAtModels(), 'the focus is not in the text, whose box would lie over its words');
  assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^From Claims: /);
  await tools.close(page);
});

test('training is cancelled by the same button and by another switch; a wrong link is refused by name', async () => {
  const page = await reveal('#/claims?card=19');
  await page.getByRole('button', { name: BUTTON }).click();
  const cancel = page.locator('.claims-model button', { hasText: 'Cancel' });
  await cancel.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'Cancel');
  await cancel.click();
  const again = page.getByRole('button', { name: BUTTON });
  await again.click();
  await cancel.waitFor();
  await page.getByRole('radio', { name: 'none' }).check();
  await again.waitFor();
  assert.equal(await page.locator('.claims-model progress').count(), 0);
  assert.match(await page.evaluate(() => location.hash), /^#\/claims/);
  await tools.close(page);

  for (const [link, why] of /** @type {const} */ ([
    ['claims%3Fcard%3D99', 'there is no card “99”'],
    ['claims%3Fcard%3D14%26heads%3D7', 'not “7”'],
    ['claims%3Fcard%3D14%26x%3D%3Cimg+src%3Dx%3E', 'this card has no switch “x”'],
    ['claims%3Fview%3Dlist', 'the link names no card'],
  ])) {
    const other = await tools.open({ at: `#/explore?model=${link}` });
    const notice = other.locator('.notices', { hasText: 'trained in Claims' });
    await notice.filter({ hasText: why }).waitFor();
    await notice.getByRole('link', { name: 'Train it on its card' }).waitFor();
    await tools.close(other);
  }
});

test('a reload trains the model of the card again, to the same bits; Cancel opens the page without it', async () => {
  const page = await reveal('#/claims?card=19&seed=1');
  await update(page, () => page.getByRole('button', { name: BUTTON }).click());
  await page.locator('#heatmap .map-readout strong').waitFor();
  assert.equal(await page.locator('#heatmap, #computation').filter({ visible: true }).count(), 2);
  const before = [await seen(page), await readout(page, '#heatmap'), await page.evaluate(() => location.hash)];
  await page.reload();
  await page.locator('.retrain', { hasText: 'Training the model of this link again' }).waitFor();
  await page.locator('#heatmap .map-readout strong').waitFor();
  assert.equal(await page.locator('.retrain').count(), 0);
  assert.deepEqual(
    [await seen(page), await readout(page, '#heatmap'), await page.evaluate(() => location.hash)],
    before,
  );
  assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^From Claims: /);

  await page.reload();
  const cancel = page.locator('.retrain').getByRole('button', { name: 'Cancel' });
  assert(Number((await cancel.boundingBox())?.height) >= 44);
  await cancel.click();
  const notice = page.locator('.notices', { hasText: 'training was cancelled' });
  await notice.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Train it on its card');
  await page.locator('#heatmap .map-readout strong').waitFor();
  assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^Pronouns/);
  await notice.getByRole('link', { name: 'Train it on its card' }).click();
  assert.equal(await page.evaluate(() => location.hash), '#/claims?card=19&seed=1');
  await tools.close(page);
});
