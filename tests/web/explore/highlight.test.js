// One shared hover: what is pointed at or focused is lit wherever it stands, and nothing is computed for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attentionName, ffnName } from '../../../web/engine/plan.js';
import { map, point, ready, useBrowser } from '../browser.js';
import { shipped } from '../in-node.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';
const WORDS = KNOWN.split(' ');

/** Opens creek with what lights already fetched. @param {string} [more] @param {object} [options] */
async function open(more = '', options = {}) {
  const page = await tools.open({
    model: `creek&head=3.2&row=12&key=1&neuron=5&neurons=index${more}`,
    viewport: { width: 1400, height: 1000 },
    ...options,
  });
  await ready(page);
  const fetched = page.waitForResponse(/highlight-.*\.js$/);
  await page.locator('h1').hover();
  await page.locator('.model-graph-caption').first().hover();
  await fetched;
  await nothingLit(page);
  return page;
}

/** The texts of what is lit, in one part of the page. @param {Page} page @param {string} selector */
const lit = (page, selector) =>
  page
    .locator(`${selector}[data-lit]`)
    .evaluateAll((all) => all.map((each) => each.querySelector('bdi')?.textContent ?? each.textContent?.trim()));

/**
 * Where a map lights: first row and column, and how many of each; null: nowhere.
 * @param {Page} page
 * @param {string} view
 */
const framed = (page, view) =>
  map(page, view).evaluate((cells) => {
    const { width: columns, height: rows } = /** @type {HTMLCanvasElement} */ (cells.querySelector('canvas'));
    const frame = /** @type {HTMLElement} */ (cells.querySelector('.map-lit'));
    if (frame.hidden) return null;
    const [box, inner] = [cells, frame].map((each) => each.getBoundingClientRect());
    const part = (/** @type {number} */ size, /** @type {number} */ whole, /** @type {number} */ count) =>
      Math.round((size / whole) * count);
    return {
      row: part(inner.y - box.y, box.height, rows),
      column: part(inner.x - box.x, box.width, columns),
      rows: part(inner.height, box.height, rows),
      columns: part(inner.width, box.width, columns),
    };
  });

/** @param {Page} page @param {string} [selector] */
const isLitNow = (page, selector = '') => page.locator(`${selector}[data-lit]`).first().waitFor({ state: 'attached' });
/** @param {Page} page */
const nothingLit = (page) => page.waitForFunction(() => !document.querySelector('[data-lit], .map-lit:not([hidden])'));

test('a cell of the map: its words in tokens, lines and labels, its line, and its row in the other maps', async () => {
  const page = await open();
  const { model, ids } = shipped(tools.gf, 'creek');
  model.forward({ ids: ids(KNOWN), capture: true });
  const size = WORDS.length;
  const weights = model.tensor(attentionName('encoder', 2, 'weights')).data.subarray(size * size);
  const [row, key] = [7, 2];
  const before = await page.evaluate(() => [location.href, performance.getEntriesByName('glassformer:update').length]);
  await point(page, '#heatmap', row, key);
  await isLitNow(page, '.queries .line-token');
  assert.deepEqual(await lit(page, '#tokens-encoder .token'), [WORDS[key], WORDS[row]]);
  assert.deepEqual(await lit(page, '.queries .line-token'), [WORDS[row]]);
  assert.deepEqual(await lit(page, '.keys .line-token'), [WORDS[key]]);
  assert.deepEqual(await lit(page, '#heatmap .map-rows bdi'), [WORDS[row]]);
  assert.deepEqual(await lit(page, '#heatmap .map-columns bdi'), [WORDS[key]]);
  assert.deepEqual(await page.locator('.why-rivals [data-lit] bdi').allInnerTexts(), [WORDS[key]]);
  assert.deepEqual(await framed(page, '#heatmap'), { row, column: key, rows: 1, columns: 1 });
  const { columns } = /** @type {any} */ (await framed(page, '#ffn'));
  assert.deepEqual(await framed(page, '#ffn'), { row, column: 0, rows: 1, columns });
  assert.equal(columns, model.config.d_ff, 'the whole row');
  assert.equal((await framed(page, '#residual-stream'))?.row, row);
  assert.deepEqual(await lit(page, '.lens tr'), [WORDS[row]]);
  assert.deepEqual(await lit(page, '.moments tr'), [WORDS[row]]);
  const width = Number(await page.locator('.line-lit').getAttribute('stroke-width'));
  const wanted = 0.75 + (6 - 0.75) * weights[row * size + key];
  assert(Math.abs(width - wanted) <= 0.005 + 1e-5, `its line, though it is weak: ${width}, ${wanted}`);

  const [top] = [...weights.keys()].slice(row * size, (row + 1) * size).sort((a, b) => weights[b] - weights[a]);
  await point(page, '#heatmap', row, top % size);
  await page.waitForFunction(
    (title) => document.querySelector('.edge[data-lit] title')?.textContent?.startsWith(title),
    `${WORDS[row]} → ${WORDS[top % size]}`,
  );
  assert.equal(await page.locator('.edge[data-lit]').count(), 1, 'the line that is drawn');
  await page.locator('h1').hover();
  await nothingLit(page);
  assert.deepEqual(
    await page.evaluate(() => [location.href, performance.getEntriesByName('glassformer:update').length]),
    before,
    'no address, nothing computed',
  );
  await tools.close(page);
});

