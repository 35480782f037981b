// The sentence said once: its words, the box that edits them, the arcs of attention over them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** Where an arc begins and ends, and the middles of the words. @param {Page} page */
const drawn = (page) =>
  page.evaluate(() => {
    const { left } = /** @type {Element} */ (document.querySelector('#arcs')).getBoundingClientRect();
    const middles = [...document.querySelectorAll('#tokens-encoder .token-word')].map((word) => {
      const box = word.getBoundingClientRect();
      return box.left + box.width / 2 - left;
    });
    /** @param {number} x */
    const nearest = (x) =>
      middles.reduce((best, each, i) => (Math.abs(each - x) < Math.abs(middles[best] - x) ? i : best), 0);
    return [...document.querySelectorAll('#arcs .arc')].map((arc) => {
      const [from, , , , , , to] = (arc.getAttribute('d') ?? '').match(/[\d.]+/g)?.map(Number) ?? [];
      return [arc.getAttribute('class')?.split(' ')[1], nearest(from), nearest(to)];
    });
  });

test('words on several lines have no arcs; those of a wider window get them again', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 390, height: 844 } });
  await ready(page);
  assert.equal(await page.locator('#arcs').isVisible(), false);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.locator('#arcs .arc.selected').waitFor();
  assert.deepEqual((await drawn(page)).at(-1), ['selected', 12, 1]);
  await tools.close(page);
});

test('pencil, Tab and double click open the box over the words; Enter and Escape close it', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 1280, height: 720 } });
  await ready(page);
  const tops = () =>
    page.evaluate(() =>
      ['.texts', '#tokens-encoder', '#answers', '#heatmap'].map(
        (each) => document.querySelector(each)?.getBoundingClientRect().top,
      ),
    );
  const opacity = () => page.locator('#text-field').evaluate((field) => getComputedStyle(field).opacity);
  const before = await tops();
  assert.equal(await opacity(), '0');
  const first = page.locator('#tokens-encoder .token').first();
  for (const [open, close] of /** @type {const} */ ([
    [() => page.getByRole('button', { name: 'Edit the sentence' }).click(), 'Enter'],
    [() => first.dblclick(), 'Escape'],
  ])) {
    await open();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'text');
    assert.equal(await opacity(), '1');
    await page.keyboard.press(close);
    assert.equal(await opacity(), '0');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'radio');
    assert.deepEqual(await tops(), before);
  }
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'text');
  await tools.close(page);
});

for (const [width, height] of [
  [1280, 720],
  [1440, 900],
])
  test(`${width} × ${height}: sentence and answer are at most 150 px high, nothing is cut off`, async () => {
    const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width, height } });
    await ready(page);
    await page.locator('.head').first().click();
    await page.locator('.answers-attention').waitFor();
    const sum = await page.evaluate(() =>
      ['.texts', '#tokens-encoder', '.text-note', '#answers']
        .map((each) => /** @type {HTMLElement} */ (document.querySelector(each)).offsetHeight)
        .reduce((a, b) => a + b),
    );
    assert(sum <= 150, `${sum} px`);
    assert(await page.locator('.answers-attention').evaluate((line) => line.scrollWidth <= line.clientWidth));
    await tools.close(page);
  });
