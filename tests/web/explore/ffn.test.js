// The FFN's map: its columns in each order, its colours, its dead neurons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPixels } from '../../../web/draw/canvas.js';
import { positiveScale, probabilityScale, signedScale } from '../../../web/draw/color.js';
import { arrange, chain, descending } from '../../../web/explore/shared/order.js';
import { assertShown, map, point, readout, ready, useBrowser } from '../browser.js';
import { shipped } from '../corpus.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';
const ROW = 12;
const LAYER = 2; // where creek's page opens

/** Opens creek, and gives the module's own activations of its FFN. */
async function open() {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await page.locator('#neuron button').first().waitFor();
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.words(KNOWN), capture: true });
  const {
    data,
    shape: [, tokens, width],
  } = own.model.tensor(`encoder.layers.${LAYER}.ffn.activation`);
  return {
    page,
    own,
    width,
    tokens,
    at: (/** @type {number} */ row, /** @type {number} */ neuron) => data[row * width + neuron],
  };
}

/** Points at a column, and reads its neuron and value. @param {Page} page @param {number} column */
async function column(page, column) {
  await point(page, '#ffn', ROW, column);
  const { place, number } = await readout(page, '#ffn');
  return { neuron: Number(/^row it, neuron (\d+)$/.exec(place)?.[1]), number };
}

test('orders: descending is stable, a chain goes to the likest, a matrix is arranged once', () => {
  const data = Float32Array.of(1, 3, 3, 0, 5, 4, 5, 9);
  assert.deepEqual([...descending(data, 4)], [1, 2, 0, 3]);
  assert.deepEqual([...descending(data, 4, 1)], [3, 0, 2, 1]);
  assert.equal(descending(data, 4, 1), descending(data, 4, 1));
  const order = descending(data, 4);
  assert.deepEqual([...arrange(data, 4, order)], [3, 3, 1, 0, 4, 5, 5, 9]);
  assert.equal(arrange(data, 4, order), arrange(data, 4, order));
  assert.deepEqual(chain(Float32Array.of(1, 0.1, 0.9, 0.1, 1, 0.2, 0.9, 0.2, 1), 3), [0, 2, 1]);
});

test('root colours of signed values: 0 stays the middle, a quarter of the limit is half of the way', () => {
  const pixels = new Uint32Array(5);
  const scale = signedScale('light', 4, true);
  fillPixels(pixels, { rows: 1, columns: 5, data: Float32Array.of(-4, -1, 0, 1, 4), scale, scheme: 'light' });
  assert.deepEqual(
    [...pixels],
    [0, 63.5, 127, 190.5, 254].map((i) => scale.table[Math.floor(i + 0.5)]),
  );
});

test('where nothing is negative the colours run one way, from 0', () => {
  const pixels = new Uint32Array(3);
  const scale = positiveScale('light', 5);
  fillPixels(pixels, { rows: 1, columns: 3, data: Float32Array.of(0, 2.5, 5), scale, scheme: 'light' });
  const { table } = probabilityScale('light');
  assert.deepEqual([...pixels], [table[0], table[128], table[255]]);
});

test('opens on the strongest neuron of the word with its card; the corpus is read once that is in sight', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const corpora = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => /late-derived|corpus/.test(name)),
    );
  await page.locator('#neuron button').first().waitFor();
  assert.equal(await page.locator('.neuron-card').getAttribute('open'), null);
  assert.deepEqual(await corpora(), [], 'nobody sees it yet');
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.words(KNOWN), capture: true });
  const { data, shape } = own.model.tensor(`encoder.layers.${LAYER}.ffn.activation`);
  const strongest = (/** @type {number} */ row) => {
    const values = data.subarray(row * shape[2], (row + 1) * shape[2]);
    return { neuron: values.indexOf(Math.max(...values)), value: Math.max(...values) };
  };
  const it = strongest(ROW);
  const shown = await readout(page, '#ffn');
  assert.equal(shown.place, `row it, neuron ${it.neuron}`);
  assertShown(shown.number, it.value);
  assert.equal((await page.locator('#ffn .legend-scale').innerText()).split(/\s+/)[0], '0', 'ReLU: a scale from 0');
  await page.locator('#neuron').scrollIntoViewIfNeeded();
  await page.locator('.neuron-key li').first().waitFor({ timeout: 30_000 });
  assert.match(await page.locator('.neuron-card summary').innerText(), new RegExp(`^Neuron ${it.neuron}:`));
  await page.locator('#tokens-encoder .token').nth(7).click();
  const dog = strongest(7);
  await page.waitForFunction(
    (neuron) => document.querySelector('.neuron-card .view-title')?.textContent === `Neuron ${neuron}`,
    dog.neuron,
  );
  await page.locator('#ffn .quantity').selectOption('pre_activation');
  await page.waitForFunction(() => document.querySelector('#ffn .legend-scale')?.textContent?.includes('−'));
  await tools.close(page);
});

test('a click pins the neuron that stands there, and it stays pinned in another order', async () => {
  const { page, at } = await open();
  const { neuron } = await column(page, 3);
  await point(page, '#ffn', ROW, 3, 'click');
  await page.locator('#neuron').scrollIntoViewIfNeeded(); // it opens where the reader is
  await page.locator('.neuron-card[open]').waitFor();
  assert.equal(await page.locator('.neuron-card').getAttribute('open'), '', 'its card opens');
  await page.selectOption('#ffn .arrangement', 'index');
  await map(page, '#ffn').focus();
  await page.mouse.move(0, 0);
  const shown = await readout(page, '#ffn');
  assert.equal(shown.place, `row it, neuron ${neuron}`);
  assertShown(shown.number, at(ROW, neuron));
  await page.locator('.neuron-card summary').click();
  await point(page, '#ffn', ROW, 5, 'click');
  assert.equal(await page.locator('.neuron-card').getAttribute('open'), null, 'what the reader closed stays closed');
  await tools.close(page);
});
