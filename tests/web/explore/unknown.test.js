// A sentence with words that the model does not know: no answer where content is lost, and what to try instead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedAnswers, ready, shipped, update, useBrowser } from '../browser.js';
import { formatShare } from '../../../web/draw/share.js';
import { lostWords } from '../../../web/explore/shared/lost.js';
import { nearestWord } from '../../../web/explore/shared/notes.js';
import { readWords, replaceWord } from '../../../web/engine/tokens.js';

const tools = useBrowser();
const LOST = 'My sister bought a bike because it was cheap';
const { vocabulary } = shipped({ createModel: () => ({ loadWeights() {} }) }, 'creek');

/** @param {string} text */
const lostOf = (text) =>
  lostWords(
    /** @type {any} */ ({ model: 'creek', tokens: { encoder: readWords(text, vocabulary), decoder: null } }),
    vocabulary,
  );

test('content words are lost, or all words; function words and a half typed last word are not', () => {
  assert.deepEqual(lostOf(LOST), { unknown: 6, words: 9 });
  assert.equal(lostOf('The dog was tired!'), null);
  assert.equal(lostOf('My dog was tired.'), null);
  assert.equal(lostOf('The dog was tir'), null, 'it may become “tired”');
  assert.deepEqual(lostOf('The dog was tirx'), { unknown: 1, words: 4 });
  assert.deepEqual(lostOf('The dog was tir.'), { unknown: 1, words: 4 });
  assert.deepEqual(lostOf('My'), { unknown: 1, words: 1 });
  assert.equal(lostOf(''), null);
});

test('the nearest word by spelling, with the capital of the unknown one; none where half of the letters differ', () => {
  for (const [word, near] of [
    ['dgo', 'dog'],
    ['Creeek', 'Creek'],
    ['jumping', 'jump'],
    ['tird', 'tired'],
    ['bike', 'bone'],
    ['photosynthesis', null],
    ['a', null],
    ['MASK', 'Mat'],
  ])
    assert.equal(nearestWord(String(word), vocabulary), near, String(word));
  assert.equal(replaceWord('a bike, bikes and bike', 'bike', 'kite'), 'a kite, bikes and kite');
});

test('no answer, but why, and sentences to try; the nearest word takes the place of an unknown one', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const box = page.locator('#text');
  const none = page.locator('#answers .answers-none');
  await box.fill(LOST);
  await none.waitFor();
  assert.match(
    await none.innerText(),
    /^The model does not know 6 of 9 words, so it gives no answer\. Read it with Austen/,
  );
  assert.equal(await page.locator('.answers-list').count(), 0);
  const tries = page.locator('.answers-tries button');
  assert.equal(await tries.count(), 3);
  await update(page, () => tries.nth(1).click());
  assert.match(await box.inputValue(), /because it was tired/);
  assert.equal(await none.count(), 0);

  await box.fill('The dog jumped over the creeek.');
  await none.waitFor();
  await page.waitForTimeout(900);
  await update(page, () => page.getByRole('button', { name: 'Replace creeek by creek' }).click());
  assert.equal(await box.inputValue(), 'The dog jumped over the creek.');
  const own = shipped(tools.gf, 'creek');
  own.model.forward({ ids: own.ids('the dog jumped over the creek .') });
  const { data } = own.probabilities();
  const row = [...data.subarray(5 * vocabulary.length, 6 * vocabulary.length)];
  await page.locator('.answers-title', { hasText: 'creek' }).waitFor();
  const [[word, number]] = await listedAnswers(page);
  assert.deepEqual([word, number], [vocabulary[row.indexOf(Math.max(...row))], formatShare(Math.max(...row))]);
  await page.waitForTimeout(900); // later than one go of typing
  await page.keyboard.press('Control+z');
  await none.waitFor();
  assert.equal(await box.inputValue(), 'The dog jumped over the creeek.');

  await box.fill('Entirely different');
  await page.locator('#answers', { hasText: 'The model knows none of these words.' }).waitFor();
  await update(page, () => tries.first().click());
  assert.equal(await none.count(), 0);
  await tools.close(page);
});

test('an untrained model reads any word, and nothing is suggested', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.locator('#text').fill(LOST));
  assert.equal(await page.locator('.answers-none').count(), 0);
  assert.equal(await page.locator('.suggestion').count(), 0);
  await tools.close(page);
});
