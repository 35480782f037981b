// The trained models on the page: every number is the module's own answer from the shipped files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertShown,
  beforeWorker,
  chooseModel,
  openMenu,
  point,
  readout,
  ready,
  shipped as trained,
  update,
  useBrowser,
} from '../browser.js';
import { formatShare } from '../../../web/draw/share.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} name @param {object} [changes] */
const shipped = (name, changes) => trained(tools.gf, name, changes);

/** @param {Page} page */
const words = (page) => page.locator('.answers-list li').allInnerTexts();

/** @param {Page} page @param {RegExp} text */
const noticed = (page, text) =>
  page.waitForFunction(
    ([source]) => new RegExp(source).test(document.getElementById('text-note')?.textContent ?? ''),
    [text.source],
  );

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

test('opens on creek: “it”, its answer, and the head that attends to creek most', async (t) => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await ready(page);
  await page.waitForFunction(() =>
    document.querySelector('#tokens-encoder [aria-checked=true]')?.textContent?.includes('it'),
  );
  t.diagnostic(
    'first picture ' +
      `${await page.evaluate(() => performance.getEntriesByName('glassformer:update')[0].startTime.toFixed(0))} ms ` +
      'after navigation',
  );
  assert.equal(await page.locator('input[name=model][value=creek]').isChecked(), true);
  const own = shipped('creek');
  own.model.forward({ ids: own.ids(KNOWN), capture: true });
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
  const shown = await readout(page);
  assert.equal(shown.place, 'row it, column creek');
  assertShown(shown.number, best.weight);
  assert.equal(
    await page.locator('.caption').textContent(),
    `it gives ${Math.round(100 * best.weight)}\u00a0% of its attention to creek. Click any cell to see why.`,
  );
  const [first, ...others] = await words(page);
  assert.equal(others.length, 4);
  const probability = own.probabilities().data[12 * own.vocabulary.length + own.vocabulary.indexOf('creek')];
  assert.equal(first.replaceAll(/\n/g, ' '), `creek ${formatShare(probability)}`);
  const box = await page.locator('#heatmap .map-pin').boundingBox();
  assert(box && box.y + box.height <= 900, 'the cell of “it” and “creek” is above the fold');
  assert.match((await page.locator('#about').textContent()) ?? '', /masked words.*pronoun/);
  assert.equal(await page.locator('#untrained').isVisible(), false);
  assert.equal(await page.locator('#set-d_model').count(), 0);
  assert.equal(await page.locator('.answers-attention').count(), 0, 'not said twice');
  await page.locator('.head').nth(0).click();
  assert.equal(await page.locator('.answers-attention .number').innerText(), formatShare(best.weight));
  await tools.close(page);
});

test('the adjective decides: tired and deep', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  for (const [button, noun] of [
    ['It was tired', 'dog'],
    ['It was deep', 'creek'],
  ]) {
    await openMenu(page, 'examples');
    await update(page, () => page.getByRole('button', { name: button }).click());
    await page.waitForFunction(
      () => document.querySelector('#tokens-encoder [aria-checked=true] .token-word')?.textContent === 'it',
    );
    assert.match((await words(page))[0], new RegExp(`^${noun}\\s+[5-9]\\d\\s%`), button);
    assert.match((await readout(page)).place, new RegExp(`^row it, column ${noun}`));
  }
  await openMenu(page, 'examples');
  await update(page, () => page.getByRole('button', { name: 'Who sat on the mat?' }).click());
  await page.waitForFunction(() => document.querySelector('.answers-title')?.textContent?.includes('[MASK]'));
  const own = shipped('creek');
  const text = 'the [MASK] sat on the mat .';
  own.model.forward({ ids: own.ids(text) });
  const row = own.probabilities().data.subarray(own.vocabulary.length, 2 * own.vocabulary.length);
  assert.match((await words(page))[0], new RegExp(`^${own.vocabulary[row.indexOf(Math.max(...row))]}\\s`));
  await tools.close(page);
});

