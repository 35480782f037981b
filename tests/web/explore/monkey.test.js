// A thousand actions of a reader who does anything at all in Explore: the page says nothing on the console, asks
// nothing elsewhere, and answers afterwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from 'glassformer/tasks';
import { useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const KEYS = [
  ...['Tab', 'Shift+Tab', 'Enter', 'Space', 'Escape', 'Home', 'End', 'PageUp', 'PageDown', 'Backspace'],
  ...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Control+z', 'Control+Shift+z'],
];
const WORDS = [
  'the ',
  'dog ',
  'creek ',
  'it ',
  'was ',
  'xyzzy ',
  '. ',
  '🦊',
  '[MASK] ',
  '"',
  '<b>',
  '9e9',
  '-1',
  '0.5',
];

/** The elements that can be used and are in the window, by their place. @param {Page} page */
const targets = (page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'button, input, select, textarea, summary, [role=application], .token, #model-graph [role]',
      ),
    ]
      .filter((each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .map((each) => each.getBoundingClientRect())
      .filter(({ width, height, top, bottom }) => width && height && bottom > 0 && top < innerHeight)
      .map(({ left, top, width, height }) => [left, Math.max(0, top), width, height]),
  );

/** @param {Page} page @param {Random} random */
async function act(page, random) {
  const what = random.uniform();
  if (what < 0.2) return page.keyboard.press(random.choose(KEYS));
  if (what < 0.3) return page.keyboard.insertText(random.choose(WORDS));
  if (what < 0.4) return page.mouse.wheel(0, 800 * (random.uniform() - 0.5));
  const all = await targets(page);
  if (!all.length) return page.keyboard.press('Escape');
  const [left, top, width, height] = random.choose(all);
  const at = /** @type {const} */ ([left + random.uniform() * width, top + random.uniform() * height]);
  if (what < 0.5) return page.mouse.move(...at);
  if (what < 0.55) {
    await page.mouse.move(...at);
    await page.mouse.down();
    await page.mouse.move(random.uniform() * 1000, random.uniform() * 700);
    return page.mouse.up();
  }
  return page.mouse.click(...at);
}

for (const [model, seed] of /** @type {const} */ ([
  ['creek', 1],
  ['translate', 2],
  ['continue', 3],
  ['untrained', 4],
]))
  test(`${model}: 250 random actions, seed ${seed}`, async (t) => {
    const page = await tools.open({ model, layout: 'workspace' });
    page.on('filechooser', () => {}); // none is opened
    page.on('dialog', (dialog) => dialog.dismiss());
    const random = new Random(seed);
    /** @type {string[]} */
    const errors = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    for (let i = 0; i < 250 && !errors.length; i++) await act(page, random);
    if (errors.length) t.diagnostic(`at ${page.url()}`);
    await page.goto(`${tools.url}#model=creek`);
    await page.reload();
    await page.locator('.answers-list li').first().getByText('creek').waitFor();
    assert.deepEqual(errors, []);
    await tools.close(page);
  });
