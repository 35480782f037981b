// Ways to each part without a mouse, and what a screen reader, forced colours and a finger get.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spoken } from '../../../web/draw/sentence.js';
import { map, readout, ready, update, useBrowser } from '../browser.js';
import { assertShort } from '../checks.js';

/** @typedef {import('playwright-core').Page} Page */

const tools = useBrowser();

/** Where the focus is: the nearest id and the role or tag. @param {Page} page */
const focused = (page) =>
  page.evaluate(() => {
    const at = /** @type {Element} */ (document.activeElement);
    return `${at.closest('[id]')?.id} ${at.getAttribute('role') ?? at.localName}`;
  });

/** Until the page's height stays: what stands above and below comes late. @param {Page} page */
const grown = (page) =>
  page.evaluate(async () => {
    for (let [last, since] = [0, 0]; performance.now() - since < 500; await new Promise(requestAnimationFrame)) {
      const { scrollHeight } = document.documentElement;
      if (scrollHeight !== last) [last, since] = [scrollHeight, performance.now()];
    }
  });

/** @param {Page} page @param {string} view */
const said = (page, view) => page.locator(`${view} p[aria-live]`);

test('links before the header lead to the map, to the arithmetic and to the changes', async () => {
  for (const [tabs, place] of /** @type {const} */ ([
    [2, 'heatmap application'],
    [3, 'computation-title h2'],
    [4, 'try-title h2'],
  ])) {
    const page = await tools.open({ model: 'creek' });
    await page.locator('#computation .why-steps').waitFor();
    const { hash } = new URL(page.url());
    for (let i = 0; i < tabs; i++) await page.keyboard.press('Tab');
    const link = page.locator('.skip-link').nth(tabs - 1);
    const box = await link.boundingBox();
    assert(box && box.x >= 0 && box.y >= 0, 'seen while it has the focus');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), place);
    const section = await page.evaluate(
      () => document.activeElement?.closest('section')?.getBoundingClientRect().top ?? Infinity,
    );
    assert(section >= 0 && section < 900, `${place} is in sight: ${section}`);
    assert.equal(new URL(page.url()).hash.split('&')[0], hash.split('&')[0], 'the address stays that of the state');
    assert.equal(await page.locator('input[name=model][value=creek]').isChecked(), true);
    await page.locator('.places a', { hasText: 'Train' }).click();
    await page.waitForFunction(() => document.title.startsWith('Train'));
    assert.deepEqual(await page.locator('.skip-link:not([hidden])').allTextContents(), ['Skip to the content']);
    await tools.close(page);
  }
});

test('what comes late leaves Try in sight', async () => {
  const page = await tools.open({ model: 'creek', fresh: true });
  await page.locator('#computation .why-steps').waitFor();
  await page
    .locator('.skip-link')
    .nth(3)
    .evaluate((/** @type {HTMLElement} */ link) => link.click());
  await grown(page);
  const top = await page.locator('.try-panel').evaluate((panel) => panel.getBoundingClientRect().top);
  assert(top >= 0 && top < 100, String(top));
  await tools.close(page);
});

test('in the workspace the links show what the graph has put away', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace' });
  await page.locator('#computation .why-steps').waitFor();
  await page.locator('.model-graph-node', { hasText: 'FFN' }).first().click();
  await page.locator('#ffn canvas').first().waitFor();
  assert.equal(await map(page).isVisible(), false);
  await page.locator('.skip-link').nth(1).focus();
  await page.keyboard.press('Enter');
  assert.equal(await focused(page), 'heatmap application');
  assert.equal(await page.locator('#ffn').isVisible(), false);
  await tools.close(page);
});

