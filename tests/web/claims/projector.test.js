// The projector in Chromium: hands are counted for the three answers; figures fill the screen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { course } from '../../../src/claims/index.js';
import { listed } from '../../../web/claims/order.js';
import { pagesOf } from '../../../web/claims/pictures/pages.js';
import { ofTheDay } from '../../of-the-day.js';
import { useBrowser } from '../browser.js';
import { assertAccessible, openAt } from '../train/watch.js';

const tools = useBrowser();
const order = listed(course).flatMap((group) => group.claims);
const CLAIMS = { within: '#claims, #claims *' };
const SCREEN = { viewport: { width: 1280, height: 720 } };
const LEAST = 24; // px of a label on a screen of 1280 × 720, beside verdict and votes

/** @typedef {import('playwright-core').Page} Page */

/** The counters, by verdict. @param {Page} page */
const votes = (page) =>
  page
    .locator('.claims-counter input')
    .evaluateAll((fields) => fields.map((field) => Number(/** @type {HTMLInputElement} */ (field).value)));

test('hands are counted for the three answers, by keys too, and stand beside the verdict', async () => {
  const page = await openAt(tools, '#/claims?cards=22,20&card=22&view=projector', SCREEN);
  const screen = page.locator('.claims-screen');
  const field = (/** @type {string} */ letter) => page.getByRole('spinbutton', { name: `Votes for ${letter}` });
  await field('A').waitFor();
  assert.equal(await page.locator('[data-verdict], .claims-poll-share').count(), 0, 'nothing is shown before the vote');
  assert.equal(await page.locator('.places').isVisible(), false);
  await assertAccessible(page, CLAIMS);
  await field('A').fill('12');
  await field('B').fill('1e9');
  await page.getByRole('button', { name: 'One more for C' }).click();
  assert.equal(await field('B').inputValue(), '999');
  await field('B').fill('-3');
  await page.getByRole('button', { name: 'One more for C' }).click();
  assert.equal(await field('B').inputValue(), '0');
  await field('C').press('ArrowUp'); // of the field, which turns no screen
  await field('C').press('Enter');
  await page.locator('.claims-poll [data-verdict=false]').waitFor();
  assert.deepEqual(await votes(page), [12, 0, 3]);
  assert.match(await page.locator('.claims-counter').nth(2).innerText(), /^C\s+false ✓[^]*20 %$/);
  await assertAccessible(page, CLAIMS);
  while ((await page.evaluate(() => location.hash)).includes('card=22')) await page.keyboard.press('PageDown');
  await page.waitForURL(/cards=22,20&card=20&view=projector$/);
  await page.locator('.claims-projector h3', { hasText: 'E = X·W' }).waitFor();
  assert.equal(await field('A').inputValue(), '0', 'each card has its own votes');
  await page.getByRole('button', { name: 'Reveal without votes' }).click();
  await page.locator('.claims-poll [data-verdict]').waitFor();
  assert.equal(await page.locator('.claims-poll-share').count(), 0);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(/card=22&view=projector$/);
  const claim = page.locator('.claims-projector h3', { hasText: 'bottleneck' });
  await claim.waitFor();
  assert.equal(await field('A').inputValue(), '12', 'they last as long as the tab');
  await page.reload();
  await claim.waitFor();
  assert.equal(await field('A').inputValue(), '12', 'also when the page is opened again');
  await page.keyboard.press('Escape');
  await page.waitForURL(/#\/claims\?cards=22,20&card=22$/);
  await page.goBack();
  await screen.waitFor();
  await page.evaluate(() => (location.hash = '#/explore'));
  await page.locator('.places').waitFor(); // the projector hides them
  await tools.close(page);
});

test('many rows are shown on several screens with one axis, fewer on one', () => {
  const row = (/** @type {number} */ value) => ({ label: `${value}`, marks: [{ series: 0, label: '', value }] });
  const panel = /** @type {const} */ ({ kind: 'rows', title: '', x: { title: 'x', log: true } });
  const many = { ...panel, rows: [1e-7, 0, 3, Infinity, 20].map(row) };
  const pages = pagesOf(many);
  const parts = pages.map(({ picture: [part] }) => /** @type {any} */ (part));
  assert.deepEqual(parts.map(({ rows }) => rows.length), [3, 2]); // prettier-ignore
  for (const { x } of parts) assert.deepEqual(x, { ...panel.x, low: 1e-7, high: 20 });
  assert.equal(pagesOf(many), pages, 'each is drawn once');
  const few = { ...panel, rows: [1, 2, 3, 4].map(row) };
  assert.equal(pagesOf(few)[0].picture[0], few);
  const two = { ...few, series: [{ name: 'a' }, { name: 'b' }] };
  assert.equal(pagesOf(two).length, 2, 'rows of two series are higher');
});

/** Words of a drawing on other words, lines, points or levels. @param {import('playwright-core').Page} page */
const collisions = (page) =>
  page.locator('.picture-plot > svg').evaluateAll((drawings) =>
    drawings.flatMap((svg) => {
      const texts = [...svg.querySelectorAll('text:not(.picture-beyond)')].map((text) => ({
        name: text.textContent,
        isNamed: text.matches('.picture-name, .picture-label'),
        box: text.getBoundingClientRect(),
      }));
      /** @typedef {{left: number, right: number, top: number, bottom: number}} Box */
      const meet = (/** @type {Box} */ a, /** @type {Box} */ b) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4; // a line's height is more than its letters'
      const found = texts.flatMap((a, i) =>
        texts.slice(0, i).flatMap((b) => (meet(a.box, b.box) ? [`${a.name} on ${b.name}`] : [])),
      );
      for (const path of /** @type {NodeListOf<SVGPathElement>} */ (
        svg.querySelectorAll('.picture-line, .picture-level, .picture-dot')
      )) {
        const matrix = /** @type {DOMMatrix} */ (path.getScreenCTM());
        const length = path.getTotalLength();
        for (let at = 0; at <= length; at += 1) {
          const { x, y } = path.getPointAtLength(at).matrixTransform(matrix);
          for (const { name, isNamed, box } of texts)
            if (isNamed && x > box.left && x < box.right && y > box.top + 3 && y < box.bottom - 3) {
              found.push(`${path.getAttribute('class')} through ${name}`);
              at = length;
            }
        }
      }
      return found;
    }),
  );

/**
 * On the card itself, in a wide window and on a phone: words of its figures stand free, the verdict in its panel.
 * @param {Page} page @param {number} number
 */
async function assertFree(page, number) {
  await page.keyboard.press('Escape');
  await page.locator('.claims-fresh .picture-panel').first().waitFor();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.waitForFunction(
      (window) =>
        innerWidth === window &&
        [.../** @type {NodeListOf<SVGSVGElement>} */ (document.querySelectorAll('.picture-plot > svg'))].every(
          (svg) => Math.abs(svg.getBoundingClientRect().width - svg.viewBox.baseVal.width) < 1,
        ),
      width,
    );
    assert.deepEqual(await collisions(page), [], `${number}, ${width} px`);
    const [word, panel] = await Promise.all(
      ['.claims-verdict .claims-word', '.claims-found'].map((each) => page.locator(each).boundingBox()),
    );
    assert(word && panel && word.x + word.width <= panel.x + panel.width, `${number}, ${width} px: the verdict’s word`);
  }
  await page.setViewportSize(SCREEN.viewport);
}

