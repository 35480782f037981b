// The textbook in Chromium: its address, keyboard, what it leaves as it was, projector, and where it stands. The walk
// through all pages with their numbers is a part of the tour (tests/web/tour/book.js).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as timeout } from 'node:timers/promises';
import { stateOf } from '../../../web/explore/shared/facts.js';
import { lessons, modelOf } from '../../../web/lessons/index.js';
import { readModel } from '../../../src/models/measure.mjs';
import { assertAxe, readout, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
const pages = /** @type {any[]} */ (lessons.filter(({ kind }) => kind === 'page'));
const first = lessons[0];

/** @typedef {import('playwright-core').Page} Page */

const title = (/** @type {Page} */ page) => page.locator('#book-title').textContent();
/** @param {Page} page @param {number} number */
const turned = (page, number) =>
  page.waitForFunction(
    (text) => document.querySelector('#book-title')?.textContent === text,
    /** @type {any} */ (pages[number - 1].title),
  );
/** The first page, by the list. @param {Page} page */
async function chooseFirst(page) {
  await page.locator('.book-contents summary').click();
  await page.locator('.book-list-page button').first().click();
  await turned(page, 1);
}
const calm = (/** @type {Page} */ page) =>
  page.waitForFunction(() => !document.querySelector('.book-text')?.textContent?.includes('…'));

test('keys turn pages but not in fields; Escape closes, the focus returns, and nothing is left', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  assert.equal(
    await page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /\/book-/.test(name))),
    false,
  );
  await page.locator('#book-button').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction((text) => document.querySelector('#book-title')?.textContent === text, first.title);
  await chooseFirst(page);
  await page.locator('#book').focus();
  assert.equal(await page.locator('#book-button').getAttribute('aria-expanded'), 'true');
  for (const [key, number] of /** @type {[string, number][]} */ ([
    ['ArrowRight', 2],
    ['PageDown', 3],
    ['ArrowLeft', 2],
    ['PageUp', 1],
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

test('progress is kept in the browser, and where that is refused the book works without', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await page.locator('#book-button').click();
  await chooseFirst(page);
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
  await chooseFirst(refusing);
  await calm(refusing);
  await update(refusing, () => refusing.locator('#tokens-encoder .token').nth(5).click());
  await refusing.locator('.book-task[data-done=true]').waitFor();
  await tools.close(refusing);
});

test('what a done task says stays true when the state is another, and after a reload', async () => {
  const number = pages.findIndex(({ id }) => id === 'positions') + 1;
  const page = await tools.open({ model: `creek&book=${number}` });
  await turned(page, number);
  await calm(page);
  const [text, seen] = ['.book-text', '.book-seen'].map((each) => page.locator(each));
  const before = await text.innerText();
  assert.equal(await seen.innerText(), '');
  await update(page, () => page.selectOption('#set-positions', 'none'));
  await page.locator('.book-task[data-done=true]').waitFor();
  const said = await seen.innerText();
  const word = await page.locator('#answers .answer-word, #answers bdi').nth(1).textContent();
  assert.match(said, new RegExp(`^Without positions the model answered “?${word}”? at “?it”?, with [\\d.]+\\s%\\.$`));
  assert.equal(await text.innerText(), before, 'the sentence speaks of the model with positions');
  await update(page, () => page.selectOption('#set-positions', 'sinusoidal'));
  await update(page, () => page.locator('#tokens-encoder .token').nth(7).click());
  await page.waitForFunction(() => document.querySelector('.book-text')?.textContent?.includes('At position 7'));
  assert.equal(await seen.innerText(), said, 'it names the token of then');
  await update(page, () => page.selectOption('#set-positions', 'none'));
  await page.waitForFunction((said) => document.querySelector('.book-seen')?.textContent?.trim() !== said, said);
  const later = await seen.innerText();
  assert.match(later, /dog/);
  await page.waitForFunction(() => /positions=none/.test(location.hash));
  await page.reload(); // to the state without positions
  await turned(page, number);
  await page.getByText('This page speaks of its own text and settings').waitFor();
  assert.doesNotMatch(await text.innerText(), /…|length/);
  assert.equal(await seen.innerText(), later);
  await page.getByRole('button', { name: 'Start again' }).click();
  await calm(page);
  assert.equal(await text.innerText(), before);
  assert.equal(await seen.innerText(), later);
  await tools.close(page);
});

/** Boxes that cut off a ring, and words beside the book that are not whole. */
const spoiled = () => {
  const found = [];
  for (const ringed of document.querySelectorAll('.book-target, .book-control')) {
    const { outlineWidth, outlineOffset } = getComputedStyle(ringed);
    const ring = parseFloat(outlineWidth) + parseFloat(outlineOffset);
    const box = ringed.getBoundingClientRect();
    for (let at = ringed.parentElement; at && at !== document.body; at = at.parentElement) {
      const { overflowX, contentVisibility } = getComputedStyle(at);
      const edge = at.getBoundingClientRect();
      const isCut =
        box.left - ring < edge.left - 0.5 ||
        box.right + ring > edge.right + 0.5 ||
        box.top - ring < edge.top - 0.5 ||
        box.bottom + ring > edge.bottom + 0.5;
      if (isCut && (overflowX !== 'visible' || contentVisibility === 'auto'))
        found.push(`the ring of ${ringed.id || ringed.className} by ${at.className}`);
    }
  }
  const named = '.book :is(button, summary), .caption, [data-term], .page-head :is(a, button, summary)';
  for (const each of document.querySelectorAll(named))
    if (each.clientWidth && each.scrollWidth > each.clientWidth + 1) found.push(`the text ${each.textContent}`);
  for (const each of document.querySelectorAll('.page-head :is(a, button, summary)'))
    if (each.clientHeight > 60) found.push(`the word ${each.textContent} in two lines`);
  return found;
};

/** Whether a page's target has its ring, and enough of it is in sight and not under the book. @param {string} target */
const isInSight = (target) => {
  const part = document.querySelector(target);
  const [box, book] = [part, document.getElementById('book')].map((each) => each?.getBoundingClientRect());
  if (!part?.matches('.book-target') || !box || !book || box.width < 10 || box.height < 5) return false;
  const [left, bottom] = book.width < innerWidth - 1 ? [book.right, innerHeight] : [0, book.top];
  const seen = Math.min(box.bottom, bottom) - Math.max(box.top, 0);
  return box.right > left + 20 && seen >= Math.min(40, box.height);
};

for (const [width, height] of [
  [1440, 900],
  [1280, 720],
  [390, 844],
])
  test(`${width} × ${height}: each page’s target is in sight, the window stays, map and ring are whole`, async () => {
    const page = await tools.open({ model: 'creek&book=1', layout: 'workspace', viewport: { width, height } });
    for (const [i, each] of pages.entries()) {
      await turned(page, i + 1);
      await calm(page);
      await page.waitForFunction(isInSight, each.target);
      const place = each.tool ? '.book-tool' : each.control;
      assert(await page.locator(place).first().isVisible(), `${each.id}: ${place}`);
      if (width > 390) {
        assert.equal(await page.evaluate(() => scrollY), 0, each.id);
        // A panel that comes near the window has its height in the next frame.
        let found = await page.evaluate(spoiled);
        for (let tries = 0; found.length && tries < 50; tries++) {
          await timeout(100);
          found = await page.evaluate(spoiled);
        }
        assert.deepEqual(found, [], each.id);
        const { graph } = stateOf(each, /** @type {any} */ (readModel(/** @type {any} */ (modelOf(each)))));
        if (graph.node === 'attention')
          await page.waitForFunction(() => {
            const map = document.querySelector('#heatmap .map-grid')?.getBoundingClientRect();
            return map && Math.min(map.bottom, innerHeight) - Math.max(map.top, 0) >= 0.75 * map.height;
          });
      }
      if (i + 1 < pages.length) await page.locator('.book-turn button').nth(2).click();
    }
    // The reader has scrolled away: the part comes back, by its top.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.locator('.book-turn button').first().click();
    await page.waitForFunction(
      (target) => {
        const top = Number(document.querySelector(target)?.getBoundingClientRect().top);
        return top >= -1 && top < innerHeight / 2;
      },
      pages[pages.length - 2].target,
    );
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
    for (const away of [
      '.page-head',
      '#answers',
      '#share',
      ...(target === '.map-and-lines' ? ['#tokens-encoder'] : []),
    ])
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
  // On a common projector the whole map is in the window, with labels for the last row of seats.
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const [key, number] of /** @type {[string, number][]} */ ([
    ['ArrowLeft', 8],
    ['ArrowLeft', 7],
  ])) {
    await page.keyboard.press(key);
    await turned(page, number);
    await calm(page);
    await page.waitForFunction(
      () => Number(document.querySelector('#heatmap .map-grid')?.getBoundingClientRect().height) >= 620,
    );
    const map = await page
      .locator('#heatmap .map-grid')
      .evaluate((each) => ({
        ...each.getBoundingClientRect().toJSON(),
        labels: [...each.querySelectorAll('.map-rows bdi')].map((label) =>
          parseFloat(getComputedStyle(label).fontSize),
        ),
        value: document.querySelector('#heatmap .map-readout')?.getBoundingClientRect().bottom,
        scrolled: scrollY,
      }));
    assert.equal(map.scrolled, 0);
    assert(map.top >= 0 && map.value <= 720 && map.right <= 1280, JSON.stringify(map));
    assert(map.labels.length > 5 && Math.min(...map.labels) >= 22, `${map.labels}`);
    const next = await page.locator('.book-turn button').nth(2).boundingBox();
    assert(next && next.y + next.height <= 720, 'Next is in the window');
  }
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.documentElement.dataset.book === 'beside');
  await page.waitForFunction(
    () => getComputedStyle(/** @type {Element} */ (document.querySelector('.map-rows bdi'))).fontSize === '13px',
  );
  assert.equal(await page.locator('[data-book-away]').count(), 0);
  await tools.close(page);
});

test('axe finds nothing in the open book, nor in a puzzle, solved and refused', async () => {
  const page = await tools.open({ model: 'creek&book=7' });
  const assertGood = async () => {
    for (const colorScheme of /** @type {const} */ (['dark', 'light'])) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await page.evaluate(() => document.getAnimations().forEach((each) => each.finish()));
      await assertAxe(page, colorScheme, '#book');
    }
  };
  await turned(page, 7);
  await calm(page);
  for (const fold of ['.book-contents', '.book-doubt']) await page.locator(`${fold} summary`).click();
  await assertGood();
  await page.evaluate(() => (location.hash = '#/explore?model=creek&puzzle=1'));
  await page.locator('.puzzle-says').getByText('it says pond').waitFor();
  await page.locator('#text').fill('The fox did not jump over the pond because it was hungry.');
  await page.locator('.puzzle-solved').getByText('Solved').waitFor();
  await page.locator('#text').fill('The fox did not jump over a creek because it was hungry.');
  await page.locator('.puzzle-refused').getByText('Change one word only.').waitFor();
  for (const fold of ['.book-contents', '.puzzle-hint'])
    await page.locator(fold).evaluate((each) => each.setAttribute('open', ''));
  await assertGood();
  await tools.close(page);
});
