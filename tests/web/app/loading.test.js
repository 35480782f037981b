// The first opening: nothing moves, and nothing is said before there are numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, useBrowser } from '../browser.js';

const tools = useBrowser();

/** The layout shifts of a page that its reader did not cause. @param {import('playwright-core').Page} page */
const shifts = (page) =>
  page.addInitScript(() => {
    const seen = (globalThis.shifts = []);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.push(entry.value);
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** Windows on a desk, a tablet held both ways, half a screen, a phone. @type {[number, number][]} */
const WINDOWS = [
  [1440, 900],
  [1024, 768],
  [820, 1180],
  [768, 1024],
  [600, 960],
  [390, 844],
];
for (const [width, height, model, layout, fresh, most] of /** @type {const} */ ([
  ...WINDOWS.flatMap(([width, height]) => [
    [width, height, '', 'workspace', true, 0.001],
    [width, height, '', 'workspace', false, 0.001],
  ]),
  [390, 844, 'creek', 'page', false, 0.02],
  [768, 1024, 'creek', 'page', false, 0.02],
])) {
  const what = `at ${width} × ${height} ${model || 'the page'} opens as ${layout}`;
  test(`${what}${fresh ? ', for the first time,' : ''} without moving (cumulative layout shift)`, async () => {
    const viewport = { width, height };
    const page = await tools.open({ model, layout, viewport, fresh, setUp: shifts });
    await (fresh ? page.locator('#opening').waitFor() : ready(page));
    await page.waitForTimeout(1000);
    const all = await page.evaluate(() => globalThis.shifts);
    const sum = all.reduce((so, value) => so + value, 0);
    assert(sum <= most, `${sum}: ${all}`);
    await tools.close(page);
  });
}

test('before the first result the page shows an outline, and no number or sentence about one', async () => {
  let release = () => {};
  const held = new Promise((resolve) => (release = () => resolve(undefined)));
  const page = await tools.open({
    model: '',
    layout: 'workspace',
    setUp: (each) =>
      each.route('**/creek.safetensors', async (route) => {
        await held;
        await route.continue();
      }),
  });
  await page.locator('#models input').first().waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.querySelector('#notices')?.textContent?.startsWith('Loading the model'));
  const measure = () =>
    page.evaluate(() => {
      const whole = /** @type {HTMLElement} */ (document.getElementById('page'));
      return {
        outline: document.querySelector('#blank') !== null,
        busy: whole.ariaBusy,
        inert: whole.inert,
        isShown: whole.checkVisibility({ opacityProperty: true }),
        text: whole.innerText.trim(),
      };
    });
  const before = await measure();
  assert.deepEqual([before.outline, before.busy, before.inert, before.isShown], [true, 'true', true, false]);
  assert.doesNotMatch(before.text, /not a number|NaN|No tokens|undefined/);
  release();
  await ready(page);
  await page.waitForFunction(() => document.getElementById('page')?.ariaBusy !== 'true');
  const after = await measure();
  assert.deepEqual([after.outline, after.inert, after.isShown], [false, false, true]);
  assert.match(after.text, /creek/);
  await page.waitForFunction(() => document.querySelector('#notices')?.textContent === '');
  await tools.close(page);
});
