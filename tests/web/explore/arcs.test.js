// The sentence said once: its words, the box that edits them, the arcs of attention over them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const WIDTHS = [320, 390, 768, 1024, 1280, 1440, 1920];

/**
 * The paint of the arcs over the sentence: how many pixels differ without them, and of how many the hue is that of the
 * key and of the query; whether their label covers a word or leaves the text.
 * @param {Page} page @param {Page} bare without a Content-Security-Policy, which reads pictures
 */
async function painted(page, bare) {
  await page.locator('#arcs .arc.selected').waitFor();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const { clip, faults, colours } = await page.evaluate(() => {
    const rectOf = (/** @type {string} */ each) =>
      /** @type {Element} */ (document.querySelector(each)).getBoundingClientRect();
    const label = rectOf('.arc-weight');
    const range = document.createRange();
    const faults = [...document.querySelectorAll('.input .token-word')].flatMap((word) => {
      range.selectNodeContents(word);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const isApart = left >= label.right || right <= label.left || top + 3 >= label.bottom || bottom - 3 <= label.top;
      return isApart ? [] : [`the label covers ${word.textContent}`];
    });
    if (label.left < 0 || label.right > innerWidth) faults.push('the label leaves the window');
    const top = document.querySelector('.places')?.checkVisibility() ? rectOf('.page-head').bottom : 0;
    if (label.top < top) faults.push('the bar covers the label');
    const { x, width, bottom } = rectOf('.input');
    const style = getComputedStyle(document.documentElement);
    const colours = ['--key', '--query'].map((name) => style.getPropertyValue(name).trim());
    return { clip: { x, y: top, width, height: bottom - top }, faults, colours };
  });
  const shot = async (/** @type {string} */ visibility) => {
    await page.evaluate((value) => {
      /** @type {HTMLElement} */ (document.querySelector('#arcs')).style.visibility = value;
    }, visibility);
    return (await page.screenshot({ clip, animations: 'disabled' })).toString('base64');
  };
  const pictures = [await shot('hidden'), await shot('')];
  const pixels = await bare.evaluate(
    async ({ pictures, colours }) => {
      const dataOf = async (/** @type {string} */ each) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${each}`)).blob());
        const context = /** @type {any} */ (new OffscreenCanvas(image.width, image.height).getContext('2d'));
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const [without, all] = await Promise.all(pictures.map(dataOf));
      const wanted = colours.map((each) => [1, 3, 5].map((at) => parseInt(each.slice(at, at + 2), 16)));
      const found = { all: 0, key: 0, query: 0 };
      for (let i = 0; i < all.length; i += 4) {
        const differs = [0, 1, 2].some((at) => Math.abs(all[i + at] - without[i + at]) > 8);
        if (!differs) continue;
        found.all++;
        const [key, query] = wanted.map((own) => own.every((value, at) => Math.abs(value - all[i + at]) < 40));
        found.key += Number(key);
        found.query += Number(query);
      }
      return found;
    },
    { pictures, colours },
  );
  return { ...pixels, faults };
}

test('arcs are painted in windows of each width, beside a lesson, in a figure, between two sentences', async () => {
  const page = await tools.open({ at: '#/explore?model=creek&head=3.2&row=12&key=1', reducedMotion: 'reduce' });
  const bare = await page.context().browser()?.newPage();
  assert(bare);
  await ready(page);
  /** @param {string} what @param {readonly number[]} [widths] */
  async function assertPainted(what, widths = WIDTHS) {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 844 });
      const { all, key, query, faults } = await painted(page, bare);
      assert.deepEqual(faults, [], `${what} at ${width}`);
      assert(all > 150 && key >= 10 && query >= 10, `${what} at ${width}: ${[all, key, query]} pixels`);
    }
  }
  await assertPainted('a sentence');
  await page.goto(`${tools.url}#/explore?model=creek&head=3.2&row=3&key=1`);
  await page.locator('#tokens-encoder .query', { hasText: 'cold' }).waitFor();
  await assertPainted('within the first line', [390, 1280]);
  await page.goto(`${tools.url}#/explore?model=creek&head=3.2&row=12&key=1`);
  await page.locator('#tokens-encoder .query', { hasText: 'it' }).waitFor();
  await page.locator('#book-button').click();
  await page.locator('#book h2').waitFor();
  await assertPainted('beside a lesson', [1024, 1280, 1440]);
  await page.goto('about:blank');
  await page.goto(`${tools.url}#/explore?model=creek&head=3.2&row=12&key=1&embed=1`);
  await ready(page);
  await assertPainted('in a figure', [320, 768]);
  await page.goto('about:blank');
  await page.goto(`${tools.url}#/explore?model=translate`);
  await ready(page);
  await assertPainted('between two sentences', [390, 1280]);
  await bare.close();
  await tools.close(page);
});

test('pencil, Tab and double click open the box over the words; Enter and Escape close it', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 1280, height: 720 } });
  await ready(page);
  const tops = () =>
    page.evaluate(() =>
      ['.texts', '#tokens-encoder', '#answers', '#heatmap'].map(
        (each) => document.querySelector(each)?.getBoundingClientRect().top,
      ),
    );
  const opacity = () => page.locator('#text-field').evaluate((field) => getComputedStyle(field).opacity);
  const before = await tops();
  assert.equal(await opacity(), '0');
  const first = page.locator('#tokens-encoder .token').first();
  for (const [open, close] of /** @type {const} */ ([
    [() => page.getByRole('button', { name: 'Edit the sentence' }).click(), 'Enter'],
    [() => first.dblclick(), 'Escape'],
  ])) {
    await open();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'text');
    assert.equal(await opacity(), '1');
    await page.keyboard.press(close);
    assert.equal(await opacity(), '0');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'radio');
    assert.deepEqual(await tops(), before);
  }
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'text');
  await tools.close(page);
});

