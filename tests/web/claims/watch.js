// The place Claims as a test sees it.
import { openAt } from '../train/watch.js';

/** @typedef {import('playwright-core').Page} Page */

/**
 * Opens the place at an address.
 * @param {ReturnType<typeof import('../browser.js').useBrowser>} tools
 * @param {string} hash
 * @param {Parameters<typeof openAt>[2]} [options]
 */
export async function openCard(tools, hash, options) {
  const page = await openAt(tools, hash, options);
  await page.locator('.claims :is(.claims-list, .claims-card)').first().waitFor();
  return page;
}

/** A text without the marks of what stands as an index. @param {string} text */
export const printed = (text) => text.replace(/(?<=\p{L})[_^](?=[A-Za-z])/gu, '');

/** Waits until the last run is shown. @param {Page} page */
export const tested = (page) => page.locator('.claims-found[aria-busy=false] .claims-fresh .claims-verdict').waitFor();

/** Opens the folds of a card. @param {Page} page */
export const unfold = (page) =>
  page.locator('.claims-fold').evaluateAll((all) => all.forEach((each) => each.setAttribute('open', '')));

/** The contents of the card. @param {Page} page */
export const seen = (page) =>
  page.evaluate(() => {
    const text = (/** @type {string} */ selector) =>
      /** @type {HTMLElement | null} */ (document.querySelector(selector))?.innerText.trim() ?? null;
    return {
      sentence: text('.claims-sentence'),
      verdict: document.querySelector('.claims-verdict .claims-word')?.getAttribute('data-verdict') ?? null,
      word: text('.claims-verdict .claims-word')?.replace(/^[✓◐✗]\s*/, '') ?? null,
      found: text('.claims-verdict > span'),
      agreement: text('.claims-agreement'),
      rows: [...document.querySelectorAll('.claims-numbers tbody tr')].map((row) =>
        [...row.children].map((cell) => (cell.querySelector('strong') ?? cell).textContent?.trim()),
      ),
    };
  });

/** @param {Page} page @param {number} choice */
export async function predict(page, choice) {
  await page.locator(`.claims-choice[value="${choice}"]`).click();
}
