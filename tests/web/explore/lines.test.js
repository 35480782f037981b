// Attention as lines, and several queries selected: every number is the module's own answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hueOf } from '../../../web/draw/color.js';
import { SENTENCE, TARGET, assertShown, compute, readout, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} text of a shown number */
const value = (text) => Number(text.replace('−', '-'));
/** @param {Page} page @param {'queries' | 'keys'} side @param {number} index */
const token = (page, side, index) => page.locator(`.lines-tokens.${side} .line-token`).nth(index);
/**
 * What the lines say of themselves.
 * @param {Page} page
 * @returns {Promise<{from: string, to: string, weight: number}[]>}
 */
const edges = (page) =>
  page.locator('.lines-edges title').evaluateAll((titles) =>
    titles.map(({ textContent }) => {
      const [, from, to, weight] = /^(.*) → (.*): (.*)$/.exec(String(textContent)) ?? [];
      return { from, to, weight: Number(weight) };
    }),
  );

const WEIGHTS = 'encoder.layers.0.self_attn.weights';

test('a token under the pointer shows its lines alone; a click pins; a line pins its cell', async () => {
  const page = await tools.open();
  await ready(page);
  const own = compute(tools.gf, {});
  await token(page, 'queries', 7).hover();
  const ofDog = await edges(page);
  assert.equal(ofDog.length, 14);
  assert(ofDog.every(({ from }) => from === 'dog'));
  assert.match(await page.locator('.lines-note').innerText(), /^dog attends to /);
  assertShown(
    value(await page.locator('.lines-note .number').first().innerText()),
    Math.max(...Array.from({ length: 14 }, (_, key) => own.at(WEIGHTS, 0, 0, 7, key))),
  );
  await token(page, 'keys', 1).hover();
  const toCreek = await edges(page);
  toCreek.forEach(({ weight }, row) => assertShown(weight, own.at(WEIGHTS, 0, 0, row, 1)));
  assertShown(
    value(await page.locator('.lines-note .number').first().innerText()),
    Array.from({ length: 14 }, (_, row) => own.at(WEIGHTS, 0, 0, row, 1)).reduce((a, b) => a + b),
  );
  await token(page, 'keys', 1).click();
  await token(page, 'queries', 7).click();
  await page.mouse.move(0, 0);
  assert.equal((await readout(page)).place, 'row dog, column creek');
  const [first] = await edges(page);
  await page.locator('.edge').first().dispatchEvent('click');
  assert.equal((await readout(page)).place, `row ${first.from}, column ${first.to}`);
  assertShown((await readout(page)).number, first.weight);
  await tools.close(page);
});

test('the keyboard walks the tokens and reads them', async () => {
  const page = await tools.open();
  await ready(page);
  const own = compute(tools.gf, {});
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  await token(page, 'queries', 12).focus();
  await page.keyboard.press('ArrowUp');
  assert.match(await focused(), /^over, index 11, attends most to /);
  assertShown(
    Number((await focused()).split(', ').at(-1)),
    Math.max(...Array.from({ length: 14 }, (_, key) => own.at(WEIGHTS, 0, 0, 11, key))),
  );
  assert(
    (await edges(page)).every(({ from }) => from === 'over'),
    'its lines alone',
  );
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const row = Array.from({ length: 14 }, (_, key) => own.at(WEIGHTS, 0, 0, 0, key));
  const most = row.indexOf(Math.max(...row)); // the key that came with the query
  assert.match(
    await focused(),
    new RegExp(`^${SENTENCE.replace('.', ' .').split(' ')[most]}, index ${most}, receives `),
  );
  assertShown(
    Number(/receives ([\d.]+)/.exec(await focused())?.[1]),
    Array.from({ length: 14 }, (_, query) => own.at(WEIGHTS, 0, 0, query, most)).reduce((a, b) => a + b),
  );
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  assert.match(await focused(), /^The, index 0/);
  assert.equal((await readout(page)).place, 'row The, column .');
  await tools.close(page);
});

