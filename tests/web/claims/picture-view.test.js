// The pictures on their cards in Chromium: what is drawn, read by mouse and keys, and listed in tables.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { claims } from '../../claims/kept.js';
import { format } from '../../../web/claims/numbers.js';
import { useBrowser } from '../browser.js';
import { assertAccessible } from '../train/watch.js';
import { openCard, printed, tested, unfold } from './watch.js';

const tools = useBrowser();

/** Waits until the figure of the last run is there. @param {import('playwright-core').Page} page */
async function drawn(page) {
  await tested(page);
  await page.locator('.claims-fresh .picture-panel').first().waitFor();
}

/** Opens a card and shows what is measured. @param {string} hash @param {object} [options] */
async function shown(hash, options) {
  const page = await openCard(tools, `#/claims?${hash}`, options);
  await page.getByRole('button', { name: 'Run without a bet' }).click();
  await drawn(page);
  await unfold(page);
  return page;
}

/** @param {number} number @param {import('../../../src/claims/index.js').Params} [params] @returns {Promise<any>} */
const inNode = async (number, params) =>
  claims.find(({ claim }) => claim.number === number)?.run(await load({ variant: 'simd' }), params);

/** @param {import('playwright-core').Page} page @param {number} i */
const readout = (page, i) => page.locator('.picture-readout').nth(i).innerText();

test('bars are as long as the numbers are large, are read by mouse and saved with their indices', async () => {
  const page = await shown('card=22');
  const lengths = await page
    .locator('.picture-panel')
    .nth(0)
    .locator('.picture-bar')
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  assert.equal(lengths.length, 3);
  assert(Math.abs(lengths[1] / lengths[0] - 4) < 0.01, lengths.join());
  const { feedForward } = await inNode(22);
  const box = await page.locator('.picture-bar').nth(4).boundingBox();
  assert(box);
  await page.mouse.move(box.x + box.width - 1, box.y + 5);
  assert.equal(await readout(page, 1), `Feed-forward network: ${format(feedForward)}`);
  assert(await page.locator('.picture :is(sub, sup, tspan[font-size])').count());
  await page.locator('.picture .map-foot summary').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.picture').getByRole('button', { name: 'SVG', exact: true }).click(),
  ]);
  assert.match(
    readFileSync(await download.path(), 'utf8'),
    /Hidden layer, d<\/tspan><tspan[^>]* dy="3"[^>]* font-size="9px"[^>]*>ff</,
  );
  await tools.close(page);
});

test('keys go along a line and from one to the next; the points are where Node’s numbers are', async () => {
  const page = await shown('card=1&seeds=2');
  const { unscaledCurve: unscaled, scaledCurve: scaled, widths } = await inNode(1, { seeds: 2 });
  const plot = page.getByRole('application', { name: /^Gradient of a softmax row/ });
  const text = (
    /** @type {string} */ name,
    /** @type {number[][]} */ lists,
    /** @type {number} */ s,
    /** @type {number} */ w,
  ) => printed(`${name}, seed ${s}: d_k ${widths[w]}, ‖∂softmax/∂scores‖ ${format(lists[s][w])}`);
  assert.match(await readout(page, 0), /^Each point is the median/);
  await page.mouse.move(0, 0); // or it would point at the figure
  await plot.focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await readout(page, 0), text('unscaled', unscaled, 0, 0));
  await page.keyboard.press('End');
  assert.equal(await readout(page, 0), text('unscaled', unscaled, 0, 6));
  await page.keyboard.press('ArrowDown');
  assert.equal(await readout(page, 0), text('unscaled', unscaled, 1, 6));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await readout(page, 0), text('scaled by 1/√d_k', scaled, 0, 5));
  const drawing = () => plot.locator('svg').getAttribute('viewBox');
  const before = await drawing();
  await page.setViewportSize({ width: 700, height: 900 }); // drawn again, what is read stays
  for (const end = Date.now() + 5000; (await drawing()) === before;) assert(Date.now() < end);
  assert.equal(await readout(page, 0), text('scaled by 1/√d_k', scaled, 0, 5));
  await page.keyboard.press('Escape');
  assert.match(await readout(page, 0), /^Each point is the median/);
  // d_k 8 and 512 are six doublings apart, a gradient's place is its logarithm's
  const dots = await plot.locator('.picture-dot').evaluateAll((all) =>
    all.map((dot) =>
      dot
        .getAttribute('transform')
        ?.match(/[\d.]+/g)
        ?.map(Number),
    ),
  );
  assert.equal(dots.length, 28);
  const [[x0, y0], , , [x3, y3]] = /** @type {number[][]} */ (dots);
  const [, last] = [dots[0], /** @type {number[]} */ (dots[6])];
  assert(Math.abs((x3 - x0) / (last[0] - x0) - 0.5) < 0.01);
  const decades = (/** @type {number} */ a, /** @type {number} */ b) => Math.log10(unscaled[0][a] / unscaled[0][b]);
  assert(Math.abs((y3 - y0) / (last[1] - y0) - decades(0, 3) / decades(0, 6)) < 0.01);
  await tools.close(page);
});

