// The projector in Chromium: hands are counted for the three answers; figures fill the screen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from '../../../src/claims/index.js';
import { pagesOf } from '../../../web/claims/pictures/pages.js';
import { useBrowser } from '../browser.js';
import { assertAccessible, openAt } from '../train/watch.js';

const tools = useBrowser();
const CLAIMS = { within: '#claims, #claims *' };
const SCREEN = { viewport: { width: 1280, height: 720 } };
const LEAST = 28; // px of a label on a screen of 1280 × 720

/** @typedef {import('playwright-core').Page} Page */

/** What the bars say, by verdict. @param {Page} page */
const votes = (page) =>
  page
    .locator('.claims-votes tr')
    .evaluateAll((rows) => rows.map((row) => parseInt(row.lastElementChild?.textContent ?? '')));

test('hands are counted for the three answers, by keys too, and stand beside the verdict', async () => {
  const page = await openAt(tools, '#/claims?cards=22,20&card=22&view=projector', SCREEN);
  const screen = page.locator('.claims-screen');
  const field = (/** @type {string} */ letter) => page.getByRole('spinbutton', { name: `Votes for ${letter}` });
  await field('A').waitFor();
  assert.equal(await page.locator('[data-verdict], .claims-votes').count(), 0, 'nothing is shown before the vote');
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
  await page.locator('.claims-screen [data-verdict=false]').waitFor();
  assert.deepEqual(await votes(page), [12, 0, 3]);
  assert.match(await page.locator('.claims-votes tr').nth(2).innerText(), /^C false ✓\s+3 20 %$/);
  await assertAccessible(page, CLAIMS);
  while ((await page.evaluate(() => location.hash)).includes('card=22')) await page.keyboard.press('PageDown');
  await page.waitForURL(/cards=22,20&card=20&view=projector$/);
  await screen.getByText('E = X·W').waitFor();
  assert.equal(await field('A').inputValue(), '0', 'each card has its own votes');
  await page.getByRole('button', { name: 'Reveal without votes' }).click();
  await page.locator('.claims-screen [data-verdict]').waitFor();
  assert.equal(await page.locator('.claims-votes').count(), 0);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(/card=22&view=projector$/);
  await screen.getByText('bottleneck').waitFor();
  assert.equal(await field('A').inputValue(), '12', 'they last as long as the tab');
  await page.reload();
  await screen.getByText('bottleneck').waitFor();
  assert.equal(await field('A').inputValue(), '12', 'also when the page is opened again');
  await page.keyboard.press('Escape');
  await page.waitForURL(/#\/claims\?cards=22,20&card=22$/);
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

test(`every figure fills a screen of 1280 × 720, and no label is smaller than ${LEAST} px`, async () => {
  const page = await openAt(tools, '#/claims?view=list', SCREEN);
  let figures = 0;
  for (const [i, { claim }] of claims.entries()) {
    const hash = `#/claims?card=${claim.number}&view=projector${claim.seeded ? '&seeds=1' : ''}`;
    await page.evaluate((to) => (location.hash = to), hash);
    await page.locator(`.claims-projector[aria-label="Card ${i + 1}"] .claims-poll`).waitFor();
    await page.getByRole('button', { name: 'One more for A' }).click();
    await page.keyboard.press('ArrowRight');
    await page.locator('.claims-screen .claims-word').waitFor({ timeout: 120_000 });
    const high = () => page.evaluate(() => document.documentElement.scrollHeight);
    assert.equal(await high(), 720, `card ${claim.number}: verdict, why and votes are in the window`);
    for (;;) {
      await page.keyboard.press('ArrowRight');
      const figure = page.locator('.claims-figure .picture-panel');
      const title = page.locator('.claims-screen h3');
      if (await title.count()) {
        if ((await title.innerText()) !== 'Measured now') break;
        assert.equal(await high(), 720, `card ${claim.number}: the numbers are in the window`);
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
    }
  }
  assert(figures >= 46, `${figures} figures`);
  await tools.close(page);
});
