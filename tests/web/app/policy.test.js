// The policy of the page: no box or fold breaks it, and it bites.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMenu, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** Notes what the policy stopped. @param {Page} page */
const watch = (page) =>
  page.addInitScript(() => {
    /** @type {any} */ (window).stopped = [];
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      /** @type {any} */ (window).stopped.push(`${effectiveDirective} ${blockedURI} ${sample}`),
    );
  });
/** @param {Page} page @returns {Promise<string[]>} */
const stopped = (page) => page.evaluate(() => /** @type {any} */ (window).stopped);

test('in all models no box or fold breaks the policy', async () => {
  const page = await tools.open({ model: '', setUp: watch, offline: true });
  await ready(page);
  for (const name of ['Translate', 'Continue', 'Untrained', 'Pronouns']) {
    await openMenu(page, 'models');
    await update(page, () => page.getByRole('radio', { name: new RegExp(`^${name}`) }).check({ force: true }));
    await ready(page);
    const folds = page.locator('summary:visible');
    for (let i = 0; i < (await folds.count()); i++) {
      if (!(await folds.nth(i).evaluate((fold) => /** @type {HTMLDetailsElement} */ (fold.parentElement).open)))
        await folds.nth(i).click();
    }
    const selects = page.locator('select:visible:not([id^=set-])');
    for (let i = 0; i < (await selects.count()); i++) {
      const options = await selects.nth(i).locator('option').count();
      await selects.nth(i).selectOption({ index: options - 1 });
      await selects.nth(i).selectOption({ index: 0 });
    }
  }
  assert.deepEqual(await stopped(page), []);
  await tools.close(page);
});

test('text is text: markup in the boxes and in the address is only ever shown', async () => {
  const evil = '<img src=x onerror=alert(1)> <script>alert(1)</script> "\'`';
  const encoded = encodeURIComponent(evil);
  const page = await tools.open({
    model: `untrained&kind=encoder-decoder&text=${encoded}&target=${encoded}&${encoded}=1`,
    setUp: watch,
  });
  await ready(page);
  assert.equal(await page.locator('#text').inputValue(), evil);
  assert.match(await page.locator('#notices').innerText(), /“<img src=x/);
  assert.equal(await page.locator('img, main script').count(), 0);
  assert.deepEqual(await stopped(page), []);
  await tools.close(page);
});

test('it bites: no inline script or style, no markup from a string, no other script, no other server', async () => {
  const page = await tools.open({ setUp: watch });
  await ready(page);
  const threw = await page.evaluate(async () => {
    await new Promise((done) => setTimeout(done)); // code that a debugger evaluates may do more
    const names = [];
    const attempt = async (/** @type {string} */ name, /** @type {() => unknown} */ action) => {
      try {
        await action();
      } catch (error) {
        names.push(name);
      }
    };
    await attempt('innerHTML', () => (document.createElement('p').innerHTML = '<b>x</b>'));
    await attempt('eval', () => (0, eval)('1'));
    await attempt('worker', () => new Worker('main.js'));
    await attempt('policy', () => /** @type {any} */ (window).trustedTypes.createPolicy('other', {}));
    await attempt('fetch', () => fetch('http://127.0.0.2:1/'));
    document.head.append(Object.assign(document.createElement('style'), { textContent: 'body { color: red }' }));
    return names;
  });
  assert.deepEqual(threw, ['innerHTML', 'eval', 'worker', 'policy', 'fetch']);
  await page.waitForFunction(() =>
    /** @type {any} */ (window).stopped.some((/** @type {string} */ each) => each.startsWith('style-src')),
  );
  assert((await stopped(page)).some((each) => each.startsWith('connect-src')));
  await page.context().close(); // its console shows the refusals
});
