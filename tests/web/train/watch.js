// The place Train as a test sees it, and the same run in Node.
import { load } from 'glassformer';
import { createRun } from '../../../web/train/run.js';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Opens the page at an address.
 * @param {ReturnType<typeof import('../browser.js').useBrowser>} tools
 * @param {string} hash
 * @param {import('playwright-core').BrowserContextOptions & {setUp?: (page: Page) => Promise<void>}} [options]
 */
export const openAt = (tools, hash, { setUp, ...options } = {}) =>
  tools.open({
    model: '',
    layout: 'workspace',
    ...options,
    async setUp(page) {
      await page.addInitScript((first) => {
        if (!location.hash) history.replaceState(null, '', first);
      }, hash);
      await setUp?.(page);
    },
  });

/**
 * Waits until a step is shown and nothing trains. The label says so: the slider stands there as soon as it is moved.
 * @param {Page} page
 * @param {number} step
 */
export const at = (page, step) =>
  page.waitForFunction(
    (wanted) =>
      document.querySelector('.train-timeline strong')?.textContent === wanted &&
      document.querySelector('.train-play')?.textContent?.trim() !== 'Pause',
    step.toLocaleString('en'),
  );

/** What the page says of the moment. @param {Page} page */
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

/** @param {import('../../../web/train/recipes.js').Settings} settings @param {string} name */
export const nodeRun = async (settings, name = 'reverse') => createRun(await load({ variant: 'simd' }), name, settings);
