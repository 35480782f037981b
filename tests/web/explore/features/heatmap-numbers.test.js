// The numbers of the map: each quantity and cell, by keys, as a table, in each kind of attention: the module's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { putFeet } from '../../../../web/export/feet.js';
import { TARGET, assertShown, compute } from '../../in-node.js';
import { gf, open } from '../table.js';

const { heatmap } = await import('../../../../web/explore/features/heatmap.js');

/** The readout of the selected cell. @param {Awaited<ReturnType<typeof open>>} page */
const read = (page) => ({
  place: page.all('.map-readout bdi')[0],
  number: Number(page.all('.map-readout strong')[0].replace('−', '-')),
  note: page.all('.map-note')[0],
});

test('each quantity, and each cell that a key leads to, is the module’s own number', async () => {
  const page = await open(heatmap, 'model=untrained&row=7&key=1');
  const { at } = compute(gf, {});
  for (const quantity of ['scores', 'scaled', 'masked', 'weights']) {
    await page.choose('.quantity', quantity);
    for (const [row, key] of [
      [0, 0],
      [12, 1],
      [5, 13],
      [13, 0],
      [7, 1],
    ]) {
      await page.change({ cursor: { ...page.state().cursor, row, key } });
      const { number, note } = read(page);
      assertShown(number, at(`encoder.layers.0.self_attn.${quantity}`, 0, 0, row, key), `${quantity} ${row} ${key}`);
      assert.match(note, new RegExp(`\\[${row}, ${key}\\] pinned`));
    }
  }
  assert.equal(read(page).place, 'row dog, column creek');
  for (const [key, place] of [
    ['ArrowUp', 'row spunky, column creek'],
    ['ArrowRight', 'row spunky, column was'],
    ['End', 'row spunky, column .'],
    ['Home', 'row spunky, column The'],
    ['PageDown', 'row ., column The'],
    ['ArrowDown', 'row ., column The'],
    ['PageUp', 'row cold, column The'],
    ['ArrowLeft', 'row cold, column The'],
    ['Control+Home', 'row The, column The'],
    ['Control+End', 'row ., column .'],
  ]) {
    await page.press('.map-cells', key);
    assert.equal(read(page).place, place, key);
  }
  assertShown(read(page).number, at('encoder.layers.0.self_attn.weights', 0, 0, 13, 13));
});

putFeet(/** @type {any} */ ({}), document.createElement('div'));

/** Opens the table below the map. @param {Awaited<ReturnType<typeof open>>} page */
async function table(page) {
  const fold = /** @type {HTMLDetailsElement} */ (page.root.querySelector('.map-foot details'));
  fold.open = true;
  for (let i = 0; i < 200 && !page.root.querySelector('tbody td'); i++) await new Promise((go) => setTimeout(go, 10));
  return [...page.root.querySelectorAll('tbody tr')].map((tr) =>
    [...tr.querySelectorAll('td')].map((td) => td.textContent),
  );
}

test('the causal mask hides the upper triangle: masked, and each row sums to 1', async () => {
  const page = await open(heatmap, 'model=untrained&causal=1&row=0&key=5');
  assert.equal(page.all('.map-readout strong')[0], 'masked');
  assert(page.all('.legend-swatch').some((text) => text.includes('masked')));
  const rows = await table(page);
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
});

test('a decoder, and an encoder–decoder with its three kinds of attention', async () => {
  const decoder = await open(heatmap, 'model=untrained&kind=decoder&causal=1&attention=decoder&row=12&key=1');
  assertShown(
    read(decoder).number,
    compute(gf, { kind: 'decoder' }).at('decoder.layers.0.self_attn.weights', 0, 0, 12, 1),
  );
  const own = compute(gf, { kind: 'encoder-decoder', decoderLayers: 2 }, { target: TARGET });
  const link = 'model=untrained&kind=encoder-decoder&causal=1';
  const cross = await open(heatmap, `${link}&attention=cross&row=7&key=7`);
  assert.equal(read(cross).place, 'row Hund, column dog');
  assertShown(read(cross).number, own.at('decoder.layers.0.multihead_attn.weights', 0, 0, 7, 7));
  const self = await open(heatmap, `${link}&attention=decoder&head=2.1&row=7&key=2`);
  assertShown(read(self).number, own.at('decoder.layers.1.self_attn.weights', 0, 0, 7, 2));
});

test('48 heads and 128 tokens: the last cell, and the table a page at a time, from the cursor on', async () => {
  const text = Array.from({ length: 128 }, (_, i) => `w${i}`).join(' ');
  const link = { model: 'untrained', layers: '6', heads: '8', head: '6.8', row: '127', key: '127', text };
  const page = await open(heatmap, String(new URLSearchParams(link)));
  const { at } = compute(gf, { layers: 6, heads: 8, finalNorm: false }, { text });
  assertShown(read(page).number, at('encoder.layers.5.self_attn.weights', 0, 7, 127, 127));
  for (const first of [64, 0]) {
    const rows = await table(page);
    assert.equal(rows.length, 64);
    rows[3].forEach((text, c) =>
      assertShown(Number(text), at('encoder.layers.5.self_attn.weights', 0, 7, 67, first + c)),
    );
    const columns = `‹ Columns ${first + 1} to ${first + 64} of 128 ›`;
    assert.deepEqual(page.all('.pager'), ['‹ Rows 65 to 128 of 128 ›', columns]);
    await page.click('[aria-label="Previous columns"]');
  }
});