test('Enter on a cell opens its steps, Escape leads back to the cell', async () => {
  const page = await tools.open({ model: 'creek' });
  await page.locator('#computation .why-steps').waitFor();
  await map(page).focus();
  await update(page, () => page.keyboard.press('ArrowUp'));
  const { place, number } = await readout(page);
  await page.keyboard.press('Enter');
  assert.equal(await focused(page), 'computation-title h2');
  const [, from, to] = /row (\S+), column (\S+)/.exec(place) ?? [];
  await page.waitForFunction(
    ([row, key]) =>
      document.querySelector('.why-label .query')?.textContent === row &&
      document.querySelector('.why-label .key')?.textContent === key,
    [from, to],
  );
  assertShort(await page.locator('.why-rivals .here > span').last().innerText(), number, 'of that cell');
  for (let i = 0; i < 2; i++) await page.keyboard.press('Tab'); // behind the formula, whose tip Escape would close
  assert.match(await focused(page), /^computation/);
  await page.keyboard.press('Escape');
  assert.equal(await focused(page), 'heatmap application');
  assert.equal((await readout(page)).place, place);
  await tools.close(page);
});

test('a map that gets the focus says its cell, each time', async () => {
  const page = await tools.open({ model: 'creek' });
  await page.locator('#computation .why-steps').waitFor();
  for (const view of ['#heatmap', '#ffn']) {
    const { place, value } = await readout(page, view);
    await said(page, view).evaluate((live) => {
      new MutationObserver(() => (live.dataset.times = String(Number(live.dataset.times ?? 0) + 1))).observe(live, {
        childList: true,
      });
    });
    for (const times of ['1', '2']) {
      await map(page, view).focus();
      await page.locator(`${view} p[aria-live][data-times="${times}"]`).waitFor({ state: 'attached' });
      assert.equal(await said(page, view).textContent(), `${place}, ${value}`);
      await page.locator('#text').focus();
    }
  }
  await tools.close(page);
});

test('a punctuation mark is printed as it is, and spoken by its name', async () => {
  assert.deepEqual(['.', '13 .', ',', 'creek', '[MASK]', '3.5'].map(spoken), [
    'full stop',
    '13 full stop',
    'comma',
    'creek',
    'mask',
    '3.5',
  ]);
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.locator('#text').fill('Well, it was cold.'));
  const token = page.locator('#tokens-encoder .token').nth(5);
  assert.equal(await token.locator('.token-word').innerText(), '.');
  assert.match(String(await token.getAttribute('aria-label')), /^full stop, index 5, id \d+$/);
  await page.getByRole('radio', { name: /^comma, index 1/ }).click();
  assert.equal((await readout(page)).place.split(', column')[0], 'row ,');
  await map(page).focus();
  await page.keyboard.press('End');
  const live = said(page, '#heatmap');
  await page.waitForFunction(() =>
    /full stop/.test(document.querySelector('#heatmap p[aria-live]')?.textContent ?? ''),
  );
  assert.match(String(await live.textContent()), /^row comma, column full stop, 0\.\d{4}$/);
  const queries = page.locator('.lines-tokens.queries .line-token');
  assert.match(String(await queries.nth(5).getAttribute('aria-label')), /^full stop, index 5, attends most to \S/);
  assert.equal(await queries.nth(5).innerText(), '.');
  await tools.close(page);
});

