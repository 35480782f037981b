// A capture of some layers; that its numbers are those of a whole one: kept.test.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';

const gf = await load({ variant: 'simd' });
const model = gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 3, head: 'tied' });
const ids = [1, 2, 3, 4];
const refused = (code, message, call) =>
  assert.throws(call, (error) => error.code === code && message.test(error.message));

test('a layer that is left out is refused by name', () => {
  model.forward({ ids, capture: { layers: [1] } });
  assert.equal(model.tensor('decoder.layers.1.self_attn.scores').shape[1], 2);
  const name = 'decoder.layers.2.self_attn.weights';
  const hint = /needs capture: true, or its layer in capture.layers, in forward/;
  refused('unknown', hint, () => model.tensor(name));
  const pass = (more) => model.forward({ ids, capture: { layers: [1] }, ...more });
  refused('unknown', hint, () => pass({ patches: [{ name, value: 0 }] }));
  refused('unknown', hint, () => pass({ ablate: [{ layer: 2, head: 0 }] }));
  refused('missing', /ablate\[0\].layer.*0, 1, 2/, () => pass({ ablate: [{ head: 0 }] }));
  const ablated = pass({ ablate: [{ layer: 1, head: 0 }] }).logits.data;
  assert.deepEqual(ablated, model.forward({ ids, ablate: [{ layer: 1, head: 0 }] }).logits.data);
});

test('the bytes of a pass, before it runs', () => {
  const long = (options) => model.forwardBytes({ ids: Array(256).fill(1), ...options });
  const sizes = [{}, { capture: { layers: [2] }, logits: false }, { capture: { layers: [2] } }, { capture: true }];
  const bytes = sizes.map(long);
  assert.deepEqual(
    bytes,
    bytes.toSorted((a, b) => a - b),
  );
  assert.equal(long({ ablate: [{ layer: 0, head: 1 }] }), bytes[3]);
  assert.equal(model.forwardBytes({ ids: Array(1e5).fill(1), capture: true }), Infinity);
  refused('token', /ids/, () => model.forwardBytes({ ids: [9] }));
});

test('what is no choice of layers is refused', () => {
  const pass = (capture) => () => model.forward({ ids, capture });
  refused('range', /capture.layers\[1\].*from 0 to 2/, pass({ layers: [0, 3] }));
  refused('type', /capture.layers/, pass({ layers: 1 }));
  refused('missing', /capture.layers/, pass({}));
  refused('unknown', /^layer: unknown, did you mean layers/, pass({ layer: 1 }));
  refused('type', /capture: must be true, false or/, pass(1));
});

test('each of 64 layers can be kept alone', () => {
  const deep = gf.createModel({ kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 64 });
  for (const layers of [[0, 31], [32], [63]]) {
    deep.forward({ ids, capture: { layers } });
    const kept = deep.tensors().filter(({ region, layer }) => region === 'intermediate' && layer !== null);
    assert.deepEqual([...new Set(kept.map(({ layer }) => layer))], layers);
  }
  deep.free();
});

test('the logits of a row are those among all, also of a text that goes on', () => {
  const pass = (options) => model.forward({ ids, ...options });
  const { data } = pass({}).logits;
  const rows = ids.map((_, row) => data.subarray(9 * row, 9 * row + 9));
  pass({ ids: [1, 2], logits: false });
  assert.equal(pass({ logits: false, capture: true }).logits, undefined);
  rows.forEach((row, i) => assert.deepEqual(model.logitsAt(i), { data: row, shape: [1, 9] }));
  assert.equal(model.tensor('probabilities').shape[1], 1);
  refused('range', /must be below 4/, () => model.logitsAt(4));
  assert.deepEqual(model.generate({ ids, maxTokens: 2 }), model.clone().generate({ ids, maxTokens: 2 }));
  refused('state', /needs forward with logits: false/, () => model.logitsAt(0));
  pass({});
  refused('state', /needs forward with logits: false/, () => model.logitsAt(0));
});
