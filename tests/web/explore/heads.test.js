// Heads wherever they are drawn: one hue for each, and what becomes of a head that is off.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hueOf } from '../../../web/draw/color.js';
import { headCells, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();

test('from the ninth head on a hue comes again, in another stroke', () => {
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    const all = Array.from({ length: 24 }, (_, head) => hueOf(scheme, head));
    assert.equal(new Set(all.map(({ color, dash }) => color + dash)).size, 24);
    assert.equal(new Set(all.map(({ color, style }) => color + style)).size, 24);
  }
});

for (const scheme of /** @type {const} */ (['light', 'dark']))
  test(`${scheme}: a head has one hue in the grid and the lines`, async () => {
    const page = await tools.open({ model: 'untrained&lineHeads=0.2', colorScheme: scheme, reducedMotion: 'reduce' });
    await ready(page);
    /** The colours as the browser computes them. @param {string} selector @param {string} property */
    const colours = (selector, property) =>
      page
        .locator(selector)
        .evaluateAll((all, name) => all.map((each) => getComputedStyle(each).getPropertyValue(name)), property);
    const rgb = (/** @type {number} */ head) =>
      `rgb(${[1, 3, 5].map((at) => parseInt(hueOf(scheme, head).color.slice(at, at + 2), 16)).join(', ')})`;
    const all = [0, 1, 2, 3].map(rgb);
    assert.deepEqual(await colours('.head', 'border-bottom-color'), [...all, ...all], 'two layers');
    assert.deepEqual(await colours('.lines-head .hue path', 'stroke'), all);
    assert.deepEqual([...new Set(await colours('.edge', 'stroke'))], [rgb(0), rgb(2)]);
    await tools.close(page);
  });

test('a head that is off is dim in the grid, and its lines go', async () => {
  const page = await tools.open({ model: 'creek&head=2.1&row=12&key=1' });
  await ready(page);
  const edges = () => page.locator('.edge').count();
  const opacity = async () => (await headCells(page, 1, 1)).map(([, , , alpha]) => (alpha / 255).toFixed(1));
  assert(await edges());
  await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Switch off' }).click());
  assert.deepEqual(await opacity(), ['1.0', '1.0', '0.2', '1.0', '1.0', '1.0']);
  assert.match(String(await page.locator('.head').nth(2).getAttribute('aria-label')), /layer 2, head 1, off$/);
  assert.equal(await edges(), 0);
  assert.match(await page.locator('.lines-note').innerText(), /^Head 1 is off: .* lines are left out\.$/);
  assert.equal(await page.locator('.lines-head').first().getAttribute('aria-label'), 'Head 1, off');
  await page.locator('#computation').getByText('head off: it adds nothing').waitFor();
  await page.locator('.lines-head').nth(1).click();
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => document.querySelectorAll('.edge').length > 0);
  const drawn = await page.locator('.edge title').allTextContents();
  assert(
    drawn.every((text) => text.endsWith(', head 2')),
    'the other head alone',
  );
  await update(page, () => page.getByRole('button', { name: 'Undo' }).click());
  assert.deepEqual(await opacity(), ['1.0', '1.0', '1.0', '1.0', '1.0', '1.0']);
  const both = await page.locator('.edge title').allTextContents();
  assert(both.some((text) => text.endsWith(', head 1')));
  await tools.close(page);
});