test('forced colours: what is chosen does not look like the others', async () => {
  const page = await tools.open({ model: 'creek', forcedColors: 'active' });
  for (const menu of ['#models', '#examples'])
    await page.locator(`${menu} .menu`).evaluate((each) => each.removeAttribute('name')); // so that both stay open
  for (const menu of ['#models', '#examples']) await page.locator(`${menu} summary`).click();
  await page.locator('#computation .why-steps').waitFor();
  await page.locator('#change-head button').first().click();
  await page.locator('#change-head [aria-pressed=true]').waitFor();
  for (const [chosen, other] of [
    ['.examples [aria-pressed=true]', '.examples [aria-pressed=false]'],
    ['.model:has(:checked)', '.model:not(:has(:checked))'],
    ['.model:has(:checked) .does', '.model:not(:has(:checked)) .does'],
    ['.token[aria-checked=true]', '.token[aria-checked=false]'],
    ['.token[aria-checked=true] .token-word', '.token[aria-checked=false] .token-word'],
    ['.head[aria-checked=true]', '.head[aria-checked=false]'],
    ['.lines-head[aria-pressed=true]', '.lines-head[aria-pressed=false]'],
    ['.line-token[aria-selected=true]', '.line-token[aria-selected=false]'],
    ['#change-head [aria-pressed=true]', '#change-head [aria-pressed=false]'],
    ['.places [aria-current]', '.places a:not([aria-current])'],
  ]) {
    const [one, two] = await Promise.all(
      [chosen, other].map((each) =>
        page
          .locator(each)
          .first()
          .evaluate((element) => {
            const { color, outline } = getComputedStyle(element);
            /** @type {Element | null} */
            let behind = element;
            const background = (/** @type {Element} */ at) => getComputedStyle(at).backgroundColor;
            while (behind?.parentElement && background(behind) === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
            return { color, outline, background: background(/** @type {Element} */ (behind)) };
          }),
      ),
    );
    assert.notEqual(one.background, two.background, `${chosen}: ${JSON.stringify([one, two])}`);
    assert.notEqual(one.color, one.background, `${chosen} can be read`);
    if (chosen.startsWith('.head')) assert.notEqual(one.outline, two.outline, 'the map covers its background');
  }
  await tools.close(page);
});

test('phone: what is pressed is at least 24 pixels wide and high, but for words in their sentence', async () => {
  for (const [model, layout] of /** @type {const} */ ([
    ['creek', 'page'],
    ['creek', 'workspace'],
    ['translate', 'workspace'],
    ['continue', 'page'],
    ['untrained', 'page'],
  ])) {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const page = await tools.open({ model, layout, ...phone });
    await page.locator('#computation .why-steps').waitFor({ state: 'attached' });
    await page.locator('#settings-box > summary').click();
    const smallOnes = () =>
      [...document.querySelectorAll('button, a[href], summary, select, input, textarea')]
        .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.matches('.skip-link'))
        .map((each) => {
          const label = each.matches('[type=checkbox], [type=radio], [type=file]')
            ? each.closest('label, .field')
            : null;
          const { width: own, height } = (label ?? each).getBoundingClientRect();
          // WCAG 2.5.8 excepts targets in a sentence; a short word is pressed beside it, too (words.css).
          const width = each.matches('.token')
            ? Math.max(own, parseFloat(getComputedStyle(each, '::before').width))
            : own;
          const name = `${each.closest('[id]')?.id} ${each.localName}.${each.className} ${each.textContent?.trim()}`;
          return { name, width, height };
        })
        .filter(({ width, height }) => Math.min(width, height) < 24);
    let small = await page.evaluate(smallOnes);
    // a view's style may come after it
    for (let i = 0; i < 30 && small.length; i++) {
      await page.waitForTimeout(100);
      small = await page.evaluate(smallOnes);
    }
    assert.deepEqual(small, []);
    const folds = await page.locator('summary:visible').evaluateAll((all) => all.map((each) => each.clientHeight));
    assert(folds.length > 5 && Math.min(...folds) >= 32, `folds for a finger: ${folds}`);
    await tools.close(page);
  }
});

test('Shift and Ctrl are spoken of where there is a mouse, a drag where there is a finger', async () => {
  for (const [options, there, away] of /** @type {const} */ ([
    [{}, /Shift or Ctrl/, /\btap\b/],
    [
      { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
      /drag across the sentence\./,
      /Shift|Ctrl|Point at/,
    ],
  ])) {
    const page = await tools.open({ model: 'creek', ...options });
    await page.locator('.lines-note').waitFor();
    const text = await page.locator('#page').innerText();
    assert.match(text, there);
    assert.doesNotMatch(text, away);
    await tools.close(page);
  }
});
