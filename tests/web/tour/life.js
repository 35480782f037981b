// The life of a run of the place Train in any engine: saved and opened, a crash, a hidden tab, storage that is refused.
// All on real runs, with Node's bits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { load } from 'glassformer';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf } from '../../../web/train/run/recipes.js';
import { openRun } from '../../../web/train/run/run-file.js';
import { createRun } from '../../../web/train/run/run.js';
import { until } from '../engines.js';
import { catchFiles, click, fill, quiet } from './steps.js';

/** @typedef {import('../engines.js').EnginePage} EnginePage */

/** @param {string} task @param {object} changes of its recipe */
const inNode = async (task, changes) =>
  createRun(await load({ variant: 'simd' }), task, { ...recipeOf(task), ...changes });

/**
 * The page again, so that the worker of the one before ends.
 * @param {import('./steps.js').Tour} tour
 * @param {string} to
 */
async function open({ page, url }, to) {
  await page.goto(`${url}empty.html`);
  await page.goto(`${url}#/train${to}`);
}

/** The hash once a step is shown and nothing trains. @param {EnginePage} page @param {number} step */
const hashAt = (page, step) =>
  until(
    page,
    (step) =>
      document.querySelector('.train-step strong')?.textContent === step &&
      document.querySelector('.train-play')?.textContent?.trim() !== 'Pause' &&
      document.querySelector('.train-hash code')?.textContent,
    String(step),
    60_000,
  );

/** Waits until training has come past a step. @param {EnginePage} page @param {number} step */
const past = (page, step) =>
  until(page, (step) => Number(document.querySelector('.train-step strong')?.textContent) > step && 1, step, 60_000);

/** @param {EnginePage} page @param {string} selector */
const textOf = (page, selector) =>
  until(page, (selector) => document.querySelector(selector)?.textContent?.replace(/\s+/g, ' ').trim(), selector);

/** Says that the tab is hidden, or not, and counts what is drawn meanwhile. @param {EnginePage} page */
const hide = (page, hidden = true) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    if (!value) return;
    Reflect.set(self, 'drawn', 0);
    new MutationObserver((list) => Reflect.set(self, 'drawn', Reflect.get(self, 'drawn') + list.length)).observe(
      document.body,
      { subtree: true, childList: true, characterData: true, attributes: true },
    );
  }, hidden);

/** @param {import('./steps.js').Tour} tour */
export default function life(tour) {
  test('life: a run is saved, opened in Node and here, and goes on with the same bits', async () => {
    const { page } = tour;
    const own = await inNode('order', { seed: 3 });
    await own.go(20);
    await open(tour, '?task=order&seed=3&step=20');
    assert.equal(await hashAt(page, 20), await hashOf(own.model));
    const saved = await catchFiles(page);
    const { name, bytes } = await saved('.train-keep', 'Save the run');
    assert.equal(name, 'order-20.safetensors');
    const opened = await openRun(await load({ variant: 'simd' }), bytes);
    assert.deepEqual([opened.step, await hashOf(opened.model)], [20, await hashOf(own.model)]);
    await open(tour, '?task=copy');
    await hashAt(page, 0);
    await page.evaluate(
      async ([name, base64]) => {
        const field = /** @type {HTMLInputElement} */ (document.querySelector('.train-keep input'));
        const files = new DataTransfer();
        files.items.add(new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], name));
        field.files = files.files;
        field.dispatchEvent(new Event('change', { bubbles: true }));
      },
      [name, bytes.toString('base64')],
    );
    assert.equal(await hashAt(page, 20), await hashOf(own.model));
    await click(page, '.train-play');
    await own.go(200);
    assert.equal(await hashAt(page, 200), await hashOf(own.model));
    await quiet(page);
  });

  test('life: the page goes away while it trains: it comes back at a moment, with Node’s bits', async () => {
    const { page } = tour;
    await open(tour, '?task=story');
    await hashAt(page, 0);
    await click(page, '.train-play');
    await past(page, 12);
    const step = await page.evaluate(() => Number(document.querySelector('.train-step strong')?.textContent));
    await open(tour, '');
    const [, kept] = /up to step (\d+)/.exec(await textOf(page, '.train-kept')) ?? [];
    const back = Number(kept);
    assert(back >= step - 5, `${back} of at least ${step}`);
    const own = await inNode('story', {});
    await own.go(back);
    assert.equal(await hashAt(page, back), await hashOf(own.model));
    await quiet(page);
  });

  test('life: a hidden tab trains on and draws nothing, or rests, as is chosen', async () => {
    const { page } = tour;
    const own = await inNode('order', { seed: 2, steps: 60 });
    await open(tour, '?task=order&seed=2&steps=60');
    await hashAt(page, 0);
    // curves that take their width from the page are drawn again in the frame that follows
    for (let frame = 0; frame < 3; frame++)
      await page.evaluate(() => new Promise((resolve) => void requestAnimationFrame(resolve)));
    await hide(page);
    await page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector('.train-play')).click());
    await until(page, () => location.hash.endsWith('&step=60'), null, 60_000);
    assert.equal(await page.evaluate(() => Reflect.get(self, 'drawn')), 0);
    await hide(page, false);
    await own.go(60);
    assert.equal(await hashAt(page, 60), await hashOf(own.model));

    await open(tour, '?task=story');
    await hashAt(page, 0);
    await fill(page, '#train-fold-keep select', 'pause');
    await click(page, '.train-play');
    await past(page, 2);
    await hide(page);
    const hash = () => page.evaluate(() => location.hash);
    let [before, rested] = ['', await hash()];
    for (let tries = 0; tries < 8 && before !== rested; tries++) {
      before = rested;
      await wait(1000); // the step under way, and the address
      rested = await hash();
    }
    assert.equal(rested, before);
    assert.match(rested, /step=\d{1,3}$/, 'not the last');
    await hide(page, false);
    await past(page, Number(rested.split('=').pop()));
    await fill(page, '#train-fold-keep select', 'go on');
    await quiet(page);
  });

  test('life: where storage is refused, that is said, and the run goes on', async () => {
    const { page, append } = tour;
    const restore = append(
      'main.js',
      'IDBFactory.prototype.open = () => { throw new DOMException("", "SecurityError") }',
    );
    try {
      await open(tour, '?task=order&seed=2&steps=20');
      await hashAt(page, 0);
    } finally {
      restore();
    }
    await click(page, '.train-play');
    const own = await inNode('order', { seed: 2, steps: 20 });
    await own.go(20);
    assert.equal(await hashAt(page, 20), await hashOf(own.model));
    assert.match(await textOf(page, '.train-kept'), /^This browser refuses storage here/);
    await quiet(page);
  });
}
