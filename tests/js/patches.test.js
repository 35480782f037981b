// Numbers put in the place of computed ones, against the same model with other weights, and against
// arithmetic done here.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from 'glassformer';
import { BOTH, at, same } from './reference.js';

const gf = await load({ variant: 'simd' });
const CONFIG = { ...BOTH, norm: 'pre', embeddingNorm: true };
const BATCH = { sourceIds: [1, 2, 3, 4], targetIds: [5, 6, 7], capture: true };
const model = gf.createModel(CONFIG);
const plain = model.forward(BATCH);
const kept = new Map(model.tensors().map(({ name }) => [name, model.tensor(name)]));
const intermediates = model
  .tensors()
  .filter(({ region, name }) => region === 'intermediate' && !/(^|\.)(mean|variance|probabilities)$/.test(name));

test('tensors() lists as patchable what later numbers are computed from', () => {
  const patchable = model.tensors().filter(({ patchable }) => patchable);
  assert.deepEqual(
    patchable.map(({ name }) => name),
    intermediates.map(({ name }) => name),
  );
});

/** Largest difference of two tensors. */
const distance = (a, b) => a.data.reduce((most, value, i) => Math.max(most, Math.abs(value - b.data[i])), 0);

/** The logits with other weights. */
function withWeights(change) {
  const other = gf.createModel(CONFIG);
  const weights = model.weights();
  change(weights);
  other.loadWeights(weights);
  const { logits } = other.forward(BATCH);
  other.free();
  return logits;
}

test('what was computed, put in its own place, changes no bit', () => {
  assert.ok(intermediates.length > 60, `${intermediates.length}`);
  for (const { name } of intermediates) {
    const { data } = kept.get(name);
    if (data.some((value) => !Number.isFinite(value))) continue; // a mask hides by -Infinity
    same(model.forward({ ...BATCH, patches: [{ name, value: data }] }).logits, plain.logits);
  }
});

test('every intermediate that later ones are computed from can be replaced, and it shows', () => {
  for (const { name, shape } of intermediates) {
    // the last row sees all keys
    const index = shape.map((length, axis) => (axis === shape.length - 2 ? length - 1 : 0));
    const { logits } = model.forward({ ...BATCH, patches: [{ name, index, value: 3.5 }] });
    assert.equal(at(model.tensor(name), ...index), 3.5, name);
    assert.ok(distance(logits, plain.logits) > 0, name);
  }
  same(model.forward(BATCH).logits, plain.logits);
});

test('a head set to 0 is a head without output weights', () => {
  for (const part of ['encoder.layers.1.self_attn', 'decoder.layers.0.self_attn', 'decoder.layers.1.multihead_attn']) {
    const wanted = withWeights((weights) => {
      const { data } = weights.get(`${part}.out_proj.weight`);
      data.forEach((_, i) => {
        if (i % 8 >= 4) data[i] = 0;
      });
    });
    const { logits } = model.forward({
      ...BATCH,
      patches: [{ name: `${part}.head_outputs`, index: [0, 1, null, null], value: 0 }],
    });
    assert.ok(distance(logits, wanted) < 1e-6 && distance(logits, plain.logits) > 1e-3, part);
  }
});

test('a neuron set to its bias is a neuron without input weights', () => {
  const layer = 'decoder.layers.0';
  const wanted = withWeights((weights) => weights.get(`${layer}.linear1.weight`).data.fill(0, 5 * 8, 6 * 8));
  const {
    data: [...bias],
  } = model.tensor(`${layer}.linear1.bias`);
  const { logits } = model.forward({
    ...BATCH,
    patches: [{ name: `${layer}.ffn.pre_activation`, index: [0, null, 5], value: bias[5] }],
  });
  assert.ok(distance(logits, wanted) < 1e-6);
});

