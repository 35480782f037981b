// The textbook in Chromium: its address, keyboard, what it leaves as it was, projector, and where it stands. The walk
// through all pages with their numbers is a part of the tour (tests/web/tour/book.js).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { modelOf, pages, stateOf } from '../../../web/explore/book/pages.js';
import { readModel } from '../../../web/models/measure.mjs';
import { readout, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();

/** @typedef {import('playwright-core').Page} Page */

const title = (/** @type {Page} */ page) => page.locator('#book-title').textContent();
/** @param {Page} page @param {number} number */
const turned = (page, number) =>
  page.waitForFunction(
    (text) => document.querySelector('#book-title')?.textContent === text,
    /** @type {any} */ (pages[number - 1].title),
  );
const calm = (/** @type {Page} */ page) =>
  page.waitForFunction(() => !document.querySelector('.book-text')?.textContent?.includes('…'));

test('pages are data: each link is read to the end, each number stands in a sentence, ids are unique', () => {
  assert(pages.length >= 20 && pages.length <= 25);
  assert.equal(new Set(pages.map(({ id }) => id)).size, pages.length);
  for (const page of pages) {
    const name = modelOf(page);
    const info = /** @type {any} */ (readModel(/** @type {any} */ (name)));
    const state = stateOf(page, info);
    assert.equal(state.model, name);
    assert.equal(state.follow, false);
    const named = page.text.flatMap((sentence) => [...sentence.matchAll(/\{(\w+)[%#]?\}/g)].map(([, each]) => each));
    assert.deepEqual([...new Set(named)].sort(), Object.keys(page.numbers).sort(), page.id);
    assert(page.text.length <= 3 && page.title.length < 40, page.id);
  }
});

test('keys turn pages but not in fields; Escape closes, the focus returns, and nothing is left', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  assert.equal(
    await page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /book-/.test(name))),
    false,
  );
  await page.locator('#book-button').focus();
  await page.keyboard.press('Enter');
  await turned(page, 1);
  assert.equal(await page.locator('#book-button').getAttribute('aria-expanded'), 'true');
  for (const [key, number] of /** @type {[string, number][]} */ ([
    ['ArrowRight', 2],
    ['PageDown', 3],
    ['ArrowLeft', 2],
    ['PageUp', 1],
    ['ArrowLeft', 1],
  ])) {
    await page.keyboard.press(key);
    await turned(page, number);
  }
  await calm(page);
  await page.locator('#text').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await title(page), pages[0].title);
  await page.locator('.book-contents summary').click();
  await page.getByRole('button', { name: 'Cross-attention' }).first().click();
  await turned(page, pages.findIndex(({ id }) => id === 'cross') + 1);
  await calm(page);
  await page.locator('#book').focus();
  await page.keyboard.press('Escape');
  await page.locator('#book').waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'book-button');
  await page.waitForFunction(
    () => document.querySelector('#heatmap .map-readout bdi')?.textContent === 'row it, column creek',
  );
  assert.equal(await page.locator('.book-target, .book-control, [data-book-away]').count(), 0);
  await tools.close(page);
});

test('an address opens a page; with a state of its own that stands; both can be left', async () => {
  const number = pages.findIndex(({ id }) => id === 'scores') + 1;
  const page = await tools.open({ model: `creek&book=${number}` });
  await turned(page, number);
  await calm(page);
  assert.equal(await page.locator('#heatmap .quantity').inputValue(), 'scores');
  await page.waitForFunction(() => /quantity=scores.*book=/.test(location.hash));
  await update(page, () => page.locator('#tokens-encoder .token').nth(3).click());
  await page.waitForFunction(() => /row=3/.test(location.hash));
  await page.reload();
  await turned(page, number);
  await calm(page);
  assert.match((await readout(page)).place, /^row cold,/, 'what the reader changed is not set again');
  await update(page, () => page.locator('#text').fill('the cat was tired .'));
  await page.locator('#book').getByText('This page speaks of its own text').waitFor();
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.waitForFunction(() =>
    /^row it,/.test(document.querySelector('#heatmap .map-readout bdi')?.textContent ?? ''),
  );
  await page.locator('.book-close').click();
  await page.waitForFunction(() => !/book=/.test(location.hash));
  await tools.close(page);

  const other = await tools.open({ model: 'creek&book=1' });
  await turned(other, 1);
  await calm(other);
  await other.evaluate(() => (location.hash = '#/explore?model=creek&text=the+cat+sat+.'));
  await other.locator('#book').waitFor({ state: 'hidden' });
  await other.waitForFunction(() => document.querySelectorAll('#heatmap .map-rows bdi').length === 4);
  await tools.close(other);
});

test('what the reader had comes back: text, changes, and what can be undone', async () => {
  const page = await tools.open({ model: 'creek&text=the+dog+was+tired+.&head=1.1&row=3&key=1' });
  await ready(page);
  const before = await readout(page);
  await update(page, () => page.locator('#interventions .temperature').fill('0.4'));
  const changed = await readout(page);
  assert.notEqual(changed.value, before.value);
  await page.locator('#book-button').click();
  await turned(page, 1);
  await calm(page);
  assert.equal(await page.locator('#interventions .chips').count(), 0, 'a page begins unchanged');
  assert.equal(await page.getByRole('button', { name: 'Undo' }).isDisabled(), true);
  await page.locator('#book').focus();
  for (let number = 2; number <= 8; number++) {
    await page.keyboard.press('ArrowRight');
    await turned(page, number);
  }
  await calm(page);
  await page.locator('.book-close').click();
  await page.waitForFunction(
    (value) => document.querySelector('#heatmap strong')?.textContent === value,
    changed.value,
  );
  assert.equal(await page.locator('#text').inputValue(), 'the dog was tired .');
  await update(page, () => page.getByRole('button', { name: 'Undo' }).click());
  assert.equal((await readout(page)).value, before.value);
  await tools.close(page);
});

test('progress is kept in the browser, and where that is refused the book works without', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await page.locator('#book-button').click();
  await turned(page, 1);
  await calm(page);
  await update(page, () => page.locator('#tokens-encoder .token').nth(5).click());
  await page.locator('.book-task[data-done=true]').waitFor();
  await page.locator('.book-turn button').nth(2).click();
  await page.waitForFunction(() => /book=2$/.test(location.hash));
  await page.reload();
  await turned(page, 2);
  assert.match(await page.locator('.book-count').innerText(), /1 done/);
  await calm(page);
  await tools.close(page);

  const refusing = await tools.open({
    model: 'creek',
    setUp: async (page) =>
      void (await page.addInitScript(() =>
        Object.defineProperty(window, 'localStorage', {
          get() {
            throw new DOMException('refused', 'SecurityError');
          },
        }),
      )),
  });
  await ready(refusing);
  await refusing.locator('#book-button').click();
  await turned(refusing, 1);
  await calm(refusing);
  await update(refusing, () => refusing.locator('#tokens-encoder .token').nth(5).click());
  await refusing.locator('.book-task[data-done=true]').waitFor();
  await tools.close(refusing);
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
])
  test(`${width} × ${height}: in the workspace each page’s target is in sight and not under the book`, async () => {
    const page = await tools.open({
      model: 'creek&book=1',
      .../** @type {any} */ ({ layout: 'workspace' }),
      viewport: { width, height },
    });
    for (const [i, { id, target, task }] of pages.entries()) {
      await turned(page, i + 1);
      await calm(page);
      await page.waitForFunction(
        ([target]) => {
          const part = document.querySelector(target);
          const [box, book] = [part, document.getElementById('book')].map((each) => each?.getBoundingClientRect());
          if (!part?.matches('.book-target') || !box || !book || box.width < 10 || box.height < 5) return false;
          const [left, bottom] = book.width < innerWidth - 1 ? [book.right, innerHeight] : [0, book.top];
          const seen = Math.min(box.bottom, bottom) - Math.max(box.top, 0);
          return box.right > left + 20 && seen >= Math.min(40, box.height);
        },
        [target],
      );
      assert.equal(await page.locator(task.control).first().isVisible(), true, `${id}: ${task.control}`);
      if (i + 1 < pages.length) await page.locator('.book-turn button').nth(2).click();
    }
    await tools.close(page);
  });

