// The list with verdicts, search, printing, projector and what a card gives to take along, in Chromium.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { claims } from '../../../src/claims/index.js';
import { typeset } from '../../../web/draw/typeset.js';
import { useBrowser } from '../browser.js';
import { assertAccessible } from '../train/watch.js';
import { openCard, predict, tested } from './watch.js';

const tools = useBrowser();
const CLAIMS = { within: '#claims, #claims *' };

/** @param {import('playwright-core').Page} page @param {string} hash */
async function go(page, hash) {
  await page.evaluate((to) => (location.hash = to), hash);
  await page.waitForFunction((to) => location.hash.startsWith(to), hash); // Explore adds its state at once
}

/** The same run in Node. @param {number} number @param {object} [params] */
async function inNode(number, params = {}) {
  const { run, outcome } = claims.find(({ claim }) => claim.number === number) ?? assert.fail();
  return outcome(await run(await load({ variant: 'simd' }), params), params);
}

/** Predicts and tests cards. @param {import('playwright-core').Page} page @param {[number, number][]} choices */
async function answer(page, choices) {
  for (const [number, choice] of choices) {
    await go(page, `#/claims?card=${number}`);
    await predict(page, choice);
    await tested(page);
  }
}

/** @param {import('playwright-core').Page} page @param {string} name */
async function saved(page, name) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

test('the list has what was found, with its links; it is kept, printed, cleared and brought back', async () => {
  const page = await openCard(tools, '#/claims?view=list');
  await answer(page, [[20, 0], [22, 0]]); // prettier-ignore
  await go(page, '#/claims?view=summary'); // of a former version
  await page.getByText('the summary is gone: this list has what you found').waitFor();
  await page.reload();
  const list = page.locator('.claims');
  await list.getByText('2 tested so far.').waitFor();
  const row = page.locator('.claims-list li', { hasText: 'bottleneck' });
  const { found } = await inNode(22);
  assert.equal(await row.locator('[data-verdict]').getAttribute('data-verdict'), 'false');
  const text = await row.innerText();
  for (const part of ['you expected: true', found]) assert(text.includes(part), `${part} in ${text}`);
  await assertAccessible(page, CLAIMS);
  await page.getByRole('link', { name: 'For a class' }).click();
  await page.locator('.claims-class input').first().check();
  await assertAccessible(page, CLAIMS);
  await page.goBack();
  await row.waitFor();
  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['.page-head', '.claims-tools'])
    assert.equal(await page.locator(hidden).isVisible(), false, hidden);
  assert(await row.isVisible());
  await page.emulateMedia({ media: null });

  await page.getByRole('button', { name: 'Clear my answers' }).click();
  await list.getByText('Your answers are cleared.').waitFor();
  assert.equal(await page.locator('.claims-list [data-verdict]').count(), 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await list.getByText('2 tested so far.').waitFor();
  await page.getByRole('button', { name: 'Clear my answers' }).click();
  await page.reload();
  await list.getByText('Say what you expect').waitFor();
  await go(page, '#/claims?card=22');
  await page.locator('.claims-question').waitFor(); // it asks again
  await page.getByRole('button', { name: 'Run without a bet' }).click();
  await page.locator('.claims-fresh .picture').waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('.page-head').isVisible(), false, 'a card prints what it has measured');
  for (const hidden of ['.claims-switches', '.claims-share', '.claims-way', '.claims-matching', '.picture .map-foot'])
    assert.equal(await page.locator(hidden).isVisible(), false, hidden);
  await go(page, '#/explore');
  await page.locator('.page-head').waitFor();
  await tools.close(page);
});

test('without a clipboard the code is saved, and the link stands there to be copied', async () => {
  const page = await openCard(tools, '#/claims?card=8');
  await page.evaluate(() =>
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error()) } }),
  );
  await page.locator('.claims-more summary').click();
  const code = await saved(page, 'Copy as code');
  assert.equal(code.name, 'claim-8.mjs');
  assert.match(code.text, /=== 8\);/);
  await page.getByRole('button', { name: 'Copy link', exact: true }).click();
  assert.match(await page.getByRole('textbox', { name: 'The link' }).inputValue(), /#\/claims\?card=8$/);
  await tools.close(page);
});

test('the projector shows one idea a screen, by arrow keys, and measures only when it comes to that', async () => {
  const page = await openCard(tools, '#/claims?card=8');
  await page.locator('.claims-more summary').click();
  await page.getByRole('link', { name: 'Projector' }).click();
  const screen = page.locator('.claims-screen');
  const { claim } = claims.find((one) => one.claim.number === 8) ?? assert.fail();
  await screen.getByText(claim.sentence).waitFor();
  assert(await screen.evaluate((each) => each === document.activeElement), 'a screen reader goes on there');
  assert.equal(await page.locator('.places').isVisible(), false);
  for (const { label } of claim.choices) assert(await screen.getByText(label).isVisible(), label);
  assert.equal(await page.locator('[data-verdict]').count(), 0);
  await page.keyboard.press('PageDown');
  const found = await inNode(8);
  await screen.getByText(typeset(found.found)).waitFor();
  assert.equal(
    await screen.locator('[data-verdict]').getAttribute('data-verdict'),
    found.kind === 'sentence' && found.verdict,
  );
  await assertAccessible(page, CLAIMS);
  await page.keyboard.press('ArrowRight');
  const plot = screen.getByRole('application', { name: /^16 neurons made for x²/ });
  await plot.focus();
  await page.keyboard.press('End'); // reads the figure, and does not turn the screen
  assert.match(await screen.locator('.picture-readout').innerText(), /^x²: x 5, output 25$/);
  await screen.focus();
  await page.keyboard.press('ArrowRight');
  assert.match(await screen.innerText(), /4\.763/);
  await page.keyboard.press('ArrowRight');
  await screen.getByRole('button', { name: 'Run the boundary' }).click();
  const flipped = await inNode(8, claim.contrast);
  await screen.getByText(typeset(flipped.found)).waitFor();
  assert.equal(await screen.locator('[data-verdict]').count(), 0);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight'); // the next card of the list
  const after = claims[claims.findIndex((one) => one.claim === claim) + 1].claim;
  await screen.getByText(after.sentence).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForFunction((to) => location.hash === to, `#/claims?card=${after.number}`);
  await page.locator('.claims-question').waitFor();
  await page.goBack();
  await screen.waitFor();
  await go(page, '#/explore');
  await page.locator('.places').waitFor(); // the projector hides them
  await tools.close(page);
});
