// A figure in somebody's article (`&embed=1`): live, of another site and of a file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { point, readout, ready, useBrowser } from '../browser.js';
import { SENTENCE } from '../in-node.js';
import { framed } from '../hosts.js';

/** @typedef {import('playwright-core').Page} Page */

const tools = useBrowser();
/** Waits for the first result, whatever of it is in sight. @param {Page} page */
const computed = (page) => page.waitForFunction(() => performance.getEntriesByName('glassformer:update').length);
const SANDBOX = 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox';

test('a figure in an article of another site: sentence, answer and map, live', async () => {
  const link = '#/explore?model=creek&amp;head=3.2&amp;row=12&amp;key=1&amp;embed=1';
  const tag = `<iframe title="it" width="100%" height="680" sandbox="${SANDBOX}"
    src="https://you.example/glassformer/${link}"></iframe>`;
  const { browser } = /** @type {any} */ (tools);
  const { page: lesson, frame: inner, seen, close } = await framed(browser, tag, {}, tools.url);
  const frame = /** @type {Page} */ (/** @type {unknown} */ (inner)); // both have the methods used here
  await computed(frame);
  assert.equal(await frame.locator('#text').inputValue(), SENTENCE);
  for (const shown of ['#text', '#answers', '#heatmap .map-grid'])
    assert(await frame.locator(shown).isVisible(), shown);
  for (const hidden of ['.places', '[data-slot=models]', '#examples', '.rail', '.model-graph-panel', '.page-end'])
    assert.equal(await frame.locator(hidden).isVisible(), false, hidden);
  assert.equal((await readout(frame)).place, 'row it, column creek');
  await point(frame, '#heatmap', 0, 0);
  assert.equal((await readout(frame)).place, 'row The, column The');
  await point(frame, '#heatmap', 3, 1, 'click');
  await frame.waitForFunction(() => /row=3/.test(location.hash));
  const live = frame.getByRole('link', { name: 'Glassformer: open live' });
  const [opened] = await Promise.all([lesson.context().waitForEvent('page'), live.click()]);
  await ready(opened);
  assert(await opened.locator('.places').isVisible());
  assert.match(opened.url(), /row=3/);
  assert.deepEqual(seen, []);
  await close();

  const strict = await framed(browser, tag.replace(/ allow-popups[\w-]*/g, ''));
  await strict.frame.getByRole('link', { name: 'Glassformer: open live' }).click();
  await strict.frame.locator('.places').waitFor(); // in the frame, which allows no window
  await strict.close();
});

test('a frame of our own server in an article that is a file', async () => {
  const { browser } = /** @type {any} */ (tools);
  const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  const page = await browser.newPage();
  try {
    const article = join(folder, 'article.html');
    writeFileSync(
      article,
      `<iframe src="${tools.url}#/explore?model=creek&amp;embed=1" width=900 height=700></iframe>`,
    );
    await page.goto(String(pathToFileURL(article)));
    await page.frames()[1].locator('.answers-list li').first().getByText('creek').waitFor();
  } finally {
    await page.close();
    rmSync(folder, { recursive: true });
  }
});
