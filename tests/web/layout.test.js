// The page in windows of each width: no word is cut, alone or covered where it can be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, useBrowser } from './browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const WIDTHS = [320, 390, 600, 768, 1000, 1200, 1280, 1440, 1920];

/** Faults of the layout: words that a box cuts, and marks at the beginning of a line. @param {Page} page */
const faults = (page) =>
  page.evaluate(() => {
    /** @type {Set<string>} */
    const found = new Set();
    const hasSize = (/** @type {Element} */ each) =>
      each.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      each.getBoundingClientRect().width > 0;
    const range = document.createRange();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (
      let node = /** @type {Text | null} */ (walker.nextNode());
      node;
      node = /** @type {any} */ (walker.nextNode())
    ) {
      const parent = /** @type {Element} */ (node.parentElement);
      const text = node.data.trim().slice(0, 30);
      if (!text || !hasSize(parent) || parent.closest('.visually-hidden, .skip-link, option, textarea, svg')) continue;
      range.selectNodeContents(node);
      const own = range.getBoundingClientRect();
      /** @type {Element | null} */
      let box = parent;
      while (box && box !== document.body && getComputedStyle(box).overflowX === 'visible') box = box.parentElement;
      if (!box || box === document.body || !own.width || box.clientWidth <= 1) continue;
      const { overflowX, textOverflow } = getComputedStyle(box);
      const isScrolled = /auto|scroll/.test(overflowX);
      const { left, right } = box.getBoundingClientRect();
      const isCut = own.right > right + 1 && !isScrolled && textOverflow !== 'ellipsis';
      if (isCut || (own.left < left - 1 && !(isScrolled && box.scrollLeft)))
        found.add(`cut: “${text}” by .${box.className}`);
    }
    for (const list of document.querySelectorAll('.tokens')) {
      if (!hasSize(list)) continue;
      if (list.scrollHeight > list.clientHeight + 1) found.add(`not all tokens are in sight: ${list.ariaLabel}`);
      /** @type {Map<number, Set<number>>} */
      const lines = new Map();
      [...list.querySelectorAll('.token')].forEach((token, i, all) => {
        const { top } = token.getBoundingClientRect();
        if (token.matches('.close') && i && Math.abs(top - all[i - 1].getBoundingClientRect().top) > 1)
          found.add(`alone: ${token.textContent} after ${all[i - 1].textContent}`);
        // The baseline: where an empty inline box after the word stands.
        const probe = token.firstElementChild?.appendChild(document.createElement('i'));
        if (!probe) return;
        probe.style.cssText = 'display: inline-block; width: 0; height: 0';
        const baselines = lines.get(Math.round(top)) ?? lines.set(Math.round(top), new Set()).get(Math.round(top));
        baselines?.add(Math.round(2 * probe.getBoundingClientRect().bottom) / 2);
        probe.remove();
      });
      for (const [, baselines] of lines)
        if (baselines.size > 1) found.add(`baselines of one line: ${[...baselines].join(', ')}`);
    }
    // Words of the bar, each on one line.
    for (const each of document.querySelectorAll('.page-head :is(h1, a, button, summary)')) {
      if (!hasSize(each) || !each.textContent?.trim() || each.matches('.skip-link') || each.closest('details > div'))
        continue;
      range.selectNodeContents(each);
      const tops = new Set(
        [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => Math.round(top / 12)),
      );
      if (each.getBoundingClientRect().height > 60 && tops.size > 1)
        found.add(`broken in the bar: ${each.textContent.trim()}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) found.add('the page is wider than the window');
    return [...found];
  });

/** @param {Page} page */
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));

/**
 * Walks through the widths.
 * @param {Page} page @param {string} what @param {number[]} [widths]
 */
async function assertReadable(page, what, widths = WIDTHS) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    assert.deepEqual(await faults(page), [], `${what} at ${width}`);
  }
}

for (const [what, link] of Object.entries({
  'a sentence': 'model=creek',
  'a sentence that ends a line in each width':
    'model=creek&text=The+dog+did+not+jump+over+the+creek+because+it+was+deep%2C+and+the+creek+was+cold.',
  'two languages': 'model=translate',
  'a story': 'model=continue',
  'sub-words': 'model=austen',
  Words: 'model=translate&part=tokens',
  embedding: 'model=creek&part=embedding',
  positions: 'model=creek&part=positions',
  LayerNorm: 'model=creek&part=norm',
  'all views': 'model=creek&layout=page',
}))
  test(`no word is cut or alone: ${what}`, async () => {
    const page = await tools.open({ at: `#/explore?${link}` });
    await ready(page);
    await page.waitForFunction(() => performance.getEntriesByName('glassformer:update').length);
    await assertReadable(page, what);
    await tools.close(page);
  });

test('beside a lesson the words of the bar stay whole', async () => {
  for (const model of ['creek', 'translate']) {
    const page = await tools.open({ at: `#/explore?model=${model}` });
    await ready(page);
    await page.locator('#book-button').click();
    await page.locator('#book h2').waitFor();
    await assertReadable(page, model, [1200, 1280, 1440, 1920]);
    await tools.close(page);
  }
});

test('what is said of the text is never covered, neither by its box nor by the words to choose', async () => {
  const page = await tools.open({ at: '#/explore?model=continue&text=the+fox' });
  await ready(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.locator('.edit-sentence:visible').first().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('the queeen saw a re');
    await page.locator('#completions:not([hidden])').waitFor();
    await page.getByText(/“queeen” (is|and “re” are) not in this model/).waitFor();
    await settled(page);
    const boxes = await page.evaluate(() =>
      ['#text-note', '#text-field', '#completions', '#generation'].map((each) => {
        const { top, bottom } = /** @type {Element} */ (document.querySelector(each)).getBoundingClientRect();
        return { top, bottom };
      }),
    );
    const [note, field, words, below] = boxes;
    assert(note.top >= field.bottom - 1, `${width}: the box ends at ${field.bottom}, the note begins at ${note.top}`);
    assert(words.top >= note.bottom - 1, `${width}: the note ends at ${note.bottom}, the words begin at ${words.top}`);
    assert(below.top >= field.bottom - 1, `${width}: what is below the box begins at ${below.top}, in the box`);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('the fox');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  }
  await tools.close(page);
});
