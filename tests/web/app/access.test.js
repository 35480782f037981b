// For everybody: keyboard, screen reader, dark, narrow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { css, maskedPixel } from '../../../web/draw/color.js';
import { assertAxe, map, openMenu, point, readout, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page */
const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id);

test('the keyboard reaches everything, one stop for each group', async () => {
  const page = await tools.open();
  await ready(page);
  const stops = [];
  for (let i = 0; i < 200; i++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const { activeElement: e } = document;
      return e === document.body ? null : e?.closest('[id]')?.id + ' ' + (e?.getAttribute('role') ?? e?.tagName);
    });
    if (!at) break;
    stops.push(at);
  }
  for (const [stop, times] of [
    ['text TEXTAREA', 1],
    ['tokens-encoder radio', 1],
    ['heatmap application', 1],
    ['ffn application', 1],
    ['positions application', 1],
    ['set-heads INPUT', 1],
    ['set-norm SELECT', 1],
    ['model-graph radio', 1],
    ['embedding application', 1],
    ['residual-stream application', 1],
    ['layer-norm application', 1],
  ]) {
    assert.equal(stops.filter((each) => each === stop).length, times, `${stop} in ${stops}`);
  }
  await tools.close(page);
});

test('arrow keys among the heads and in the tokens', async () => {
  const page = await tools.open();
  await ready(page);
  await page.locator('.head[tabindex="0"]').focus();
  for (const [key, head] of [
    ['ArrowRight', 'layer 1, head 2'],
    ['ArrowDown', 'layer 2, head 2'],
    ['ArrowDown', 'layer 2, head 2'],
    ['ArrowRight', 'layer 2, head 3'],
    ['ArrowUp', 'layer 1, head 3'],
    ['ArrowLeft', 'layer 1, head 2'],
  ]) {
    await page.keyboard.press(key);
    if (/Left|Right/.test(key)) await page.keyboard.press('Enter'); // these only move
    assert.equal(await focused(page), `Encoder self-attention, ${head}`, key);
    assert.equal(
      await page.locator('.head[aria-checked=true]').getAttribute('aria-label'),
      `Encoder self-attention, ${head}`,
    );
    await page.waitForFunction(
      (text) => document.querySelector('#heatmap .view-title')?.textContent?.includes(text),
      head,
    );
  }
  await page.locator('#tokens-encoder .token').nth(7).click();
  await point(page, '#heatmap', 7, 1, 'click'); // a key that the reader chose stays
  assert.equal((await readout(page)).place, 'row dog, column creek');
  await page.locator('#tokens-encoder .token').nth(7).focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal((await readout(page)).place, 'row spunky, column creek');
  assert.match(String(await focused(page)), /^spunky, index 6/);
  await tools.close(page);
});

test('a button that does itself out of work hands the focus to a neighbour', async () => {
  const page = await tools.open({ model: 'continue' });
  await ready(page);
  /** @param {import('playwright-core').Locator} button @param {string} next */
  const press = async (button, next) => {
    await button.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction((text) => document.activeElement?.textContent?.trim() === text, next);
  };
  const changes = page.locator('#interventions');
  await update(page, () => page.locator('#change-head').getByRole('button', { name: 'Set to 0' }).click());
  const tries = page.locator('#try');
  await press(changes.getByRole('button', { name: 'Reset 1 change' }), 'Pin this state');
  await press(tries.getByRole('button', { name: 'Undo' }), 'Undo');
  await press(tries.getByRole('button', { name: 'Undo' }), 'Redo');
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.waitForFunction(() => document.querySelectorAll('#tokens-decoder .token').length > 20);
  await press(page.getByRole('button', { name: 'Remove the continuation' }), 'Generate');
  await tools.close(page);
});

