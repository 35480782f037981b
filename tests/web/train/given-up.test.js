// What the reader does before the worker has answered: nothing of the run gets lost on the page, and nothing throws.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from '../browser.js';
import { at, openAt, seen } from './watch.js';

const tools = useBrowser();

test('a moment that is given up for another one leaves no gap in the curves, and no notice', async () => {
  const page = await openAt(tools, '#/train?task=order&step=100');
  await at(page, 100);
  for (const step of [101, 102, 103]) {
    await page.evaluate(async () => {
      const [back, one] = ['Back to step 0', 'One step'].map((name) =>
        [...document.querySelectorAll('button')].find((each) => each.textContent?.trim() === name),
      );
      back?.click();
      for (let i = 0; i < 9; i++) await null; // it has been asked for, but not answered
      one?.click();
    });
    await at(page, step);
    const { facts } = await seen(page);
    assert.match(facts['Learning rate'], /^0\.\d+$/);
    assert.match(facts['Gradient norm'], /^\d/);
    assert.equal(await page.locator('.train-notice').textContent(), '');
  }
  await tools.close(page);
});

test('after an FFN alone, two links to another task, Back and forward: its heads are shown', async () => {
  const page = await openAt(tools, '#/train?task=xor');
  await at(page, 0);
  await page.evaluate(async () => {
    for (const seed of [1, 2]) {
      location.hash = `#/train?task=sort&seed=${seed}`;
      await new Promise((done) => addEventListener('hashchange', done, { once: true }));
    }
  });
  await page.locator('.train-heads canvas').first().waitFor();
  for (const turn of /** @type {const} */ (['goBack', 'goBack', 'goForward', 'goForward'])) await page[turn]();
  await page.locator('.train-heads canvas').first().waitFor();
  await at(page, 0);
  assert.match(new URL(page.url()).hash, /task=sort&seed=2/);
  await tools.close(page);
});