test(`each figure fills 1280 × 720 in labels of ${LEAST} px at least; its words stand free on the card`, async () => {
  const page = await openAt(tools, '#/claims?view=list', SCREEN);
  let figures = 0;
  const long = ofTheDay(order.filter(({ claim }) => claim.long));
  for (const [i, module] of order.entries()) {
    const { claim } = module;
    if (claim.long && !long.includes(module)) continue; // another day
    const hash = `#/claims?card=${claim.number}&view=projector${claim.seeded ? '&seeds=1' : ''}`;
    await page.evaluate((to) => (location.hash = to), hash);
    await page.locator(`.claims-projector[aria-label="Card ${i + 1}"] .claims-poll`).waitFor();
    await page.getByRole('button', { name: 'One more for A' }).click();
    const high = () => page.evaluate(() => document.documentElement.scrollHeight);
    assert.equal(await high(), 720, `card ${claim.number}: claim, experiment and answers are in the window`);
    await page.keyboard.press('ArrowRight');
    await page.locator('.claims-poll .claims-word').waitFor({ timeout: 120_000 });
    for (;;) {
      const figure = page.locator('.claims-figure .picture-panel');
      const said = await page.evaluate(() => document.querySelector('.claims-screen > p')?.textContent ?? '');
      if (said) {
        assert.equal(await high(), 720, `card ${claim.number}: “${said.slice(0, 30)}” is in the window`);
        if (/^(Control|Boundary):/.test(said)) break;
        await page.keyboard.press('ArrowRight');
        continue;
      }
      await figure.waitFor();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const seen = await page.evaluate(() => {
        const labels = '.claims-figure :is(text, figcaption, li span, p, .legend-scale span)';
        return {
          labels: [...document.querySelectorAll(labels)]
            .filter((each) => each.textContent?.trim() && each.checkVisibility())
            .map((each) => {
              const svg = each.closest('svg');
              const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
              const { left, right } = each.getBoundingClientRect();
              const size = scale * parseFloat(getComputedStyle(each).fontSize);
              return { text: each.textContent, size, isWhole: left >= 0 && right <= innerWidth };
            }),
          height: document.documentElement.scrollHeight,
        };
      });
      const name = `card ${claim.number}, figure ${++figures}`;
      assert(seen.labels.length > 2, name);
      for (const { text, size, isWhole } of seen.labels) {
        assert(size >= LEAST, `${name}: “${text}” has ${size} px`);
        assert(isWhole, `${name}: “${text}” ends beyond the screen`);
      }
      assert.equal(seen.height, 720, `${name} and its buttons are in the window`);
      await page.keyboard.press('ArrowRight');
    }
    await assertFree(page, claim.number);
  }
  assert(figures > order.filter(({ claim }) => !claim.long).length, `${figures} figures`);
  await tools.close(page);
});
