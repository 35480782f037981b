// Heads wherever they are drawn: one hue for each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hueOf } from '../../../web/draw/color.js';
import { ready, useBrowser } from '../browser.js';

const tools = useBrowser();

test('from the ninth head on a hue comes again, in another stroke', () => {
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    const all = Array.from({ length: 24 }, (_, head) => hueOf(scheme, head));
    assert.equal(new Set(all.map(({ color, dash }) => color + dash)).size, 24);
    assert.equal(new Set(all.map(({ color, style }) => color + style)).size, 24);
  }
});

test('a head has one hue in the grid and the lines, in either scheme', async () => {
  const page = await tools.open({ model: 'untrained&lineHeads=0.2', reducedMotion: 'reduce' });
  await ready(page);
  /** The colours as the browser computes them. @param {string} selector @param {string} property */
  const colours = (selector, property) =>
    page
      .locator(selector)
      .evaluateAll((all, name) => all.map((each) => getComputedStyle(each).getPropertyValue(name)), property);
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    const rgb = (/** @type {number} */ head) =>
      `rgb(${[1, 3, 5].map((at) => parseInt(hueOf(scheme, head).color.slice(at, at + 2), 16)).join(', ')})`;
    const all = [0, 1, 2, 3].map(rgb);
    await page.waitForFunction(
      (wanted) => getComputedStyle(/** @type {Element} */ (document.querySelector('.edge'))).stroke === wanted,
      all[0],
    );
    assert.deepEqual(await colours('.head', 'border-bottom-color'), [...all, ...all], 'two layers');
    assert.deepEqual(await colours('.lines-head .hue path', 'stroke'), all);
    assert.deepEqual([...new Set(await colours('.edge', 'stroke'))], [rgb(0), rgb(2)]);
  }
  await tools.close(page);
});
