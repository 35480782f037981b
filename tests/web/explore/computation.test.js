// Why a weight is what it is, in a browser: what is pointed at, what lights, its space. Its numbers: features/.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { point, ready, useBrowser } from '../browser.js';

const tools = useBrowser();
const calm = /** @type {const} */ ({ reducedMotion: 'reduce' }); // a click on a cell plays nothing

test('pointing shows a dimension; terms light what they come from: query, key, another key, head', async () => {
  const page = await tools.open({ model: 'creek&head=3.2&row=12&key=1' });
  await ready(page);
  const note = page.locator('.products .why-result p');
  for (const d of [0, 6, 23]) {
    const box = await page.locator('.why-bars.key').boundingBox();
    assert(box);
    await page.locator('.why-bars.key').hover({ position: { x: ((d + 0.5) * box.width) / 24, y: 8 } });
    await note.getByText(`dimension ${d}:`).waitFor();
  }
  await page.mouse.move(0, 0);
  await note.getByText('largest:').waitFor();
  assert.equal(await page.locator('#computation .band').count(), 0);
  await page.getByRole('slider', { name: 'Dimension' }).press('End');
  await note.getByText('dimension 23:').waitFor();
  await page.locator('.why-play').focus();
  await note.getByText('largest:').waitFor();
  const lit = (/** @type {string} */ selector) => page.locator(`${selector}[data-lit]`).allInnerTexts();
  const words = '#tokens-encoder .token-word';
  /** @param {import('playwright-core').Locator} term @param {string} word @param {string} wanted */
  async function lights(term, word, wanted) {
    await term.hover();
    await page.waitForFunction(
      ([all, text]) =>
        [...document.querySelectorAll(all)].some((each) => each.closest('[data-lit]') && each.textContent === text),
      [word, wanted],
    );
  }
  await lights(page.locator('.why-label[data-row]'), words, 'it');
  assert.deepEqual(await lit('.queries .line-token'), ['it']);
  await lights(page.locator('.why-bars.key'), words, 'creek');
  assert.deepEqual(await lit('.keys .line-token'), ['creek']);
  await lights(page.locator('.why-rivals li').nth(1), words, 'was');
  await lights(page.locator('.values .why-number'), '.lines-head', '2');
  await tools.close(page);
});

test('all of it stands within 590 × 400 px and in a phone’s width', async () => {
  for (const [width, most] of [
    [590, 400],
    [680, 400],
    [340, 500],
  ]) {
    const page = await tools.open({ model: 'creek&causal=1', ...calm });
    await ready(page);
    await page.locator('#why-panel').evaluate((panel, px) => {
      Object.assign(panel.style, { width: `${px}px`, boxSizing: 'border-box' });
    }, width);
    for (const [row, key] of [
      [12, 1],
      [6, 3],
      [0, 13],
    ]) {
      await point(page, '#heatmap', row, key, 'click');
      await page.locator(`.why-label[data-row="${row}"]`).waitFor();
      const { panel, wide, last } = await page
        .locator('#why-panel')
        .evaluate((each) => ({
          panel: each.getBoundingClientRect(),
          wide: [...each.querySelectorAll('*')]
            .filter((part) => part.getBoundingClientRect().right > each.getBoundingClientRect().right)
            .map((part) => part.className),
          last: each.querySelector('.why-steps')?.getBoundingClientRect().bottom ?? Infinity,
        }));
      assert(panel.height <= most && last <= panel.bottom, `${width} px: ${panel.height} px high`);
      assert.deepEqual(wide, [], `${width} px`);
      assert.equal(await page.locator('.why-masked').count(), key > row ? 1 : 0);
    }
    await tools.close(page);
  }
});
