// From a card to its own model in Explore, in Chromium: the numbers of the same model in Node, cancel, its link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { ownModel } from '../../claims/own-model.js';
import { listedAnswers, readout, update, useBrowser } from '../browser.js';
import { formatShare } from '../../../web/draw/share.js';
import { openCard } from './watch.js';

const tools = useBrowser();
const BUTTON = 'Open its model in Explore';

/** @param {string} hash */
async function reveal(hash) {
  const page = await openCard(tools, hash);
  await page.getByRole('button', { name: 'Run without a bet' }).click();
  await page.getByRole('button', { name: BUTTON }).waitFor();
  return page;
}

/** What Explore says at the place. @param {import('playwright-core').Page} page */
const seen = async (page) => ({ text: await page.locator('#text').inputValue(), answers: await listedAnswers(page) });

const ATTENTION = {
  encoder: 'encoder.layers.0.self_attn.weights',
  decoder: 'decoder.layers.0.self_attn.weights',
  cross: 'decoder.layers.0.multihead_attn.weights',
};

for (const [number, params, joint] of /** @type {const} */ ([
  [13, {}, ' '],
  [14, { heads: 4, seed: 2 }, ''],
  [18, { mask: 'none' }, ''],
  [19, {}, ''],
]))
  test(`claim ${number}: Explore opens at the place that decides, with Node’s numbers`, async () => {
    const page = await reveal(`#/claims?${new URLSearchParams({ card: String(number), ...params })}`);
    await update(page, () => page.getByRole('button', { name: BUTTON }).click());
    const gf = await load({ variant: 'simd' });
    const { model, task, rows, cell } = await ownModel(gf, number, params);
    const [ids] = rows;
    const { vocabulary, outputVocabulary = vocabulary } = task;
    const isPair = model.config.kind === 'encoder-decoder';
    const begin = isPair ? [vocabulary.id('[BOS]')] : [];
    const said = isPair ? model.generateSync({ targetIds: begin, sourceIds: ids, maxTokens: ids.length }).newIds : [];
    const targetIds = [...begin, ...said].slice(0, ids.length);
    const { logits } = /** @type {any} */ (
      model.forward({ ...(isPair ? { sourceIds: ids, targetIds } : { ids }), capture: true })
    );
    const { data } = gf.softmax(logits);
    const answers = [...data.subarray(cell.row * outputVocabulary.size, (cell.row + 1) * outputVocabulary.size)]
      .map((probability, id) => /** @type {const} */ ([outputVocabulary.words[id], probability]))
      .sort((a, b) => b[1] - a[1])
      .slice(0, 5)
      .map(([word, probability]) => [word, formatShare(probability)]);
    const view = cell.neuron === null ? '#heatmap' : '#ffn';
    await page.locator(`${view} .map-readout strong`).waitFor();
    const shown = await seen(page);
    assert.equal(shown.text, ids.map((id) => vocabulary.words[id]).join(joint));
    assert.deepEqual(shown.answers, answers);
    const isAtModels = () => page.evaluate(() => document.activeElement?.matches('#models summary'));
    assert(await isAtModels(), 'the focus is not in the text, whose box would lie over its words');
    const { value, note } = await readout(page, view);
    const [tensor, row, column] =
      cell.neuron === null
        ? [model.tensor(ATTENTION[cell.kind]), cell.row + cell.head * (isPair ? targetIds : ids).length, cell.key]
        : [model.tensor('encoder.layers.0.ffn.activation'), cell.row, cell.neuron];
    const { data: values, shape } = /** @type {any} */ (tensor);
    assert.equal(value, values[row * shape.at(-1) + column].toFixed(4));
    assert.match(note, new RegExp(`\\[${cell.row}, ${column}\\]`));
    assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^From Claims: /);
    model.free();
    await tools.close(page);
  });

