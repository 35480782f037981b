// What changes do downstream: every shown number is the module's own, with the same patches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turned } from '../../../web/explore/try/effect.js';
import { assertShown, compute, ready, shipped as ownModel, update, useBrowser } from '../browser.js';
import { checkAnswers } from '../checks.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** The shipped model in Node. @param {string} name @param {object} [switches] */
const shipped = (name, switches) => ownModel(tools.gf, name, switches);

/** @param {Page} page @param {string} selector */
const number = async (page, selector) => Number((await page.locator(selector).innerText()).replace('−', '-'));

/**
 * The shown answers against those of two tables of logits.
 * @param {Page} page
 * @param {any} before
 * @param {any} after
 * @param {number} row
 * @param {string[]} words
 */
async function compares(page, before, after, row, words) {
  await page.locator('.effect-nats').waitFor({ state: 'attached' }); // it is fetched at the first change
  await checkAnswers(page, ...[before, after].map((x) => tools.gf.softmax(x).data), row, words);
}

test('the rows whose first answer changes, of small tables', () => {
  const [p, q] = [
    [0.6, 0.4, 0.9, 0.1],
    [0.3, 0.7, 0.8, 0.2],
  ].map((each) => Float32Array.from(each));
  assert.deepEqual(
    turned(p, q, 2).map(({ row, from, to }) => [row, from.id, to.id]),
    [[0, 0, 1]],
  );
});

test('creek: a head off, a switch, a temperature', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  assert.equal(await page.locator('#effect').isVisible(), false, 'nothing is changed');
  const { model, ids, vocabulary } = shipped('creek');
  const options = { ids: ids('the creek was cold and the spunky dog wanted to jump over it .'), capture: true };
  const before = model.forward(options).logits;
  const off = { patches: [{ name: 'encoder.layers.0.self_attn.head_outputs', index: [0, 1, null, null], value: 0 }] };
  await page.locator('.head').nth(1).click();
  await update(page, () => page.getByRole('button', { name: 'Switch off' }).first().click());
  const without = model.forward({ ...options, ...off }).logits;
  await compares(page, before, without, 12, vocabulary);
  await update(page, () => page.locator('.temperature').fill('0.4'));
  const after = model.forward({ ...options, ...off, temperature: 2.51 }).logits;
  await compares(page, before, after, 12, vocabulary);
  const changed = turned(...[before, after].map((x) => tools.gf.softmax(x).data), vocabulary.length);
  assert(changed.length > 0);
  assert.equal(await page.locator('.effect-turned li').count(), changed.length);
  await page.locator('.try-effect summary').click();
  await page.locator('.effect-turned button').first().click();
  await compares(page, before, after, changed[0].row, vocabulary);
  await page.getByRole('button', { name: /^Reset \d/ }).click();
  await page.locator('#effect').waitFor({ state: 'hidden' });
  await update(page, () => page.locator('#set-residual').uncheck());
  await compares(
    page,
    before,
    shipped('creek', { residual: false }).model.forward(options).logits,
    changed[0].row,
    vocabulary,
  );
  await tools.close(page);
});

test('translate: one pass over the words shown, and the translation written anew', async () => {
  const page = await tools.open({ model: 'translate' });
  await ready(page);
  await page.waitForFunction(() => document.querySelector('#translation')?.textContent?.includes(' '));
  const source = await page.locator('#text').inputValue();
  const { model, ids, targetVocabulary } = shipped('translate');
  const [begin, end] = ['[BOS]', '[EOS]'].map((word) => targetVocabulary.indexOf(word));
  const sourceIds = ids(
    source
      .toLowerCase()
      .replace(/([.?!])$/, ' $1')
      .replace(/ +/g, ' '),
  );
  assert(
    sourceIds.every((id) => id >= 0),
    source,
  );
  const options = { maxTokens: 24, endId: end, sourceIds };
  const words = [...model.generateSync({ targetIds: [begin], ...options }).newIds];
  const input = { sourceIds, targetIds: [begin, ...words.slice(0, -1)], capture: true };
  const before = model.forward(input).logits;
  await update(page, () => page.locator('.temperature').fill('1'));
  const row = await page
    .locator('#tokens-decoder .token')
    .evaluateAll((all) => all.findIndex(({ ariaChecked }) => ariaChecked === 'true'));
  await compares(page, before, model.forward({ ...input, temperature: 10 }).logits, row, targetVocabulary);
  const anew = [begin];
  while (anew.length <= 24 && anew.at(-1) !== end) {
    const { data } = model.forward({ sourceIds, targetIds: anew, temperature: 10 }).logits;
    const last = data.subarray(-targetVocabulary.length);
    anew.push(last.indexOf(Math.max(...last)));
  }
  /** @param {number[]} list */
  const text = (list) =>
    list
      .filter((id) => id !== begin && id !== end)
      .map((id) => targetVocabulary[id])
      .join(' ');
  await page.locator('.try-effect summary').click();
  assert.equal(await page.locator('.effect-before').innerText(), text(words));
  assert.equal(await page.locator('.effect-after').innerText(), text(anew));
  assert.notEqual(text(anew), text(words));
  await tools.close(page);
});

test('untrained: no words, but how far the output moved', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.locator('#set-scoreScale').uncheck());
  await page.locator('.try-effect summary').click();
  const [before, after] = [{}, { scoreScale: false }].map(
    (settings) => compute(tools.gf, settings).model.tensor('output').data,
  );
  assertShown(
    await number(page, '.effect-moved'),
    Math.hypot(...after.subarray(12 * 64, 13 * 64).map((value, i) => value - before[12 * 64 + i])),
  );
  await tools.close(page);
});
