// The puzzles in Chromium: by the controls, typing and the list; what is kept, left and laid out. What each judge
// accepts and what the panel says of it: tests/web/lessons.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { puzzles } from '../../../web/lessons/puzzles.js';
import { chooseModel, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();

/** @typedef {import('playwright-core').Page} Page */

const title = (/** @type {Page} */ page, /** @type {number} */ number) =>
  page.waitForFunction(
    (wanted) => document.querySelector('#book-title')?.textContent === wanted,
    puzzles[number - 1].title,
  );
/** Opens a lesson by the list of all. @param {Page} page @param {string} name */
async function choose(page, name) {
  await page.locator('.book-contents summary').click();
  await page.locator('.book-contents').getByRole('button', { name }).click();
}
const said = (/** @type {Page} */ page, /** @type {RegExp} */ pattern) =>
  page.locator('.puzzle-says').getByText(pattern).waitFor();
const solved = (/** @type {Page} */ page) => page.locator('.puzzle-solved b').innerText();

const triesSaid = (/** @type {Page} */ page, /** @type {RegExp} */ pattern) =>
  page.locator('.puzzle-tries').getByText(pattern).waitFor();

test('by the controls: the button, typing, tries, par, what is kept; the code is fetched late', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  const isFetched = () =>
    page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /\/book-/.test(name)));
  assert.equal(await isFetched(), false);
  await page.locator('#book-button').focus();
  await page.keyboard.press('Enter');
  await page.locator('.book-text').waitFor();
  await choose(page, 'Another reason');
  await title(page, 1);
  assert.equal(await isFetched(), true);
  assert.equal(await page.locator('#book-button').getAttribute('aria-expanded'), 'true');
  await said(page, /it says pond/);
  await page.locator('#text').fill('The fox did not jump over the pond because it was muddy.');
  await triesSaid(page, /So far: 1 try\./);
  assert.equal(await page.locator('.puzzle-solved').innerText(), '');
  await page.locator('#text').fill('The fox did not jump over the pond because it was hungry.');
  await said(page, /it says fox/);
  assert.equal(await solved(page), '✓ Solved in 1 change (par 1).');
  assert.equal(await page.locator('.puzzle-solved').getAttribute('role'), 'status');
  await page.locator('.book-contents summary').click();
  assert.match(await page.locator('.book-list-puzzle li').first().innerText(), /Another reason\s+par reached/);
  assert.match(await page.locator('.book-list-puzzle li').nth(1).innerText(), /open/);
  await page.waitForFunction(() => /book=101/.test(location.hash) && /hungry/.test(location.hash));
  await page.reload();
  await title(page, 1);
  await said(page, /it says fox/);
  assert.equal(await page.locator('#text').inputValue(), 'The fox did not jump over the pond because it was hungry.');
  assert.match(await page.locator('.puzzle-tries').innerText(), /Best: 1 change/);
  await page.getByRole('button', { name: 'Start again' }).click();
  await said(page, /it says pond/);
  assert.equal(await page.locator('.puzzle-solved').innerText(), '');
  await page.locator('h1').click(); // out of the text box, which has its own undo
  await page.keyboard.press('Control+z');
  await said(page, /it says fox/);
  await tools.close(page);
});

test('one list: a page, a puzzle, the guided run and a challenge of Train, with what was reached', async () => {
  const setUp = async (/** @type {Page} */ page) =>
    void (await page.addInitScript(() =>
      localStorage.setItem('glassformer-challenges', '{"bare":{"best":{"score":75}}}'),
    ));
  const page = await tools.open({ model: 'creek&book=101', setUp });
  await said(page, /it says pond/);
  await choose(page, 'Tokens');
  await page.locator('.book-text').waitFor();
  await page.locator('.book-turn button').nth(2).click();
  await page.locator('.book-contents summary').click();
  assert.match(await page.locator('.book-list-challenge li').first().innerText(), /bypass\s+solved/);
  await page.locator('.book-list-guided').getByRole('link', { name: 'Fifty steps' }).click();
  const panel = page.locator('#train-lesson');
  await panel.filter({ hasText: 'Teach it to reverse: 2 of 7' }).waitFor();
  await page.goBack();
  await page.locator('#book .book-text').waitFor(); // Back opens the lesson that was left
  await page.locator('#book .book-contents').evaluate((fold) => fold.setAttribute('open', ''));
  await page.locator('#book .book-list-challenge').getByRole('link', { name: 'Copy without a bypass' }).click();
  await panel.filter({ hasText: 'Residual connections must be off.' }).waitFor();
  assert.match(await panel.innerText(), /Challenge 1 of 5, 1 solved[^]*Best: 75 steps/);
  await page.waitForFunction(() => /task=copy/.test(location.hash) && !/challenge=/.test(location.hash));
  await panel.getByRole('button', { name: 'Close' }).click();
  await page.reload(); // the bar has it in Train, too, also where Train is opened first
  await page.locator('.train-play').waitFor();
  await page.locator('#book-button').click();
  await panel.filter({ hasText: 'Teach it to reverse: 1 of 7' }).waitFor();
  await panel.getByRole('button', { name: 'Back' }).click();
  await page
    .locator('#book')
    .filter({ hasText: `Puzzle ${puzzles.length} of ${puzzles.length}` })
    .waitFor();
  await tools.close(page);
});

