// The workspace: what is in sight together, and what the graph chooses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { map, openMenu, readout, ready, update, useBrowser } from '../browser.js';
import { assertShown } from '../in-node.js';

/** @typedef {import('playwright-core').Page} Page */

const tools = useBrowser();

/** Whether an element lies within the window, uncovered at its middle. @param {Page} page @param {string} selector */
const inSight = (page, selector) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && element.contains(at);
    });

for (const [width, height] of [
  [1440, 900],
  [2560, 1440],
  [3840, 2160],
])
  test(`${width} px wide: sentence, answer, graph and map in sight, the picture as wide as it can be`, async () => {
    const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width, height } });
    await ready(page);
    for (const part of ['#tokens-encoder', '#answers', '#model-graph', '#heatmap .map-cells', '#why-panel'])
      assert(await inSight(page, part), `${part} at ${width}`);
    const share = await page.evaluate(() => {
      const boxes = ['#heatmap', '#why-panel'].map((each) => {
        const element = /** @type {Element} */ (document.querySelector(each));
        return (element.querySelector('.map-scroll') ?? element).getBoundingClientRect();
      });
      return (boxes[1].right - boxes[0].left) / innerWidth;
    });
    if (width > 1440) assert(share >= 0.85, `map and Why have ${share} of the width`);
    const labels = await page
      .locator('#heatmap .map-rows bdi')
      .first()
      .evaluate((label) => parseFloat(getComputedStyle(label).fontSize));
    assert(labels >= (width * 12) / 2560, `labels of ${labels} px`);
    await tools.close(page);
  });

test('on a phone sentence, answer and map stand in the first screen and a half', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 390, height: 844 } });
  await ready(page);
  for (const part of ['#tokens-encoder', '#answers', '#heatmap canvas']) {
    const { y, height } = (await page.locator(part).first().boundingBox()) ?? { y: NaN, height: NaN };
    assert(y + height <= 1.5 * 844, `${part} ends at ${y + height}`);
  }
  assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await tools.close(page);
});

/** Opens the sheet of a narrow window, and the fold of what is seldom needed. @param {Page} page */
async function openMore(page) {
  await openTry(page);
  await page.locator('#try-more > summary').click();
}
/** @param {Page} page */
async function openTry(page) {
  const tab = page.locator('#sheet').getByRole('button', { name: 'Try' });
  if (await tab.isVisible()) await tab.click();
}

/**
 * Each kind of change, and the control that makes it; a head's switch: first-screen.test.js.
 * @type {Record<string, (page: Page) => Promise<string>>}
 */
const CHANGES = {
  async cell(page) {
    await openTry(page);
    await update(page, () => page.locator('#try .try-weight').fill('0'));
    return '#try .try-weight';
  },
  async temperature(page) {
    await openTry(page);
    await update(page, () => page.locator('.temperature').fill('0.6'));
    return '.temperature';
  },
  async weight(page) {
    await openMore(page);
    await page.getByText('Edit a weight').click();
    const field = page.locator('.weight-new');
    await field.fill('3');
    await update(page, () => field.press('Enter'));
    return '.weight-new';
  },
  async neuron(page) {
    await update(page, () => page.locator('.model-graph-node', { hasText: 'FFN' }).last().click());
    await openTry(page);
    // the page may still be on its way to the picture: the mouse would scroll elsewhere
    await update(page, () => page.locator('#try-node .switch').evaluate((button) => button.click()));
    return '#try-node .switch';
  },
};

for (const [width, height] of [
  [1440, 900],
  [390, 844],
])
  for (const [name, change] of Object.entries(CHANGES)) {
    if (name === 'weight' && width < 1000) continue; // its fields take the whole sheet
    test(`${width} px wide: a change by ${name} and the answer before and after are in sight together`, async () => {
      const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width, height } });
      await ready(page);
      const control = await change(page);
      await page.locator('.answers-before').first().waitFor();
      const isShown = async () =>
        (await inSight(page, control)) &&
        ((await inSight(page, '#answers .answers-list')) || (await inSight(page, '.try-answers')));
      for (const end = Date.now() + 5000; !(await isShown()); await page.waitForTimeout(50))
        assert(Date.now() < end, `a change by ${name} at ${width} px`);
      await tools.close(page);
    });
  }