test('a token, a key, a line, a row of a table', async () => {
  const page = await open();
  await page.locator('#tokens-encoder .token').nth(7).hover();
  await isLitNow(page, '.edge');
  assert.deepEqual(await lit(page, '.queries .line-token'), ['dog'], 'a query');
  assert.deepEqual(await lit(page, '.keys .line-token'), []);
  const lines = await page.locator('.edge[data-lit] title').allTextContents();
  assert(lines.length > 0 && lines.every((text) => text.startsWith('dog → ')), 'its lines');
  assert.deepEqual(await framed(page, '#heatmap'), { row: 7, column: 0, rows: 1, columns: 14 });

  await page.locator('.keys .line-token').nth(3).hover();
  await isLitNow(page, '.keys .line-token');
  assert.deepEqual(await framed(page, '#heatmap'), { row: 0, column: 3, rows: 14, columns: 1 });
  assert.deepEqual(await lit(page, '#tokens-encoder .token'), ['cold'], 'a key');

  await page.locator('.why-rivals li').first().hover();
  await page.waitForFunction(() => document.querySelector('.keys [data-lit]')?.textContent === 'creek');
  assert.equal((await framed(page, '#heatmap'))?.column, 1);

  await page.locator('.lens tbody tr').nth(9).locator('td').first().hover();
  await page.waitForFunction(() => document.querySelector('.queries [data-lit]')?.textContent === 'to');
  assert.equal((await framed(page, '#ffn'))?.row, 9);

  await page.locator('#residual-token .stages tbody tr').nth(2).hover();
  await page.waitForFunction(() => document.querySelector('.stages tr[data-lit]'));
  assert.deepEqual((await framed(page, '#residual-stream'))?.column, 2, 'a stage');

  await page.locator('.line-token').first().hover();
  const line = { pointerType: 'mouse', bubbles: true, clientX: 1 };
  await page.locator('.edge').first().dispatchEvent('pointermove', line);
  await page.waitForFunction(() => document.querySelectorAll('.edge[data-lit]').length === 1);
  const [from, to] = String(await page.locator('.edge title').first().textContent()).split(/ → |:/);
  assert.deepEqual(await lit(page, '.queries .line-token'), [from]);
  assert.deepEqual(await lit(page, '.keys .line-token'), [to]);
  await tools.close(page);
});