test('a drag across the sentence selects queries, the keyboard more; the caption describes them', async () => {
  const page = await tools.open({ model: 'untrained&several=1' });
  await ready(page);
  const own = compute(tools.gf, {});
  const words = SENTENCE.replace('.', ' .').split(' ');
  /** @param {number} row */
  const rowOf = (row) => Array.from({ length: 14 }, (_, key) => own.at(WEIGHTS, 0, 0, row, key));
  /** @param {number[]} rows */
  const saidOf = async (rows) => {
    const means = rowOf(0).map((_, key) => rows.reduce((sum, row) => sum + rowOf(row)[key], 0) / rows.length);
    const caption = await page.locator('#heatmap .caption').innerText();
    const most = Math.max(...means);
    assert(caption.includes(`to “${words[means.indexOf(most)]}”`) || caption.includes(' and '), caption);
    assert.equal(Number(/with (\d+)/.exec(caption)?.[1]), Math.round(100 * most), caption);
    assert.equal(await page.locator('#tokens-encoder .brushed').count(), rows.length);
  };
  const boxes = await page
    .locator('#tokens-encoder .token')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
  /** @param {number} at */
  const over = (at) => page.mouse.move(boxes[at].x + boxes[at].width / 2, boxes[at].y + boxes[at].height / 2);
  await over(2);
  await page.mouse.down();
  for (const at of [3, 5, 4]) await over(at);
  await page.mouse.up();
  await saidOf([2, 3, 4]);
  await page.keyboard.press('Shift+ArrowRight');
  await saidOf([2, 3, 4, 5]);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('#tokens-encoder .brushed').count(), 0, 'one token again');
  await tools.close(page);
});

test('two token lists, the mean of the heads, masked cells', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
  const own = compute(tools.gf, { kind: 'encoder-decoder' }, { target: TARGET });
  assert.equal(await page.locator('.queries .line-token').first().innerText(), 'Der');
  assert.equal(await page.locator('.keys .line-token').first().innerText(), 'The');
  await page.getByLabel('Mean of this layer').check();
  await token(page, 'queries', 1).hover();
  const mean = Array.from(
    { length: 14 },
    (_, key) =>
      [0, 1, 2, 3].reduce((sum, head) => sum + own.at('decoder.layers.0.multihead_attn.weights', 0, head, 1, key), 0) /
      4,
  );
  const drawn = await edges(page);
  const sorted = mean.toSorted((a, b) => b - a);
  drawn.forEach(({ weight }, i) => assertShown(weight, sorted[i]));
  await page.getByRole('radio', { name: 'Decoder self-attention, layer 1, head 1' }).click();
  await token(page, 'queries', 1).hover();
  assert.equal((await edges(page)).length, 2, 'a hidden cell has no line');
  await tools.close(page);
});

test('128 tokens, right-to-left and emoji, 320 px', async () => {
  const page = await tools.open({ viewport: { width: 320, height: 740 } });
  await ready(page);
  const text = `שלום עולם 🐕 ${'pneumono'.repeat(12)} ${'word '.repeat(124)}`.trim();
  await update(page, () => page.locator('#text').fill(text));
  const own = compute(tools.gf, {}, { text });
  assert.equal(await page.locator('.queries .line-token').count(), 128);
  assert.equal(await page.locator('.queries bdi').first().innerText(), 'שלום');
  assert.match(
    await page.locator('.lines-note').innerText(),
    /^The 3 strongest lines of each query; the rest sum to [\d.]+ % of the weight/,
  );
  const [first] = await edges(page);
  assertShown(first.weight, Math.max(...Array.from({ length: 128 }, (_, key) => own.at(WEIGHTS, 0, 0, 0, key))));
  const box = await page
    .locator('.lines-scroll')
    .evaluate((e) => ({
      high: e.scrollHeight > e.clientHeight,
      wide: e.scrollWidth > e.clientWidth,
      right: e.getBoundingClientRect().right,
    }));
  assert.deepEqual(
    { high: box.high, wide: box.wide, inside: box.right <= 320 },
    { high: true, wide: false, inside: true },
  );
  await token(page, 'queries', 12).focus();
  await page.keyboard.press('End');
  const inSight = await token(page, 'queries', 127).evaluate(
    (e) => e.getBoundingClientRect().bottom <= (e.closest('.lines-scroll')?.getBoundingClientRect().bottom ?? 0) + 1,
  );
  assert(inSight, 'the lines scroll with the cursor');
  await tools.close(page);
});

