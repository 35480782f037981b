// The page as its reader meets it: typing, errors, odd texts, loading.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeWorker, readout, ready, update, useBrowser } from '../browser.js';
import { SENTENCE, assertShown, compute } from '../in-node.js';

const tools = useBrowser();

test('first sight: the picture stands there without a click, and says what it is', async () => {
  const page = await tools.open({ layout: 'workspace' });
  await ready(page);
  assert.equal(await page.locator('#text').inputValue(), SENTENCE);
  assert.equal(await page.locator('#tokens-encoder .token').count(), 14);
  assert.equal(await page.locator('.head').count(), 8);
  for (const part of ['#tokens-encoder', '#heatmap canvas', '#model-graph .head >> nth=7']) {
    const box = await page.locator(part).first().boundingBox();
    assert(box && box.y + box.height <= 900, `${part} is above the fold`);
  }
  assert(
    await page.locator('#heatmap .map-readout bdi').evaluate((each) => each.scrollWidth <= each.clientWidth),
    'no word of the readout is cut',
  );
  assert.match(await page.locator('#untrained').innerText(), /weights are untrained.*seed 0/s);
  const facts = (await page.locator('#run-info').textContent()) ?? '';
  assert.match(facts, /variant (simd|relaxed)/);
  assert.match(facts, new RegExp(compute(tools.gf, {}).model.parameterCount.toLocaleString('en')));
  assert.match(facts, /\d ms/);
  assert.match(facts, /\d MiB/);
  assert.match(facts, /Why this variant\s*\S+ \S+/);
  await tools.close(page);
});

test('typing updates every view, and they agree', async (t) => {
  const page = await tools.open();
  await ready(page);
  const times = [];
  await page.locator('#text').focus();
  await page.keyboard.press('End');
  for (const letter of ' swims too') {
    if (letter === ' ') await page.keyboard.press(letter);
    else times.push(await update(page, () => page.keyboard.press(letter)));
  }
  const text = `${SENTENCE} swims too`;
  const words = [
    'The',
    'creek',
    'was',
    'cold',
    'and',
    'the',
    'spunky',
    'dog',
    'wanted',
    'to',
    'jump',
    'over',
    'it',
    '.',
    'swims',
    'too',
  ];
  assert.deepEqual(await page.locator('#tokens-encoder .token-word').allInnerTexts(), words);
  assert.deepEqual(await page.locator('#heatmap .map-rows bdi').allInnerTexts(), words);
  assert.deepEqual(await page.locator('#heatmap .map-columns bdi').allInnerTexts(), words);
  assert.deepEqual(await page.locator('#ffn .map-rows bdi').allInnerTexts(), words);
  assert.deepEqual(
    await page.locator('#positions .map-rows bdi').allInnerTexts(),
    words.map((word, i) => `${i} ${word}`),
  );
  const size = '#heatmap canvas, #ffn .map-cells canvas, #positions .map-cells canvas';
  assert.deepEqual(
    [...new Set(await page.locator(size).evaluateAll((all) => all.filter((c) => c.height > 1).map((c) => c.height)))],
    [16],
  );
  const own = compute(tools.gf, {}, { text });
  assertShown((await readout(page)).number, own.at('encoder.layers.0.self_attn.weights', 0, 0, 12, 1));
  const strongest = await readout(page, '#ffn');
  const neuron = Number(strongest.place.split(' ').at(-1));
  assertShown(strongest.number, own.at('encoder.layers.0.ffn.activation', 0, 12, neuron));
  times.sort((a, b) => a - b);
  t.diagnostic(
    `keystroke to all views updated, default size, 16 tokens: median ${times[times.length >> 1].toFixed(1)} ms, ` +
      `slowest ${times.at(-1)?.toFixed(1)} ms`,
  );
  await tools.close(page);
});

test('many keystrokes at once end in the newest text', async () => {
  const page = await tools.open();
  await ready(page);
  await page.evaluate(() => {
    const box = /** @type {HTMLTextAreaElement} */ (document.getElementById('text'));
    for (let i = 1; i <= 200; i++) {
      box.value = 'word '.repeat(i % 40) + `last${i}`;
      box.dispatchEvent(new Event('input'));
    }
  });
  await page.waitForFunction(() => document.querySelector('#tokens-encoder .token-word')?.textContent === 'last200');
  await page.waitForTimeout(200);
  assert.deepEqual(await page.locator('#tokens-encoder .token-word').allInnerTexts(), ['last200']);
  assert.equal((await readout(page)).value, '1.0000');
  await tools.close(page);
});

test('sizes that no canvas or no memory holds are refused in words', async () => {
  const page = await tools.open();
  await ready(page);
  const wide = page.locator('#set-d_ff');
  await update(page, () => wide.fill('65536').then(() => wide.press('Enter')));
  await page.locator('#error-d_ff').waitFor(); // another update may have come first
  assert.equal(await wide.getAttribute('aria-invalid'), 'true');
  assert.match(await page.locator('#error-d_ff').innerText(), /d_ff must be at most 16,384 on this page, not 65536/);
  await page.getByRole('button', { name: 'Reset all' }).click();
  await page.locator('.error').waitFor({ state: 'detached' });
  const field = page.locator('#set-d_model');
  await update(page, () => field.fill('65536').then(() => field.press('Enter')));
  const words = await page.locator('#notices, .error').allInnerTexts();
  assert.match(words.join(' '), /memory|d_model/i);
  await page.getByRole('button', { name: 'Reset all' }).click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('#notices, .error')].every((each) => !(/** @type {HTMLElement} */ (each).innerText)),
  );
  await update(page, () => page.locator('#text').fill('on it goes'));
  await tools.close(page);
});

test('without WebAssembly SIMD the page says so', async () => {
  const page = await tools.open({ setUp: beforeWorker('WebAssembly.validate = () => false') });
  await page.getByText('this engine has no SIMD').waitFor();
  await tools.close(page);
});
