// A module that breaks down, as fresh ones sometimes do in WebKit: the page tries a fresh one, then says so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeWorker, readout, ready, trapping, update, useBrowser } from '../browser.js';
import { assertShown, compute, shipped } from '../in-node.js';
import { checkKey } from '../checks.js';
import { shipped as readers } from '../corpus.js';
import { headShown } from '../tour/steps.js';

const tools = useBrowser();

/** @param {string} name @param {string} when */
const trap = (name, when) => beforeWorker(trapping(name, when));

for (const name of ['_initialize', 'gf_model_create', 'gf_model_forward']) {
  test(`${name} breaks down once: nobody notices`, async () => {
    const page = await tools.open({ setUp: trap(name, 'call === 1') });
    await ready(page);
    assertShown(
      (await readout(page)).number,
      compute(tools.gf, {}).at('encoder.layers.0.self_attn.weights', 0, 0, 12, 1),
    );
    assert.equal(await page.locator('#notices').innerText(), '');
    assert.equal(await page.locator('#again').isVisible(), false);
    await tools.close(page);
  });
}

test('later, with a trained model opened: its weights are still there', async () => {
  const page = await tools.open({ model: 'creek', setUp: trap('gf_model_forward', 'call === 2') });
  await ready(page);
  const text = 'the dog was tired .';
  await update(page, () => page.locator('#text').fill(text));
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.ids(text), capture: true });
  const { prefix, head } = await headShown(page);
  await page.locator('#tokens-encoder .token').nth(3).click();
  const { number, note } = await readout(page);
  const column = Number(/\[3, (\d+)\]/.exec(note)?.[1]);
  assertShown(number, own.at(`${prefix}.weights`, 0, head, 3, column));
  await tools.close(page);
});

test('while the corpus is read: it is read anew, in the fresh instance', async () => {
  const page = await tools.open({ model: 'creek', setUp: trap('gf_model_forward', 'call === 5') });
  await ready(page);
  await page.locator('#neurons button').first().click();
  await page.locator('#neuron [data-number=active]').waitFor({ timeout: 30_000 });
  const { layer } = await headShown(page);
  const neuron = Number((await page.locator('.neuron-card .view-title').innerText()).split(' ')[1]);
  await checkKey(page, readers(tools.gf, 'creek').read('encoder', layer), neuron);
  await tools.close(page);
});

test('while the model goes on with a text: no word is announced twice', async () => {
  const page = await tools.open({ model: 'continue', setUp: trap('gf_sample', 'call === 4') });
  await ready(page);
  const own = shipped(tools.gf, 'continue');
  const all = own.ids(await page.locator('#text').inputValue());
  own.model.generateSync({
    ids: [...all],
    maxTokens: 30,
    temperature: 0.8,
    seed: 0,
    onToken: (id) => (all.push(id), own.vocabulary[id] !== 'end'),
  });
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.waitForFunction(
    (count) => document.querySelectorAll('#tokens-decoder .token').length >= count,
    all.length,
  );
  await page.waitForTimeout(200);
  assert.deepEqual(
    (await page.locator('#tokens-decoder .token-word').allInnerTexts()).map((word) => word.trim()),
    all.map((id) => own.vocabulary[id]),
  );
  await tools.close(page);
});

for (const model of ['untrained&text=one+two', 'creek&text=the+dog']) {
  test(`again and again: ${model} says so, and trying again begins anew where the reader was`, async () => {
    const page = await tools.open({ model, setUp: trap('gf_model_create', 'true') });
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    assert.equal(
      await page.locator('#notices').innerText(),
      'The WebAssembly module broke down, and so did a fresh one: ' +
        'this browser reports “Out of bounds memory access”.',
    );
    await page.unroute('**/worker-*.js');
    await again.click();
    await ready(page);
    assert.equal(await page.locator('#text').inputValue(), model.split('text=')[1].replace('+', ' '));
    assert.equal(await page.locator('#notices').innerText(), '');
    assert.equal(await again.isVisible(), false);
    await tools.close(page);
  });
}

for (const [what, model] of [
  ['with something to compute', 'untrained&text=one'],
  ['with nothing to compute', 'untrained&text='],
  ['with a model to fetch', 'creek'],
]) {
  test(`the worker's script does not come, ${what}: the page says so, and nothing throws`, async () => {
    const setUp = (/** @type {import('playwright-core').Page} */ page) =>
      page.route('**/worker-*.js', (route) => route.fulfill({ status: 404 }));
    const page = await tools.open({ model, setUp });
    /** @type {string[]} */
    const thrown = [];
    page.on('pageerror', ({ message }) => thrown.push(message));
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    const said = await page.locator('#notices').innerText();
    assert.equal(said, 'The part of the page that computes could not be started.');
    if (model.endsWith('text=')) assert.match(await page.locator('#text-note').innerText(), /Type a sentence/);
    assert.deepEqual(thrown, []);
    await page.unroute('**/worker-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('#text').waitFor();
    await page.locator('#text').fill('the dog was tired .');
    await ready(page);
    await page.waitForFunction(() => document.querySelector('#notices')?.textContent === '');
    await page.context().close();
  });
}
