// Runs kept as files, in Chromium: saved, opened again, refused.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf, setText } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { openRun, packRun } from '../../../web/train/run/run-file.js';
import { point, useBrowser } from '../browser.js';
import { openAt, press } from './watch.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} hash @param {{setUp?: (page: Page) => Promise<unknown>, permissions?: string[]}} [options] */
const open = (hash, options) => openAt(tools, hash, options);

/** @param {Page} page @param {number} step */
const at = (page, step) =>
  page.waitForFunction(
    (wanted) =>
      document.querySelector('.train-step strong')?.textContent === wanted &&
      document.querySelector('.train-play')?.textContent?.trim() !== 'Pause',
    step.toLocaleString('en'),
  );

/** @param {Page} page */
const hashIn = (page) => page.locator('.train-hash code').textContent();

/** @param {Page} page */
const checkedTask = (page) => page.locator('[name=train-task]:checked').getAttribute('value');

/** @param {Page} page @param {string} button */
async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, button)]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

test('a saved run is opened in another tab: task, settings, step, curves; going on gives Node’s hash', async () => {
  const gf = await load({ variant: 'simd' });
  const page = await open('#/train?task=order&positions=learned&seed=4&step=30');
  await at(page, 30);
  const file = await download(page, 'Save the run');
  assert.equal(file.name, 'order-30.safetensors');
  const own = await createRun(gf, 'order', { ...recipeOf('order'), positions: 'learned', seed: 4 });
  await own.go(30);
  const inNode = await openRun(gf, file.bytes);
  assert.equal(await hashOf(inNode.model), await hashOf(own.model));
  assert.deepEqual(Buffer.from(packRun(own)), file.bytes, 'Node packs the same file');
  await tools.close(page);

  const other = await open('#/train?task=copy&step=5');
  await at(other, 5);
  const before = await hashIn(other);
  const chooser = other.getByLabel('Open a saved run…');
  for (const [name, bytes, reason] of /** @type {[string, Buffer, RegExp][]} */ ([
    ['notes.safetensors', Buffer.from('some notes, and no tensors'), /“notes.safetensors” was not opened: .*text/],
    [
      'model.safetensors',
      Buffer.from(await own.model.save()),
      /“model.safetensors” was not opened: .*no run of this page/,
    ],
  ])) {
    await chooser.setInputFiles({ name, mimeType: '', buffer: bytes });
    await other.locator('.train-notice').filter({ hasText: reason }).waitFor();
    assert.deepEqual([await hashIn(other), await checkedTask(other)], [before, 'copy'], 'the present run is as it was');
  }
  await chooser.setInputFiles({ name: 'run.safetensors', mimeType: '', buffer: file.bytes });
  await at(other, 30);
  assert.equal(await hashIn(other), await hashOf(own.model));
  assert.equal(await checkedTask(other), 'order');
  assert.equal(await other.locator('#train-positions').inputValue(), 'learned');
  assert.equal(await other.locator('.train-notice').isHidden(), true);
  await other.waitForFunction(() => location.hash === '#/train?task=order&positions=learned&seed=4&step=30');
  assert.equal(await other.locator('#train-moment').getAttribute('aria-valuetext'), 'step 30 of 30');
  await other.getByRole('button', { name: 'Train', exact: true }).click();
  await at(other, 200);
  await own.go(200);
  assert.equal(await hashIn(other), await hashOf(own.model));
  await other.goBack();
  await at(other, 5);
  assert.equal(await hashIn(other), before);
  await tools.close(other);
});

test('shared, where the browser shares files; the map offers no code of another place', async () => {
  const page = await open('#/train?task=copy&step=5', {
    setUp: (/** @type {Page} */ page) =>
      page.addInitScript(() => {
        const shared = /** @type {any} */ (globalThis);
        navigator.canShare = () => true;
        navigator.share = async ({ files = [] } = {}) => {
          shared.given = { name: files[0].name, bytes: [...new Uint8Array(await files[0].arrayBuffer())] };
          throw new DOMException('not here', shared.refusal ?? 'AbortError');
        };
      }),
  });
  await at(page, 5);
  const saved = await download(page, 'Save the run');
  await press(page, 'Share the run');
  await page.waitForFunction(() => 'given' in globalThis);
  const given = await page.evaluate(() => /** @type {any} */ (globalThis).given);
  assert.deepEqual([given.name, Buffer.from(given.bytes)], [saved.name, saved.bytes]);
  assert.equal(await page.locator('.train-notice').isHidden(), true, 'the reader has changed his mind');
  await page.evaluate(() => /** @type {any} */ (globalThis.refusal = 'NotAllowedError'));
  await press(page, 'Share the run');
  await page.locator('.train-notice').filter({ hasText: 'could not be shared (not here)' }).waitFor();
  await point(page, '.train-map', 1, 1, 'click');
  await page.locator('.train-map .map-foot summary').last().click();
  const fold = page.locator('.train-map .map-foot .fold-body').last();
  await fold.getByRole('button', { name: 'SVG' }).waitFor();
  assert.equal(await fold.getByRole('button', { name: 'Copy as code' }).count(), 0);
  await tools.close(page);
});

/** Drops a file on the page's bar. @param {Page} page @param {Uint8Array} bytes */
const drop = (page, bytes) =>
  page.evaluate(
    (values) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(values)], 'mine.safetensors'));
      for (const type of ['dragover', 'drop'])
        document
          .querySelector('header')
          ?.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    },
    [...bytes],
  );

test('a file that is dropped opens in Train alone, or is refused once: a run on the reader’s own text', async () => {
  const gf = await load({ variant: 'simd' });
  const text = 'The creek was cold and the dog was tired. The boy was kind and the creek was deep. '.repeat(30);
  setText(text, 'words');
  const own = await createRun(gf, 'text', { ...recipeOf('text'), layers: 1, seed: 2 });
  await own.go(6);
  const page = await open('#/train');
  await at(page, 0);
  await drop(page, Buffer.from('no tensors'));
  await page.locator('.train-notice').filter({ hasText: '“mine.safetensors” was not opened' }).waitFor();
  assert.equal(await page.locator('.notices:visible').count(), 1);
  await drop(page, packRun(own));
  await at(page, 6);
  assert.equal(await checkedTask(page), 'text');
  assert.equal(await page.getByLabel('Your text').inputValue(), text);
  assert.equal(await hashIn(page), await hashOf(own.model));
  await page.getByRole('button', { name: 'One step' }).click();
  await at(page, 7);
  await own.go(7);
  assert.equal(await hashIn(page), await hashOf(own.model));
  assert.match(await page.evaluate(() => location.hash), /^#\/train\?/);
  assert.deepEqual(await page.locator('.notices:visible').allInnerTexts(), []);
  await tools.close(page);
});
