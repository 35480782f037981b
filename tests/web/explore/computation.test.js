// One weight opened: every number of the story is the module's own tensor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TARGET, assertShown, compute, point, ready, shipped, update, useBrowser } from '../browser.js';
import { checkStory, numberOf } from '../checks.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/**
 * Opens all numbers, waits until the story is about this cell, then checks all of it.
 * @param {Page} page
 * @param {string} cell
 * @param {import('../checks.js').Own} own
 * @param {Parameters<typeof checkStory>[2]} place
 */
async function checks(page, cell, own, place) {
  await page.waitForFunction(
    (text) => document.querySelector('#computation .view-title')?.textContent?.endsWith(text),
    cell,
  );
  for (const closed = page.locator('#computation details:not([open]) summary'); await closed.count();)
    await closed.first().click();
  await checkStory(page, own, place);
}

test('untrained: the pinned cell, another cell, another head, without the scale, behind the mask, hotter', async () => {
  const page = await tools.open();
  await ready(page);
  const prefix = 'encoder.layers.0.self_attn';
  let own = compute(tools.gf, {});
  await checks(page, 'it → creek', own, { prefix, head: 0, row: 12, key: 1 });
  await point(page, '#heatmap', 7, 3, 'click');
  await checks(page, 'dog → cold', own, { prefix, head: 0, row: 7, key: 3 });
  await page.locator('.lines-tokens.keys .line-token').nth(13).click();
  await checks(page, 'dog → .', own, { prefix, head: 0, row: 7, key: 13 });
  await page.getByRole('radio', { name: 'layer 2, head 3' }).click();
  await page.waitForFunction(() =>
    document.querySelector('#computation .view-title')?.textContent?.includes('layer 2, head 3'),
  );
  await checks(page, 'dog → .', own, { prefix: 'encoder.layers.1.self_attn', head: 2, row: 7, key: 13 });
  await update(page, () => page.getByLabel('Divide scores').uncheck());
  await update(page, () => page.getByLabel('Causal mask').check());
  own = compute(tools.gf, { scoreScale: false, causal: true });
  await page.waitForFunction(() => document.querySelector('#computation [data-value=masked]')?.textContent === '−∞');
  await checks(page, 'dog → .', own, { prefix: 'encoder.layers.1.self_attn', head: 2, row: 7, key: 13, scale: 1 });
  assert.match(await page.locator('#computation').innerText(), /is switched off[\s\S]*may not attend to/);
  await page.locator('#interventions .temperature').fill('0.3');
  await page.waitForFunction(() =>
    /divided by the temperature 2/.test(document.querySelector('#computation')?.textContent ?? ''),
  );
  own.model.forward({ ids: own.model.tensor('encoder.ids').data, temperature: 2, capture: true });
  await checks(page, 'dog → .', own, { prefix: 'encoder.layers.1.self_attn', head: 2, row: 7, key: 13, scale: 2 });
  await page.locator('#text').fill('');
  await page.waitForFunction(
    () => /** @type {HTMLElement} */ (document.querySelector('#computation')).closest('section')?.hidden,
  );
  await tools.close(page);
});

test('cross-attention, many keys', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
  const own = compute(tools.gf, { kind: 'encoder-decoder' }, { target: TARGET });
  await checks(page, '. → creek', own, { prefix: 'decoder.layers.0.multihead_attn', head: 0, row: 10, key: 1 });
  await update(page, () => page.locator('#text').fill('word '.repeat(40)));
  const rows = page.locator('#computation .softmax tbody tr');
  await page.waitForFunction(() =>
    /other 24 sum to|other 23 sum to/.test(document.querySelector('#computation')?.textContent ?? ''),
  );
  assert((await rows.count()) <= 17 && (await page.locator('#computation .softmax tr.here').count()) === 1);
  await tools.close(page);
});

test('creek opens with its own weight explained, and says so of a mean', async () => {
  const page = await tools.open({ model: '' });
  await ready(page);
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.ids('the creek was cold and the spunky dog wanted to jump over it .'), capture: true });
  await page.waitForFunction(() =>
    document.querySelector('#heatmap .map-readout')?.textContent?.startsWith('row it, column creek'),
  );
  const [, layer, head] = (
    /layer (\d), head (\d)/.exec(await page.locator('#heatmap .view-title').innerText()) ?? []
  ).map(Number);
  await checks(page, 'it → creek', own, {
    prefix: `encoder.layers.${layer - 1}.self_attn`,
    head: head - 1,
    row: 12,
    key: 1,
  });
  assert.equal(await page.getByText('these are the steps of one head').count(), 0);
  const weight = own.at(`encoder.layers.${layer - 1}.self_attn.weights`, 0, head - 1, 12, 1);
  await page.getByRole('button', { name: 'Set to 0' }).click();
  await page.getByText('an intervention then set the weight to 0.0000').waitFor();
  assertShown(
    numberOf(String(await page.locator('#computation [data-value=softmax]').textContent())),
    weight,
    'the formula still holds',
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('an intervention then set the weight').waitFor({ state: 'detached' });
  const formula = (/** @type {number} */ step) =>
    page
      .locator('#computation .story > li')
      .nth(step - 1)
      .locator('math')
      .textContent()
      .then((text) => text?.replace(/\s/g, ''));
  assert.match((await formula(5)) ?? '', /^z=/);
  await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Switch off' }).click());
  assert.match((await formula(5)) ?? '', /^z≠/, 'its output is not');
  assert.match(
    await page.locator('#computation').innerText(),
    /set by an intervention, not the sum[\s\S]*but z is set to 0\.0000/,
  );
  await update(page, () => page.getByRole('button', { name: 'Undo' }).click());
  await page.getByLabel('Mean of this layer').check();
  await page.getByText('these are the steps of one head').waitFor();
  await tools.close(page);
});
