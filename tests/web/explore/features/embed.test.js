// The line below an embedded figure: it leads to the same state of the whole page, in a window of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';

const { embed } = await import('../../../../web/explore/features/embed.js');

test('an embedded figure leads to the page; the page itself has no such line', async () => {
  assert.equal((await open(embed, 'model=creek')).root.textContent, '');
  const page = await open(embed, 'model=creek&embed=1&row=3');
  const wanted = 'https://example.org/#/explore?model=creek&row=3';
  const link = /** @type {HTMLAnchorElement} */ (page.root.querySelector('#embed-live a'));
  assert.deepEqual([page.text(), link.href], ['Glassformer: open live', wanted]);
  /** @type {(string | null)[]} */
  const opened = [];
  const other = { opener: {} };
  Reflect.set(globalThis, 'open', (/** @type {string} */ href) => opened.push(href) && other);
  await page.click('a');
  assert.deepEqual([opened, other], [[wanted], { opener: null }]);
});
