// LayerNorm: its lines, the formula with its numbers, mean and variance of each token, which norm is shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';

const { norms } = await import('../../../../web/explore/features/layer-norm.js');

test('what it needs, says and shows', async () => {
  const states = [
    ['model=creek&row=3', '@norm/encoder/0/1', 'Layer 1, after attention'],
    ['model=creek&row=3&head=2.1&sublayer=2', '@norm/encoder/1/2', 'Layer 2, after FFN'],
    ['model=untrained&norm=pre', '@norm/encoder/0/1', 'Layer 1, before attention'],
    ['model=translate&attention=cross&head=1.1', '@norm/decoder/0/1', 'Layer 1, after attention'],
  ];
  for (const [link, need, title] of states) {
    const page = await open(norms, link);
    assert.deepEqual(page.needs(), [need], link);
    assert.equal(page.all('select option:checked')[0], title, link);
    const { before, after, mean, variance, weight, bias, epsilon, width } = page.result().derived.get(need);
    const row = Number(page.root.querySelector('tr.here')?.getAttribute('data-row'));
    const x = before.subarray(row * width, (row + 1) * width);
    const y = ((x[0] - mean[row]) / Math.sqrt(variance[row] + epsilon)) * (weight?.[0] ?? 1) + (bias?.[0] ?? 0);
    assert(Math.abs(y - after[row * width]) < 1e-5, link);
    const average = x.reduce((/** @type {number} */ sum, /** @type {number} */ value) => sum + value / width, 0);
    assert(Math.abs(average - mean[row]) < 1e-6);
    assert.match(page.root.querySelector('[role=application]')?.ariaLabel ?? '', new RegExp(`^${title}, at .*: 4 ×`));
  }
});

test('another norm of the layer is chosen; the map moves the dimension and remembers its line', async () => {
  const page = await open(norms, 'model=creek&row=3');
  await page.choose('select', '2');
  assert.equal(page.state().graph.sublayer, 2);
  assert.equal(page.all('select option:checked')[0], 'Layer 1, after FFN');
  await page.press('[role=application]', 'ArrowRight');
  await page.press('[role=application]', 'ArrowDown');
  assert.equal(page.state().cursor.dimension, 1);
  assert.match(page.all('.map-readout')[0], /γ, gain/);
});

test('without norms or without text it says that there are none', async () => {
  for (const link of ['model=untrained&norm=none', 'model=untrained&text='])
    assert.match((await open(norms, link)).text(), /No LayerNorm to show: no tokens, or LayerNorm is switched off/);
});