test('the graph chooses what the main pane shows; the whole page shows all', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 1280, height: 720 } });
  await ready(page);
  const shown = () =>
    page.evaluate(() =>
      [
        'heatmap',
        'computation',
        'ffn',
        'words',
        'embedding',
        'positions',
        'residual-stream',
        'layer-norm',
        'logits',
      ].filter((id) => document.getElementById(id)?.closest('section')?.checkVisibility()),
    );
  assert.deepEqual(await shown(), ['heatmap', 'computation']);
  for (const [node, panels, first] of /** @type {const} */ ([
    ['Words', ['words'], 'words'],
    ['Embedding', ['embedding'], 'embedding'],
    ['+ Positions', ['positions'], 'positions'],
    ['Add & norm', ['residual-stream', 'layer-norm'], 'layer-norm'],
    ['FFN', ['ffn'], 'ffn'],
    ['Logits', ['logits'], 'logit-lens'],
    ['Answer', ['logits'], 'logits'],
  ])) {
    await page.locator('.model-graph-node', { hasText: node }).first().click();
    for (const panel of panels) await page.locator(`section:has(#${panel})`).waitFor();
    assert.deepEqual(await shown(), [...panels], node);
    if (first)
      await page.waitForFunction(
        (id) => document.activeElement?.closest('section')?.contains(document.getElementById(id)),
        first,
      );
    // Picture, Why and Try in one window, none of them scrolled to.
    const seen = (/** @type {string} */ each) => `${each}:not([data-away], [data-away] *)`;
    const parts = [seen('.picture'), seen('.picture :is(.map-cells, tbody)'), '#try-node'];
    if (node !== 'Words') parts.push(seen('.why')); // its ids are not computed
    for (const each of parts.slice(2)) await page.locator(each).waitFor();
    const boxes = await page.evaluate(
      (all) =>
        all.map((each) => {
          const { top, bottom } = /** @type {Element} */ (document.querySelector(each)).getBoundingClientRect();
          return [top + scrollY, bottom + scrollY];
        }),
      parts,
    );
    const [picture, cells, ...rest] = boxes;
    assert(picture[0] <= 260 && cells[0] <= 345, `${node}: the picture begins at ${picture[0]}, ${cells[0]}`);
    assert(
      [cells, ...rest].every(([, end]) => end <= 720),
      `${node}: they end at ${boxes.map(([, end]) => end)}`,
    );
  }
  await update(page, () => page.locator('.head').first().click());
  assert.deepEqual(await shown(), ['heatmap', 'computation'], 'a head');
  const number = await readout(page);
  await openMenu(page, 'more');
  await page.getByLabel('Whole page').check();
  await page.locator('#ffn').waitFor();
  assert.equal((await shown()).length, 9);
  assertShown((await readout(page)).number, number.number);
  await page.waitForURL(/layout=page/);
  await tools.close(page);
});

test('at 1440 × 900 a hint about another word leaves the map where it is', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace', viewport: { width: 1440, height: 900 } });
  await ready(page);
  const top = () => map(page).evaluate((cells) => cells.getBoundingClientRect().top + scrollY);
  const before = await top();
  await update(page, () => page.locator('#tokens-encoder .token').nth(6).click());
  await page.locator('#answers .hint').waitFor();
  assert.equal(await top(), before);
  await tools.close(page);
});

test('an emptied text leaves the main pane where it is, and the next text too', async () => {
  const page = await tools.open({ model: 'creek', layout: 'workspace' });
  await page.setViewportSize({ width: 1440, height: 900 });
  await ready(page);
  const top = () => page.evaluate(() => document.querySelector('#heatmap')?.getBoundingClientRect().top);
  const before = await top();
  await page.locator('#text').fill('');
  await page.locator('#heatmap .map-empty').waitFor();
  assert.equal(await top(), before);
  await update(page, () => page.locator('#text').fill('the dog sat on the mat .'));
  assert.equal(await top(), before);
  await tools.close(page);
});
