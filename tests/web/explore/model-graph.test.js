// The way through the model: what its nodes are, where they lead, and that their numbers are the module's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodesOf } from '../../../web/explore/shared/graph.js';
import { compute, readout, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */

/** The L2 norm of one row. @param {{tensor: (name: string) => any}} model @param {string} name @param {number} row */
function norm(model, name, row) {
  const { data, shape } = model.tensor(name);
  const width = shape.at(-1);
  return Math.hypot(...data.subarray(row * width, (row + 1) * width));
}

/** What the page shows: labels and numbers of a stack. @param {Page} page @param {string} stack */
const shown = (page, stack) =>
  page
    .getByRole('group', { name: stack, exact: true })
    .locator('.model-graph-node')
    .evaluateAll((all) =>
      all.map((step) => ({
        label: step.children[1].textContent,
        number: Number(step.querySelector('.model-graph-number').textContent.replace('−', '-')),
      })),
    );

/** The nodes that have no tiles, as these say no number. @param {string[]} names of tensors */
const withNumbers = (names) => names.filter((name) => !name.endsWith('attn.out'));

/** @param {number} number @param {number} computed */
const near = (number, computed) =>
  assert(Math.abs(number - computed) < 0.00501 + 1e-5 * computed, `shown ${number}, computed ${computed}`);

/** @param {string[]} steps @param {string} way */
const labels = (steps, way) => assert.equal(steps.join(' '), way);

test('the order of a model’s parts, in every arrangement', () => {
  const order = (/** @type {any} */ settings) => {
    const { model } = compute(
      tools.gf,
      { layers: 1, ...settings },
      settings.kind === 'encoder-decoder' ? { target: 'der Hund' } : {},
    );
    const { encoder, decoder } = nodesOf(model);
    for (const { tensor, stream } of [...(encoder ?? []), ...(decoder ?? [])])
      assert(!stream || model.tensor(String(tensor)));
    model.free();
    return [encoder, decoder].map((steps) => steps?.map((step) => step.label) ?? []);
  };
  const begin = 'Tokens Embedding + Positions';
  labels(order({})[0], `${begin} Attention Add & norm FFN Add & norm`);
  labels(order({ norm: 'pre', finalNorm: true })[0], `${begin} Norm Attention Add Norm FFN Add Final norm`);
  labels(order({ norm: 'none', positions: 'none' })[0], 'Tokens Embedding Attention Add FFN Add');
  labels(order({ residual: false })[0], `${begin} Attention Norm FFN Norm`);
  labels(order({ residual: false, norm: 'none', d_ff: 0 })[0], `${begin} Attention`);
  labels(
    order({ kind: 'decoder', head: 'tied' })[1],
    `${begin} Attention Add & norm FFN Add & norm Logits Probabilities`,
  );
  const [encoder, decoder] = order({ kind: 'encoder-decoder', decoderLayers: 1 });
  labels(encoder, `${begin} Attention Add & norm FFN Add & norm Final norm`);
  labels(decoder, `${begin} Attention Add & norm Cross-attention Add & norm FFN Add & norm Final norm`);
});

test('each part shows its number at the pinned token', async () => {
  const page = await tools.open();
  await ready(page);
  const { model } = compute(tools.gf, {});
  const layer = (/** @type {number} */ i) =>
    ['self_attn.out', 'norm1.out', 'ffn.out', 'norm2.out'].map((name) => `encoder.layers.${i}.${name}`);
  const names = withNumbers(['encoder.embedding', 'encoder.input', ...layer(0), ...layer(1)]);
  const steps = (await shown(page, 'Encoder')).slice(1);
  assert.equal(steps.length, names.length);
  steps.forEach(({ number }, i) => near(number, norm(model, names[i], 12)));
  await page.locator('#tokens-encoder .token').nth(3).click();
  (await shown(page, 'Encoder')).slice(1).forEach(({ number }, i) => near(number, norm(model, names[i], 3)));
  await update(page, () => page.selectOption('#set-norm', 'pre'));
  const pre = compute(tools.gf, { norm: 'pre' });
  const after = await shown(page, 'Encoder');
  assert.deepEqual(
    after.slice(3, 8).map(({ label }) => label),
    ['Norm', 'Add', 'Norm', 'FFN', 'Add'],
  );
  near(after[7].number, norm(pre.model, 'encoder.layers.0.residual2', 3));
  await tools.close(page);
});

test('a part leads to its view, its layer and its stack', async () => {
  const page = await tools.open({ reducedMotion: 'reduce' });
  await ready(page);
  const at = () => page.evaluate(() => document.activeElement?.textContent);
  const inSight = (/** @type {string} */ id) =>
    page.waitForFunction((each) => {
      const { top } = document.getElementById(each).closest('section').querySelector('h2').getBoundingClientRect();
      return top >= 0 && top < innerHeight;
    }, id);
  const go = (/** @type {string} */ name) => page.getByRole('button', { name }).first().click();
  await update(page, () => go('Layer 2: FFN'));
  await inSight('ffn');
  assert.equal(await at(), 'Feed-forward network');
  assert.equal(await page.locator('#model-graph [aria-current=step]').count(), 1);
  assert.match(String(await page.locator('#model-graph [aria-current=step]').textContent()), /^Layer 2:\s*FFN/);
  assert.match((await page.locator('.head[aria-checked=true]').getAttribute('aria-label')) ?? '', /layer 2/);
  await go('Embedding');
  await inSight('embedding');
  assert.equal(await at(), 'Embedding');
  await page.getByRole('button', { name: 'Layer 1: Add & norm' }).nth(1).click();
  await inSight('layer-norm');
  await page.waitForFunction(
    () =>
      /** @type {HTMLSelectElement} */ (document.querySelector('#layer-norm select')).selectedOptions[0].textContent ===
      'Layer 1, after FFN',
  );
  await update(page, () => page.selectOption('#set-kind', 'encoder-decoder'));
  const decoder = page.getByRole('group', { name: 'Decoder', exact: true });
  await update(page, () => decoder.getByRole('radio', { name: 'Cross-attention, layer 2, head 1' }).click());
  await inSight('heatmap');
  assert.match(await page.locator('#heatmap .view-title').innerText(), /^Cross-attention, layer 2/);
  await update(page, () =>
    page.getByRole('group', { name: 'Encoder', exact: true }).getByRole('button', { name: '+ Positions' }).click(),
  );
  await inSight('positions');
  assert.match((await readout(page)).place, /row it, column creek/);
  await tools.close(page);
});

test('arrow keys within, one tab stop', async () => {
  const page = await tools.open();
  await ready(page);
  const stop = page.locator('#model-graph [tabindex="0"]');
  const name = () =>
    page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.children[1]?.textContent);
  assert.equal(await stop.count(), 1);
  await stop.focus();
  for (const [key, label] of [
    ...[2, 3, 4].map((head) => ['ArrowRight', `Encoder self-attention, layer 1, head ${head}`]),
    ['ArrowRight', 'Add & norm'],
    ['ArrowRight', 'FFN'],
    ['ArrowDown', 'FFN'],
    ['ArrowLeft', 'Add & norm'],
    ['Home', 'Words'],
    ['ArrowLeft', 'Words'],
    ['End', 'Add & norm'],
  ]) {
    await page.keyboard.press(key);
    assert.equal(await name(), label, key);
    assert.equal(await stop.count(), 1);
  }
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.id === 'layer-norm-title');
  await tools.close(page);
});

test('a node pins its own state of the residual stream', async () => {
  const page = await tools.open({ model: 'continue', layout: 'workspace' });
  await ready(page);
  const sums = page.locator('#model-graph .model-graph-node.dot');
  const pinned = async () => (await readout(page, '#residual-stream')).place;
  const count = await sums.count();
  const seen = [];
  for (let i = 0; i < count; i++) {
    await update(page, () => sums.nth(i).click());
    await page.locator('#residual-stream .map-readout').waitFor();
    assert.equal(await page.locator('#model-graph .dot[aria-current]').count(), 1, `node ${i} alone is current`);
    seen.push(/after (.*)$/.exec(await pinned())?.[1]);
  }
  const titles = await page.locator('#residual-token .stages tbody th').allInnerTexts();
  assert.deepEqual(seen, titles.slice(-count), 'one state each, in their order, the last the last');
  await tools.close(page);
});
