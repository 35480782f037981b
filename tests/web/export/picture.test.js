// Pictures that are no map: each is saved as it stands, and its numbers are the module's.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ready, update, useBrowser } from '../browser.js';
import { shipped } from '../in-node.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const SENTENCE = 'the creek was cold and the spunky dog wanted to jump over it .';
const close = (/** @type {number} */ a, /** @type {number} */ b, /** @type {string} */ what) =>
  assert(Math.abs(a - b) <= 2e-5 * Math.max(1, Math.abs(b)), `${what}: saved ${a}, computed ${b}`);

/** Uses a picture, and opens the menu that saves the one last used. @param {Page} page @param {string} view */
async function use(page, view) {
  await page.locator(view).dispatchEvent('click');
  await page.locator('#share-figure summary').click();
}

/** @param {Page} page @param {string} kind */
async function saved(page, kind) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('#share-figure').getByRole('button', { name: kind, exact: true }).click(),
  ]);
  return readFileSync(await download.path());
}

/** The contents of a picture, read without the page's policy. @param {Page} bare @param {Buffer} svg */
const parsed = (bare, svg) =>
  bare.evaluate((text) => {
    const { documentElement: root } = new DOMParser().parseFromString(text, 'image/svg+xml');
    return {
      name: root.nodeName,
      width: Number(root.getAttribute('width')),
      texts: [...root.querySelectorAll('text')].map((each) => (each.textContent ?? '').trim()),
      images: [...root.querySelectorAll('image')].map((each) => String(each.getAttribute('href'))),
      paths: root.querySelectorAll('path').length,
      bars: root.querySelectorAll('svg svg rect').length,
      points: root.querySelector('polyline')?.getAttribute('points')?.split(' ').length ?? 0,
      edges: [...root.querySelectorAll('title')].slice(1).map((each) => String(each.textContent)),
      out: root.innerHTML.includes('undefined') || root.innerHTML.includes('NaN'),
    };
  }, svg.toString());

/** The pixels of a PNG. @param {Page} bare @param {Buffer} png */
const decoded = (bare, png) =>
  bare.evaluate(
    async (bytes) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(bytes)]));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context?.drawImage(image, 0, 0);
      return {
        width: image.width,
        colours: new Set(
          new Uint32Array(/** @type {any} */ (context).getImageData(0, 0, image.width, image.height).data.buffer),
        ).size,
      };
    },
    [...png],
  );

