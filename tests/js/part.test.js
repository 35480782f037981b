// A part of a tensor: a sequence of the batch, a head of it, a row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GlassformerError, load } from '../../dist/js/index.js';
import { load as loadRemote } from '../../dist/js/worker.js';

const SETTINGS = { kind: 'encoder', vocabulary: 9, d_model: 12, d_ff: 24, heads: 3, layers: 1, seed: 5, head: 'tied' };
const IDS = [
  [1, 2, 3, 4],
  [5, 6, 7, 8],
];
const WEIGHTS = 'encoder.layers.0.self_attn.weights';

test('a part is what stands there in the whole, of every tensor', async () => {
  const model = (await load()).createModel(SETTINGS);
  model.trainer().gradients({
    ids: IDS,
    labels: IDS,
    padding: [
      [0, 0, 0, 0],
      [0, 0, 0, 1],
    ],
    capture: true,
  });
  let [matrices, rows] = [0, 0];
  for (const { name, shape } of model.tensors()) {
    const whole = model.tensor(name);
    const size = whole.data.length;
    const from = (part, at, length) => {
      const { data, shape } = model.tensor({ name, ...part });
      assert.deepEqual(data, whole.data.slice(at, at + length), `${name} ${JSON.stringify(part)}`);
      assert.equal(
        shape.reduce((a, b) => a * b, 1),
        length,
      );
    };
    if (shape.length === 4) {
      matrices++;
      for (const batch of [0, 1])
        for (const head of [0, 2]) from({ batch, head }, (batch * 3 + head) * (size / 6), size / 6);
      from({ head: 1 }, size / 6, size / 6);
      const row = { batch: 1, head: 2, row: shape[2] - 1 };
      from(row, size - shape[3], shape[3]);
    }
    if (shape.length === 3) from({ batch: 1, row: 3 }, size - shape[2], shape[2]);
    if (name.endsWith('linear1.weight')) from({ row: 23 }, size - shape.at(-1), shape.at(-1));
    if (shape[0] !== 2) continue;
    rows++;
    from({ batch: 1 }, size / 2, size / 2);
  }
  assert.deepEqual([matrices, rows], [16, 54]);
});

test('what a tensor does not have is refused by name, here and in a worker', async () => {
  const model = (await load()).createModel(SETTINGS);
  const remote = await loadRemote();
  const far = await remote.createModel(SETTINGS);
  for (const each of [model, far]) await each.forward({ ids: IDS, capture: true });
  assert.deepEqual(
    await far.tensor({ name: WEIGHTS, batch: 1, head: 2 }),
    model.tensor({ name: WEIGHTS, batch: 1, head: 2 }),
  );
  for (const [name, part, message] of /** @type {[string, any, string][]} */ ([
    [WEIGHTS, { head: 3 }, 'head: must be an integer from 0 to 2, got 3'],
    [WEIGHTS, { batch: -1 }, 'batch: must be an integer from 0 to 1, got -1'],
    [WEIGHTS, { head: '0' }, 'head: must be an integer, got "0"'],
    [WEIGHTS, { heads: 0 }, 'heads: unknown, did you mean head?'],
    ['encoder.out', { head: 0 }, 'head: encoder.out of shape [2, 4, 12] has no axis of a head, got 0'],
    [
      'encoder.layers.0.linear1.weight',
      { batch: 0 },
      'batch: encoder.layers.0.linear1.weight of shape [24, 12] has no axis of a batch, got 0',
    ],
    [WEIGHTS, { head: 1, row: 4 }, 'row: must be an integer from -4 to 3, got 4'],
    ['encoder.ids', { row: 0 }, 'row: encoder.ids of shape [2, 4] has no axis of a row, got 0'],
    ['tok_emb.weight', { head: 0 }, 'head: tok_emb.weight of shape [9, 12] has no axis of a head, got 0'],
    ['encoder.positions', { batch: 0 }, 'batch: encoder.positions of shape [4, 12] has no axis of a batch, got 0'],
  ])) {
    const refused = (error) => error instanceof GlassformerError && error.message === message;
    assert.throws(() => model.tensor({ name, ...part }), refused, message);
    await assert.rejects(far.tensor({ name, ...part }), { message });
  }
  remote.terminate();
});

test('a row of a weight in 16 bits', async () => {
  const model = (await load()).createModel({ ...SETTINGS, d_model: 48, weights: 'bf16' });
  const { data } = model.tensor('tok_emb.weight');
  assert.deepEqual(model.tensor({ name: 'tok_emb.weight', row: 7 }), { data: data.slice(7 * 48, 8 * 48), shape: [48] });
});
