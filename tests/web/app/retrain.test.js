// While Explore trains a link's model again, in Chromium: leaving, cancelling, another model, how long it may take; the
// fourth model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeTrail } from '../../../web/kit/trail.js';
import { LABELS } from '../../../web/models/catalogue.js';
import { listedAnswers, openMenu, readout, ready, update, useBrowser } from '../browser.js';

/** The models that come with the page. */
const SHIPPED = Object.keys(LABELS).length;
const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

const LONG = 'train?task=addition&step=4000'; // 15 s
/** @param {string} model @param {Record<string, string>} [parts] */
const linkTo = (model, parts) => `#/explore?${new URLSearchParams({ model, ...parts })}`;
/** @param {Page} page @param {string} hash */
const follow = (page, hash) => page.evaluate((to) => void (location.hash = to), hash);
/** @param {Page} page */
const notice = (page) => page.locator('.retrain');
/** @param {Page} page */
const cancel = (page) => notice(page).getByRole('button', { name: 'Cancel' });
/** @param {Page} page @param {string} name */
const place = (page, name) => page.locator('.places').getByRole('link', { name });
/** @param {Page} page */
const models = async (page) => (await page.locator('.model').allTextContents()).map((each) => each.trim());
/** @param {Page} page */
const chosen = async (page) => (await page.locator('.model:has(:checked)').textContent())?.trim() ?? '';

/** Nothing is being trained, and nothing of it is left. @param {Page} page */
async function isOver(page) {
  await notice(page).waitFor({ state: 'detached' });
  await page.waitForFunction(
    () => ![...document.querySelectorAll('.model')].some((each) => each.textContent?.includes('Trained again')),
  );
  assert.equal(await page.locator('[data-trains]').count(), 0);
  await page.locator('#page').waitFor();
}

/** The address follows what is typed. @param {Page} page @param {string} text */
async function isAlive(page, text) {
  await update(page, () => page.locator('#text').fill(text));
  await page.waitForFunction((now) => new URLSearchParams(location.hash).get('text') === now, text);
}

test('another place and back: it is trained meanwhile; Cancel shows what was shown, and leads to its run', async () => {
  const page = await tools.open({ model: '' });
  await ready(page);
  await isAlive(page, 'the cat sat on the rug .');
  await follow(page, linkTo(LONG));
  await cancel(page).waitFor();
  await place(page, 'Train').click();
  await page.waitForFunction(() => document.getElementById('explore')?.hidden);
  await place(page, 'Explore').click();
  await cancel(page).waitFor();
  assert.match(await chosen(page), /^Trained again/);
  await cancel(page).click();
  await isOver(page);
  assert.match(await chosen(page), /^Pronouns/);
  assert.equal(await page.locator('#text').inputValue(), 'the cat sat on the rug .', 'as it was left');
  const offer = page.locator('.notices', { hasText: 'training was cancelled' });
  assert.match(await offer.innerText(), /Shown below: Pronouns/);
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Train it there', 'the next focus');
  await isAlive(page, 'the dog sat on the rug .');

  await follow(page, linkTo('train?task=reverse&step=300'));
  await place(page, 'Train').click();
  await page.waitForFunction(() => !document.querySelector('.retrain'));
  await place(page, 'Explore').click();
  await page.waitForFunction(() => location.hash.includes('model=train%3Ftask%3Dreverse%26step%3D300'));
  assert.match(await chosen(page), /^Trained here: /);
  await page.locator('#heatmap .map-readout strong').waitFor();
  await tools.close(page);
});

test('a trail whose step has such a model: Cancel opens the first one, and says why', async () => {
  const step = { sentence: 'It adds.', link: String(new URLSearchParams({ model: LONG, row: '2' })), question: null };
  const page = await tools.open({ at: `#/explore?trail=${await writeTrail([step, step, step])}` });
  await cancel(page).click();
  await isOver(page);
  await ready(page);
  assert.match(await chosen(page), /^Pronouns/);
  await page.locator('.notices', { hasText: 'training was cancelled' }).waitFor();
  await isAlive(page, 'the cat sat on the rug .');
  await tools.close(page);
});

