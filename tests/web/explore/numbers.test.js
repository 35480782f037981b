// Each number that the page shows is the module's own answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TARGET, assertShown, compute, headCells, map, point, readout, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();

test('weights, scores, scaled, masked: hover, click, keys', async () => {
  const page = await tools.open();
  await ready(page);
  const own = compute(tools.gf, {});
  for (const quantity of ['weights', 'scores', 'scaled', 'masked']) {
    if (quantity !== 'weights') await update(page, () => page.selectOption('#heatmap .quantity', quantity));
    for (const [row, column] of [
      [0, 0],
      [12, 1],
      [5, 13],
      [13, 0],
    ]) {
      await point(page, '#heatmap', row, column);
      const { number, note } = await readout(page);
      assert.match(note, new RegExp(`\\[${row}, ${column}\\] under the pointer`));
      assertShown(
        number,
        own.at(`encoder.layers.0.self_attn.${quantity}`, 0, 0, row, column),
        `${quantity} ${row} ${column}`,
      );
    }
  }
  await page.selectOption('#heatmap .quantity', 'weights');
  await point(page, '#heatmap', 7, 1, 'click');
  await page.mouse.move(0, 0);
  const pinned = await readout(page);
  assert.equal(pinned.place, 'row dog, column creek');
  assert.match(pinned.note, /\[7, 1\] pinned/);
  await map(page).focus();
  for (const [key, place] of [
    ['ArrowUp', 'row spunky, column creek'],
    ['ArrowRight', 'row spunky, column was'],
    ['End', 'row spunky, column .'],
    ['Home', 'row spunky, column The'],
    ['PageDown', 'row ., column The'],
    ['ArrowDown', 'row ., column The'],
    ['PageUp', 'row cold, column The'],
    ['ArrowLeft', 'row cold, column The'],
    ['Control+End', 'row ., column .'],
  ]) {
    await page.keyboard.press(key);
    assert.equal((await readout(page)).place, place, key);
  }
  assertShown((await readout(page)).number, own.at('encoder.layers.0.self_attn.weights', 0, 0, 13, 13));
  await tools.close(page);
});

test('every switch reaches the model', async () => {
  const page = await tools.open({ model: 'untrained&neuron=0' });
  await ready(page);
  const steps = [
    ['scoreScale', false],
    ['causal', true],
    ['residual', false],
    ['positions', 'learned'],
    ['positions', 'none'],
    ['norm', 'pre'],
    ['norm', 'none'],
    ['activation', 'gelu'],
    ['activation', 'gelu-tanh'],
    ['activation', 'none'],
    ['layers', 3],
    ['seed', 7],
    ['d_ff', 96],
  ];
  await update(page, () => page.getByRole('radio', { name: 'layer 2, head 2' }).click());
  let settings = {};
  for (const [name, value] of steps) {
    const control = page.locator(`#set-${name}`);
    settings = { ...settings, [name]: value };
    await update(page, async () => {
      if (typeof value === 'boolean') await control.setChecked(value);
      else if (name === 'seed' || name === 'd_ff') await control.fill(String(value)).then(() => control.press('Enter'));
      else await control.selectOption(String(value));
    });
    const own = compute(tools.gf, { ...settings, finalNorm: false });
    const what = JSON.stringify(settings);
    assertShown((await readout(page)).number, own.at('encoder.layers.1.self_attn.weights', 0, 1, 12, 1), what);
    assertShown((await readout(page, '#ffn')).number, own.at('encoder.layers.1.ffn.activation', 0, 12, 0), what);
    own.model.free();
  }
  assert.equal(await page.locator('#seed').innerText(), '7');
  assert.equal(await page.locator('#positions .map-empty').isVisible(), true);
  await tools.close(page);
});

test('the causal mask hides the upper triangle, and says so', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.getByLabel('Causal mask').check());
  await point(page, '#heatmap', 0, 5);
  assert.equal((await readout(page)).value, 'masked');
  await page.locator('#heatmap').getByText('Show as table').click();
  await page.locator('#heatmap table').waitFor();
  const rows = await page
    .locator('#heatmap tbody tr')
    .evaluateAll((all) => all.map((tr) => [...tr.querySelectorAll('td')].map((td) => td.textContent)));
  assert.equal(rows.length, 14);
  rows.forEach((row, r) => {
    assert.deepEqual(
      row.map((text) => text === 'masked'),
      row.map((_, c) => c > r),
      `row ${r}`,
    );
    const sum = row.reduce((total, text) => total + (Number(text) || 0), 0);
    assert(Math.abs(sum - 1) < 14 * 0.5e-4, `row ${r} sums to ${sum}`);
  });
  assert.equal(await page.locator('#heatmap .legend-swatch', { hasText: 'masked' }).isVisible(), true);
  await tools.close(page);
});

