// The tabs of the sheet in a narrow window: one is open at a time; a cell of the map opens why.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';

const { sheet } = await import('../../../../web/explore/features/sheet.js');

test('a tab opens, and closes at the second click; the sheet begins at its top; Learn closes it', async () => {
  const page = await open(sheet, 'model=untrained');
  const bar = /** @type {HTMLElement} */ (page.root.querySelector('#sheet'));
  const expanded = () => page.all('[aria-expanded=true]').join();
  assert.deepEqual([page.needs(), page.text(), bar.ariaLabel], [[], 'WhyTryLearn', 'Panels']);
  for (const [nth, shown] of /** @type {const} */ ([
    [1, 'why'],
    [2, 'try'],
    [2, ''],
    [2, 'try'],
    [3, ''],
  ])) {
    page.root.scrollTop = 9;
    await page.click(`button:nth-child(${nth})`);
    assert.deepEqual([bar.dataset.sheet, expanded().toLowerCase(), page.root.scrollTop], [shown, shown, 0]);
  }
  assert.deepEqual(page.set, [{ book: 0 }]);
});

test('a click on a cell or a line opens why; one elsewhere leaves it', async () => {
  const page = await open(sheet, 'model=untrained');
  const bar = /** @type {HTMLElement} */ (page.root.querySelector('#sheet'));
  for (const inside of [
    '<p id="heatmap"><b class="map-cells"></b></p>',
    '<p class="picture"><b class="map-cells"></b></p>',
    '<p id="lines"><b class="edge"></b></p>',
  ]) {
    document.body.insertAdjacentHTML('beforeend', inside);
    const mark = /** @type {HTMLElement} */ (document.body.lastElementChild);
    mark.click();
    assert.equal(bar.dataset.sheet, '');
    /** @type {HTMLElement} */ (mark.firstElementChild).click();
    await null;
    assert.equal(bar.dataset.sheet, 'why');
    await page.click('[aria-expanded=true]');
  }
});

test('a weight that another place led to opens why, once', async () => {
  const page = await open(sheet, 'model=untrained');
  const bar = /** @type {HTMLElement} */ (page.root.querySelector('#sheet'));
  /** @param {object} patch */
  const change = async (patch) => {
    await page.change(patch);
    return bar.dataset.sheet;
  };
  assert.equal(await change({ plays: 5 }), 'why');
  await page.click('button:nth-child(1)');
  assert.equal(await change({ quantity: 'scores' }), '');
  assert.equal(await change({ plays: 6 }), 'why');
});

test('Words has no Why, so no tab for it; at the next node the tab is open as before', async () => {
  const page = await open(sheet, 'model=creek');
  const bar = /** @type {HTMLElement} */ (page.root.querySelector('#sheet'));
  await page.click('button:nth-child(1)');
  const { graph } = page.state();
  await page.change({ graph: { ...graph, node: 'tokens' } });
  assert.deepEqual([page.text(), bar.dataset.sheet], ['TryLearn', '']);
  await page.change({ graph });
  assert.deepEqual([page.text(), bar.dataset.sheet], ['WhyTryLearn', 'why']);
});