test('maps: cells by mouse and keys, all numbers as tables', async () => {
  const page = await shown('card=21&d_v=4&seeds=1');
  const { weights, others } = await inNode(21, { d_v: 4, seeds: 1 });
  const map = page.getByRole('application', { name: /^Other weights, 12 × 12/ });
  const box = await map.boundingBox();
  assert(box);
  await page.mouse.move(box.x + (2.5 / 12) * box.width, box.y + (4.5 / 12) * box.height);
  assert.equal(await readout(page, 0), `Other weights, query 4, key 2: ${format(Math.fround(others[0][4 * 12 + 2]))}`);
  await page.mouse.move(0, 0);
  assert.equal(await readout(page, 0), '');
  await map.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  assert.equal(
    await readout(page, 0),
    `Other weights, query 4, key 11: ${format(Math.fround(others[0][4 * 12 + 11]))}`,
  );
  await page.getByText('Numbers of the figure').click();
  const table = page.getByRole('region', { name: 'Two weight matrices, seed 0: Softmax of the scores' });
  await table.waitFor();
  const cells = await table.locator('tbody td').allInnerTexts();
  assert.deepEqual(cells, weights[0].map(format));
  await tools.close(page);
});

test('the figure can be saved as it stands, and its numbers with all digits', async () => {
  const page = await shown('card=3&table=random&seeds=2');
  const { fitError } = await inNode(3, { table: 'random', seeds: 2 });
  await page.locator('.picture .map-foot summary').click();
  const saved = async (/** @type {string} */ kind) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.picture').getByRole('button', { name: kind, exact: true }).click(),
    ]);
    return readFileSync(await download.path(), 'utf8');
  };
  assert((await saved('CSV')).includes(`\nMap fitted to random vectors: at other positions,,${fitError.join()}`));
  const svg = await saved('SVG');
  assert.match(svg, /<text[^>]*paint-order="stroke"[^>]*>Map fitted to random vectors/);
  assert.equal([...svg.matchAll(/fill-opacity="0.55"/g)].length, 3);
  await tools.close(page);
});

test('forced colours: words and axes of a figure have the text colour of the system', async () => {
  const page = await shown('card=9&seeds=1', { forcedColors: 'active' });
  const colors = await page.locator('.picture-plot').evaluateAll((plots) => {
    const sample = document.body.appendChild(document.createElement('span'));
    sample.style.color = 'CanvasText';
    const wanted = getComputedStyle(sample).color;
    return plots.flatMap((plot) => [
      ...[...plot.querySelectorAll('text')].map((text) => [getComputedStyle(text).fill, wanted]),
      ...[...plot.querySelectorAll('.picture-axis')].map((axis) => [getComputedStyle(axis).stroke, wanted]),
    ]);
  });
  assert(colors.length > 20);
  for (const [color, wanted] of colors) assert.equal(color, wanted);
  await tools.close(page);
});

test('1440 px, dark, and 390 px, light: nothing runs off the side, axe finds nothing; a switch redraws', async () => {
  const page = await shown('card=9&seeds=2', { viewport: { width: 1440, height: 844 }, colorScheme: 'dark' });
  const plot = page.locator('.picture-plot svg').first();
  const isRedrawn = () =>
    page.waitForFunction(() => {
      const svg = /** @type {SVGSVGElement} */ (document.querySelector('.picture-plot > svg'));
      return Math.abs(svg.getBoundingClientRect().width - svg.viewBox.baseVal.width) < 1;
    });
  await page.getByText('Numbers of the figure').click();
  for (const [width, colorScheme] of /** @type {const} */ ([
    [1440, 'dark'],
    [390, 'light'],
  ])) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    await isRedrawn();
    await page.evaluate(() => document.getAnimations().forEach((each) => each.finish()));
    await assertAccessible(page, { within: '#claims, #claims *', scrolls: '.table-scroll, .visually-hidden' });
    assert.equal(await page.locator('.picture-panel').first().locator('.picture-plot .picture-line').count(), 2);
    assert(Number((await plot.boundingBox())?.width) > 250);
  }
  await page.getByRole('radio', { name: '4', exact: true }).check();
  await page.waitForURL(/gain=4/);
  await drawn(page);
  const { byScale } = await inNode(9, { seeds: 2, gain: 4 });
  await page.locator('.picture-plot').first().focus();
  await page.keyboard.press('End');
  assert.match(await readout(page, 0), new RegExp(` ${format(byScale[0][8])}$`));
  await tools.close(page);
});
