// One way to say which tensor and which part of it, wherever one is read or replaced.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import { load } from 'glassformer';
import { BOTH, same } from './reference.js';

const gf = await load({ variant: 'simd' });
const model = gf.createModel(BOTH);
const ids = { data: [1, 2, 3, 4, 5, 6, 7, 8], shape: [2, 4] };
const targetIds = { data: [5, 6, 7, 8, 1, 2], shape: [2, 3] };
const BATCH = { sourceIds: ids, targetIds };
model.forward({ ...BATCH, capture: true });
const kept = new Map(model.tensors().map((facts) => [facts.name, { ...facts, ...model.tensor(facts.name) }]));
const read = (selector) => {
  model.forward({ ...BATCH, capture: true });
  return model.tensor(selector);
};

/** Selects by an index of each axis from a dense tensor, by counting. */
function cut({ data, shape }, index) {
  const steps = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  const chosen = data.filter((_, i) =>
    index.every((at, axis) => at === null || Math.floor(i / steps[axis]) % shape[axis] === at),
  );
  return { data: chosen, shape: shape.filter((_, axis) => index[axis] === null) };
}

test('an index of any axes is what stands there in the whole, of every tensor', () => {
  model.forward({ ...BATCH, capture: true });
  fc.assert(
    fc.property(fc.constantFrom(...kept.values()), fc.infiniteStream(fc.option(fc.nat(99))), (tensor, draws) => {
      const index = tensor.shape.map((length) => {
        const at = draws.next().value;
        return at === null ? null : at % length;
      });
      assert.deepEqual(model.tensor({ name: tensor.name, index }), cut(tensor, index), `${tensor.name} ${index}`);
    }),
    { numRuns: 400, seed: 3 },
  );
});

test('a place in the model is the tensor that stands there', () => {
  model.forward({ ...BATCH, capture: true });
  const cross = 'decoder.layers.1.multihead_attn';
  for (const [selector, name, index] of [
    [{ stack: 'encoder', layer: 1 }, 'encoder.layers.1.out'],
    [{ stack: 'decoder', layer: 0, node: 'ffn' }, 'decoder.layers.0.ffn.out'],
    [{ stack: 'decoder', layer: 0, neuron: 3, row: 1, batch: 1 }, 'decoder.layers.0.ffn.activation', [1, 1, 3]],
    [{ stack: 'decoder', layer: 0, neuron: 3 }, 'decoder.layers.0.ffn.activation', [0, null, 3]],
    [{ attention: 'cross', layer: 1, head: 1 }, `${cross}.head_outputs`, [0, 1, null, null]],
    [{ attention: 'cross', layer: 1, role: 'weights', row: 2 }, `${cross}.weights`, [0, null, 2, null]],
    [{ stack: 'decoder', layer: 0, node: 'norm', sublayer: 2 }, 'decoder.layers.0.norm2.out'],
    [{ node: 'logits' }, 'logits'],
    [{ stack: 'encoder', layer: 1, role: 'linear2_weight', row: 5 }, 'encoder.layers.1.linear2.weight', [5, null]],
  ]) {
    const whole = kept.get(name);
    const wanted = cut(whole, index ?? whole.shape.map(() => null));
    assert.deepEqual(model.tensor(selector), wanted, JSON.stringify(selector));
  }
});

test('what a place leaves open is asked for by its name', () => {
  for (const [selector, code, parameter, message] of [
    [{ layer: 0 }, 'missing', 'selector.stack', /encoder, decoder/],
    [{ stack: 'encoder', head: 1 }, 'missing', 'selector.layer', /0, 1/],
    [{ stack: 'decoder', layer: 0, node: 'norm' }, 'missing', 'selector.sublayer', /1, 2/],
    [{ stack: 'encoder', layer: 0, node: 'norms' }, 'range', 'selector.node', /attention.*"norms"/],
    [{ node: 'logits', role: 'scores' }, 'range', 'selector.role', /out.*"scores"/],
    [{ layer: 0, node: 'ffn', role: 'scores' }, 'range', 'selector.role', /activation.*"scores"/],
    [{ name: 'logits', stack: 'decoder' }, 'unknown', 'selector.stack', /the name says it/],
    [{ name: 'logits', index: [0, 0, 0], row: 1 }, 'unknown', 'row', /the index says it/],
    [{ name: 'logits', neuron: 1 }, 'shape', 'neuron', /no axis of a neuron/],
    [{}, 'missing', 'selector', /needs a name, layer/],
    [[1], 'type', 'selector', /the name of a tensor/],
  ]) {
    assert.throws(() => read(selector), { code, parameter, message }, JSON.stringify(selector));
  }
});

