// "What decided this?" on the page: a click and its link, the search cancelled, a model of the reader's own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assertAxe, beforeWorker, listedAnswers, openOwn, ready, update, useBrowser } from '../browser.js';
import { formatShare } from '../../../web/draw/numbers.js';
import { creekIn } from './decided.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const TIRED = 'The dog did not jump over the creek because it was tired.';
const AT = `#/explore?model=creek&text=${encodeURIComponent(TIRED)}&follow=1`;

/** @param {Page} page */
async function ask(page) {
  await page.locator('#decide').click();
  await page.locator('.decision-steps').waitFor();
}

test('a click leads to the state, Enter back, its link restores it, and the graph marks what decides', async () => {
  const page = await tools.open({ at: AT });
  await ready(page);
  await ask(page);
  const node = creekIn(tools.gf);
  const place = '#decision [data-at="2 11"]';
  const back = node.answers(node.patch(2, 11, 0), node.other);
  await update(page, () => page.locator(place).click());
  const [first, after] = (await listedAnswers(page))[0];
  assert.equal(first, node.vocabulary[back.indexOf(Math.max(...back))]);
  assert.equal(String(after).split('→').at(-1)?.trim(), formatShare(Math.max(...back)));
  assert.match(await page.locator('.chips').innerText(), /Encoder layer 2, tired: from the other sentence/);
  const shown = await listedAnswers(page);
  await page.waitForFunction(() => location.hash.includes('changes='));
  const link = await page.evaluate(() => location.hash);

  await page.locator(place).focus();
  await update(page, () => page.keyboard.press('Enter'));
  assert.equal(await page.locator('.chips').count(), 0);
  await tools.close(page);

  const again = await tools.open({ at: link });
  await ready(again);
  await again.locator('.decision-steps').waitFor();
  assert.deepEqual(await listedAnswers(again), shown);
  assert.match(await again.locator('.chips').innerText(), /tired: from the other sentence/);
  assert((await again.locator('#model-graph .decisive').count()) > 0, 'the heads of the links that count are marked');
  await again.getByRole('button', { name: 'Close' }).click();
  assert.equal(await again.locator('#model-graph .decisive').count(), 0);
  assert(await again.locator('#heatmap').isVisible(), 'the map is back');
  await tools.close(again);
});

test('it can be cancelled, and is not there without an answer in words', async () => {
  const slow = `{
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...all) => {
      const { exports } = await instantiate(...all);
      return { exports: { ...exports, gf_model_forward_patched(...values) {
        for (const end = performance.now() + 40; performance.now() < end;);
        return exports.gf_model_forward_patched(...values);
      } } };
    };
  }`;
  const page = await tools.open({ at: AT, setUp: beforeWorker(slow) });
  await ready(page);
  await page.locator('#decide').click();
  await page.getByText(/^[1-9]\d* of \d{2,} passes$/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('#decision').waitFor({ state: 'hidden' });
  await page.evaluate(() => performance.clearMeasures());
  await page.waitForTimeout(500);
  assert.equal((await page.evaluate(() => performance.getEntriesByName('glassformer:update').length)) <= 1, true);
  assert.equal(await page.locator('#decide').getAttribute('aria-expanded'), 'false');
  await tools.close(page);
  const untrained = await tools.open();
  await ready(untrained);
  assert.equal(await untrained.locator('#decide').isVisible(), false);
  await tools.close(untrained);
});

test('a BERT of the reader’s own: a word swapped, and axe finds nothing in picture and panel', async () => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  const folder = (/** @type {string} */ name) =>
    readFileSync(new URL(`../../checkpoints/bert-2l/${name}`, import.meta.url));
  const names = ['config.json', 'model.safetensors', 'tokenizer.json'];
  const files = names.map((name) => ({ name, mimeType: 'application/octet-stream', buffer: folder(name) }));
  await update(page, () => openOwn(page, files));
  await ask(page);
  assert.match(await page.locator('.decision-steps').innerText(), /^With .+ in place of .+, the answer/);
  await assertAxe(page, '', '#decision, #decision-why, #decide');
  await page.locator('#open-heads').click();
  await page.locator('#all-heads .head').first().waitFor();
  await assertAxe(page, '', '#all-heads, #says');
  await tools.close(page);
});
