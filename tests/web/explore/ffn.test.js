// The FFN's map: its columns in each order, its colours, its dead neurons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPixels } from '../../../web/draw/canvas.js';
import { positiveScale, probabilityScale, signedScale } from '../../../web/draw/color.js';
import { arrange, chain, descending } from '../../../web/explore/shared/order.js';
import { assertShown, map, point, readout, ready, useBrowser } from '../browser.js';
import { active, shipped } from '../corpus.js';

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

test('by number, and by the value at the pinned token', async () => {
  const { page, width, at } = await open();
  await page.selectOption('#ffn .arrangement', 'index');
  for (const neuron of [0, 40, width - 1]) {
    const shown = await column(page, neuron);
    assert.equal(shown.neuron, neuron);
    assertShown(shown.number, at(ROW, neuron));
  }
  await page.selectOption('#ffn .arrangement', 'token');
  const sorted = Array.from({ length: width }, (_, neuron) => at(ROW, neuron)).sort((a, b) => b - a);
  for (const place of [0, 1, 5, 20]) {
    const shown = await column(page, place);
    assertShown(shown.number, sorted[place], `place ${place}`);
    assertShown(shown.number, at(ROW, shown.neuron), 'the label is the neuron’s own number');
  }
  await tools.close(page);
});

test('by likeness: neighbours are more alike than in any other order shown, and all neurons are there', async () => {
  const { page, width, tokens, at } = await open();
  assert.equal(await page.locator('#ffn .arrangement').inputValue(), 'similar', 'a trained model begins so');
  const cosine = (/** @type {number} */ a, /** @type {number} */ b) => {
    let [ab, aa, bb] = [0, 0, 0];
    for (let row = 0; row < tokens; row++) {
      ab += at(row, a) * at(row, b);
      aa += at(row, a) ** 2;
      bb += at(row, b) ** 2;
    }
    return aa && bb ? ab / Math.sqrt(aa * bb) : 0;
  };
  const mean = (/** @type {number[]} */ order) =>
    order.slice(1).reduce((sum, neuron, i) => sum + cosine(order[i], neuron), 0) / (order.length - 1);
  const order = [];
  await column(page, 0);
  const cells = /** @type {{x: number, y: number, width: number, height: number}} */ (
    await map(page, '#ffn').boundingBox()
  );
  for (let place = 0; place < width; place++) {
    await page.mouse.move(
      cells.x + ((place + 0.5) * cells.width) / width,
      cells.y + ((ROW + 0.5) * cells.height) / tokens,
    );
    const { place: words, number } = await readout(page, '#ffn');
    const neuron = Number(words.split(' ').at(-1));
    assertShown(number, at(ROW, neuron));
    order.push(neuron);
  }
  const numbers = Array.from({ length: width }, (_, i) => i);
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    numbers,
  );
  assert(
    mean(order) > 0.5 && mean(order) > 2 * mean(numbers),
    `mean likeness ${mean(order)}, as numbered ${mean(numbers)}`,
  );
  await tools.close(page);
});

test('by how often active over the corpus; the dead of the text and of the corpus', async () => {
  const { page, own, width, tokens, at } = await open();
  await page.selectOption('#ffn .arrangement', 'active');
  await page.waitForFunction(
    () => document.querySelector('#ffn .view-fact')?.textContent?.includes('On the corpus'),
    null,
    { timeout: 30_000 },
  );
  const shares = active(own.read('encoder', LAYER));
  let before = Infinity;
  for (const place of [0, 1, 30, width - 1]) {
    const { neuron } = await column(page, place);
    assert(shares[neuron] <= before, `place ${place}`);
    before = shares[neuron];
  }
  assert.equal(before, Math.min(...shares));
  const dead = Array.from({ length: width }, (_, neuron) => neuron).filter((neuron) =>
    Array.from({ length: tokens }, (_, row) => at(row, neuron)).every((value) => value === 0),
  ).length;
  const fact = await page.locator('#ffn .view-fact').innerText();
  assert.match(fact, new RegExp(`; ${dead} of ${width} neurons are 0 at every token`));
  assert.match(fact, new RegExp(`${shares.filter((share) => share === 0).length} neurons are dead\\.$`));
  await tools.close(page);
});

test('a click pins the neuron that stands there, and it stays pinned in another order', async () => {
  const { page, at } = await open();
  const { neuron } = await column(page, 3);
  await point(page, '#ffn', ROW, 3, 'click');
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

test('root colours: the same numbers and limits', async () => {
  const { page, at } = await open();
  const legend = async () => (await page.locator('#ffn .legend-scale').innerText()).trim().split(/\s+/).map(Number);
  const [low, middle, high] = await legend();
  assert.deepEqual([low, middle], [0, high / 2]);
  await page.selectOption('#ffn .colours', 'root');
  assert.deepEqual(await legend(), [0, high / 4, high], 'the middle colour is that of a quarter');
  const shown = await column(page, 10);
  assertShown(shown.number, at(ROW, shown.neuron));
  await tools.close(page);
});
