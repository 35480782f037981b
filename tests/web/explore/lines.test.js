// Attention as lines of a long text: every number is the module's own, and the lines scroll with the cursor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, update, useBrowser } from '../browser.js';
import { assertShown, compute } from '../in-node.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {'queries' | 'keys'} side @param {number} index */
const token = (page, side, index) => page.locator(`.lines-tokens.${side} .line-token`).nth(index);
/**
 * The titles of the lines, in parts.
 * @param {Page} page
 * @returns {Promise<{from: string, to: string, weight: number}[]>}
 */
const edges = (page) =>
  page.locator('.lines-edges title').evaluateAll((titles) =>
    titles.map(({ textContent }) => {
      const [, from, to, weight] = /^(.*) → (.*): (.*)$/.exec(String(textContent)) ?? [];
      return { from, to, weight: Number(weight) };
    }),
  );

const WEIGHTS = 'encoder.layers.0.self_attn.weights';

test('128 tokens, right-to-left and emoji, 320 px', async () => {
  const page = await tools.open({ viewport: { width: 320, height: 740 } });
  await ready(page);
  const text = `שלום עולם 🐕 ${'pneumono'.repeat(12)} ${'word '.repeat(124)}`.trim();
  await update(page, () => page.locator('#text').fill(text));
  const own = compute(tools.gf, {}, { text });
  assert.equal(await page.locator('.queries .line-token').count(), 128);
  assert.equal(await page.locator('.queries bdi').first().innerText(), 'שלום');
  assert.match(
    await page.locator('.lines-note').innerText(),
    /^The 3 strongest lines of each query; the rest sum to [\d.]+ % of the weight/,
  );
  const [first] = await edges(page);
  assertShown(first.weight, Math.max(...Array.from({ length: 128 }, (_, key) => own.at(WEIGHTS, 0, 0, 0, key))));
  const box = await page
    .locator('.lines-scroll')
    .evaluate((e) => ({
      high: e.scrollHeight > e.clientHeight,
      wide: e.scrollWidth > e.clientWidth,
      right: e.getBoundingClientRect().right,
    }));
  assert.deepEqual(
    { high: box.high, wide: box.wide, inside: box.right <= 320 },
    { high: true, wide: false, inside: true },
  );
  await token(page, 'queries', 12).focus();
  await page.keyboard.press('End');
  const inSight = await token(page, 'queries', 127).evaluate(
    (e) => e.getBoundingClientRect().bottom <= (e.closest('.lines-scroll')?.getBoundingClientRect().bottom ?? 0) + 1,
  );
  assert(inSight, 'the lines scroll with the cursor');
  await tools.close(page);
});
