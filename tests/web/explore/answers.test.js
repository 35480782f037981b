// A changed answer moves from old to new, each word's bar from its own value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, update, useBrowser } from '../browser.js';
import { formatShare } from '../../../web/draw/numbers.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** The words of the answer, and whether the bar of each is on its way. @param {Page} page */
const bars = (page) =>
  page
    .locator('#answers .answers-list li')
    .evaluateAll((all) =>
      all.map((each) => ({
        word: each.querySelector('bdi')?.textContent ?? '',
        moves: (each.querySelector('.answers-now')?.getAnimations().length ?? 0) > 0,
        share: new DOMMatrix(getComputedStyle(/** @type {Element} */ (each.querySelector('.answers-now'))).transform).a,
        end: parseFloat(each.querySelector('.number')?.textContent?.split('→').at(-1)?.replace('<', '') ?? '') / 100,
      })),
    );

/** Slow enough to be seen on its way. @param {Page} page */
const slowly = (page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.answers-now { transition-duration: 100s !important; }');
    document.adoptedStyleSheets.push(sheet);
  });

test('the bar of a word that stays moves to its new value; that of another word begins with its own', async () => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  await slowly(page);
  const before = (await bars(page)).map(({ word }) => word);
  await update(page, () => page.locator('#try .switch').click());
  const after = await bars(page);
  const stay = after.filter(({ word }, i) => word === before[i]);
  const others = after.filter(({ word }, i) => word !== before[i]);
  assert(stay.length >= 1 && others.length >= 1, after.map(({ word }) => word).join(' '));
  for (const { word, moves, share, end } of stay) {
    assert(moves, `${word} moves`);
    assert(Math.abs(share - end) > 0.01, `${word} has not arrived: ${share}, ${end}`);
  }
  for (const { word, moves, share, end } of others) {
    assert(!moves, `${word} does not move from another word's value`);
    assert.equal(formatShare(share), formatShare(end), word);
  }
  await tools.close(page);
});

test('nothing moves where motion is reduced', async () => {
  const page = await tools.open({ model: '', layout: 'workspace', reducedMotion: 'reduce' });
  await ready(page);
  await update(page, () => page.locator('#try .switch').click());
  for (const { word, moves, share, end } of await bars(page)) {
    assert(!moves, word);
    assert.equal(formatShare(share), formatShare(end), word);
  }
  await tools.close(page);
});

test('on a phone a word and its share keep one line, and stand clear of the button', async () => {
  const page = await tools.open({ at: '#model=continue', viewport: { width: 390, height: 844 } });
  await ready(page);
  const { lines, right, left } = await page.evaluate(() => {
    const shown = [...document.querySelectorAll('.answers-list li')].filter((each) => each.checkVisibility());
    const button = /** @type {Element} */ (document.querySelector('#decide'));
    return {
      lines: shown.map((each) => each.getBoundingClientRect().height),
      right: Math.max(
        ...shown.map((each) => /** @type {Element} */ (each.lastElementChild).getBoundingClientRect().right),
      ),
      left: button.getBoundingClientRect().left,
    };
  });
  assert(lines.length && lines.every((height) => height < 32), lines.join());
  assert(right <= left, `${right}, ${left}`);
  await tools.close(page);
});

test('on a phone the full stop stands at its word', async () => {
  const page = await tools.open({ at: '#model=creek', viewport: { width: 390, height: 844 } });
  await ready(page);
  const [word, stop] = await page.evaluate(() =>
    [...document.querySelectorAll('#tokens-encoder .token-word')].slice(-2).map((each) => {
      const { left, right } = each.getBoundingClientRect();
      return { text: each.textContent, left, right };
    }),
  );
  assert.deepEqual([word.text, stop.text], ['it', '.']);
  assert(Math.abs(stop.left - word.right) < 1.5, `${word.right}, ${stop.left}`);
  await tools.close(page);
});