test('a tensor that was read can be put in the same place, in one sequence or in all', () => {
  const at = { attention: 'cross', layer: 0, head: 1 };
  const name = 'decoder.layers.0.multihead_attn.head_outputs';
  const plain = model.forward(BATCH).logits;
  const own = read({ ...at, batch: 1 });
  assert.deepEqual(own.shape, [3, 4]);
  same(model.forward({ ...BATCH, patches: [{ at, batch: 1, value: own }] }).logits, plain);
  const both = model.forward({ ...BATCH, patches: [{ ...at, value: own }] });
  const { data } = kept.get(name);
  const whole = data.slice();
  for (const batch of [0, 1]) whole.set(own.data, (batch * 2 + 1) * 12);
  same(model.forward({ ...BATCH, patches: [{ name, value: whole }] }).logits, both.logits);
  assert.deepEqual(model.tensor({ name, batch: 0, head: 1 }), own);
  const nested = Array.from({ length: 3 }, (_, row) => [...own.data.slice(4 * row, 4 * row + 4)]);
  same(model.forward({ ...BATCH, patches: [{ at, value: nested }] }).logits, both.logits);
});

test('the mean is that of the tokens that are not hidden, of all sequences, in every place that is named', () => {
  const sourcePadding = { data: [0, 0, 0, 0, 0, 0, 1, 1], shape: [2, 4] };
  const given = { ...BATCH, sourcePadding, capture: true };
  const mean = (numbers) => Math.fround(numbers.reduce((sum, each) => sum + each, 0) / numbers.length);
  const at = { stack: 'encoder', layer: 0, head: 1 };
  model.forward(given);
  const own = model.tensor('encoder.layers.0.self_attn.head_outputs'); // [2, 2, 4, 4]
  const seen = [0, 1, 2, 3].map((d) =>
    mean([...cut(own, [0, 1, null, d]).data, ...cut(own, [1, 1, null, d]).data.slice(0, 2)]),
  );
  const { data } = model.tensor({ stack: 'encoder', layer: 0, role: 'activation' });
  const width = data.length / 8;
  const neuron = mean(cut({ data, shape: [8, width] }, [null, 5]).data.slice(0, 6));
  const wanted = model.forward({
    ...given,
    patches: [
      { ...at, value: [0, 1, 2, 3].map(() => seen) },
      { stack: 'encoder', layer: 0, neuron: 5, value: neuron },
    ],
  });
  const off = [at, { stack: 'encoder', layer: 0, neuron: 5 }].map((each) => ({ ...each, value: 'mean' }));
  same(model.forward({ ...BATCH, sourcePadding, ablate: off }).logits, wanted.logits);
  same(model.forward({ ...BATCH, sourcePadding, patches: off }).logits, wanted.logits);
  model.forward({ ...given, ablate: [{ ...at, row: 2, value: 'mean' }] });
  assert.deepEqual([...model.tensor({ ...at, row: 2 }).data], seen);
  assert.deepEqual(model.tensor({ ...at, row: 1 }).data, cut(own, [0, 1, 1, null]).data);
});

test('a whole node can be ablated, by its place or its name', () => {
  const name = 'encoder.layers.1.ffn.out';
  const { logits } = model.forward({ ...BATCH, ablate: [{ stack: 'encoder', layer: 1, node: 'ffn' }] });
  same(model.forward({ ...BATCH, patches: [{ name, value: 0 }] }).logits, logits);
  same(model.forward({ ...BATCH, ablate: [name] }).logits, logits);
});
