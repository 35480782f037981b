// Local attention windows and the transform before the output head, by what else says the same.
import assert from 'node:assert/strict';
import test from 'node:test';
import { load, readSafetensors } from 'glassformer';
import { engines } from './engines.js';

const T = 9;
const IDS = [3, 1, 4, 1, 5, 9, 2, 6, 5];
const SMALL = { vocabulary: 11, d_model: 12, heads: 3, d_ff: 20, layers: 4, norm: 'pre', head: 'tied', seed: 5 };

/** A window as an additive mask. */
const maskOf = (/** @type {number} */ window) => ({
  data: Float32Array.from({ length: T * T }, (_, i) =>
    Math.abs(Math.floor(i / T) - (i % T)) < window ? 0 : -Infinity,
  ),
  shape: [T, T],
});

for (const gf of engines) {
  const { variant } = gf;

  test(`${variant}: a window hides what a mask hides, in the layers that have it`, () => {
    for (const kind of /** @type {const} */ (['encoder', 'decoder'])) {
      for (const window of [1, 3, 8, 20]) {
        const local = gf.createModel({ ...SMALL, kind, layers: 1, window });
        const all = gf.createModel({ ...SMALL, kind, layers: 1 });
        const global = gf.createModel({ ...SMALL, kind, layers: 1, window, globalLayers: 1 });
        const { data } = local.forward({ ids: IDS }).logits;
        assert.deepEqual(data, all.forward({ ids: IDS, mask: maskOf(window) }).logits.data);
        assert.deepEqual(global.forward({ ids: IDS }).logits.data, all.forward({ ids: IDS }).logits.data);
        assert.deepEqual(local.forward({ ids: IDS, capture: true }).logits.data, data, 'with capture');
        for (const model of [local, all, global]) model.free();
      }
    }
  });

  test(`${variant}: layers 0 and 2 see all, 1 and 3 three tokens`, () => {
    const model = gf.createModel({ ...SMALL, kind: 'decoder', window: 3, globalLayers: 0b0101 });
    model.forward({ ids: IDS, capture: true });
    for (let layer = 0; layer < 4; layer++) {
      const { data, shape } = model.tensor(`decoder.layers.${layer}.self_attn.weights`);
      data.forEach((weight, i) => {
        const [query, key] = [Math.floor(i / T) % T, i % T];
        const seen = key <= query && (layer % 2 === 0 || query - key < 3);
        assert.equal(weight > 0, seen, `layer ${layer}, ${query} to ${key} of ${shape}`);
      });
    }
    model.free();
  });

  test(`${variant}: with a cache the same bits as without`, () => {
    const model = gf.createModel({ ...SMALL, kind: 'decoder', window: 2, globalLayers: 2, headTransform: true });
    const { newIds } = model.generateSync({ ids: IDS.slice(0, 3), maxTokens: 6 });
    const ids = IDS.slice(0, 3);
    for (const id of newIds) {
      const { data, shape } = model.forward({ ids }).logits;
      const last = data.subarray(data.length - shape[2]);
      assert.equal(last.indexOf(Math.max(...last)), id);
      ids.push(id);
    }
    model.free();
  });

  test(`${variant}: the transform is its three operations`, () => {
    for (const activation of /** @type {const} */ (['relu', 'gelu', 'silu'])) {
      const model = gf.createModel({ ...SMALL, activation, headTransform: true, types: 2, embeddingNorm: true });
      for (const name of model.weights().keys()) model.view(name).forEach((x, i, all) => (all[i] = x + (i % 7) / 50));
      const { logits, output } = model.forward({ ids: IDS, capture: true });
      const tensor = (/** @type {string} */ name) => model.tensor(name);
      const linear = (/** @type {any} */ x, /** @type {any} */ b, /** @type {any} */ bias) => {
        const y = gf.matmul(x, b, { transposeB: true });
        y.data.forEach((value, i) => (y.data[i] = value + bias.data[i % bias.data.length]));
        return y;
      };
      const x = { data: output.data, shape: [T, 12] };
      const before = linear(x, tensor('transform.dense.weight'), tensor('transform.dense.bias'));
      const active = gf.activation(before, activation);
      const normed = gf.layerNorm(active, {
        weight: tensor('transform.norm.weight'),
        bias: tensor('transform.norm.bias'),
      }).output;
      const wanted = linear(normed, tensor('tok_emb.weight'), tensor('generator.bias'));
      wanted.data.forEach((value, i) => assert(Math.abs(value - logits.data[i]) < 1e-5));
      model.free();
    }
  });
}

test('a file without these settings has none of them', async () => {
  const gf = await load();
  const configOf = async (/** @type {object} */ settings) =>
    JSON.parse(
      String(
        readSafetensors(await gf.createModel({ ...SMALL, ...settings }).save()).metadata.get('glassformer.config'),
      ),
    );
  for (const name of ['headTransform', 'window', 'globalLayers', 'globalLayersAbove']) {
    assert.equal(name in (await configOf({})), false);
  }
  const { window, headTransform, globalLayers } = await configOf({ window: 4, globalLayers: -1, headTransform: true });
  assert.deepEqual([window, headTransform, globalLayers], [4, true, -1]);
});

test('what they need is named', async () => {
  const gf = await load();
  assert.throws(() => gf.createModel({ ...SMALL, head: 'none', headTransform: true }), {
    code: 'config',
    parameter: 'headTransform',
  });
  assert.throws(() => gf.createModel({ kind: 'feed-forward', window: 2 }), { code: 'config', parameter: 'window' });
  assert.throws(() => gf.createModel({ ...SMALL, window: -1 }), { code: 'config', parameter: 'window' });
});
