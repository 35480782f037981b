// The textbook on a projector in Chromium: what a page names is in the window: sentence, answer, and what it points at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lessons } from '../../../web/lessons/index.js';
import { useBrowser } from '../browser.js';

const tools = useBrowser();
const pages = lessons.filter(({ kind }) => ['start', 'page', 'today'].includes(kind));

/**
 * The parts that a page names and the window does not show.
 * @param {import('playwright-core').Page} page @param {import('../../../web/lessons/index.js').Listed} lesson
 */
const missing = (page, { target = '', figure = '', text = [], seen }) =>
  page.evaluate(
    ({ target, figure, saysAnswer }) => {
      const isSeen = (/** @type {Element | null | undefined} */ each) => {
        if (!each?.checkVisibility()) return false;
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return left >= 0 && right <= innerWidth + 1 && top >= 0 && bottom <= innerHeight + 1;
      };
      const all = (/** @type {string} */ each) => [...document.querySelectorAll(each)];
      const figures = [target, figure].flatMap((each) => (each ? all(each) : []));
      const inFigures = (/** @type {string} */ each) => figures.flatMap((own) => [...own.querySelectorAll(each)]);
      const faults = [];
      const strip = all('.tokens-line:not([hidden]) .token');
      const map = inFigures('#heatmap .map-grid')[0];
      if (!(strip.length && strip.every(isSeen)) && !isSeen(map)) faults.push('the sentence');
      if (saysAnswer && !isSeen(document.querySelector('.answers-list li'))) faults.push('the answer');
      const [first] = figures;
      const { top, height } = first?.getBoundingClientRect() ?? { top: NaN, height: 0 };
      if (!(height > 20 && top >= 0 && top < innerHeight / 2)) faults.push('the figure');
      const pins = inFigures('.map-pin').filter((each) => each.checkVisibility());
      for (const pin of pins) {
        const { x, y, width, height: high } = pin.getBoundingClientRect();
        const there = document.elementsFromPoint(x + width / 2, y + high / 2);
        if (!isSeen(pin) || !there.some((each) => each.matches('.map-cells, .map-cells *'))) faults.push('the cell');
      }
      if (target === '#tokens-encoder' && !isSeen(first?.querySelector('.query'))) faults.push('the row');
      const chosen = inFigures(target === '#neurons' ? '[aria-pressed=true]' : '[aria-current=step]');
      if (target === '#neurons' && !chosen.length) faults.push('no neuron');
      if (chosen.length && !chosen.some(isSeen)) faults.push('what is selected');
      return { faults, pins: pins.length };
    },
    { target, figure, saysAnswer: /\{(answer|p%)\}/.test(`${text} ${seen?.text}`) },
  );

for (const [width, height] of [
  [1440, 900],
  [1280, 720],
])
  // prettier-ignore
  test(`${width} × ${height}: each page of the book shows what it names`, async (t) => {
    const viewport = { width, height };
    const page = await tools.open({ at: '#/explore?model=creek&book=1', viewport, reducedMotion: 'reduce' });
    await page.locator('.book-story').click();
    const faults = [];
    let pins = 0;
    for (const lesson of pages) {
      await page.evaluate((number) => void (location.hash = `#/explore?model=creek&book=${number}`), lesson.number);
      await page.locator('.book h2', { hasText: lesson.title }).waitFor();
      await page.waitForFunction(
        (target) =>
          document.documentElement.dataset.book === 'story' &&
          document.querySelector(target)?.matches('.book-target') &&
          document.querySelector('.book-text .number, .book-text b, .book-text strong'),
        lesson.target ?? '',
      );
      await page.waitForTimeout(500); // the figure is laid out again
      const found = await missing(page, lesson);
      if (found.faults.length) faults.push(`${lesson.number} ${lesson.title}: ${found.faults.join(', ')}`);
      pins += found.pins;
    }
    assert.deepEqual(faults, []);
    assert.equal(pages.length >= 33 && pins > 15, true, `${pages.length} pages, ${pins} cells`);
    t.diagnostic(`${pages.length} pages, ${pins} cells`);
    await tools.close(page);
  });