test('projector: large type, the picture of the page and nothing else, arrow keys; Escape leaves it', async () => {
  const page = await tools.open({ model: 'creek&book=7', viewport: { width: 1440, height: 900 } });
  await turned(page, 7);
  await calm(page);
  await page.locator('.book-story').click();
  await page.waitForFunction(() => document.documentElement.dataset.book === 'story');
  for (const number of [8, 9]) {
    await page.keyboard.press('ArrowRight');
    await turned(page, number);
    await calm(page);
    const { target } = pages[number - 1];
    await page.waitForFunction((target) => document.querySelector(target)?.matches('.book-target'), target);
    assert.equal(await page.locator(target).isVisible(), true);
    for (const away of ['.page-head', '#tokens-encoder', '#share'])
      assert.equal(await page.locator(away).first().isVisible(), false, away);
    const size = await page
      .locator('.book-text p')
      .first()
      .evaluate((each) => parseFloat(getComputedStyle(each).fontSize));
    assert(size >= 28, `${size} px`);
    const [book, picture] = await Promise.all(['#book', target].map((each) => page.locator(each).boundingBox()));
    assert(book && picture && picture.x >= book.x + book.width, 'beside each other');
    assert(picture && picture.width > 500, 'and wide enough');
  }
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.documentElement.dataset.book === 'beside');
  assert.equal(await page.locator('[data-book-away]').count(), 0);
  await tools.close(page);
});

test('axe finds nothing in the open book', async () => {
  const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const page = await tools.open({ model: 'creek&book=7', colorScheme });
    await turned(page, 7);
    await calm(page);
    for (const fold of ['.book-contents', '.book-doubt']) await page.locator(`${fold} summary`).click();
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      const found = await Reflect.get(self, 'axe').run(document.getElementById('book'), {
        resultTypes: ['violations'],
      });
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
    });
    assert.deepEqual(violations, [], colorScheme);
    await tools.close(page);
  }
});
