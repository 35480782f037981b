// The place Train in Chromium: the other places, dropped files, what is fetched, keys.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf, setText } from '../../../web/train/run/recipes.js';
import { packRun } from '../../../web/train/run/run-file.js';
import { useBrowser } from '../browser.js';
import { nodeRun } from './node.js';
import { at, openAt, seen } from './watch.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} hash @param {object} [options] */
const open = (hash, options) => openAt(tools, hash, options);

test('what is typed in the box of the text stays while the run goes on, which pauses for another place', async () => {
  const page = await open('#/train?task=text&steps=5000');
  await at(page, 0);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  const shows = (/** @type {number} */ least) =>
    page.waitForFunction((from) => Number(document.querySelector('.train-step strong')?.textContent) > from, least);
  await shows(0);
  const box = page.getByLabel('Your text');
  await box.fill('half a sentence');
  await shows(await page.locator('.train-step strong').evaluate((step) => Number(step.textContent)));
  assert.equal(await box.inputValue(), 'half a sentence');
  assert.ok(/** @type {any} */ (await box.boundingBox()).height > 100, 'six rows of it are seen');
  await page.getByRole('link', { name: 'Claims' }).click();
  await page.waitForFunction(() => document.querySelector('.train-play')?.textContent?.trim() === 'Train');
  const { hash } = await seen(page);
  await page.getByRole('link', { name: 'Train', exact: true }).click();
  await page.waitForFunction(() => /task=text&.*step=/.test(location.hash));
  assert.equal((await seen(page)).hash, hash, 'the same moment');
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
  const text = 'The creek was cold and the dog was tired. The boy was kind and the creek was deep. '.repeat(30);
  setText(text, 'words');
  const own = await nodeRun({ ...recipeOf('text'), layers: 1, seed: 2 }, 'text');
  await own.go(6);
  const page = await open('#/train');
  await at(page, 0);
  await drop(page, Buffer.from('no tensors'));
  await page.locator('.train-notice').filter({ hasText: '“mine.safetensors” was not opened' }).waitFor();
  assert.equal(await page.locator('.notices:visible').count(), 1);
  await drop(page, packRun(own));
  await at(page, 6);
  assert.equal(await page.locator('[name=train-task] :checked').getAttribute('value'), 'text');
  assert.equal(await page.getByLabel('Your text').inputValue(), text);
  assert.equal((await seen(page)).hash, await hashOf(own.model));
  await page.getByRole('button', { name: 'One step' }).click();
  await at(page, 7);
  await own.go(7);
  assert.equal((await seen(page)).hash, await hashOf(own.model));
  assert.match(await page.evaluate(() => location.hash), /^#\/train\?/);
  assert.deepEqual(await page.locator('.notices:visible').allInnerTexts(), []);
  await tools.close(page);
});

test('fetched when it is opened', async (t) => {
  /** @type {string[]} */
  const names = [];
  const page = await tools.open({ model: '', layout: 'workspace' });
  await page.locator('.head').first().waitFor();
  page.on('response', (response) => names.push(new URL(response.url()).pathname.slice(1)));
  await page.getByRole('link', { name: 'Train', exact: true }).click();
  await at(page, 0);
  const folder = fileURLToPath(new URL('../../../dist/web/', import.meta.url));
  const fetched = names.filter((name) => !/\.wasm-/.test(name) && readdirSync(folder).includes(name));
  assert(fetched.includes('trainer.js') && fetched.some((name) => /^train-/.test(name)), fetched.join());
  const sizes = fetched.map((name) => gzipSync(readFileSync(`${folder}${name}`), { level: 9 }).length);
  t.diagnostic(fetched.map((name, i) => `${name} ${sizes[i]}`).join(', '));
  await tools.close(page);
});

test('the guided run is turned by keys from where it opens to its end; closed, it gives the focus back', async () => {
  const page = await open('#/train');
  await at(page, 0);
  const focused = (/** @type {string} */ selector) =>
    page.waitForFunction((selector) => document.activeElement?.matches(selector), selector);
  const turned = (/** @type {number} */ to) =>
    page
      .locator('.book-count')
      .filter({ hasText: `${to} of 7` })
      .waitFor();
  await page.locator('#book-button').press('Enter');
  await focused('#train-lesson');
  await page.keyboard.press('PageDown');
  await turned(2);
  await focused('#train-lesson');
  const next = page.getByRole('button', { name: 'Next' });
  await next.focus();
  for (let to = 3; to <= 7; to++) {
    await page.keyboard.press('Enter');
    await turned(to);
  }
  await page.keyboard.press('ArrowLeft'); // the focus is still there
  await turned(6);
  await page.getByRole('button', { name: 'Close' }).press('Enter');
  await focused('#book-button');
  await tools.close(page);
});
