// The place Train in a browser, as a test sees it.
import assert from 'node:assert/strict';
import { assertAxe } from '../browser.js';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Opens the page at an address, in Train with the folds that hold settings and rows.
 * @param {ReturnType<typeof import('../browser.js').useBrowser>} tools
 * @param {string} hash
 * @param {import('playwright-core').BrowserContextOptions & {setUp?: (page: Page) => Promise<void>}} [options]
 */
export async function openAt(tools, hash, options = {}) {
  const page = await tools.open({ ...options, at: hash });
  if (!hash.startsWith('#/train')) return page;
  await page.locator('#train-more > summary').click();
  const isNarrow = (page.viewportSize()?.width ?? 0) < 992; // there settings are a sheet over the rest
  for (const name of isNarrow ? ['rows'] : ['rows', 'settings']) {
    const fold = page.locator(`#train-fold-${name}`);
    await fold.waitFor({ state: 'attached' });
    if (await fold.isVisible()) await fold.locator('summary').first().click();
  }
  return page;
}

/** Presses a button of Train, also one of its menu. @param {Page} page @param {string} name */
export async function press(page, name) {
  const button = page.locator('#train').getByRole('button', { name, exact: true, includeHidden: true });
  await button.evaluate((each) => {
    for (let fold = each.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null)
      fold.open = true;
  });
  await button.click();
}

/**
 * Waits until a step is shown and nothing trains. The label says so: the slider stands there as soon as it is moved.
 * @param {Page} page
 * @param {number} step
 */
export const at = (page, step) =>
  page.waitForFunction(
    (wanted) =>
      document.querySelector('.train-step strong')?.textContent === wanted &&
      document.querySelector('.train-play')?.textContent?.trim() !== 'Pause',
    step.toLocaleString('en'),
  );

/** The page's facts about the moment. @param {Page} page */
export const seen = (page) =>
  page.evaluate(() => ({
    hash: document.querySelector('.train-hash code')?.textContent,
    facts: Object.fromEntries(
      [...document.querySelectorAll('.train-facts > div')].map((fact) => [
        fact.children[0].textContent,
        fact.children[1].textContent,
      ]),
    ),
    answers: [...document.querySelectorAll('.train-token > :last-child')].map((each) =>
      each.textContent?.replace(/≠.*/, ''),
    ),
    wrong: document.querySelectorAll('.train-token .wrong').length,
  }));

/**
 * Nothing runs off the right side, and axe finds nothing.
 * @param {Page} page
 * @param {{within?: string, scrolls?: string}} [of] `scrolls`: what may be wider, as it scrolls
 */
export async function assertAccessible(
  page,
  { within = '#train, #train *', scrolls = '.map-scroll, .heads, .visually-hidden, details:not([open])' } = {},
) {
  const outside = await page.evaluate(
    ([all, wide]) =>
      [...document.querySelectorAll(all)]
        .filter((each) => !each.closest(wide) && each.getBoundingClientRect().right > innerWidth)
        .map((each) => each.outerHTML.slice(0, 80)),
    [within, scrolls],
  );
  assert.deepEqual(outside, []);
  await assertAxe(page);
}
