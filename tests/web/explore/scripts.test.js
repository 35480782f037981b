// Sentences in other scripts in Chromium: where a line begins, its arcs and arrow keys; labels of joined emoji.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const HEBREW = 'הכלב לא קפץ מעל הנחל ( ! ) כי הוא היה עייף .';
const ARABIC = 'الكلب لم يقفز فوق النهر لأنه كان متعبا ؟';
const EMOJI = 'A 👨‍👩‍👧‍👦 and 🏳️‍🌈 👋🏽 🇩🇪 too';

/** @param {string} text @param {number} width */
const openText = async (text, width) => {
  const at = `#/explore?model=untrained&text=${encodeURIComponent(text)}`;
  const page = await tools.open({ at, viewport: { width, height: 844 } });
  await ready(page);
  await page.locator('#arcs .arc.selected').waitFor();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page;
};

/** The tokens, and the arcs by the middles of those that they join. @param {Page} page */
const seen = (page) =>
  page.evaluate(() => {
    const frame = /** @type {Element} */ (document.querySelector('.input')).getBoundingClientRect();
    const tokens = [...document.querySelectorAll('.token-word')].map((word) => {
      const { left, right, top, bottom } = word.getBoundingClientRect();
      return { word: word.textContent, left, right, top, bottom, middle: (left + right) / 2 - frame.left };
    });
    const at = (/** @type {string} */ classes) =>
      [...document.querySelectorAll('.token')].findIndex((token) => token.matches(classes));
    const arcs = [...document.querySelectorAll('#arcs .arc')].map((arc) => {
      const numbers = String(arc.getAttribute('d')).match(/-?[\d.]+/g) ?? [];
      const ends = [numbers[0], numbers.at(-2)].map(Number);
      const isSelected = arc.matches('.selected');
      return { isSelected, of: ends.map((x) => tokens.findIndex(({ middle }) => Math.abs(middle - x) <= 1.5)) };
    });
    return { tokens, arcs, row: at('[aria-checked=true]'), key: at('.key') };
  });

test('Hebrew and Arabic begin at the right, in one line and in several; the arcs join the right words', async () => {
  for (const [text, width] of /** @type {[string, number][]} */ ([
    [HEBREW, 1440],
    [ARABIC, 1440],
    [HEBREW, 390],
  ])) {
    const page = await openText(text, width);
    const { tokens, arcs, row, key } = await seen(page);
    const name = `${text.slice(0, 9)}, ${width} px`;
    assert.deepEqual(tokens.map(({ word }) => word).join(' '), text);
    const lines = [...new Set(tokens.map(({ top }) => top))].map((top) => tokens.filter((each) => each.top === top));
    assert.equal(lines.length, width < 500 ? 2 : 1, name);
    for (const line of lines)
      for (const [i, { word, right }] of line.entries())
        assert(i === 0 || right <= line[i - 1].left + 1, `${name}: ${word} stands to the left of the one before it`);
    assert(tokens[0].left > tokens[tokens.length - 2].right || lines.length > 1, name);
    assert(arcs.length > 3, name);
    for (const { of } of arcs) assert(!of.includes(-1), `${name}: an arc ends beside the words`);
    const [selected] = arcs.filter(({ isSelected }) => isSelected);
    assert.deepEqual(selected.of.toSorted(), [row, key].toSorted(), name);
    if (lines.length === 1) assert.equal(Math.sign(tokens[row].middle - tokens[key].middle), Math.sign(key - row));
    const checked = () => page.locator('.token[aria-checked=true]').textContent();
    await page.locator('.token').nth(2).click();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await checked(), tokens[3].word, 'the left key goes to the left, which is on');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.equal(await checked(), tokens[1].word);
    await tools.close(page);
  }
});

test('a bracket turns with its sentence; a sentence that begins in English stays as it is', async () => {
  const page = await openText(HEBREW, 1440);
  const directions = () =>
    page.locator('.token-word').evaluateAll((all) => all.map((each) => getComputedStyle(each).direction));
  assert.deepEqual(new Set(await directions()), new Set(['rtl']));
  await update(page, () => page.locator('#text').fill('The word שלום means ( peace ) .'));
  assert.deepEqual(await directions(), ['ltr', 'ltr', 'rtl', 'ltr', 'ltr', 'ltr', 'ltr', 'ltr']);
  const { tokens } = await seen(page);
  for (const [i, { left }] of tokens.entries()) assert(i === 0 || left >= tokens[i - 1].right - 1);
  await tools.close(page);
});

test('the label over a column shows the same emoji as the one of the row, whole', async () => {
  for (const layout of /** @type {const} */ (['page', 'workspace'])) {
    const at = `#/explore?model=untrained&layout=${layout}&text=${encodeURIComponent(EMOJI)}`;
    const page = await tools.open({ at });
    await ready(page);
    const [rows, columns] = await Promise.all(
      ['rows', 'columns'].map((side) =>
        page.locator(`#heatmap .map-${side} bdi`).evaluateAll((labels) =>
          labels.map((label) => {
            const range = document.createRange();
            range.selectNodeContents(label);
            const { width, height } = range.getBoundingClientRect();
            const isWhole = label.scrollHeight <= label.clientHeight && label.scrollWidth <= label.clientWidth;
            return { text: label.textContent, isWhole, length: Math.max(width, height) };
          }),
        ),
      ),
    );
    assert.equal(columns.length, EMOJI.split(' ').length);
    for (const [i, { text, isWhole, length }] of columns.entries()) {
      assert(isWhole, `${layout}: ${text} is cut`);
      const row = rows.find((each) => each.text === text);
      assert(
        row && Math.abs(row.length - length) <= 1.5 + 0.1 * length,
        `${layout}, ${i}: ${text} is ${length} px long`,
      );
    }
    await tools.close(page);
  }
});
