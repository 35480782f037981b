// One weight opened: every number of the story is the module's own tensor.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readSafetensors } from 'glassformer';
import { TARGET, assertShown, compute, point, ready, update, useBrowser } from './browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** @param {string} text */
const value = text => (text === '−∞' ? -Infinity : Number(text.replace('−', '-')));
/** @param {Page} page @param {string} name */
const live = async (page, name) => value(await page.locator(`#computation [data-value=${name}]`).textContent() ?? '');
/** The numbers of a table, row by row. @param {import('playwright-core').Locator} table @returns {Promise<number[][]>} */
const numbersOf = async table => (await table.locator('tbody tr').evaluateAll(rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => String(cell.textContent)))))
  .map(row => row.map(value));

/** Waits until the story is about this cell, then checks all of it. @param {Page} page @param {string} cell @param {(name: string, ...index: number[]) => number} at @param {{
 *   model: import('glassformer').Model, prefix: string, heads: number, d_model: number, head: number, row: number, key: number, keys: number, scale?: number}} place */
async function checkStory(page, cell, at, { model, prefix, heads, d_model, head, row, key, keys, scale }) {
  await page.waitForFunction(text => document.querySelector('#computation .view-title')?.textContent?.endsWith(text), cell);
  const size = d_model / heads;
  const own = (/** @type {string} */ name, /** @type {number[]} */ ...index) => at(`${prefix}.${name}`, 0, head, ...index);
  for (const closed = page.locator('#computation details:not([open]) summary'); await closed.count();) await closed.first().click();
  const score = own('scores', row, key);
  assertShown(await live(page, 'score'), score, 'score');
  const terms = await numbersOf(page.locator('#computation [aria-label="All terms"] table'));
  assert.equal(terms.length, size);
  let sum = 0;
  terms.forEach(([q, k, product], d) => {
    assertShown(q, own('query', row, d), `q ${d}`);
    assertShown(k, own('key', key, d), `k ${d}`);
    assertShown(product, own('query', row, d) * own('key', key, d), `product ${d}`);
    sum += product;
  });
  assert(Math.abs(sum - score) < 1e-4 * size, `the terms make the score: ${sum}, ${score}`);
  const scaled = own('scaled', row, key);
  assertShown(await live(page, 'scaled'), scaled, 'scaled');
  assert(Math.abs(scaled - score / (scale ?? Math.sqrt(size))) < 1e-5 * Math.max(1, Math.abs(score)));
  const masked = own('masked', row, key);
  if (masked === -Infinity) assert.equal(await live(page, 'masked'), -Infinity);
  else assertShown(await live(page, 'masked'), masked, 'masked');
  const rows = await page.locator('#computation .softmax tbody tr').evaluateAll(all => all.map(tr => [...tr.querySelectorAll('td')].map(cell => String(cell.textContent))));
  assert.equal(rows.length, keys);
  const most = Math.max(...Array.from({ length: keys }, (_, s) => own('masked', row, s)));
  rows.forEach(([m, exp, alpha], s) => {
    const each = own('masked', row, s);
    if (each === -Infinity) assert.equal(m, 'masked');
    else assertShown(value(m), each, `m ${s}`);
    assertShown(value(exp), Math.exp(each - most), `exp ${s}`);
    assertShown(value(alpha), own('weights', row, s), `weight ${s}`);
  });
  assert.equal(await page.locator('#computation .softmax tr.here').count(), 1);
  assert.equal(await page.locator('#computation .softmax tbody tr').nth(key).getAttribute('class'), 'here');
  assertShown(await live(page, 'weight'), own('weights', row, key), 'weight');
  const dimensions = await numbersOf(page.locator('#computation [aria-label="All dimensions"] table'));
  dimensions.forEach(([v, moved, z], d) => {
    assertShown(v, own('value', key, d), `v ${d}`);
    assertShown(moved, own('weights', row, key) * own('value', key, d), `weighted v ${d}`);
    assertShown(z, own('head_outputs', row, d), `z ${d}`);
  });
  // What each head adds, in double precision from the matrix itself.
  const matrix = model.tensor(`${prefix}.out_proj.weight`).data;
  const bias = model.tensor(`${prefix}.out_proj.bias`).data;
  const parts = Array.from({ length: heads }, (_, h) => Array.from({ length: d_model }, (_, c) =>
    Array.from({ length: size }, (_, d) => matrix[c * d_model + h * size + d] * at(`${prefix}.head_outputs`, 0, h, row, d)).reduce((a, b) => a + b)));
  const norms = parts.map(part => Math.hypot(...part));
  assertShown(await live(page, 'norm'), norms[head], 'norm');
  const shares = await page.locator('#computation .shares tbody tr').evaluateAll(all => all.map(tr => [...tr.querySelectorAll('td')].map(cell => parseFloat(String(cell.textContent)))));
  shares.forEach(([norm, share], h) => {
    assertShown(norm, norms[h], `norm of head ${h}`);
    assert(Math.abs(share - (100 * norms[h]) / norms.reduce((a, b) => a + b)) < 0.06);
  });
  const out = Array.from({ length: d_model }, (_, c) => at(`${prefix}.out`, 0, row, c));
  out.forEach((each, c) => assert(Math.abs(each - bias[c] - parts.reduce((so, part) => so + part[c], 0)) < 1e-4, 'the heads and the bias make the output'));
  assertShown(await live(page, 'whole'), Math.hypot(...out), 'norm of the output');
}