test('a head and a neuron', async () => {
  const page = await open('&card=1');
  await page.locator('.head').nth(4).hover(); // the first of layer 3, which the lines are of
  await isLitNow(page, '.lines-head');
  assert.deepEqual(await lit(page, '.lines-head'), ['1']);
  await page.locator('.lines-head').nth(1).hover();
  await page.waitForFunction(() => document.querySelectorAll('.head')[5].hasAttribute('data-lit'));
  assert.equal(await page.locator('.head[data-lit]').count(), 1);
  await page.locator('.head').first().hover();
  await page.waitForFunction(() => document.querySelectorAll('.head')[0].hasAttribute('data-lit'));
  assert.deepEqual(await lit(page, '.lines-head'), [], 'of another layer');

  const { model, ids } = shipped(tools.gf, 'creek');
  model.forward({ ids: ids(KNOWN), capture: true });
  const { d_ff } = model.config;
  const row = model.tensor(ffnName('encoder', 2, 'activation')).data.subarray(12 * d_ff, 13 * d_ff);
  const strongest = row.indexOf(Math.max(...row));
  await page.locator('.neuron-strongest li').first().hover();
  await isLitNow(page, '.neuron-strongest li');
  assert.equal((await framed(page, '#ffn'))?.column, strongest);
  assert.equal(await page.locator('.neuron-card[data-lit]').count(), strongest === 5 ? 1 : 0);
  await page.selectOption('#ffn .arrangement', 'token');
  await page.locator('.neuron-strongest li').first().hover();
  await page.waitForFunction(() => document.querySelector('.neuron-strongest li[data-lit]'));
  assert.equal((await framed(page, '#ffn'))?.column, 0, 'wherever the neuron stands');
  await point(page, '#ffn', 3, 0);
  await page.waitForFunction(() => document.querySelector('.queries [data-lit]')?.textContent === 'cold');
  assert.equal(await page.locator('.neuron-strongest li[data-lit]').count(), 1);
  await tools.close(page);
});

test('the keyboard’s focus lights as well; a touch does not', async () => {
  const page = await open();
  await page.locator('.queries .line-token').nth(12).focus();
  await page.keyboard.press('ArrowUp');
  await page.waitForFunction(() => document.querySelector('#tokens-encoder [data-lit] bdi')?.textContent === 'over');
  await map(page).focus();
  await page.keyboard.press('ArrowUp');
  await page.waitForFunction(() => document.querySelector('.queries [data-lit]')?.textContent === 'jump');
  assert.equal((await framed(page, '#heatmap'))?.row, 10);
  await page.locator('h1').click();
  await nothingLit(page);
  await tools.close(page);
  const phone = await open('', { viewport: { width: 390, height: 844 } });
  const finger = { pointerType: 'touch', bubbles: true, clientX: 1 };
  await phone.locator('.line-token').first().dispatchEvent('pointermove', finger);
  await phone.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await phone.locator('[data-lit]').count(), 0);
  await tools.close(phone);
});

test('tokens between two stacks: a row of one, a key of the other', async () => {
  const page = await tools.open({ model: 'translate&head=1.1&row=1&key=2' });
  await ready(page);
  await page.locator('h1').hover();
  const english = page.locator('#tokens-encoder .token');
  await english.nth(1).hover();
  await page.waitForFunction(() => document.querySelector('.keys [data-lit]'));
  assert.equal(await page.locator('.queries [data-lit]').count(), 0, 'cross-attention: English words are keys');
  assert.equal((await framed(page, '#heatmap'))?.column, 1);
  await page.locator('#tokens-decoder .token').nth(2).hover();
  await page.waitForFunction(() => document.querySelector('.queries [data-lit]'));
  assert.equal((await framed(page, '#heatmap'))?.row, 2);
  await tools.close(page);
});

test('the selected queries are framed in the map, the lines and the tokens', async () => {
  const page = await tools.open({ model: 'creek&head=3.2&row=12&key=1&brush=3.4.8' });
  await ready(page);
  const frames = await page.locator('#heatmap .map-frame').evaluateAll((all) =>
    all.map((each) => {
      const [box, own] = [each.parentElement, each].map((one) => /** @type {Element} */ (one).getBoundingClientRect());
      return [own.y - box.y, own.height].map((size) => Math.round((14 * size) / box.height));
    }),
  );
  assert.deepEqual(frames, [
    [3, 2],
    [8, 1],
  ]);
  const mark = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(--mark)';
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  });
  for (const list of ['#tokens-encoder .token', '.queries .line-token']) {
    const framedTokens = await page
      .locator(list)
      .evaluateAll(
        (all, color) => all.flatMap((each, i) => (getComputedStyle(each).boxShadow.includes(color) ? [i] : [])),
        mark,
      );
    assert.deepEqual(framedTokens, [3, 4, 8, 12], list);
  }
  await page.locator('#tokens-encoder .token').nth(2).click();
  await page.locator('.map-frame').first().waitFor({ state: 'detached' });
  await tools.close(page);
});
