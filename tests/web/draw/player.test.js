// The rows of Why as they play: a row a second, the first one product after another, with the module's numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameAt, lastOf, positionAt } from '../../../web/draw/player.js';
import { point, ready, update, useBrowser } from '../browser.js';
import { SENTENCE, compute } from '../in-node.js';
import { assertPrinted, assertShort } from '../checks.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */
const PREFIX = 'encoder.layers.0.self_attn';
const [ROW, KEY, SIZE] = [7, 3, 16];
const LAST = SIZE + 3;
const ROWS = [SIZE, 1, 1, 1];

/** @param {ReturnType<typeof compute>} own @param {string} name */
const cell = (own, name) => own.at(`${PREFIX}.${name}`, 0, 0, ROW, KEY);

/** The sum of the first products. @param {ReturnType<typeof compute>} own @param {number} terms */
const sumOf = ({ at }, terms) =>
  Array.from(
    { length: terms },
    (_, d) => at(`${PREFIX}.query`, 0, 0, ROW, d) * at(`${PREFIX}.key`, 0, 0, KEY, d),
  ).reduce((so, term) => so + term, 0);

/** @param {Page} page */
const range = (page) => page.getByRole('slider', { name: 'Place in the computation' });
/** The number of a row. @param {Page} page @param {number} row */
const number = (page, row) => page.locator('#computation .why-number').nth(row).innerText();
/** The number of rows still to come. @param {Page} page */
const ahead = (page) => page.locator('#computation .ahead').count();

test('positions: four seconds, a row each; the products of the first', () => {
  assert.equal(lastOf(ROWS), LAST);
  assert.deepEqual(
    [0, 499, 999, 1000, 1999, 2000, 3000, 3999, 4000].map((ms) => positionAt(ROWS, ms)),
    [1, 8, SIZE, SIZE + 1, SIZE + 1, SIZE + 2, LAST, LAST, LAST],
  );
  const frames = Array.from({ length: 400 }, (_, i) => frameAt(ROWS, positionAt(ROWS, 10 * i)));
  assert.deepEqual(
    [...new Set(frames.filter(({ row }) => row === 0).map(({ part }) => part))],
    Array.from({ length: SIZE }, (_, d) => d + 1),
  );
  for (const row of [0, 1, 2, 3]) assert.equal(frames.filter((frame) => frame.row === row).length, 100, `row ${row}`);
});

test('a chosen cell plays once it is in sight, and ends on the whole', async () => {
  const page = await tools.open();
  await ready(page);
  await page.locator('#computation').scrollIntoViewIfNeeded();
  assert.equal(await ahead(page), 0, 'nothing plays when the page opens');
  await update(page, () => page.locator('#text').pressSequentially(' on'));
  // All of it: back at the text that is shown still, nothing would be updated.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('#heatmap .map-rows bdi')].some(({ textContent }) => textContent === 'on'),
  );
  assert.equal(await ahead(page), 0, 'nor while the reader types');
  await update(page, () => page.locator('#text').fill(SENTENCE));
  await point(page, '#heatmap', ROW, KEY, 'click');
  await page.locator('#computation').scrollIntoViewIfNeeded();
  const play = page.locator('.why-play');
  for (const rows of [3, 2, 1, 0])
    await page.waitForFunction((left) => document.querySelectorAll('#computation .ahead').length === left, rows);
  await page.waitForFunction(() => document.querySelector('.why-play')?.textContent === 'Play');
  assert.equal(await range(page).inputValue(), String(LAST));
  const opacity = (/** @type {number} */ row) =>
    page
      .locator('.why-step')
      .nth(row)
      .locator('.why-result')
      .evaluate((each) => (each.getAnimations().forEach((fade) => fade.finish()), getComputedStyle(each).opacity));

  // Scrubbed: the sum so far beside the products that make it, the rows to come dimmed.
  const own = compute(tools.gf, {});
  for (const terms of [1, 5, 6, 15]) {
    await range(page).fill(String(terms));
    assertShort(await number(page, 0), sumOf(own, terms), `sum of ${terms}`);
    assert.equal(await page.locator('.products .why-result p').innerText(), `sum of ${terms} of ${SIZE}`);
    assert.equal(await range(page).getAttribute('aria-valuetext'), `query · key, ${terms} of ${SIZE} products`);
    const heights = await page
      .locator('.why-bars.product rect')
      .evaluateAll((all) => all.map((each) => Number(each.getAttribute('height'))));
    assert.equal(heights.filter(Boolean).length, terms);
    assert.deepEqual(await Promise.all([0, 1, 2, 3].map(opacity)), ['1', '0.4', '0.4', '0.4']);
  }
  await range(page).press('ArrowRight');
  assertPrinted(await number(page, 0), cell(own, 'scores'), 'all products');
  await range(page).press('ArrowRight');
  assert.equal(await range(page).getAttribute('aria-valuetext'), `÷ √${SIZE}`);
  assert.deepEqual(await Promise.all([0, 1, 2, 3].map(opacity)), ['1', '1', '0.4', '0.4']);
  await range(page).press('End');
  assert.equal(await ahead(page), 0);

  // Enter plays, Space pauses and holds; another update shows the whole.
  await play.press('Enter');
  await play.getByText('Pause').waitFor();
  await play.press('Space');
  await play.getByText('Play').waitFor();
  const held = await range(page).inputValue();
  assert(Number(held) < LAST);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await range(page).inputValue(), held);
  await update(page, () => page.getByLabel('Divide scores').uncheck());
  await page.waitForFunction(() => !document.querySelector('#computation .ahead'));
  await tools.close(page);
});

test('where motion is reduced nothing plays by itself; it steps', async () => {
  const page = await tools.open({ reducedMotion: 'reduce' });
  await ready(page);
  await point(page, '#heatmap', ROW, KEY, 'click');
  await page.locator(`.why-label[data-row="${ROW}"]`).waitFor();
  await page.locator('#computation').scrollIntoViewIfNeeded();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await ahead(page), 0);
  assert.equal(await page.locator('.why-play').isVisible(), false);
  const own = compute(tools.gf, {});
  const back = page.getByRole('button', { name: 'Step back' });
  for (const rows of [1, 2, 3, 3]) {
    await back.click();
    assert.equal(await ahead(page), rows);
  }
  assertPrinted(await number(page, 0), cell(own, 'scores'));
  const forward = page.getByRole('button', { name: 'Step forward' });
  for (const [row, name] of /** @type {const} */ ([
    [1, 'scaled'],
    [2, 'weights'],
  ])) {
    await forward.press('Enter');
    assert.equal(await ahead(page), 3 - row);
    (row < 2 ? assertPrinted : assertShort)(await number(page, row), cell(own, name), name);
  }
  for (let i = 0; i < 2; i++) {
    await forward.press('Enter');
    assert.equal(await ahead(page), 0);
  }
  await tools.close(page);
});
