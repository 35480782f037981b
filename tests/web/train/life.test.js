// The life of a run in Chromium: a module that breaks down, reload and crash, storage, a hidden tab, divergence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from '../../../web/train/look.js';
import { recipeOf } from '../../../web/train/recipes.js';
import { beforeWorker, trapping, useBrowser } from '../browser.js';
import { at, nodeRun, openAt, seen } from './watch.js';

const tools = useBrowser();
const SCRIPT = '**/trainer.js';
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} hash @param {object} [options] */
const open = (hash, options) => openAt(tools, hash, options);

/** @param {Page} page @param {string} name */
const click = (page, name) => page.getByRole('button', { name, exact: true }).click();

/** The hash of a run in Node. @param {string} task @param {number} step @param {object} [changes] of its recipe */
async function hashInNode(task, step, changes = {}) {
  const own = await nodeRun({ ...recipeOf(task), ...changes }, task);
  await own.go(step);
  return hashOf(own.model);
}

for (const [name, call] of /** @type {const} */ ([
  ['gf_trainer_step', 38],
  ['gf_model_forward', 40],
  ['gf_model_create', 1],
  ['_initialize', 1],
]))
  test(`${name} breaks down at call ${call}: nobody notices, and the hash is the same`, async () => {
    const setUp = beforeWorker(trapping(name, `call === ${call}`), SCRIPT);
    const page = await open('#/train?task=order&steps=60', { setUp });
    await at(page, 0);
    await click(page, 'Train');
    await at(page, 60);
    assert.equal((await seen(page)).hash, await hashInNode('order', 60));
    assert.equal(await page.locator('.train-notice').innerText(), '');
    await tools.close(page);
  });

test('after a return to an earlier step, too, it goes on from there', async () => {
  // 40 steps, back to 10, and the third step from there breaks down
  const page = await open('#/train?task=order&steps=40', {
    setUp: beforeWorker(trapping('gf_trainer_step', 'call === 43'), SCRIPT),
  });
  await at(page, 0);
  await click(page, 'Train');
  await at(page, 40);
  await page.locator('#train-moment').focus();
  await page.keyboard.press('Home');
  await at(page, 0);
  for (const step of [1, 2, 3, 4]) {
    await click(page, 'One step');
    await at(page, step);
  }
  assert.equal((await seen(page)).hash, await hashInNode('order', 4));
  await tools.close(page);
});

test('again and again: the page says so', async () => {
  const page = await open('#/train?task=order', { setUp: beforeWorker(trapping('gf_trainer_step', 'true'), SCRIPT) });
  await at(page, 0);
  await click(page, 'Train');
  await page.waitForFunction(() => document.querySelector('.train-notice')?.textContent);
  assert.equal(
    await page.locator('.train-notice').innerText(),
    'The WebAssembly module broke down, and so did a fresh one: ' +
      'this browser reports “Out of bounds memory access”.',
  );
  await tools.close(page);
});
