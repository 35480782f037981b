// Explanations where they stand: by pointer, focus and touch, dismissible and hoverable; and none is missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, useBrowser } from '../browser.js';

const tools = useBrowser();

/** @param {import('playwright-core').Page} page @param {RegExp} text */
const said = (page, text) =>
  page.waitForFunction(
    ([source]) => {
      const tip = document.getElementById('tip');
      return tip && !tip.hidden && new RegExp(source).test(tip.textContent ?? '');
    },
    [text.source],
  );
const gone = (/** @type {import('playwright-core').Page} */ page) => page.locator('#tip').waitFor({ state: 'hidden' });

test('a node of the graph: by pointer, which may go to the tooltip; Escape takes it away alone', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  assert.equal(
    await page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /glossary-/.test(name))),
    false,
  );
  const node = page.locator('.model-graph-node', { hasText: 'FFN' }).first();
  await node.hover();
  await said(page, /feed-forward network/);
  const box = await page.locator('#tip').boundingBox();
  assert(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForTimeout(500); // longer than the grace on the way to it
  assert.equal(await page.locator('#tip').isVisible(), true);
  await page.keyboard.press('Escape');
  await gone(page);
  await node.hover();
  await said(page, /feed-forward network/);
  await page.mouse.move(5, 5);
  await gone(page);
  await page.locator('#model-graph [tabindex="0"]').focus();
  await page.keyboard.press('Home');
  await said(page, /vocabulary/);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-describedby')), 'tip');
  await page.keyboard.press('ArrowRight');
  await said(page, /learned table/);
  await tools.close(page);
});

test('a symbol of a formula: by pointer, by focus all of its formula, by a tap', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const formula = page.locator('#computation .formula').first();
  await formula.locator('mi', { hasText: /^q$/ }).first().hover();
  await said(page, /^q: the query/);
  await page.mouse.move(5, 5);
  await gone(page);
  await page.keyboard.press('Tab'); // the keyboard is in use
  await formula.focus();
  await said(page, /q: the query.*k: the key/);
  assert.equal(await formula.getAttribute('aria-describedby'), 'tip');
  await tools.close(page);

  const touch = await tools.open({ model: 'creek', hasTouch: true });
  await ready(touch);
  const letter = touch.locator('#computation .formula mi', { hasText: /^k$/ }).first();
  await letter.tap(); // the first one fetches
  await said(touch, /^k: the key/);
  await touch.locator('#computation-title').tap();
  await gone(touch);
  await letter.tap();
  await said(touch, /^k: the key/);
  await tools.close(touch);
});
