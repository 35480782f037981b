// A story that the model writes: as running text, word by word, and the answer goes with it; the tokens are Node's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, update, useBrowser } from '../browser.js';
import { shipped } from '../in-node.js';

const tools = useBrowser();
const PROMPT = 'one day a hungry fox saw a red ball . the';

test('the story grows by a word at a time, and ends as Node’s', async () => {
  const page = await tools.open({ model: 'continue' });
  await ready(page);
  const own = shipped(tools.gf, 'continue');
  const prompt = own.ids(PROMPT);
  const written = [];
  own.model.generateSync({
    ids: prompt,
    maxTokens: 30,
    temperature: 0.8,
    seed: 0,
    onToken: (id) => written.push(id) > 0 && own.vocabulary[id] !== 'end',
  });
  const words = written.map((id) => own.vocabulary[id]);
  await page.evaluate(() => {
    const seen = /** @type {any} */ (globalThis.seen = []);
    const output = document.querySelector('.continuation output');
    new MutationObserver(() => seen.push(output?.childElementCount)).observe(/** @type {Element} */ (output), {
      childList: true,
    });
  });
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.waitForFunction(
    (count) => document.querySelectorAll('.continuation output span').length === count,
    words.length,
  );
  assert.equal(await page.locator('.continuation').textContent(), `${PROMPT} ${words.join(' ')}`.replaceAll(' .', '.'));
  assert.deepEqual(
    await page.evaluate(() => /** @type {any} */ (globalThis).seen),
    words.map((_, i) => i + 1),
  );
  const last = words.findLast((word) => /\w/.test(word)) ?? '';
  const place = prompt.length + words.lastIndexOf(last);
  await page.waitForFunction(
    (index) =>
      [...document.querySelectorAll('#tokens-decoder .token')].findIndex((each) => each.ariaChecked === 'true') ===
      index,
    place,
  );
  assert.match(await page.locator('.answers-title').innerText(), new RegExp(`${last}$`));
  own.model.forward({ ids: [...prompt, ...written] });
  const row = own
    .probabilities()
    .data.subarray(place * own.vocabulary.length)
    .slice(0, own.vocabulary.length);
  const [likeliest] = await page.locator('.answers-list li bdi').allInnerTexts();
  assert.equal(likeliest, own.vocabulary[row.indexOf(Math.max(...row))]);
  await update(page, () => page.getByRole('button', { name: 'Remove' }).click());
  assert.equal(await page.locator('.continuation').isVisible(), false);
  await tools.close(page);
});

test('a story stops at its end, whatever would follow', async () => {
  const page = await tools.open({ at: '#model=continue&layout=page&residual=0' });
  await ready(page);
  const generate = page.getByRole('button', { name: 'Generate' });
  assert.equal(await generate.isDisabled(), false);
  const output = page.locator('.continuation output');
  const written = async () => (await output.locator('span').allInnerTexts()).map((word) => word.trim());

  const own = shipped(tools.gf, 'continue', { residual: false });
  /** @type {string[]} */
  const words = [];
  own.model.generateSync({
    ids: own.ids(PROMPT),
    maxTokens: 30,
    temperature: 0.8,
    seed: 0,
    onToken: (id) => words.push(own.vocabulary[id]) > 0,
  });
  const end = words.indexOf('end');
  assert.equal(words[end + 1], 'end', words.join(' '));
  await generate.click();
  await page.waitForFunction(
    (count) => document.querySelectorAll('.continuation output span').length === count,
    end + 1,
  );
  await page.waitForTimeout(300); // no word follows
  assert.deepEqual(await written(), words.slice(0, end + 1));

  await tools.close(page);
});