test('untrained: the pinned cell, another cell, another head, without the scale, behind the mask, hotter', async () => {
  const page = await tools.open();
  await ready(page);
  const prefix = 'encoder.layers.0.self_attn';
  const shape = { heads: 4, d_model: 64, keys: 14, prefix };
  let own = compute(tools.gf, {});
  await checkStory(page, 'it → creek', own.at, { ...shape, model: own.model, head: 0, row: 12, key: 1 });
  await point(page, '#heatmap', 7, 3, 'click');
  await checkStory(page, 'dog → cold', own.at, { ...shape, model: own.model, head: 0, row: 7, key: 3 });
  await page.locator('.lines-tokens.keys .line-token').nth(13).click();
  await checkStory(page, 'dog → .', own.at, { ...shape, model: own.model, head: 0, row: 7, key: 13 });
  await page.getByRole('radio', { name: 'layer 2, head 3' }).click();
  await page.waitForFunction(() => document.querySelector('#computation .view-title')?.textContent?.includes('layer 2, head 3'));
  await checkStory(page, 'dog → .', own.at, { ...shape, prefix: 'encoder.layers.1.self_attn', model: own.model, head: 2, row: 7, key: 13 });
  await update(page, () => page.getByLabel('Divide scores').uncheck());
  await update(page, () => page.getByLabel('Causal mask').check());
  own = compute(tools.gf, { scoreScale: false, causal: true });
  await page.waitForFunction(() => document.querySelector('#computation [data-value=masked]')?.textContent === '−∞');
  await checkStory(page, 'dog → .', own.at, { ...shape, prefix: 'encoder.layers.1.self_attn', model: own.model, head: 2, row: 7, key: 13, scale: 1 });
  assert.match(await page.locator('#computation').innerText(), /√d_k is switched off[\s\S]*may not look at/);
  await page.locator('#changes .temperature').fill('0.3');
  await page.waitForFunction(() => / temperature 2 divides too/.test(document.querySelector('#computation')?.textContent ?? ''));
  own.model.forward({ ids: own.model.tensor('encoder.ids').data, temperature: 2, capture: true });
  await checkStory(page, 'dog → .', own.at, { ...shape, prefix: 'encoder.layers.1.self_attn', model: own.model, head: 2, row: 7, key: 13, scale: 2 });
  await page.locator('#text').fill('');
  await page.waitForFunction(() => /** @type {HTMLElement} */ (document.querySelector('#computation')).closest('section')?.hidden);
  await tools.close(page);
});

test('cross-attention, many keys', async () => {
  const page = await tools.open();
  await ready(page);
  await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
  const own = compute(tools.gf, { kind: 'encoder-decoder' }, { target: TARGET });
  await checkStory(page, '. → creek', own.at, { model: own.model, prefix: 'decoder.layers.0.multihead_attn', heads: 4, d_model: 64, keys: 14, head: 0, row: 10, key: 1 });
  await update(page, () => page.locator('#text').fill('word '.repeat(40)));
  const rows = page.locator('#computation .softmax tbody tr');
  await page.waitForFunction(() => /other 24 have|other 23 have/.test(document.querySelector('#computation')?.textContent ?? ''));
  assert((await rows.count()) <= 17 && await page.locator('#computation .softmax tr.here').count() === 1);
  await tools.close(page);
});

test('creek opens with its own weight explained, and says so of a mean', async () => {
  const page = await tools.open({ model: '' });
  await ready(page);
  const file = (/** @type {string} */ name) => readFileSync(new URL(`../../web/models/${name}`, import.meta.url));
  const { config, vocabulary } = JSON.parse(file('creek.json').toString());
  const model = tools.gf.createModel(config);
  model.loadWeights(readSafetensors(file('creek.safetensors')).tensors, { strict: false });
  model.forward({ ids: 'the creek was cold and the spunky dog wanted to jump over it .'.split(' ').map(word => vocabulary.indexOf(word)), capture: true });
  const at = (/** @type {string} */ name, /** @type {number[]} */ ...index) => {
    const { data, shape } = model.tensor(name);
    return data[index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)];
  };
  await page.waitForFunction(() => document.querySelector('#heatmap .map-readout')?.textContent?.startsWith('row it, column creek'));
  const [, layer, head] = (/layer (\d), head (\d)/.exec(await page.locator('#heatmap .view-title').innerText()) ?? []).map(Number);
  await checkStory(page, 'it → creek', at, { model, prefix: `encoder.layers.${layer - 1}.self_attn`, heads: config.heads, d_model: config.d_model, keys: 14, head: head - 1, row: 12, key: 1 });
  assert.equal(await page.getByText('opened here is one of them').count(), 0);
  await page.getByLabel('Mean of this layer').check();
  await page.getByText('opened here is one of them').waitFor();
  await tools.close(page);
});