test('a token chooses a row, in cross-attention a column, elsewhere its own stack', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
  await page.locator('#tokens-encoder .token').nth(7).click();
  await page.locator('#tokens-decoder .token').nth(7).click();
  assert.equal((await readout(page)).place, 'row Hund, column dog');
  await page.getByRole('radio', { name: 'Encoder self-attention, layer 2, head 1' }).click();
  await page.locator('#tokens-decoder .token').nth(1).click();
  assert.equal((await readout(page)).place, 'row Bach, column Hund');
  assert.match(await page.locator('#heatmap .view-title').innerText(), /^Decoder self-attention, layer 2, head 1/);
  await tools.close(page);
});

test('the cursor is read aloud, once it rests', async () => {
  const page = await tools.open();
  await ready(page);
  const live = page.locator('#heatmap [aria-live=polite]');
  const said = await map(page).evaluate((cells) =>
    Array.from({ length: 5 }, () => {
      cells.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp' }));
      return document.querySelector('#heatmap [aria-live=polite]').textContent;
    }).join(''),
  );
  assert.equal(said, '', 'a moving cursor is quiet');
  await page.waitForFunction(() => document.querySelector('#heatmap [aria-live=polite]')?.textContent);
  assert.equal(await live.textContent(), `row dog, column creek, ${(await readout(page)).value}`);
  await tools.close(page);
});

test('the scheme of the system, also when it changes', async () => {
  const page = await tools.open({ colorScheme: 'light' });
  await ready(page);
  await update(page, () => page.getByLabel('Causal mask').check());
  const corner = () =>
    map(page)
      .locator('canvas')
      .evaluate((c) => {
        const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
        copy.drawImage(c, 1 - c.width, 0);
        const [r, g, b] = copy.getImageData(0, 0, 1, 1).data;
        return `rgb(${r} ${g} ${b})`;
      });
  const surface = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await surface();
  assert.equal(await corner(), css(maskedPixel('light')));
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.notEqual(await surface(), light);
  // the page learns of it a moment later
  for (let i = 0; i < 100 && (await corner()) !== css(maskedPixel('dark')); i++) await page.waitForTimeout(20);
  assert.equal(await corner(), css(maskedPixel('dark')));
  await tools.close(page);
});

test('a long text has its lines below the map, not beside it', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.locator('#text').fill(Array.from({ length: 100 }, (_, i) => `w${i}`).join(' ')));
  await page.waitForFunction(() => document.querySelectorAll('.line-token').length === 200);
  const [shown, whole] = await page
    .locator('#heatmap .map-scroll')
    .evaluate(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth]);
  assert.equal(shown, whole, 'every column is in sight'); // beside the lines, 315 px of 376
  await tools.close(page);
});

/**
 * Elements that run off the side. Those in a panel do not widen the document, so every element is measured that no
 * scroller holds.
 * @param {import('playwright-core').Page} page
 */
const outside = (page) =>
  page.evaluate(() =>
    [
      document.documentElement.scrollWidth > innerWidth && 'the document',
      ...[...document.body.querySelectorAll('*')]
        .filter(
          (e) =>
            e.checkVisibility() &&
            !e.closest('.map-scroll, .table-scroll, .visually-hidden') &&
            e.getBoundingClientRect().right > innerWidth,
        )
        .map((e) => e.outerHTML.slice(0, 80)),
    ].filter(Boolean),
  );

for (const width of [320]) {
  test(`${width} px wide: nothing runs off the side`, async () => {
    const page = await tools.open({ viewport: { width, height: 740 } });
    await ready(page);
    assert.deepEqual(await outside(page), [], 'default');
    await page.getByText('Model', { exact: true }).click();
    await page.locator('#heatmap').getByText('Show as table').click();
    await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
    assert.deepEqual(await outside(page), [], 'encoder–decoder, settings and table open');
    await update(page, () => page.locator('#text').fill(`${'pneumono'.repeat(12)} ${'w '.repeat(70)}`));
    await update(page, () =>
      page
        .locator('#set-heads')
        .fill('5')
        .then(() => page.locator('#set-heads').press('Enter')),
    );
    assert.deepEqual(await outside(page), [], 'long word, many tokens, error');
    await tools.close(page);
  });
}