test('another model from the menu ends training; nothing of the link is meant for it', async () => {
  const page = await tools.open({ at: linkTo(LONG, { text: '12+34=' }) });
  await cancel(page).waitFor();
  await openMenu(page, 'models');
  await update(page, () => page.locator('input[name=model][value=creek]').check());
  await isOver(page);
  await ready(page);
  assert.match(await page.locator('#text').inputValue(), /^The creek/);
  assert.equal(await page.locator('.notices', { hasText: /cancelled|could not be/ }).count(), 0);
  await isAlive(page, 'the cat sat on the rug .');

  await follow(page, linkTo(LONG));
  await cancel(page).waitFor();
  await follow(page, linkTo('train?task=reverse&step=20')); // another of the kind
  await page.waitForFunction(() => location.hash.includes('step%3D20') && !document.querySelector('.retrain'));
  assert.match(await chosen(page), /^Trained here: /);
  await isOver(page);
  await tools.close(page);
});

test('what takes long is not begun before the reader says so; what takes too long is not begun', async () => {
  const page = await tools.open({ at: linkTo('train?task=addition&step=20000') });
  const begin = notice(page).getByRole('button', { name: /^Train it \(about [78]0 s\)$/ });
  await begin.waitFor();
  assert.equal(await notice(page).locator('progress').count(), 0);
  assert.match(await notice(page).innerText(), /^The model of this link was trained in Train\./);
  await begin.click();
  await page.waitForFunction(() => Number(document.querySelector('.retrain progress')?.getAttribute('value') ?? 1) > 0);
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Cancel');
  await page.keyboard.press('Enter');
  await page.locator('.notices', { hasText: 'training was cancelled' }).waitFor();
  await tools.close(page);

  for (const [asked, why] of [
    ['train?task=story&step=20000&layers=6&d_model=128&batch=256', /training would take about [\d,]+ minutes/],
    ['train?task=order&at=100:batch=256&step=20000&layers=6&d_model=128', /training would take about \d+ minutes/],
    ['train?task=xor&step=10', /an FFN alone has no tokens/],
  ]) {
    const other = await tools.open({ at: linkTo(String(asked)) });
    await other.locator('.notices').filter({ hasText: why }).getByRole('link', { name: 'Train it there' }).waitFor();
    await isOver(other);
    await tools.close(other);
  }
});

test('where the code for it is out of reach, the page opens without it', async () => {
  const setUp = (/** @type {Page} */ page) =>
    page.route('**/retrain-*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("out of reach");' }),
    );
  const page = await tools.open({ at: linkTo(LONG), setUp });
  await ready(page);
  await page.locator('#notices', { hasText: 'This link’s model could not be opened' }).waitFor();
  assert.match(await chosen(page), /^Pronouns/);
  await isAlive(page, 'the cat sat on the rug .');
  await tools.close(page);
});

test('a fourth: one that is chosen while it is closed stays; a closed one is trained again by its link', async () => {
  const nth = (/** @type {number} */ step) => `train?task=reverse&step=${step}`;
  const isThere = (/** @type {number} */ step) =>
    page.waitForFunction((name) => {
      const [radio] = document.querySelectorAll(`.model input[value="${name}"]`);
      return /** @type {HTMLInputElement | undefined} */ (radio)?.checked && !document.querySelector('.retrain');
    }, nth(step));
  const seen = async () => [await listedAnswers(page), (await readout(page)).value];
  const page = await tools.open({ at: linkTo(nth(41)), layout: 'workspace' });
  await isThere(41);
  await ready(page);
  const first = await seen();
  for (const step of [42, 43]) {
    await follow(page, linkTo(nth(step)));
    await isThere(step);
  }
  await follow(page, linkTo(nth(44)));
  const dialog = page.getByRole('dialog', { name: 'Which model do you want to close?' });
  const close = (/** @type {number} */ step) => dialog.getByRole('button', { name: `step ${step}` });
  await close(42).waitFor();
  await page.evaluate((name) => {
    const button = [...document.querySelectorAll('dialog button')].find((each) => each.textContent?.includes('42'));
    /** @type {HTMLElement} */ (button).click();
    /** @type {HTMLElement} */ (document.querySelector(`.model input[value="${name}"]`)).click();
  }, nth(42));
  await isThere(42);
  await page.waitForFunction((count) => document.querySelectorAll('.model').length === count + 4, SHIPPED);
  await page.locator('#heatmap .map-readout strong').waitFor();

  await follow(page, linkTo(nth(45)));
  await close(41).click();
  await isThere(45);
  await follow(page, linkTo(nth(41)));
  await close(43).click();
  await isThere(41);
  await page.locator('#heatmap .map-readout strong').waitFor();
  assert.deepEqual(await seen(), first);
  assert.match((await models(page)).join(), /step 41/);
  await tools.close(page);
});