for (const [width, height] of [
  [1280, 720],
  [1440, 900],
])
  test(`${width} × ${height}: sentence and answer are at most 150 px high, nothing is cut off`, async () => {
    const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width, height } });
    await ready(page);
    await page.locator('.head').first().click();
    await page.locator('.answers-attention').waitFor();
    const sum = await page.evaluate(() =>
      ['.texts', '#tokens-encoder', '.text-note', '#answers']
        .map((each) => /** @type {HTMLElement} */ (document.querySelector(each)).offsetHeight)
        .reduce((a, b) => a + b),
    );
    assert(sum <= 150, `${sum} px`);
    assert(await page.locator('.answers-attention').evaluate((line) => line.scrollWidth <= line.clientWidth));
    await tools.close(page);
  });

/** Words that an arc or its label covers, and edges that it crosses. @param {Page} page */
const outside = (page) =>
  page.evaluate(async () => {
    for (let i = 0; i < 3; i++) await new Promise((done) => requestAnimationFrame(done));
    for (const each of document.getAnimations()) each.finish();
    const boxOf = (/** @type {Element | null} */ each) => /** @type {Element} */ (each).getBoundingClientRect();
    const [head, strip] = ['.page-head', '.input'].map((each) => boxOf(document.querySelector(each)));
    const words = [...document.querySelectorAll('.input .token-word')].filter((word) => word.checkVisibility());
    const faults = [];
    const arcs = [...document.querySelectorAll('#arcs :is(.arc, .arc-weight)')];
    for (const each of arcs) {
      const { left, right, top, bottom } = boxOf(each);
      const name = each.getAttribute('class');
      if (top < Math.max(head.bottom, strip.top)) faults.push(`${name} over the bar: ${top}`);
      if (bottom > strip.bottom) faults.push(`${name} over what stands below: ${bottom} of ${strip.bottom}`);
      if (left < 0 || right > innerWidth) faults.push(`${name} beside the window: ${left} to ${right}`);
      if (name !== 'arc-weight') continue;
      for (const word of words) {
        const range = document.createRange();
        range.selectNodeContents(word);
        const box = range.getBoundingClientRect();
        const isApart = left >= box.right || right <= box.left || top + 3 >= box.bottom || bottom - 3 <= box.top;
        if (!isApart) faults.push(`the label covers ${word.textContent}`);
      }
    }
    return { faults, count: arcs.length };
  });

/** Attentions, layers and heads of the models of the page. @type {[string, string[], number, number][]} */
const HEADS = [
  ['creek', ['encoder'], 3, 2],
  ['translate', ['encoder', 'decoder', 'cross'], 2, 4],
  ['continue', ['decoder'], 2, 4],
  ['austen', ['decoder'], 4, 8],
];

test('with every head of every model the arcs stay in their room, at 1440, 820 and 390 px', async (t) => {
  const page = await tools.open({ at: '#/explore?model=creek', reducedMotion: 'reduce' });
  await ready(page);
  let seen = 0;
  for (const [model, kinds, layers, heads] of HEADS) {
    for (const width of model === 'austen' ? [820] : [1440, 820, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const kind of kinds)
        for (let layer = 1; layer <= layers; layer++)
          for (let head = 1; head <= heads; head++) {
            const address = `#/explore?model=${model}&attention=${kind}&head=${layer}.${head}&mean=0`;
            // Until it stands at its telling row.
            await update(page, () => page.evaluate((to) => void (location.hash = to), address));
            await page.waitForFunction(
              ([wanted, tokens]) =>
                new RegExp(wanted, 'i').test(document.querySelector('#heatmap .view-title')?.textContent ?? '') &&
                document.querySelector(`#tokens-${tokens}:not([hidden]) .token.query`),
              [`${kind}.*layer ${layer}, head ${head} of`, kind === 'encoder' ? 'encoder' : 'decoder'],
            );
            const { faults, count } = await outside(page);
            assert.deepEqual(faults, [], `${address} at ${width}`);
            seen += count;
          }
    }
  }
  t.diagnostic(`${seen} arcs and labels`);
  assert(seen > 1000, `${seen}`);
  await tools.close(page);
});
