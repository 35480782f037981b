// Attention as lines under pointer and keyboard, and several queries selected: every number is the module's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SENTENCE, assertShown, compute, readout, ready, update, useBrowser } from '../browser.js';

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