/**
 * Brings a trained model's page into its fullest state.
 * @param {Page} page
 * @param {string} model
 */
async function unfold(page, model) {
  if (model === 'continue') {
    const count = await page.locator('#tokens-decoder .token').count();
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.waitForFunction((before) => document.querySelectorAll('#tokens-decoder .token').length > before, count);
  } else if (model === 'creek')
    await update(page, () =>
      page.evaluate(() => {
        const text = 'the+zebra+wanted+to+jump+over+the+pneumonoultramicroscopic+creek+because+it+was+tired+.';
        location.hash = `#/explore?model=creek&layout=page&text=${text}`;
      }),
    );
  else {
    await openMenu(page, 'sentence-menus');
    await update(page, () => page.locator('.pattern').selectOption('because'));
  }
  if (!(await page.locator('#settings-box').evaluate((box) => /** @type {HTMLDetailsElement} */ (box).open)))
    await page.getByText('Model', { exact: true }).click();
  await page.getByText('Evaluation').click();
  await update(page, () => page.locator('#set-scoreScale').uncheck());
}

for (const width of [320, 1280, 3840]) {
  test(`${width} px wide: no model runs off the side`, async () => {
    for (const model of ['creek', 'translate', 'continue', 'untrained']) {
      const page = await tools.open({ model, viewport: { width, height: 740 } });
      await ready(page);
      assert.deepEqual(await outside(page), [], model);
      const way = await page
        .locator('#model-graph')
        .evaluate(({ scrollWidth, parentElement }) => scrollWidth - (parentElement?.clientWidth ?? 0));
      if (width >= 1280) assert(way <= 0, `${model}: the way through is ${way} px too wide`);
      if (width < 400 && model !== 'untrained') {
        await unfold(page, model);
        assert.deepEqual(await outside(page), [], `${model}, unfolded`);
      }
      await tools.close(page);
    }
  });
}

test('the keyboard chooses a model, and passes over unknown words', async () => {
  const page = await tools.open({ model: 'creek&text=the+zebra+dog' });
  await ready(page);
  await page.waitForFunction(() => document.querySelectorAll('#tokens-encoder .token').length === 3);
  await page.locator('#tokens-encoder .token').first().click();
  await page.keyboard.press('ArrowRight');
  assert.match(String(await focused(page)), /^dog, index 2/);
  assert.equal(
    await page.locator('#tokens-encoder .unknown').getAttribute('aria-label'),
    'zebra, index 1, unknown word, left out',
  );
  await openMenu(page, 'models');
  await page.getByRole('radio', { name: /^Pronouns/ }).focus();
  await update(page, () => page.keyboard.press('ArrowRight'));
  assert.equal(await page.locator('#target output').isVisible(), true);
  assert.equal(await page.evaluate(() => /** @type {HTMLInputElement} */ (document.activeElement).value), 'translate');
  await tools.close(page);
});

// Of the trained models, and with everything open, in the tour.
for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  test(`axe finds nothing, ${colorScheme}`, async () => {
    const page = await tools.open({ colorScheme, reducedMotion: 'reduce' });
    await ready(page);
    const check = (/** @type {string} */ state) => assertAxe(page, state);
    await check('default');
    await page.locator('#heatmap').getByText('Show as table').click();
    await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
    await update(page, () => page.selectOption('#heatmap .quantity', 'masked'));
    await check('encoder–decoder with a table');
    await update(page, () =>
      page
        .locator('#set-heads')
        .fill('5')
        .then(() => page.locator('#set-heads').press('Enter')),
    );
    await check('an error');
    await page.locator('#text').fill('');
    await check('nothing to show');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('button', { name: 'Reset all' }).click();
    await check('narrow');
    await tools.close(page);
  });
}