test('closing brings the reader’s own state and undo back, also after the textbook and another model', async () => {
  const page = await tools.open({ model: 'creek&text=the+dog+was+tired+.&head=1.1&row=3&key=1' });
  await ready(page);
  await update(page, () => page.locator('#try .temperature').fill('0.4'));
  await page.locator('#book-button').click();
  await page.locator('.book-text').waitFor();
  await choose(page, 'Another reason');
  await title(page, 1);
  await said(page, /it says pond/);
  assert.equal(await page.locator('.book-text').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Undo' }).isDisabled(), true);
  await page.getByRole('button', { name: 'Next' }).click();
  await said(page, /the entropy is/);
  await page.locator('#book').focus();
  await page.keyboard.press('Escape');
  await page.locator('#book').waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'book-button');
  await page.waitForFunction(() => {
    const field = /** @type {HTMLInputElement | null} */ (document.querySelector('#try .temperature'));
    return field?.value === '0.4';
  });
  assert.equal(await page.locator('#text').inputValue(), 'the dog was tired .');
  await update(page, () => page.getByRole('button', { name: 'Undo' }).click());
  assert.equal(await page.locator('#try .temperature').inputValue(), '0', 'its logarithm');
  assert.equal(await page.evaluate(() => /book=/.test(location.hash)), false);
  await tools.close(page);
});

test('opened by its link a puzzle has no try yet; its switch acts at the selected word and layer', async () => {
  const page = await tools.open({ model: 'creek&puzzle=14' });
  await said(page, /it says dog/);
  await page.waitForTimeout(1000); // a result that stays for 800 ms is a try
  await triesSaid(page, /So far: 0 tries\./);
  await page.getByRole('button', { name: /^Layer 1: FFN/ }).click();
  await page.locator('#tokens-encoder').getByText('sleepy', { exact: true }).last().click();
  await page.locator('.book-tool').getByText('Layer 1, FFN at “sleepy”').waitFor();
  await page.locator('.book-tool').getByRole('button', { name: 'off' }).click();
  await said(page, /it says pond/);
  assert.equal(await solved(page), '✓ Solved in 1 change (par 1).');
  await triesSaid(page, /So far: 1 try\./);
  await tools.close(page);
});

test('what the puzzle cannot judge is said: another model, a text without its word', async () => {
  const page = await tools.open({ model: 'creek&puzzle=1' });
  await said(page, /it says pond/);
  await page.locator('#text').fill('The fox slept.');
  await said(page, /The text has no “it”/);
  await chooseModel(page, 'continue');
  await said(page, /This puzzle needs the model Pronouns/);
  await page.getByRole('button', { name: 'Start again' }).click();
  await said(page, /it says pond/);
  await tools.close(page);
});

test('390 × 844: a sheet below the page, nothing wider than the window, targets for a finger', async () => {
  const page = await tools.open({
    model: 'creek&puzzle=9',
    .../** @type {any} */ ({ layout: 'workspace' }),
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await said(page, /it says creek/);
  const { top, bottom, width, small } = await page.evaluate(() => {
    const root = /** @type {HTMLElement} */ (document.getElementById('book'));
    const box = root.getBoundingClientRect();
    const buttons = [...root.querySelectorAll('.book-head > button, .book-turn button')];
    return {
      top: box.top,
      bottom: box.bottom,
      width: document.documentElement.scrollWidth,
      small: buttons.filter((each) => each.getBoundingClientRect().height < 44).map((each) => each.textContent),
    };
  });
  assert(top >= 844 * 0.55 && bottom <= 844, `${top} to ${bottom}`);
  assert(width <= 390, `${width}`);
  assert.deepEqual(small, []);
  await tools.close(page);
});