test('heads, way, curve, lines, opened weight, logits and lens as SVG, PNG, CSV and JSON', async () => {
  const { model, ids, vocabulary, at, probabilities } = shipped(tools.gf, 'creek');
  model.forward({ ids: ids(SENTENCE), capture: true });
  const last = probabilities().data;
  const words = vocabulary.length;
  const norm = (/** @type {string} */ name, /** @type {number} */ row) =>
    Math.hypot(...Array.from({ length: 48 }, (_, d) => at(name, 0, row, d)));
  const dot = (/** @type {number} */ a, /** @type {number} */ b) =>
    Array.from({ length: 48 }, (_, d) => at('encoder.positions', a, d) * at('encoder.positions', b, d)).reduce(
      (x, y) => x + y,
    );
  const weights = 'encoder.layers.2.self_attn.weights';

  /**
   * @type {Record<string, (picture: Awaited<ReturnType<typeof parsed>>, numbers: any, page: Page) => void |
   *   Promise<void>>}
   */
  const views = {
    '.model-graph-panel': async (picture, numbers, page) => {
      const shown = await page
        .locator('.model-graph canvas')
        .evaluateAll((all) => all.map((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()));
      assert.deepEqual(picture.images, shown);
      const [lengths, ...heads] = numbers;
      assert.equal(heads.length, 3);
      assert.deepEqual(
        [heads[2].shape, heads[2].rows[14 + 12], heads[2].columns[1]],
        [[2, 14, 14], 'head 2 it', 'creek'],
      );
      for (let i = 0; i < 2 * 196; i++)
        close(heads[2].data[i], at(weights, 0, Math.floor(i / 196), Math.floor(i / 14) % 14, i % 14), `heads ${i}`);
      for (const text of ['Words', 'Layer 3', 'FFN', 'Answer']) assert(picture.texts.includes(text), text);
      close(lengths.data[1], norm('encoder.embedding', 12), 'embedding');
      close(lengths.data[2], norm('encoder.input', 12), 'sum with the positions');
      close(lengths.data.at(-1), Math.max(...last.subarray(12 * words, 13 * words)), 'largest probability');
    },
    '#position-similarity': (picture, numbers) => {
      assert.equal(picture.points, 14);
      numbers.rows.forEach((/** @type {string} */ _, /** @type {number} */ i) =>
        close(numbers.data[2 * i + 1], dot(12, i), `position ${i}`),
      );
    },
    '#lines': async (picture, numbers, page) => {
      assert.deepEqual(picture.edges, await page.locator('.edge title').allTextContents());
      assert.equal(picture.edges.length, 70);
      assert.deepEqual(numbers.shape, [14, 14]);
      for (let i = 0; i < 196; i++) close(numbers.data[i], at(weights, 0, 1, Math.floor(i / 14), i % 14), `lines ${i}`);
    },
    '#computation': (picture, [row, cell, heads]) => {
      for (const text of ['softmax', '÷ √24', '11 other keys', 'creek', '98 %'])
        assert(
          picture.texts.some((each) => each.replace('\u00a0', ' ') === text),
          text,
        );
      assert.equal(picture.bars, 3 * 24 + 4 + 2 * 24, 'query, key, product; softmax; value and its share');
      for (let key = 0; key < 14; key++) close(row.data[4 * key + 3], at(weights, 0, 1, 12, key), `weight ${key}`);
      const sum = Array.from({ length: 24 }, (_, d) => cell.data[6 * d + 2]).reduce((a, b) => a + b);
      close(sum, at('encoder.layers.2.self_attn.scores', 0, 1, 12, 1), 'terms');
      assert.equal(heads.rows.length, 2);
    },
    '#logits': (picture, numbers) => {
      numbers.rows.forEach((/** @type {string} */ word, /** @type {number} */ i) => {
        assert(picture.texts.includes(word), word);
        close(numbers.data[2 * i], at('logits', 0, 12, vocabulary.indexOf(word)), `logit of ${word}`);
        close(numbers.data[2 * i + 1], last[12 * words + vocabulary.indexOf(word)], `probability of ${word}`);
      });
    },
    '#logit-lens': (picture, numbers) => {
      for (const text of ['Input', 'Layer 3', 'spunky']) assert(picture.texts.includes(text), text);
      const final = numbers.at(-1);
      const top = final.columns.length / 2;
      for (let row = 0; row < 14; row++) {
        const [word, probability] = final.data.slice(2 * top * row);
        assert.equal(
          last
            .subarray(row * words, (row + 1) * words)
            .indexOf(Math.max(...last.subarray(row * words, (row + 1) * words))),
          vocabulary.indexOf(word),
        );
        close(probability, last[row * words + vocabulary.indexOf(word)], `lens ${row}`);
      }
    },
  };
  const bare = await (await tools.browser.newContext()).newPage();
  for (const [view, check] of Object.entries(views)) {
    const page = await tools.open({ model: 'creek&head=3.2&row=12&key=1' });
    await ready(page);
    await use(page, view);
    const svg = await saved(page, 'SVG');
    const picture = await parsed(bare, svg);
    assert.equal(picture.name, 'svg', view);
    assert(!picture.out, view);
    const json = await saved(page, 'JSON');
    await check(picture, JSON.parse(json.toString()), page);
    const csv = (await saved(page, 'CSV')).toString();
    const numbers = [JSON.parse(json.toString())].flat();
    const cells = csv.split('\r\n').filter((line) => line.includes(',')).length;
    assert(
      cells >= numbers.reduce((sum, { rows }) => sum + rows.length + 1, 0),
      `${view}: a line for each row and a head`,
    );
    const png = await decoded(bare, await saved(page, 'PNG'));
    assert.equal(png.width, 2 * picture.width, view);
    assert(png.colours > 20, `${view} is drawn`);
    await tools.close(page);
  }
  await bare.context().close();
});

test("a neuron's card as SVG, CSV and JSON: the strongest at the token, its words, what excites it", async () => {
  const bare = await (await tools.browser.newContext()).newPage();
  const page = await tools.open({ model: 'creek&head=3.2&row=12&key=1' });
  await ready(page);
  const { model, ids, at } = shipped(tools.gf, 'creek');
  model.forward({ ids: ids(SENTENCE), capture: true });
  await page.locator('.neuron-strongest button').first().click();
  await page.locator('.neuron-key mark').first().waitFor();
  await use(page, '#neuron');
  const picture = await parsed(bare, await saved(page, 'SVG'));
  const [strongest, words, excites] = JSON.parse((await saved(page, 'JSON')).toString());
  for (const text of ['Key: what activates it', words.rows[0]])
    assert(picture.texts.join(' ').includes(text), `${text}: ${picture.texts}`);
  assert.equal(strongest.rows.length, 8);
  strongest.rows.forEach((/** @type {string} */ row, /** @type {number} */ i) =>
    close(strongest.data[2 * i], at('encoder.layers.2.ffn.activation', 0, 12, Number(row.slice(7))), row),
  );
  assert.deepEqual(
    [words.shape, excites.columns],
    [
      [10, 1],
      ['activation', 'before', 'after'],
    ],
  );
  const shown = await page.locator('.neuron-key li .number').allInnerTexts();
  shown.forEach((text, i) => assert(Math.abs(Number(text) - excites.data[3 * i]) < 6e-5, text));
  assert.match((await saved(page, 'CSV')).toString(), /promotes/);
  await tools.close(page);
  await bare.context().close();
});

test('answers before and after, in the dark: the pictures follow the scheme', async () => {
  const bare = await (await tools.browser.newContext()).newPage();
  const page = await tools.open({ model: `creek&head=3.2&row=12&key=1`, colorScheme: 'dark' });
  await ready(page);
  const { model, ids, vocabulary } = shipped(tools.gf, 'creek');
  const input = { ids: ids(SENTENCE), capture: true };
  model.forward(input);
  await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Switch off' }).first().click());
  await page.locator('.try-answers li').first().waitFor();
  await use(page, '#try');
  const svg = await saved(page, 'SVG');
  assert.match(svg.toString(), /<rect [^>]*fill="#17181c"/);
  assert((await parsed(bare, svg)).texts.includes('creek'));
  const answers = JSON.parse((await saved(page, 'JSON')).toString());
  const before = tools.gf.softmax(model.forward(input).logits).data;
  const off = { name: 'encoder.layers.2.self_attn.head_outputs', index: [0, 1, null, null], value: 0 };
  const after = tools.gf.softmax(model.forward({ ...input, patches: [off] }).logits).data;
  answers.rows.forEach((/** @type {string} */ word, /** @type {number} */ i) => {
    const place = 12 * vocabulary.length + vocabulary.indexOf(word);
    close(answers.data[3 * i], before[place], `${word} before`);
    close(answers.data[3 * i + 1], after[place], `${word} after`);
  });
  await bare.context().close();
  await tools.close(page);
});
