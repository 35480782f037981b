// Embedding, positions, residual stream and LayerNorm: every number is the module's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertShown, compute, point, readout, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} text */
const numberOf = (text) => Number(text.replace('−', '-'));
/** @param {Page} page @param {string} rows */
const cells = (page, rows) =>
  page
    .locator(rows)
    .evaluateAll((all) => all.map((tr) => [...tr.children].map((cell) => cell.textContent?.trim() ?? '')));

/**
 * @param {{model: {tensor: (name: string) => any}}} own
 * @param {string} name
 * @param {number} row
 * @returns {Float32Array}
 */
function rowOf({ model }, name, row) {
  const { data, shape } = model.tensor(name);
  return data.subarray(row * shape.at(-1), (row + 1) * shape.at(-1));
}
/** @param {Float32Array} a @param {Float32Array} b */
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

test('embedding: alone, with positions, and the sum in numbers', async () => {
  const page = await tools.open();
  await ready(page);
  const own = compute(tools.gf, {});
  await point(page, '#embedding', 7, 5, 'click');
  assert.equal((await readout(page, '#embedding')).place, 'row dog, dimension 5');
  assertShown((await readout(page, '#embedding')).number, own.at('encoder.input', 0, 7, 5));
  await page.selectOption('#embedding select', 'embedding');
  assertShown((await readout(page, '#embedding')).number, own.at('encoder.embedding', 0, 7, 5));
  const [a, b, sum] = (await page.locator('#embedding .live-numbers').innerText()).match(/[−\d]\d*\.\d{4}/g) ?? [];
  assertShown(numberOf(a), own.at('encoder.embedding', 0, 7, 5));
  assertShown(numberOf(b), own.at('encoder.positions', 7, 5));
  assertShown(numberOf(sum), own.at('encoder.input', 0, 7, 5));
  await update(page, () => page.selectOption('#set-positions', 'none'));
  assertShown(
    (await readout(page, '#embedding')).number,
    compute(tools.gf, { positions: 'none' }).at('encoder.embedding', 0, 7, 5),
  );
  assert.equal(await page.locator('#position-similarity').isVisible(), false);
  await tools.close(page);
});

test('positions: the formula at the cell, the dot product by offset', async () => {
  const page = await tools.open();
  await ready(page);
  const own = compute(tools.gf, {});
  await point(page, '#positions', 12, 7, 'click');
  const numbers = (await page.locator('#positions math mn').allTextContents()).map(numberOf);
  assert.deepEqual(numbers.slice(0, -1), [12, 7, 12, 10000, 6, 64]);
  assertShown(/** @type {number} */ (numbers.at(-1)), own.at('encoder.positions', 12, 7));
  assertShown(/** @type {number} */ (numbers.at(-1)), Math.cos(12 / 10000 ** (6 / 64)));
  await page.getByText('Values as a table').click();
  await page.locator('#position-similarity tbody tr').first().waitFor();
  const rows = await cells(page, '#position-similarity tbody tr');
  assert.equal(rows.length, 14);
  rows.forEach(([k, , value], other) => {
    assert.equal(Number(k), other - 12);
    assertShown(numberOf(value), dot(rowOf(own, 'encoder.positions', 12), rowOf(own, 'encoder.positions', other)));
  });
  assert.equal(await page.locator('#position-similarity circle').count(), 14);
  await page.locator('#tokens-encoder .token').nth(0).click();
  assert.deepEqual(
    (await cells(page, '#position-similarity tbody tr')).map(([k]) => Number(k)),
    Array.from({ length: 14 }, (_, i) => i),
  );
  await tools.close(page);
});

test('stream: length, change and direction after each sublayer', async () => {
  const page = await tools.open();
  await ready(page);
  const own = compute(tools.gf, {});
  const stages = [
    'encoder.embedding',
    'encoder.input',
    ...[0, 1].flatMap((layer) => [1, 2].map((n) => `encoder.layers.${layer}.norm${n}.out`)),
  ];
  const rows = await cells(page, '#residual-stream .stages tbody tr');
  assert.equal(rows.length, stages.length);
  const expected = (/** @type {number} */ stage, /** @type {number} */ row) => {
    const x = rowOf(own, stages[stage], row);
    const before = stage ? rowOf(own, stages[stage - 1], row) : x;
    const norm = Math.sqrt(dot(x, x));
    const change = Math.hypot(...x.map((value, i) => value - before[i])) / Math.sqrt(dot(before, before));
    return { norm, change, cosine: dot(x, before) / norm / Math.sqrt(dot(before, before)) };
  };
  rows.forEach(([, norm, change, cosine], stage) => {
    const right = expected(stage, 12);
    assertShown(numberOf(norm), right.norm);
    if (stage) assertShown(numberOf(change), right.change);
    if (stage) assertShown(numberOf(cosine), right.cosine);
  });
  await point(page, '#residual-stream', 3, 5, 'click');
  assert.equal((await readout(page, '#residual-stream')).place, 'row cold, after L2 FFN');
  assertShown((await readout(page, '#residual-stream')).number, expected(5, 3).norm);
  await page.selectOption('#residual-stream select', 'changes');
  await point(page, '#residual-stream', 3, 2, 'click');
  assert.equal((await readout(page, '#residual-stream')).place, 'row cold, after L1 FFN');
  assertShown((await readout(page, '#residual-stream')).number, expected(3, 3).change);
  await page.selectOption('#residual-stream select', 'cosines');
  assertShown((await readout(page, '#residual-stream')).number, expected(3, 3).cosine);
  await tools.close(page);
});

test('LayerNorm: before, gain, bias, after, mean and variance, and the formula holds', async () => {
  const page = await tools.open();
  await ready(page);
  const own = compute(tools.gf, {});
  const norm = 'encoder.layers.0.norm1.';
  await point(page, '#layer-norm', 0, 9, 'click');
  assertShown((await readout(page, '#layer-norm')).number, own.at('encoder.layers.0.residual1', 0, 12, 9));
  for (const [line, name] of [
    [1, 'weight'],
    [2, 'bias'],
  ]) {
    await point(page, '#layer-norm', Number(line), 9);
    assertShown((await readout(page, '#layer-norm')).number, own.at(`${norm}${name}`, 9));
  }
  await point(page, '#layer-norm', 3, 9);
  assertShown((await readout(page, '#layer-norm')).number, own.at(`${norm}out`, 0, 12, 9));
  const [y, gain, x, mean, variance, , bias] = (await page.locator('#layer-norm .numbers mn').allTextContents()).map(
    (text) => numberOf(text.replace(/[()]/g, '')),
  );
  assertShown(y, own.at(`${norm}out`, 0, 12, 9));
  assert(Math.abs(y - ((gain * (x - mean)) / Math.sqrt(variance) + bias)) < 5e-4, 'nearly, as each is rounded');
  const rows = await cells(page, '#layer-norm .moments tbody tr');
  assert.equal(rows.length, 14);
  rows.forEach(([, shownMean, shownVariance], row) => {
    assertShown(numberOf(shownMean), own.at(`${norm}mean`, 0, row));
    assertShown(numberOf(shownVariance), own.at(`${norm}variance`, 0, row));
  });
  await update(page, () => page.selectOption('#layer-norm select', '2'));
  await point(page, '#layer-norm', 3, 9);
  assertShown((await readout(page, '#layer-norm')).number, own.at('encoder.layers.0.norm2.out', 0, 12, 9));
  await update(page, () => page.selectOption('#set-norm', 'none'));
  assert.equal(await page.locator('#layer-norm .map-empty').isVisible(), true);
  await tools.close(page);
});
