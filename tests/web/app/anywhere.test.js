// The built page on other people's sites: in a folder of a host that knows no headers, and in a frame of another site.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { map, openMenu, readout, ready, useBrowser } from '../browser.js';
import { until } from '../engines.js';
import { framed, host, inFolders, watch } from '../hosts.js';

/** @typedef {import('playwright-core').Page} Page */

const tools = useBrowser();

/**
 * Waits until a worker keeps the page of this folder. Not by waitForFunction, which a promise ends at once.
 * @param {Page} page @param {number} caches how many there are
 */
const kept = (page, caches) =>
  until(
    page,
    async (count) => {
      const registration = await navigator.serviceWorker.getRegistration();
      return registration?.active?.state === 'activated' && (await window.caches.keys()).length === count;
    },
    caches,
  );

for (const [kind, headers] of Object.entries({
  'no headers': {},
  'headers that forbid to keep anything': { 'Cache-Control': 'no-store', Pragma: 'no-cache', Expires: '0' },
  'headers that keep everything for a year': { 'Cache-Control': 'public, max-age=31536000, immutable' },
})) {
  test(`in a folder of a host with ${kind}, and again without that host`, async () => {
    const site = await host(inFolders('/some/where/', '/some/'), headers);
    const context = await tools.browser.newContext();
    const page = await context.newPage();
    const seen = watch(page);
    const address = `http://127.0.0.1:${site.port}/some/where/#/explore?model=creek&head=1.2&row=3&key=4`;
    await page.goto(address);
    await ready(page);
    await kept(page, 1);
    const shown = await readout(page);
    await map(page).press('ArrowRight');
    await page.waitForFunction(() => location.hash.includes('key=5'));
    assert.equal(new URL(page.url()).pathname, '/some/where/');
    await openMenu(page, 'models');
    await page.getByRole('radio', { name: /^Translate/ }).check({ force: true });
    await page.locator('#tokens-decoder .token').first().waitFor();

    // Another build in the folder above keeps its own, and leaves this one alone.
    const other = await context.newPage();
    await other.goto(`http://127.0.0.1:${site.port}/some/index.html`);
    await ready(other);
    await kept(other, 2);
    await other.close();

    assert.deepEqual(seen, []);
    site.close();
    await page.goto('about:blank');
    await page.goto(address);
    await ready(page);
    assert.deepEqual(await readout(page), shown);
    await openMenu(page, 'models');
    await page.getByRole('radio', { name: /^Continue/ }).check({ force: true });
    await page.locator('#generation button').first().waitFor();
    await context.close();
  });
}

test('in a frame of another site, in the state of its link, as the guide prints it', async () => {
  const text = 'The dog did not jump over the creek because it was deep.';
  const guide = readFileSync(new URL('../../../src/docs/guides/bundlers.md', import.meta.url), 'utf8');
  const [frameTag] = /<iframe[^>]*><\/iframe>/.exec(guide) ?? [''];
  const { page, frame, seen, close } = await framed(tools.browser, frameTag);
  const view = /** @type {Page} */ (/** @type {unknown} */ (frame)); // both have the methods used here
  await ready(view);
  assert.equal(await frame.locator('#text').inputValue(), text);
  assert.equal((await readout(view)).place, 'row it, column creek');
  await map(view).press('ArrowRight');
  await frame.waitForFunction(() => location.hash.includes('key=8'));
  assert.equal(await frame.evaluate(() => history.length), await page.evaluate(() => history.length));
  await openMenu(frame, 'models');
  await frame.getByRole('radio', { name: /^Translate/ }).check({ force: true });
  await frame.locator('#tokens-decoder .token').first().waitFor();
  assert.match(frame.url(), /#\/explore\?model=translate/);
  assert.doesNotMatch(page.url(), /#/);
  // Whether a frame may write to the clipboard is the browser's own choice; where it may not, the link is shown.
  await frame.evaluate(() => (navigator.clipboard.writeText = () => Promise.reject(new Error('not here'))));
  await frame.getByRole('button', { name: 'Copy link' }).click();
  assert.match(await frame.locator('#share-link').inputValue(), /\/glassformer\/#\/explore\?model=translate/);
  assert.deepEqual(
    seen.filter((each) => !/permissions policy.*clipboard|clipboard.*permissions policy/i.test(each)),
    [],
  );
  await close();
});

for (const [host, headers] of Object.entries({
  'a plain host': {},
  'a host that lets every origin read': { 'Access-Control-Allow-Origin': '*' },
})) {
  test(`in a frame without an origin, from ${host}: it says what is missing, and nothing throws`, async () => {
    const tag =
      '<iframe src="https://you.example/glassformer/" sandbox="allow-scripts" width=1280 height=900></iframe>';
    const { frame, seen, close } = await framed(tools.browser, tag, headers);
    const said = frame.getByText('sandbox="allow-scripts allow-same-origin"');
    await said.waitFor();
    assert.deepEqual(
      seen.filter((each) => each.startsWith('exception')),
      [],
    );
    await close();
  });
}
