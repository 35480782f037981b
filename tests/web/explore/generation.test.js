// A story that the model writes: as running text, word by word, and the answer goes with it; the tokens are Node's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ready, shipped, update, useBrowser } from '../browser.js';

const tools = useBrowser();
const PROMPT = 'one day a hungry fox saw a red ball . the';

for (const reducedMotion of /** @type {const} */ (['no-preference', 'reduce']))
  test(`the story grows by a word at a time, and ends as Node's (motion: ${reducedMotion})`, async () => {
    const page = await tools.open({ model: 'continue', reducedMotion });
    await ready(page);
    const own = shipped(tools.gf, 'continue');
    const prompt = own.ids(PROMPT);
    const written = [];
    own.model.generate({
      ids: prompt,
      maxTokens: 30,
      temperature: 0.8,
      seed: 0,
      onToken: (id) =>
        own.vocabulary[Number(written.push(id) > 1 ? written.at(-2) : id)] !== 'end' || own.vocabulary[id] !== '.',
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
    assert.equal(
      await page.locator('.continuation').textContent(),
      `${PROMPT} ${words.join(' ')}`.replace(new RegExp(`(?<=^.{${PROMPT.length},}) \\.`, 'g'), '.'),
    );
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
