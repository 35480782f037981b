// "Open in Explore", in Chromium: the model of a moment with Node's numbers, its views, its link.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load, readSafetensors } from 'glassformer';
import { hashOf } from '../../../web/train/run/look.js';
import { recipeOf, setText } from '../../../web/train/run/recipes.js';
import { createRun } from '../../../web/train/run/run.js';
import { assertAxe, listedAnswers, point, readout, update, useBrowser } from '../browser.js';
import { formatShare } from '../../../web/draw/numbers.js';
import { openAt, press } from './watch.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} hash @param {object} [options] */
const open = (hash, options) => openAt(tools, hash, options);

/** @param {Page} page @param {number} step */
const at = (page, step) =>
  page.waitForFunction(
    (wanted) =>
      document.querySelector('.train-step strong')?.textContent === wanted &&
      document.querySelector('.train-play')?.textContent?.trim() !== 'Pause',
    step.toLocaleString('en'),
  );

/** Explore's tokens, and answers with their probabilities. @param {Page} page */
const seen = async (page) => ({
  text: await page.locator('#text').inputValue(),
  answers: await listedAnswers(page),
  all: await page.evaluate(() => document.querySelector('.answers-all bdi')?.textContent),
});

/** @param {Page} page */
async function openInExplore(page) {
  await update(page, () => press(page, 'Open in Explore'));
  await page.locator('#heatmap .map-readout strong').waitFor();
}

/**
 * Node's numbers of the same run.
 * @param {import('../../../web/train/run/run.js').Run} run
 * @param {ArrayLike<number>} ids
 */
function numbersOf({ model, task: { vocabulary } }, ids) {
  const { logits, attention } = /** @type {any} */ (model.forward({ ids: [...Array.from(ids)], capture: true }));
  const width = vocabulary.size;
  const { data } = tools.gf.softmax(logits);
  const rows = Array.from(ids, (_, row) =>
    [...data.subarray(row * width, (row + 1) * width).entries()]
      .sort((a, b) => b[1] - a[1])
      .map(([id, probability]) => [vocabulary.words[id], formatShare(probability)]),
  );
  return { rows, attention };
}
const short = (/** @type {string[][]} */ list) =>
  list.slice(0, 5).map(([word, p]) => [word, Number(p) === 0 ? '<0.001' : p]);

test('today’s block on addition at step 60: attention, answers and words are those of the run in Node', async () => {
  const [step, cell] = [60, [5, 1]];
  const run = await createRun(await load({ variant: 'simd' }), 'addition', {
    ...recipeOf('addition'),
    ...{ norm: 'pre', normKind: 'rms', positions: 'rotary', ffn: 'gated', activation: 'silu', keyValueHeads: 2 },
    seed: 3,
  });
  await run.go(step);
  const block = 'keyValueHeads=2&positions=rotary&norm=pre&normKind=rms&ffn=gated&activation=silu';
  const page = await open(`#/train?task=addition&${block}&seed=3&step=60`);
  await at(page, step);
  const [{ batch }] = run.heldOut;
  const width = batch.ids.shape[1];
  const ids = batch.ids.data.slice(0, width);
  const cellIn = async (/** @type {string} */ view) =>
    /\[(\d+), (\d+)\]/
      .exec((await readout(page, view)).note)
      ?.slice(1)
      .map(Number);
  const chosen = await cellIn('.train-map');
  await openInExplore(page);
  assert.deepEqual(await cellIn('#heatmap'), chosen, 'the same cell');
  const now = await seen(page);
  assert.equal(now.text, [...ids].map((id) => run.task.vocabulary.words[id]).join(''));
  const own = numbersOf(run, ids);
  const { kind, layers } = run.model.config;
  const weights = /** @type {any} */ (run.model.tensor(`${kind}.layers.${layers - 1}.self_attn.weights`)).data;
  const last = [...weights.subarray((width - 1) * width, width * width)]; // of the first head
  assert.deepEqual(chosen, [width - 1, last.indexOf(Math.max(...last))], 'what the last query attends to');
  await point(page, '#heatmap', cell[0], cell[1], 'click');
  const value = weights[cell[0] * width + cell[1]];
  await page.waitForFunction(
    (wanted) => document.querySelector('#heatmap .map-readout strong')?.textContent === wanted,
    value.toFixed(4),
  );
  const after = await seen(page);
  assert.deepEqual(after.answers, short(own.rows[cell[0]]));
  assert.equal(after.all, undefined);
  assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /Trained here: .*, step \d+/);
  await tools.close(page);
});
test('a row of Hebrew begins at the right', async () => {
  const page = await open('#/train?task=text');
  await at(page, 0);
  await page.getByLabel('Your text').fill('הכלב לא קפץ מעל הנחל כי הוא היה עייף . '.repeat(40));
  await page.getByRole('button', { name: 'Use this text' }).click();
  await page.waitForFunction(() => document.querySelector('#train-text-note')?.textContent?.includes('10 in'));
  await page.locator('.train-tokens[dir=rtl]').first().waitFor(); // the new run's row, after the old one's
  const { direction, tokens } = await page
    .locator('.train-tokens')
    .first()
    .evaluate((row) => ({
      direction: getComputedStyle(row).direction,
      tokens: [...row.querySelectorAll('.train-token')].map((each) => each.getBoundingClientRect().right),
    }));
  assert.equal(direction, 'rtl');
  assert(tokens[0] > tokens[1], 'the second token stands to the left of the first');
  await tools.close(page);
});
test('a text of one’s own: words, unknown ones, what it continues; back in Train the run is as it was', async () => {
  const text = 'The creek was cold and the dog was tired. The boy was kind and the creek was deep. '.repeat(30);
  setText(text, 'words');
  const run = await createRun(await load({ variant: 'simd' }), 'text', recipeOf('text'));
  await run.go(4);
  const page = await open('#/train?task=text');
  await at(page, 0);
  await page.getByLabel('Your text').fill(text);
  await page.getByRole('button', { name: 'Use this text' }).click();
  await page.waitForFunction(() => document.querySelector('#train-text-note')?.textContent?.includes('11 in'));
  for (let step = 1; step <= 4; step++) {
    await at(page, step - 1);
    await page.getByRole('button', { name: 'One step' }).click();
  }
  await at(page, 4);
  await openInExplore(page);
  const { words } = run.task.vocabulary;
  const [{ batch }] = run.heldOut;
  const ids = batch.ids.data.slice(0, batch.ids.shape[1]);
  assert.equal((await seen(page)).text, [...ids].map((id) => words[id]).join(' '));
  const box = page.locator('#text');
  await update(page, () => box.fill('The Dog was cold, and the zebra'));
  const typed = ['the', 'dog', 'was', 'cold', 'and', 'the'].map((word) => words.indexOf(word));
  assert(typed.every((id) => id >= 0));
  const own = numbersOf(run, typed);
  await point(page, '#heatmap', 1, 0, 'click');
  await page.locator('.answers-title').filter({ hasText: 'Next word after Dog' }).waitFor();
  assert.deepEqual((await seen(page)).answers, short(own.rows[1]));
  await box.blur();
  const note = page.locator('#text-note');
  await note
    .filter({ hasText: '“,” and “zebra” are not in this model’s vocabulary (11 tokens) and left out.' })
    .waitFor();
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.continuation output span').length > 2);
  await page.getByRole('link', { name: 'Train', exact: true }).click();
  await at(page, 4);
  assert.equal(await page.locator('.train-hash code').textContent(), await hashOf(run.model));
  await tools.close(page);
});