test('a cell of the weights reaches its row of its head, and nothing before', () => {
  const part = 'decoder.layers.0.multihead_attn';
  model.forward({ ...BATCH, patches: [{ name: `${part}.weights`, index: [0, 1, 2, 3], value: 0.75 }] });
  const [weights, value, out] = ['weights', 'value', 'head_outputs'].map((name) => model.tensor(`${part}.${name}`));
  for (let d = 0; d < 4; d++) {
    let sum = 0;
    for (let s = 0; s < 4; s++) sum += weights.data[(3 + 2) * 4 + s] * value.data[(4 + s) * 4 + d];
    assert.ok(Math.abs(out.data[(3 + 2) * 4 + d] - sum) < 1e-6);
  }
  assert.equal(weights.data[(3 + 2) * 4 + 3], 0.75);
  same(model.tensor('decoder.layers.0.self_attn.out'), kept.get('decoder.layers.0.self_attn.out'));
});

test('a temperature divides the scores', () => {
  for (const temperature of [0.5, 2, 7]) {
    model.forward({ ...BATCH, temperature });
    for (const part of ['encoder.layers.0.self_attn', 'decoder.layers.1.multihead_attn']) {
      const [scores, scaled] = [model.tensor(`${part}.scores`), model.tensor(`${part}.scaled`)];
      scaled.data.forEach((value, i) =>
        assert.ok(Math.abs(value - scores.data[i] / (Math.sqrt(4) * temperature)) <= 1e-6 * Math.abs(value), part),
      );
    }
  }
  const { logits } = model.forward({ sourceIds: BATCH.sourceIds, targetIds: BATCH.targetIds, temperature: 2 });
  assert.ok(distance(logits, plain.logits) > 1e-4);
  same(model.forward({ ...BATCH, temperature: 1 }).logits, plain.logits);
});

test('a refused patch is named, and the last results stay', () => {
  model.forward(BATCH);
  const name = 'encoder.layers.0.self_attn.weights';
  for (const [patches, code, parameter] of [
    [{}, 'type', 'patches'],
    [[{ value: 1 }], 'missing', 'patches[0]'],
    [[{ name: 'nobody', value: 1 }], 'unknown', 'name'],
    [[{ name, layer: 0, value: 1 }], 'unknown', 'patches[0].layer'],
    [[{ name, head: 0, index: [0, 0, 0, 0], value: 1 }], 'unknown', 'patches[0].head'],
    [[{ name, value: 'median' }], 'type', 'patches[0].value'],
    [[{ name: 'encoder.layers.0.linear1.weight', value: 1 }], 'range', 'patches[0].name'],
    [[{ name: 'logits', value: 1 }], 'range', 'patches[0].name'],
    [[{ name: 'encoder.layers.0.norm1.mean', value: 1 }], 'range', 'patches[0].name'],
    [[{ name, index: [0, 0, 0], value: 1 }], 'shape', 'patches[0].index'],
    [[{ name, index: [0, 2, 0, 0], value: 1 }], 'range', 'patches[0].index[1]'],
    [[{ name, index: 3, value: 1 }], 'type', 'patches[0].index'],
    [[{ name, value: NaN }], 'range', 'patches[0].value'],
    [[{ name, value: [1, 2] }], 'shape', 'patches[0].value'],
    [[{ name, value: [] }], 'shape', 'patches[0].value'],
    [[{ name, row: 9, value: [] }], 'range', 'patches[0].row'],
    [[{ name }], 'missing', 'patches[0].set'],
    [[{ at: 2, value: 1 }], 'type', 'patches[0].at'],
    [[{ name, value: 1, to: 2 }], 'unknown', 'to'],
  ]) {
    assert.throws(
      () => model.forward({ ...BATCH, patches }),
      { name: 'GlassformerError', code, parameter },
      JSON.stringify(patches),
    );
    same(model.tensor('logits'), plain.logits);
  }
  for (const temperature of [0, -1, NaN, Infinity])
    assert.throws(() => model.forward({ ...BATCH, temperature }), { code: 'range', parameter: 'temperature' });
});