test('an unknown word stays in sight, is left out, and that is said', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await update(page, () => page.locator('#text').fill('The zebra dog jumped over the Wien creek.'));
  await noticed(page, /“zebra” and “Wien” are not in this model’s vocabulary \(147 tokens\)/);
  assert.match(await page.locator('#text-note').innerText(), /left out/);
  await page.locator('#tokens-encoder .token-word', { hasText: 'zebra' }).waitFor();
  assert.deepEqual(await page.locator('#tokens-encoder .token-word').allInnerTexts(), [
    'The',
    'zebra',
    'dog',
    'jumped',
    'over',
    'the',
    'Wien',
    'creek',
    '.',
  ]);
  assert.deepEqual(await page.locator('#tokens-encoder .unknown .token-word').allInnerTexts(), ['zebra', 'Wien']);
  assert.deepEqual(await page.locator('#heatmap .map-rows bdi').allInnerTexts(), [
    'The',
    'dog',
    'jumped',
    'over',
    'the',
    'creek',
    '.',
  ]);
  const own = shipped('creek');
  own.model.forward({ ids: own.ids('the dog jumped over the creek .'), capture: true });
  await page.getByRole('radio', { name: 'Encoder self-attention, layer 1, head 1' }).click();
  await page.waitForFunction(() =>
    document.querySelector('#heatmap .view-title')?.textContent?.includes('layer 1, head 1'),
  );
  await page.locator('#tokens-encoder .token', { hasText: 'creek' }).click();
  await page.locator('#tokens-encoder .token', { hasText: 'zebra' }).click({ force: true });
  assert.match((await readout(page)).place, /^row creek,/);
  await point(page, '#heatmap', 5, 1);
  assert.equal((await readout(page)).place, 'row creek, column dog');
  assertShown((await readout(page)).number, own.at('encoder.layers.0.self_attn.weights', 0, 0, 5, 1));
  await page.locator('#text').fill('zebra');
  await noticed(page, /“zebra” is not in this model/);
  assert.deepEqual(await page.locator('#tokens-encoder .unknown .token-word').allInnerTexts(), ['zebra']);
  await page.locator('#text').fill('zebra xylophone');
  await page.waitForFunction(() => document.querySelectorAll('#tokens-encoder .unknown').length === 2);
  await update(page, () => page.locator('#text').fill(KNOWN));
  assert.equal(await page.locator('#text-note').innerText(), '');
  assert.equal(await page.locator('#notices').innerText(), '');
  await tools.close(page);
});

test('typing before “it” keeps it pinned, and is quick', async (t) => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await page.waitForFunction(() =>
    document.querySelector('#tokens-encoder [aria-checked=true]')?.textContent?.includes('it'),
  );
  await page.locator('#text').focus();
  await page.keyboard.press('Home');
  for (const letter of 'The fox and dog ') await page.keyboard.press(letter === ' ' ? 'Space' : letter);
  await page.waitForFunction(() => document.querySelectorAll('#tokens-encoder .token').length === 18);
  assert.equal(await page.locator('#tokens-encoder [aria-checked=true] .token-word').innerText(), 'it');
  assert.match((await readout(page)).place, /^row it, column creek$/);
  await page.locator('#text').press('End');
  const times = [];
  for (let i = 0; i < 9; i++) times.push(await update(page, () => page.keyboard.press(i % 2 ? 'Backspace' : '.')));
  times.sort((a, b) => a - b);
  t.diagnostic(
    `keystroke to all views updated, creek, 18 tokens: median ${times[times.length >> 1].toFixed(1)} ms, slowest ` +
      `${times.at(-1)?.toFixed(1)} ms`,
  );
  await tools.close(page);
});

