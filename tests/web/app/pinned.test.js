// Two plans at once: what is pinned is computed and kept beside the present picture.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { assertShown, compute, map, readout, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
const main = fileURLToPath(new URL('../../../web/app/main.js', import.meta.url));
let revealed = '';

// The page keeps its tools to itself; here they are laid open, and its messages to the worker counted.
before(async () => {
  const {
    outputFiles: [{ text }],
  } = await build({
    entryPoints: [main],
    bundle: true,
    format: 'esm',
    write: false,
    external: ['../worker.js', './start.js'],
    loader: { '.css': 'text' },
    tsconfigRaw: '{}', // whose paths lead to sources that are not bundled yet
    plugins: [
      {
        name: 'reveal',
        setup: ({ onLoad }) =>
          onLoad({ filter: /app.main\.js$/ }, () => ({
            contents: `${readFileSync(main, 'utf8')}
globalThis.tools = tools;
globalThis.sent = 0;
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (...all) {
  globalThis.sent++;
  return postMessage.apply(this, all);
};`,
          })),
      },
    ],
  });
  revealed = text;
});

const open = () =>
  tools.open({
    setUp: (page) =>
      page.route('**/main.js', (route) => route.fulfill({ contentType: 'text/javascript', body: revealed })),
  });

/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page */
const pin = (page) =>
  page.evaluate(() => {
    const { model, text, targetText, settings, written, interventions } = globalThis.tools.get();
    globalThis.tools.set({ pinned: { model, text, targetText, settings, written, interventions } });
  });

/** The pinned picture's number. @param {Page} page @param {string} name @param {number} at */
const pinned = async (page, name, at) => {
  await page.waitForFunction((each) => globalThis.tools.pinned()?.tensors.has(each), name);
  return page.evaluate(
    ([each, i]) => globalThis.tools.pinned().tensors.get(each).data[i],
    /** @type {const} */ ([name, at]),
  );
};

const WEIGHTS = 'encoder.layers.0.self_attn.weights';
const CELL = 12 * 14 + 1; // “it” and “creek” of the first head

test('a switch, a head, a text: both pictures have their own numbers', async () => {
  const page = await open();
  await ready(page);
  const [scaled, unscaled] = [compute(tools.gf, {}), compute(tools.gf, { scoreScale: false })];
  await pin(page);
  assertShown(
    await pinned(page, WEIGHTS, CELL),
    scaled.at(WEIGHTS, 0, 0, 12, 1),
    'the present picture is the pinned one',
  );
  await update(page, () => page.locator('#set-scoreScale').uncheck());
  assertShown((await readout(page)).number, unscaled.at(WEIGHTS, 0, 0, 12, 1));
  assertShown(await pinned(page, WEIGHTS, CELL), scaled.at(WEIGHTS, 0, 0, 12, 1), 'pinned');
  await update(page, () => page.selectOption('#heatmap .quantity', 'scores'));
  const scores = 'encoder.layers.0.self_attn.scores';
  assertShown((await readout(page)).number, unscaled.at(scores, 0, 0, 12, 1));
  assertShown(await pinned(page, scores, CELL), scaled.at(scores, 0, 0, 12, 1), 'pinned scores');
  await update(page, () => page.locator('#text').fill('on it goes'));
  assert.deepEqual(await page.locator('#heatmap .map-rows bdi').allInnerTexts(), ['on', 'it', 'goes']);
  assertShown(await pinned(page, WEIGHTS, CELL), scaled.at(WEIGHTS, 0, 0, 12, 1), 'the pinned text stays');
  await page.evaluate(() => globalThis.tools.set({ pinned: null }));
  assert.equal(await page.evaluate(() => globalThis.tools.pinned()), null);
  await tools.close(page);
});

test('a refused setting leaves both pictures, and asks no more', async () => {
  const page = await open();
  await ready(page);
  await pin(page);
  await update(page, () => page.locator('#set-scoreScale').uncheck());
  const heads = page.locator('#set-heads');
  await update(page, () => heads.fill('5').then(() => heads.press('Enter')));
  await map(page).focus();
  assertShown((await readout(page)).number, compute(tools.gf, { scoreScale: false }).at(WEIGHTS, 0, 0, 12, 1));
  assertShown(await pinned(page, WEIGHTS, CELL), compute(tools.gf, {}).at(WEIGHTS, 0, 0, 12, 1));
  await page.waitForTimeout(100);
  const sent = await page.evaluate(() => globalThis.sent);
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => globalThis.sent), sent, 'no request goes round in circles');
  await tools.close(page);
});

test('a pinned plan that is refused is asked for once', async () => {
  const page = await open();
  await ready(page);
  await page.evaluate(() => {
    const { model, text, targetText, settings, written, interventions } = globalThis.tools.get();
    globalThis.tools.set({
      pinned: { model, text, targetText, settings: { ...settings, heads: 5 }, written, interventions },
    });
  });
  await update(page, () => page.locator('#text').fill('on it goes'));
  await page.waitForTimeout(100);
  const sent = await page.evaluate(() => globalThis.sent);
  await update(page, () => page.locator('#text').fill('on it went'));
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => globalThis.sent), sent + 1);
  assert.equal(await page.evaluate(() => globalThis.tools.pinned()), null);
  assert.equal(await page.locator('#notices').innerText(), '');
  await tools.close(page);
});
