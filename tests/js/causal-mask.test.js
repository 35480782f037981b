// `mask: 'causal'`: the same bits as the mask written out, wherever a mask is taken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../../dist/js/index.js';
import { gradients } from '../../dist/js/derivatives.js';

const gf = await load();
const wave = (...shape) =>
  gf.tensor(
    Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i + shape.length)),
    shape,
  );
const triangle = (rows, columns) =>
  Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, key) => (key > row ? -Infinity : 0)));

test('models of each kind that takes a mask', () => {
  const ids = [[1, 2, 3, 4]];
  for (const [settings, inputs, columns = 4] of /** @type {[any, any, number?][]} */ ([
    [
      { kind: 'encoder', vocabulary: 9 },
      { ids, padding: [[0, 0, 0, 1]] },
    ],
    [{ kind: 'decoder', vocabulary: 9, causal: false }, { ids }],
    [
      { kind: 'encoder-decoder', vocabulary: 9, causal: false },
      { sourceIds: [[5, 6]], targetIds: ids },
    ],
    [{ kind: 'attention' }, { vectors: wave(1, 4, 8) }],
    [{ kind: 'attention' }, { vectors: wave(1, 4, 8), memory: wave(1, 3, 8) }, 3],
  ])) {
    const model = gf.createModel({ d_model: 8, heads: 2, layers: 1, ...settings });
    const outputs = [triangle(4, columns), 'causal', undefined].map(
      (mask) => model.forward({ ...inputs, mask }).output.data,
    );
    assert.deepEqual(outputs[1], outputs[0], settings.kind);
    assert.notDeepEqual(outputs[2], outputs[0], settings.kind);
    model.free();
  }
});

test('operations, a trainer and derivatives', () => {
  const [query, key] = [wave(4, 8), wave(5, 8)];
  const attend = (mask) => gf.attention(query, key, key, { heads: 2, mask });
  assert.deepEqual(attend('causal').weights, attend(triangle(4, 5)).weights);
  const weights = { in_proj_weight: wave(24, 8), 'out_proj.weight': wave(8, 8) };
  const heads = (mask) => gf.multiHeadAttention(query, { memory: key, weights, heads: 2, mask }).masked;
  assert.deepEqual(heads('causal'), heads(triangle(4, 5)));
  const model = gf.createModel({ kind: 'encoder', vocabulary: 9, d_model: 8, heads: 2, layers: 1, head: 'tied' });
  const batch = { ids: [1, 2, 3], labels: [2, 3, 4] };
  const loss = (mask) => model.trainer().loss({ ...batch, mask });
  assert.deepEqual(loss('causal'), loss(triangle(3, 3)));
  const slope = (mask) => gradients(model, { ...batch, mask, of: ['tok_emb.weight'] }).gradients;
  assert.deepEqual(slope('causal'), slope(triangle(3, 3)));
});

test('one that is too large is refused by its cost before it is made', () => {
  const model = gf.createModel({ kind: 'attention', d_model: 8, heads: 1 });
  const vectors = { data: new Float32Array(8 << 17), shape: [1, 1 << 17, 8] };
  assert.throws(() => model.forward({ vectors, mask: 'causal', maxOperations: 1e6 }), { code: 'limit' });
});

test('another word is refused', () => {
  const message = 'mask: must be \'causal\', nested arrays or a tensor, got "casual"';
  const model = gf.createModel({ kind: 'encoder', vocabulary: 9 });
  assert.throws(() => model.forward({ ids: [1], mask: /** @type {any} */ ('casual') }), { message });
  const x = [[1]];
  assert.throws(() => gf.attention(x, x, x, { mask: /** @type {any} */ ('casual') }), { message });
});
