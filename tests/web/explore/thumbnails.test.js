// The graph's heads are drawn from the module's tensors, and the way to the open weight is marked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPixels } from '../../../web/draw/canvas.js';
import { probabilityScale } from '../../../web/draw/color.js';
import { pathTo } from '../../../web/explore/model-graph/path.js';
import { stream } from '../../../web/explore/derived/residual-stream.js';
import { TARGET, compute, headCells, point, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();

test('the way to a weight: its stack up to the attention, and all of an encoder that it reads', () => {
  const { model } = compute(tools.gf, { kind: 'encoder-decoder' }, { target: TARGET });
  const graph = stream(/** @type {any} */ ({ gf: tools.gf, model }));
  const labels = (/** @type {any} */ selection) => {
    const way = pathTo(graph, selection);
    return [graph.encoder, graph.decoder].map((own, i) => own?.nodes[(i ? way.decoder : way.encoder) - 1]?.label);
  };
  assert.deepEqual(labels({ kind: 'encoder', layer: 0 }), ['Attention', undefined]);
  assert.deepEqual(labels({ kind: 'cross', layer: 1 }), ['Final norm', 'Cross-attention']);
  assert.deepEqual(pathTo(graph, /** @type {any} */ ({ kind: 'decoder', layer: 0 })), { encoder: 0, decoder: 4 });
  model.free();
});

test('drawn on the page, pixel by pixel; the way follows the layer', async () => {
  const page = await tools.open();
  await ready(page);
  await page.waitForFunction(() => document.querySelectorAll('#model-graph .on-path').length > 0);
  const { model } = compute(tools.gf, {});
  const { data } = model.tensor('encoder.layers.1.self_attn.weights');
  const painted = (await headCells(page, 14, 14))[6];
  const pixels = new Uint32Array(196);
  const own = data.slice(2 * 196, 3 * 196);
  fillPixels(pixels, { rows: 14, columns: 14, data: own, scale: probabilityScale('light', true), scheme: 'light' });
  const bytes = [...new Uint8Array(pixels.buffer)];
  assert.equal(painted.length, bytes.length);
  painted.forEach((each, i) => assert(Math.abs(each - bytes[i]) <= 2, `byte ${i}: ${each}, ${bytes[i]}`));

  const way = () =>
    page
      .locator('#model-graph .on-path')
      .evaluateAll((all) => all.map((each) => /** @type {HTMLElement} */ (each).dataset.term ?? each.ariaLabel));
  const first = ['Tokens', 'Embedding', '+ Positions', 'Encoder self-attention, layer 1'];
  assert.deepEqual(await way(), first);
  await update(page, () => page.getByRole('radio', { name: 'layer 2, head 3' }).click());
  assert.deepEqual(await way(), [...first, 'Add & norm', 'FFN', 'Add & norm', 'Encoder self-attention, layer 2']);
  const animations = () => page.evaluate(() => document.querySelector('#model-graph .on-path')?.getAnimations().length);
  assert.equal(await animations(), 0);
  await point(page, '#heatmap', 7, 3, 'click');
  await page.waitForFunction(() => (document.querySelector('#model-graph .on-path')?.getAnimations().length ?? 0) > 0);
  await tools.close(page);
});

test('another node than attention has no way; nothing lights up by itself where motion is reduced', async () => {
  const page = await tools.open({ layout: 'workspace', reducedMotion: 'reduce' });
  await ready(page);
  const marked = page.locator('#model-graph .on-path');
  await marked.first().waitFor();
  await point(page, '#heatmap', 7, 3, 'click');
  assert.equal(await marked.first().evaluate((node) => node.getAnimations().length), 0);
  await page.getByRole('button', { name: 'Layer 1: FFN' }).click();
  await marked.first().waitFor({ state: 'detached' });
  await tools.close(page);
});
