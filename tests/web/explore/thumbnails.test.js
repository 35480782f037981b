// The graph's thumbnails are drawn from the module's tensors, and the way to the open weight is marked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBABILITIES } from '../../../web/engine/plan.js';
import { fillPixels } from '../../../web/draw/canvas.js';
import { MOST, longestOf, pathTo, pooled, thumbnailOf } from '../../../web/explore/model-graph/thumbnail.js';
import { stream } from '../../../web/explore/residual-stream/derived.js';
import { TARGET, compute, point, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
const SELECTION = /** @type {const} */ ({ kind: 'encoder', layer: 1, head: 2 });

/**
 * The thumbnails of an encoder with logits, as the page has its tensors.
 * @param {ReturnType<typeof compute>['model']} model
 */
function thumbnails(model) {
  const graph = stream(/** @type {any} */ ({ gf: tools.gf, model }));
  const names = [0, 1].map((layer) => `encoder.layers.${layer}.self_attn.weights`);
  const logits = model.tensors().some(({ name }) => name === 'logits') ? model.tensor('logits') : null;
  const result = {
    tensors: new Map([...names, ...(logits ? ['logits'] : [])].map((name) => [name, model.tensor(name)])),
    derived: new Map(logits ? [[PROBABILITIES, tools.gf.softmax({ x: logits })]] : []),
  };
  const nodes = graph.encoder?.nodes ?? [];
  const longest = longestOf(nodes);
  const options = /** @type {const} */ ({ ids: model.tensor('encoder.ids').data, longest, scheme: 'light' });
  return nodes.map((node) => ({ node, map: thumbnailOf(node, /** @type {any} */ (result), SELECTION, options) }));
}

test('a thumbnail has its tensor’s numbers: lengths of vectors, weights of the head, logits, probabilities', () => {
  const { model } = compute(tools.gf, { head: 'tied' });
  const all = thumbnails(model);
  const longest = Math.max(...all.flatMap(({ node: { norms } }) => (norms ? [...norms] : [])));
  assert(all.length > 10);
  const seen = new Set();
  for (const { node, map } of all) {
    assert(map, node.label);
    seen.add(node.kind);
    const { data, rows, columns, scale } = map;
    assert(rows <= MOST.rows && columns <= MOST.columns && data.length === rows * columns, node.label);
    if (node.kind === 'tokens') assert.deepEqual([...data], [...model.tensor('encoder.ids').data]);
    else if (node.kind === 'attention') {
      const head = node.layer === 1 ? 2 : 0;
      const weights = model
        .tensor(`encoder.layers.${node.layer}.self_attn.weights`)
        .data.slice(head * 196, (head + 1) * 196);
      for (let row = 0; row < rows; row++)
        for (let key = 0; key < 14; key++) {
          const those = [...Array(14).keys()].filter((each) => Math.floor((each * rows) / 14) === row);
          assert.equal(data[row * 14 + key], Math.max(...those.map((each) => weights[each * 14 + key])));
        }
      assert.deepEqual([scale.low, scale.high], [0, 1]);
    } else if (node.kind === 'logits' || node.kind === 'probabilities') {
      const whole = node.kind === 'logits' ? model.tensor('logits') : tools.gf.softmax({ x: model.tensor('logits') });
      const largest = (/** @type {Float32Array} */ of) => of.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
      assert.equal(largest(data), largest(whole.data));
    } else {
      const vectors = model.tensor(String(node.tensor)).data;
      const norms = Array.from({ length: 14 }, (_, t) => Math.hypot(...vectors.subarray(64 * t, 64 * t + 64)));
      norms.forEach((norm, t) => assert(Math.abs(norm - data[t]) < 1e-4 * norm, `${node.label} at ${t}`));
      assert.deepEqual([scale.low, scale.high], [0, longest], 'one scale for all lengths');
    }
  }
  for (const kind of ['tokens', 'embedding', 'attention', 'add', 'ffn', 'logits', 'probabilities'])
    assert(
      [...seen].some((each) => each === kind || (kind === 'add' && each === 'norm')),
      kind,
    );
  model.free();
});

test('of many cells each keeps the largest magnitude; few stay as they are', () => {
  const few = Float32Array.of(1, -2, 3, 4);
  assert.equal(pooled(few, 2, 2).data, few);
  const wide = Float32Array.from({ length: 56 }, (_, i) => (i % 2 ? -i : 0.5));
  const { rows, columns, data } = pooled(wide, 1, 56);
  assert.deepEqual([rows, columns], [1, 28]);
  assert.deepEqual(
    [...data],
    Array.from({ length: 28 }, (_, i) => -(2 * i + 1)),
  );
});

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
  const norms = Float32Array.from({ length: 14 }, (_, t) =>
    Math.hypot(...model.tensor('encoder.embedding').data.subarray(64 * t, 64 * t + 64)),
  );
  const painted = await page
    .getByRole('button', { name: 'Embedding' })
    .locator('canvas')
    .evaluate((/** @type {HTMLCanvasElement} */ canvas) => [
      ...(canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? []),
    ]);
  const { map } = thumbnails(model)[1];
  const pixels = new Uint32Array(14);
  assert(map);
  fillPixels(pixels, { ...map, data: norms });
  const own = [...new Uint8Array(pixels.buffer)];
  assert.equal(painted.length, own.length);
  painted.forEach((each, i) => assert(Math.abs(each - own[i]) <= 2, `byte ${i}: ${each}, ${own[i]}`));
  assert.equal(await page.locator('#model-graph canvas:not([aria-hidden=true])').count(), 0);

  const way = () =>
    page.locator('#model-graph .on-path > span:not(.visually-hidden, .model-graph-number)').allInnerTexts();
  assert.deepEqual(await way(), ['Tokens', 'Embedding', '+ Positions', 'Attention']);
  await update(page, () => page.getByRole('radio', { name: 'layer 2, head 3' }).click());
  assert.equal((await way()).join(' '), 'Tokens Embedding + Positions Attention Add & norm FFN Add & norm Attention');
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
