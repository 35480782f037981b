// A vector for each row: pooled over what is not hidden, of encoders and decoders, here and in a worker.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from 'glassformer';
import { embed } from 'glassformer/core';
import { load as loadWorker } from 'glassformer/worker';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const TEXTS = ['the dog', 'the creek was cold', 'over'];

test('each pooling is what forward gives of the seen tokens, also of a text alone', async () => {
  for (const name of ['bert-2l', 'gpt2-2l']) {
    const { model, tokenizer } = await gf.loadModel(new URL(`${name}/`, folder));
    const rows = tokenizer.encode(TEXTS);
    const { ids, typeIds, padding } = rows;
    const { output } = model.forward({ ids, padding, ...(model.config.types && { typeIds }) });
    const [B, S, C] = output.shape;
    const vector = (row, at) => [...output.data.slice((row * S + at) * C, (row * S + at + 1) * C)];
    for (const pooling of ['mean', 'first', 'last']) {
      const { data, shape } = await model.embed(rows, { pooling });
      assert.deepEqual(shape, [B, C]);
      const unit = await model.embed(rows, { pooling, normalize: true });
      for (let row = 0; row < B; row++) {
        const seen = padding[row].filter((each) => each === 0).length;
        const mean = () => {
          const all = Array.from({ length: seen }, (_, at) => vector(row, at));
          return all[0].map((_, c) => Math.fround(all.reduce((sum, each) => sum + each[c], 0) / seen));
        };
        const wanted = pooling === 'mean' ? mean() : vector(row, pooling === 'first' ? 0 : seen - 1);
        assert.deepEqual([...data.slice(row * C, (row + 1) * C)], wanted, `${name} ${pooling}`);
        const length = Math.hypot(...wanted);
        wanted.forEach((each, c) => assert.ok(Math.abs(unit.data[row * C + c] - each / length) < 1e-6));
        const alone = await model.embed(tokenizer.encode(TEXTS[row]), { pooling });
        wanted.forEach((each, c) => assert.ok(Math.abs(alone.data[c] - each) < 1e-5));
      }
      assert.deepEqual(embed(model, rows, { pooling }), { data, shape });
    }
    assert.deepEqual(await model.embed(ids), embed(model, { ids }));
    for (const [given, options, code, parameter] of [
      [ids, { pooling: 'cls' }, 'range', 'pooling'],
      [ids, { normalise: true }, 'unknown', 'normalise'],
      [{ ids, padding: padding[1] }, {}, 'shape', 'padding'],
      [undefined, {}, 'missing', 'ids'],
    ]) {
      await assert.rejects(model.embed(given, options), { code, parameter });
    }
    model.free();
  }
  const bare = gf.createModel({ kind: 'encoder', vocabulary: 5 }); // without a tokenizer
  for (const texts of [TEXTS, 'the dog']) await assert.rejects(bare.embed(texts), { code: 'type', parameter: 'ids' });
  const both = gf.createModel({ kind: 'encoder-decoder', vocabulary: 5 });
  await assert.rejects(both.embed([1, 2]), { code: 'config', parameter: 'kind' });
});

test('a worker gives the same vectors', async () => {
  const config = { kind: 'encoder', vocabulary: 20, d_model: 16, heads: 2, layers: 2, seed: 3 };
  const far = await loadWorker({ variant: 'simd' });
  const rows = {
    ids: [
      [1, 2, 3],
      [4, 5, 6],
    ],
    padding: [
      [0, 0, 0],
      [0, 0, 1],
    ],
  };
  const options = { pooling: 'last', normalize: true };
  const remote = await far.createModel(config);
  assert.deepEqual(await remote.embed(rows, options), await gf.createModel(config).embed(rows, options));
  far.terminate();
});