test('decoder, and encoder–decoder with all three kinds', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.selectOption('#set-kind', 'decoder'));
  assert.equal(await page.getByLabel('Causal mask').isChecked(), true);
  assertShown(
    (await readout(page)).number,
    compute(tools.gf, { kind: 'decoder' }).at('decoder.layers.0.self_attn.weights', 0, 0, 12, 1),
  );
  await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
  assert.equal(await page.getByLabel('Target sentence').inputValue(), TARGET);
  assert.deepEqual(await page.locator('.model-graph-heads').evaluateAll((all) => all.map((each) => each.ariaLabel)), [
    ...[1, 2].map((layer) => `Encoder self-attention, layer ${layer}`),
    ...[1, 2].flatMap((layer) =>
      ['Decoder self-attention', 'Cross-attention'].map((kind) => `${kind}, layer ${layer}`),
    ),
  ]);
  const own = compute(tools.gf, { kind: 'encoder-decoder', decoderLayers: 2 }, { target: TARGET });
  assert.deepEqual(
    await map(page)
      .locator('canvas')
      .evaluate((c) => [c.height, c.width]),
    [11, 14],
  );
  await point(page, '#heatmap', 7, 7);
  assert.equal((await readout(page)).place, 'row Hund, column dog');
  assertShown((await readout(page)).number, own.at('decoder.layers.0.multihead_attn.weights', 0, 0, 7, 7));
  await page.getByRole('radio', { name: 'Decoder self-attention, layer 2, head 1' }).click();
  await point(page, '#heatmap', 7, 2, 'click');
  assertShown((await readout(page)).number, own.at('decoder.layers.1.self_attn.weights', 0, 0, 7, 2));
  await update(page, () => page.getByLabel('Target sentence').fill('Hund'));
  assert.equal(await page.locator('#tokens-decoder .token').count(), 1);
  await tools.close(page);
});

test('base size with 128 tokens: all 48 heads', async (t) => {
  const page = await tools.open();
  await ready(page);
  const text = Array.from({ length: 128 }, (_, i) => `w${i}`).join(' ');
  await update(page, () => page.locator('#text').fill(text));
  const took = await update(page, () => page.getByRole('button', { name: 'Base size' }).click());
  assert.equal(await page.locator('.head').count(), 48);
  const drawn = await headCells(page, 2, 2);
  assert(drawn.every((cells) => cells.length === 16 && cells[3] === 255 && cells[15] === 255));
  await update(page, () => page.getByRole('radio', { name: 'layer 6, head 8' }).click());
  const own = compute(tools.gf, { layers: 6, heads: 8, d_model: 512, d_ff: 2048 }, { text });
  await map(page).focus();
  await page.keyboard.press('Control+End');
  assertShown((await readout(page)).number, own.at('encoder.layers.5.self_attn.weights', 0, 7, 127, 127));
  await map(page, '#ffn').focus();
  await page.keyboard.press('Control+End');
  assertShown((await readout(page, '#ffn')).number, own.at('encoder.layers.5.ffn.activation', 0, 127, 2047));
  await page.locator('#heatmap').getByText('Show as table').click();
  await page.locator('#heatmap .pager').last().waitFor();
  assert.deepEqual(
    await page.locator('#heatmap .pager').allInnerTexts(),
    ['‹ Rows 65 to 128 of 128 ›', '‹ Columns 65 to 128 of 128 ›'],
    'a page of it, with the cursor',
  );
  const again = await update(page, () => page.locator('#text').fill(text.replace('w0', 'v0')));
  t.diagnostic(
    `base size, 128 tokens: first picture ${took.toFixed(0)} ms after the click, ${again.toFixed(0)} ms after a ` +
      'keystroke',
  );
  await tools.close(page);
});
