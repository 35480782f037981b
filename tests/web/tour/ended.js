// A worker that ends by itself in any engine: the page says so, and there is a way on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../engines.js';
import { click, eventually, fill, open, quiet, there } from './steps.js';

/** A worker that ends on a message; browsers do not report it. */
const END = "new BroadcastChannel('end').onmessage = () => close();";

/** @param {import('../engines.js').EnginePage} page */
const end = (page) => page.evaluate(() => new BroadcastChannel('end').postMessage(0));

/**
 * Tells the worker to end, once more at each check (WebKit loses a message now and then), until the page says so.
 * @param {import('../engines.js').EnginePage} page @param {string} selector @param {string} part
 */
const says = (page, selector, part) =>
  until(
    page,
    ([selector, part]) => {
      new BroadcastChannel('end').postMessage(0);
      return document.querySelector(selector)?.textContent?.includes(part);
    },
    [selector, part],
  );

/**
 * Presses a button that reloads the page, and waits until that shows something. Without the pointer: what is fetched
 * as it moves would be dropped, as Firefox reports.
 * @param {import('../engines.js').EnginePage} page @param {string} selector @param {string} shown
 */
async function reload(page, selector, shown) {
  await page.evaluate((selector) => {
    Reflect.set(self, 'isOld', true);
    setTimeout(() => document.querySelector(selector).click());
  }, selector);
  await eventually(async () => {
    assert(
      await page.evaluate((shown) => !Reflect.get(self, 'isOld') && document.querySelector(shown)?.textContent, shown),
    );
  });
}

/** @param {import('./steps.js').Tour} tour */
export default function ended(tour) {
  test('ended: Explore, Train and Claims say that their worker has stopped, and go on with another one', async () => {
    const { page, url, append } = tour;
    const restore = ['worker.js', 'trainer.js', 'claims.js'].map((name) => append(name, END));
    try {
      await open(tour, 'creek');
      await end(page);
      await fill(page, '#text', 'the creek was cold and the tired dog wanted to jump over it .');
      await says(page, '#notices', 'The part of the page that computes has stopped.');
      await reload(page, '#again', '#heatmap strong');
      assert.equal(await page.evaluate(() => document.querySelector('#again:not([hidden])')), null);

      await page.goto(`${url}empty.html`);
      await page.goto(`${url}#/train?task=order&seed=2`);
      await there(page, '.train-play');
      await end(page);
      await click(page, '.train-play');
      await says(page, '.train-notice', 'The part of the page that trains has stopped.');
      await reload(page, '#train .again', '.train-play');
      assert.equal(await page.evaluate(() => document.querySelector('#train .again:not([hidden])')), null);

      await page.goto(`${url}empty.html`);
      await page.evaluate(() => localStorage.removeItem('glassformer-claims')); // another part may have tested the card
      await page.goto(`${url}#/claims?card=4`);
      await until(page, () => document.querySelector('.claims-choice'));
      await end(page);
      await click(page, '.claims-question button', 'Run without a bet');
      await says(page, '.claims-problem', 'has stopped');
      await click(page, '.claims-problem button');
      await there(page, '.claims-numbers');
      await quiet(page);
    } finally {
      for (const each of restore) each();
    }
  });
}