test('a change and its undo, the saved model; Back leads to the run as it was, at the moment it showed', async () => {
  const run = await createRun(await load({ variant: 'simd' }), 'order', recipeOf('order'));
  await run.go(25);
  const page = await open('#/train?task=order&step=30');
  await at(page, 30);
  await page.locator('#train-moment').focus();
  await page.keyboard.press('ArrowLeft');
  await at(page, 25);
  await openInExplore(page);
  const asTrained = await seen(page);
  await update(page, () => page.locator('#try .switch').click());
  assert.notDeepEqual((await seen(page)).answers, asTrained.answers);
  await update(page, () => page.getByRole('button', { name: 'Undo' }).first().click());
  assert.deepEqual((await seen(page)).answers, asTrained.answers);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('#share').getByRole('button', { name: /model/i }).click(),
  ]);
  assert.equal(file.suggestedFilename(), 'train-task-order-step-25.safetensors');
  const { tensors } = readSafetensors(readFileSync(await file.path()));
  for (const [name, { data }] of run.model.weights()) assert.deepEqual(tensors.get(name)?.data, data, name);
  await page.goBack();
  await at(page, 25);
  assert.equal(await page.locator('.train-hash code').textContent(), await hashOf(run.model));
  assert.equal(await page.locator('#train-moment').getAttribute('aria-valuetext'), 'step 25 of 30', 'not trained anew');
  await tools.close(page);
});

for (const [hash, step] of /** @type {[string, number][]} */ ([
  ['#/train', 0],
  ['#/train?task=order&seed=3&at=10:learningRate=0.001,batch=16&step=30', 30],
  ['#/train?task=text&heldOut=unseen&step=20', 20],
]))
  test(`opened in Explore and reloaded there, it is trained again: ${hash}`, async () => {
    const page = await open(hash);
    await at(page, step);
    await openInExplore(page);
    await page.waitForFunction(() => location.hash.includes('model=train'));
    const before = await seen(page);
    const link = await page.evaluate(() => location.hash);
    await page.reload();
    await page.locator('#heatmap .map-readout strong').waitFor();
    assert.match((await page.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^Trained here/);
    assert.deepEqual(await seen(page), before);
    assert.equal(await page.evaluate(() => location.hash), link);
    assert.equal(await page.locator('.notices:visible').count(), 0);
    await tools.close(page);
  });

test('on a phone, with axe; its task’s rows are its corpus; a link that trains nothing says why', async () => {
  const page = await open('#/train?task=order&step=30', { viewport: { width: 390, height: 844 } });
  await at(page, 30);
  await openInExplore(page);
  await page.waitForFunction(() => location.hash.includes('model=train%3Ftask%3Dorder%26step%3D30'));
  assert.equal((await seen(page)).answers.length, 5);
  await assertAxe(page);
  await page.evaluate(() => (location.hash += '&layout=page'));
  await page.locator('#neuron').scrollIntoViewIfNeeded();
  await page.locator('.neuron-key').filter({ hasText: 'rows of its task' }).waitFor();
  await tools.close(page);

  for (const [asked, why] of /** @type {const} */ ([
    ['train?task=order&step=1e9', 'this page cannot read these parts of the link: step'],
    ['train?task=nowhere', 'task'],
    ['train?task=text&step=10&weights=0123456789ab', 'which no link holds'],
  ])) {
    const wrong = await open(`#/explore?${new URLSearchParams({ model: asked })}`);
    await wrong.locator('.notices').filter({ hasText: 'trained in Train' }).filter({ hasText: why }).waitFor();
    await wrong.locator('#heatmap .map-readout strong').waitFor();
    assert.match((await wrong.locator('.model:has(:checked)').textContent())?.trim() ?? '', /^Pronouns/);
    await tools.close(wrong);
  }
});