test('several heads in hues: chosen by click and key, each line with its head’s weight, in the address', async () => {
  const page = await tools.open();
  await ready(page);
  const own = compute(tools.gf, {});
  const heads = page.locator('.lines-head');
  assert.deepEqual(await heads.evaluateAll((all) => all.map((each) => each.getAttribute('aria-pressed'))), [
    'true',
    'false',
    'false',
    'false',
  ]);
  await heads.nth(0).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await heads.nth(3).click();
  await heads.nth(0).click();
  await page.mouse.move(0, 0);
  await page
    .locator('.line-token')
    .first()
    .evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  assert.deepEqual(await heads.evaluateAll((all) => all.map((each) => each.getAttribute('aria-pressed'))), [
    'false',
    'false',
    'true',
    'true',
  ]);

  const drawn = await page
    .locator('.edge')
    .evaluateAll((all) =>
      all.map((path) => ({
        hue: path.getAttribute('color'),
        text: String(path.textContent),
        way: path.getAttribute('d'),
      })),
    );
  assert.equal(drawn.length, 2 * 14 * 5);
  const legend = await page
    .locator('.lines-head[aria-pressed=true]')
    .evaluateAll((all) =>
      all.map((each) => [each.textContent?.trim(), each.querySelector('path')?.getAttribute('stroke')]),
    );
  assert.deepEqual(legend, [
    ['3', hueOf('light', 2).color],
    ['4', hueOf('light', 3).color],
  ]);
  const best = [2, 3].map((head) =>
    Array.from({ length: 14 }, (_, row) =>
      Array.from({ length: 14 }, (_, key) => own.at(WEIGHTS, 0, head, row, key)).sort((a, b) => b - a),
    ),
  );
  drawn.forEach(({ hue, text }, i) => {
    const [, weight, head] = /: ([\d.]+), head (\d)$/.exec(text) ?? [];
    assert.equal(hue, hueOf('light', Number(head) - 1).color);
    assert.equal(Number(head), i < 70 ? 3 : 4);
    assertShown(Number(weight), best[i < 70 ? 0 : 1][Math.floor((i % 70) / 5)][i % 5], text);
  });
  assert.equal(new Set(drawn.map(({ way }) => way)).size, drawn.length, 'no line lies on another');

  await token(page, 'keys', 1).hover();
  const shown = (await page.locator('.lines-note .number').allInnerTexts()).map(value);
  [2, 3].forEach((head, i) =>
    assertShown(
      shown[i],
      Array.from({ length: 14 }, (_, row) => own.at(WEIGHTS, 0, head, row, 1)).reduce((a, b) => a + b),
    ),
  );
  await page.waitForFunction(() => location.hash.includes('lineHeads=2.3'));
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link);
  await ready(page);
  assert.deepEqual(
    await page.locator('.edge title').allTextContents(),
    drawn.map(({ text }) => text),
  );
  await update(page, () => page.locator('#text').fill('the cat sat'));
  const few = compute(tools.gf, {}, { text: 'the cat sat' });
  for (const text of await page.locator('.edge title').allTextContents()) {
    const [, from, to, weight, head] = /^(.*) → (.*): ([\d.]+), head (\d)$/.exec(text) ?? [];
    const [row, key] = [from, to].map((word) => ['the', 'cat', 'sat'].indexOf(word));
    assertShown(Number(weight), few.at(WEIGHTS, 0, Number(head) - 1, row, key), text);
  }
  await tools.close(page);
});

test('where the map shows scores, the lines say that they show the weights', async () => {
  const page = await tools.open({ at: '#model=creek&layout=page&quantity=scores' });
  await ready(page);
  const says = page.getByText('Lines show the attention weights.');
  await says.waitFor();
  await page.locator('#heatmap .quantity').selectOption('weights');
  await says.waitFor({ state: 'detached', timeout: 5000 });
  await tools.close(page);
});