test('a switch runs the same weights otherwise, and the page says so', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const head = page.getByRole('radio', { name: 'Encoder self-attention, layer 2, head 1' });
  await head.click();
  await page.waitForFunction(() =>
    document.querySelector('#heatmap .view-title')?.textContent?.includes('layer 2, head 1'),
  );
  for (const [name, value] of /** @type {[string, string | boolean][]} */ ([
    ['scoreScale', false],
    ['positions', 'none'],
    ['residual', false],
    ['norm', 'none'],
    ['activation', 'gelu'],
    ['causal', true],
  ])) {
    const control = page.locator(`#set-${name}`);
    await update(page, () => (typeof value === 'boolean' ? control.setChecked(value) : control.selectOption(value)));
    assert.match(await page.locator('#notices').innerText(), /Not as trained/);
    const own = shipped('creek', { [name]: value });
    own.model.forward({ ids: own.ids(KNOWN), capture: true });
    await point(page, '#heatmap', 12, 1);
    assertShown((await readout(page)).number, own.at('encoder.layers.1.self_attn.weights', 0, 0, 12, 1), name);
    own.model.free();
    await update(page, () => page.getByRole('button', { name: 'Restore trained settings' }).click());
    assert.equal(await page.locator('#notices').innerText(), '');
  }
  await update(page, () => page.locator('#set-positions').selectOption('learned'));
  assert.match(await page.locator('#notices').innerText(), /file has no .*initial values are used/);
  await tools.close(page);
});

test('translate: the French is Node’s, the map is the mean of the last cross-attention', async (t) => {
  const page = await tools.open({ model: 'translate' });
  await ready(page);
  const own = shipped('translate');
  const [begin, end] = ['[BOS]', '[EOS]'].map((word) => own.targetVocabulary.indexOf(word));
  /** @param {string} source */
  const translate = (source) => {
    const sourceIds = own.ids(source);
    const { newIds } = own.model.generateSync({ targetIds: [begin], sourceIds, maxTokens: 24, endId: end });
    own.model.forward({ sourceIds, targetIds: [begin, ...newIds.slice(0, -1)], capture: true });
    return [...newIds]
      .filter((id) => id !== end)
      .map((id) => own.targetVocabulary[id])
      .join(' ')
      .replaceAll(' .', '.');
  };
  const french = page.locator('output.translation');
  assert.equal(await french.innerText(), translate(KNOWN));
  assert.equal(await french.innerText(), 'le ruisseau était froid et le chien fougueux voulait le franchir.');
  assert.match(await page.locator('#heatmap .view-title').innerText(), /^Cross-attention, layer 2, mean of 4 heads$/);
  const { heads } = own.config;
  const weight = (/** @type {number} */ row, /** @type {number} */ key) =>
    Array.from({ length: heads }, (_, head) => own.at('decoder.layers.1.multihead_attn.weights', 0, head, row, key));
  for (const [row, key] of [
    [1, 1],
    [6, 7],
    [7, 6],
    [9, 12],
  ]) {
    await point(page, '#heatmap', row, key);
    const each = weight(row, key);
    assertShown((await readout(page)).number, each.reduce((a, b) => a + b) / heads, `mean ${row} ${key}`);
  }
  await point(page, '#heatmap', 7, 6);
  assert.equal((await readout(page)).place, 'row fougueux, column spunky');
  assert.match(await page.locator('#why').innerText(), /gender/);
  // What goes in is called by its own word, not by the one that is written there.
  assert.equal((await readout(page, '#positions')).place, 'position 1 le, dimension 0');
  assert.match(await page.locator('#position-similarity').innerText(), /“?le”?, position 1/);
  await page.getByLabel('Mean of this layer’s heads').uncheck();
  await point(page, '#heatmap', 7, 6);
  assertShown((await readout(page)).number, weight(7, 6)[0], 'head 1');

  await openMenu(page, 'sentence-menus');
  const took = await update(page, () =>
    page.getByRole('combobox', { name: 'Thing', exact: true }).selectOption('river'),
  );
  assert.equal(await french.innerText(), 'la rivière était froide et le chien fougueux voulait la franchir.');
  assert.equal(await french.innerText(), translate(KNOWN.replace('creek', 'river')));
  t.diagnostic(`menu to French and all views: ${took.toFixed(1)} ms`);
  await update(page, () => page.getByRole('combobox', { name: 'Sentence' }).selectOption('because'));
  const menus = await page
    .locator('.menus > *')
    .evaluateAll((all) => all.map((e) => (e instanceof HTMLSelectElement ? e.value : e.textContent)));
  assert.equal(await french.innerText(), translate(menus.join(' ').replace('(past) jump over', 'jumped over')));
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
