// The trained models on the page: the first sight, a story that is left, files that do not come.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeWorker, chooseModel, listedAnswers, openMenu, readout, ready, update, useBrowser } from '../browser.js';
import { shipped } from '../in-node.js';
import { formatShare } from '../../../web/draw/numbers.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

test('opens on “it” of creek, its answer and the head that attends most; an example leads to its word', async (t) => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  const chosen = (/** @type {string} */ word) =>
    page.waitForFunction(
      (wanted) => document.querySelector('#tokens-encoder [aria-checked=true] .token-word')?.textContent === wanted,
      word,
    );
  await chosen('it');
  t.diagnostic(
    'first picture ' +
      `${await page.evaluate(() => performance.getEntriesByName('glassformer:update')[0].startTime.toFixed(0))} ms ` +
      'after navigation',
  );
  assert.equal(await page.locator('input[name=model][value=creek]').isChecked(), true);
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.ids('the creek was cold and the spunky dog wanted to jump over it .'), capture: true });
  const weights = Array.from({ length: own.config.layers * own.config.heads }, (_, i) => {
    const [layer, head] = [Math.floor(i / own.config.heads), i % own.config.heads];
    return { layer, head, weight: own.at(`encoder.layers.${layer}.self_attn.weights`, 0, head, 12, 1) };
  });
  const best = weights.reduce((a, b) => (b.weight > a.weight ? b : a));
  assert(best.weight > 0.75, `the shipped model attends to creek: ${best.weight}`);
  assert.equal(
    await page.locator('.head[aria-checked=true]').getAttribute('aria-label'),
    `Encoder self-attention, layer ${best.layer + 1}, head ${best.head + 1}`,
  );
  assert.equal(
    await page.locator('.caption').textContent(),
    `it gives ${Math.round(100 * best.weight)}\u00a0% of its attention to creek. Click any cell to see why.`,
  );
  const probability = own.probabilities().data[12 * own.vocabulary.length + own.vocabulary.indexOf('creek')];
  assert.deepEqual((await listedAnswers(page))[0], ['creek', formatShare(probability)]);
  assert.equal(await page.locator('#untrained').isVisible(), false);
  assert.equal(await page.locator('.answers-attention').count(), 0, 'not said twice');
  await page.locator('.head').nth(0).click();
  assert.equal(await page.locator('.answers-attention .number').innerText(), formatShare(best.weight));
  await page.evaluate(() => void (location.hash += '&book=4'));
  await page.locator('.book-close').waitFor();
  assert.equal(await page.locator('.answers-attention').count(), 0, 'a lesson may ask for that head');
  await page.locator('.book-close').click();

  for (const [button, noun] of [
    ['It was tired', 'dog'],
    ['It was deep', 'creek'],
  ]) {
    await openMenu(page, 'examples');
    await update(page, () => page.getByRole('button', { name: button }).click());
    await chosen('it');
    const [word, share] = (await listedAnswers(page))[0];
    assert.match(`${word} ${share}`, new RegExp(`^${noun} [5-9]\\d\\s%`), button);
    assert.match((await readout(page)).place, new RegExp(`^row it, column ${noun}`));
  }
  await openMenu(page, 'examples');
  await update(page, () => page.getByRole('button', { name: 'Who sat on the mat?' }).click());
  await page.waitForFunction(() => document.querySelector('.answers-title')?.textContent?.includes('[MASK]'));
  own.model.forward({ ids: own.ids('the [MASK] sat on the mat .') });
  const row = own.probabilities().data.subarray(own.vocabulary.length, 2 * own.vocabulary.length);
  assert.equal((await listedAnswers(page))[0][0], own.vocabulary[row.indexOf(Math.max(...row))]);
  await tools.close(page);
});

test('the reader leaves a text that the model goes on with: the worker draws no further token', async () => {
  // After the third token it waits for stop().
  const setUp = beforeWorker(`{
    const { instantiate } = WebAssembly;
    const later = setTimeout;
    let now = 0;
    globalThis.drawn = 0;
    Date.now = () => (now += 100); // so that each token is a turn of its own
    WebAssembly.instantiate = async (...all) => {
      const { exports } = await instantiate(...all);
      return { exports: { ...exports, gf_sample: (...values) => (drawn++, exports.gf_sample(...values)) } };
    };
    globalThis.setTimeout = (done, ...rest) =>
      drawn === 3 ? addEventListener('message', ({ data }) => data.abort && later(done)) : later(done, ...rest);
  }`);
  const page = await tools.open({ model: 'continue', setUp });
  await ready(page);
  const [worker] = page.workers();
  const drawn = () => worker.evaluate(() => /** @type {any} */ (globalThis).drawn);
  await page.getByRole('button', { name: 'Generate' }).click();
  while ((await drawn()) < 3) await page.waitForTimeout(20);
  await update(page, () => page.locator('#text').fill('one day'));
  assert.equal(await drawn(), 3);
  assert.deepEqual(
    (await page.locator('#tokens-decoder .token-word').allInnerTexts()).map((word) => word.trim()),
    ['one', 'day'],
  );
  await tools.close(page);
});

for (const [what, body] of [
  ['missing', null],
  ['damaged', 'no safetensors'],
]) {
  test(`a ${what} file: said in words, and the untrained playground works`, async () => {
    const page = await tools.open({
      model: '',
      setUp: (page) =>
        page.route('**/models/creek.safetensors', (route) =>
          body === null ? route.fulfill({ status: 200, body: '' }) : route.fulfill({ body }),
        ),
    });
    await ready(page);
    assert.match(
      await page.locator('#notices').innerText(),
      /Pronouns could not be opened: .*missing or damaged; the untrained playground works/,
    );
    assert.equal(await page.locator('input[name=model][value=untrained]').isChecked(), true);
    await update(page, () => page.locator('#text').fill('still here'));
    assert.deepEqual(await page.locator('#tokens-encoder .token-word').allInnerTexts(), ['still', 'here']);
    await chooseModel(page, 'translate');
    assert.equal(await page.locator('#notices').innerText(), '');
    await tools.close(page);
  });
}