for (const [number, params] of /** @type {const} */ ([
  [1, { d_k: 64 }],
  [5, { mask: 'causal' }],
  [6, { model: 'encoder' }],
  [8, {}],
  [11, {}],
  [12, {}],
  [12, { sublayer: 'attention' }],
  [15, {}],
  [16, { design: 'pre-LN', layers: 2 }],
  [21, { seed: 2 }],
  [23, { gap: 9 }],
]))
  test(`claim ${number} ${JSON.stringify(params)}: its model opens at the cell, with Node’s number`, async () => {
    const asked = Object.entries(params).map(([name, value]) => [name, String(value)]);
    const page = await reveal(`#/claims?${new URLSearchParams([['card', String(number)], ...asked])}`);
    await update(page, () => page.getByRole('button', { name: BUTTON }).click());
    const { model, task, rows, cell } = await ownModel(await load({ variant: 'simd' }), number, params);
    const [ids] = rows;
    model.forward({ ids, capture: true });
    const words = ids.map((id) => task.vocabulary.words[id]);
    assert.equal((await page.locator('#text').inputValue()).replaceAll(' ', ''), words.join(''));
    if (number === 16) {
      const cell = /** @type {any} */ (model.tensor('encoder.layers.0.out')).data.slice(0, 16);
      const length = Math.sqrt(cell.reduce((/** @type {number} */ sum, /** @type {number} */ x) => sum + x * x, 0));
      await page.locator('#residual-token table').getByText(length.toFixed(4), { exact: true }).first().waitFor();
    } else {
      const view = cell.neuron === null ? '#heatmap' : '#ffn';
      await page.locator(`${view} .map-readout strong`).waitFor();
      const { value, note } = await readout(page, view);
      const activationAt = (/** @type {number} */ neuron) => {
        const { data, shape } = /** @type {any} */ (model.tensor('encoder.layers.0.ffn.activation'));
        return data[cell.row * shape.at(-1) + neuron];
      };
      const expected =
        cell.neuron === null
          ? /** @type {any} */ (model.tensor(ATTENTION.encoder)).data[
              (cell.head * ids.length + cell.row) * ids.length + cell.key
            ]
          : activationAt(cell.neuron);
      assert.equal(value, expected.toFixed(4));
      assert.match(note, new RegExp(`\\[${cell.row}, ${cell.neuron ?? cell.key}\\]`));
      const { heads } = model.config;
      assert.equal(await page.locator('.model-graph .head').count(), heads);
      assert.equal(await page.locator('#heatmap, #computation').filter({ visible: true }).count(), heads ? 2 : 0);
      assert.equal(await page.locator('#try .temperature').count(), heads ? 1 : 0);
    }
    model.free();
    await tools.close(page);
  });

test('training is cancelled by the same button and by another switch; a wrong link is refused by name', async () => {
  const page = await reveal('#/claims?card=19');
  await page.getByRole('button', { name: BUTTON }).click();
  const cancel = page.locator('.claims-model button', { hasText: 'Cancel' });
  await cancel.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'Cancel');
  await cancel.click();
  const again = page.getByRole('button', { name: BUTTON });
  await again.click();
  await cancel.waitFor();
  await page.getByRole('radio', { name: 'none' }).check();
  await again.waitFor();
  assert.equal(await page.locator('.claims-model progress').count(), 0);
  assert.match(await page.evaluate(() => location.hash), /^#\/claims/);
  await tools.close(page);

  for (const [link, why] of /** @type {const} */ ([
    ['claims%3Fcard%3D99', 'there is no card “99”'],
    ['claims%3Fcard%3D14%26heads%3D7', 'not “7”'],
    ['claims%3Fcard%3D14%26x%3D%3Cimg+src%3Dx%3E', 'this card has no switch “x”'],
    ['claims%3Fview%3Dlist', 'the link names no card'],
  ])) {
    const other = await tools.open({ at: `#/explore?model=${link}` });
    const notice = other.locator('.notices', { hasText: 'trained in Claims' });
    await notice.filter({ hasText: why }).waitFor();
    await notice.getByRole('link', { name: 'Train it on its card' }).waitFor();
    await tools.close(other);
  }
});

test('a reload trains the model of the card again, to the same bits; Cancel opens the page without it', async () => {
  const page = await reveal('#/claims?card=19&seed=1');
  await update(page, () => page.getByRole('button', { name: BUTTON }).click());
  await page.locator('#heatmap .map-readout strong').waitFor();
  const before = [await seen(page), await readout(page, '#heatmap'), await page.evaluate(() => location.hash)];
  await page.reload();
  await page.locator('.retrain', { hasText: 'Training the model of this link again' }).waitFor();
  await page.locator('#heatmap .map-readout strong').waitFor();
  assert.equal(await page.locator('.retrain').count(), 0);
  assert.deepEqual(
    [await seen(page), await readout(page, '#heatmap'), await page.evaluate(() => location.hash)],
    before,
  );
  assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^From Claims: /);

  await page.reload();
  const cancel = page.locator('.retrain').getByRole('button', { name: 'Cancel' });
  assert(Number((await cancel.boundingBox())?.height) >= 44);
  await cancel.click();
  const notice = page.locator('.notices', { hasText: 'training was cancelled' });
  await notice.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Train it on its card');
  await page.locator('#heatmap .map-readout strong').waitFor();
  assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^Pronouns/);
  await notice.getByRole('link', { name: 'Train it on its card' }).click();
  assert.equal(await page.evaluate(() => location.hash), '#/claims?card=19&seed=1');
  await tools.close(page);
});
