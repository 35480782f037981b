// Dictionaries of every combination of settings against a straightforward computation in double precision; ties,
// rows apart from their neighbours, edits, files that round-trip.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeSafetensors } from 'glassformer';
import { loadFeatures } from 'glassformer/features';
import { DRAWN, dictionaryOf, encoded } from './features-file.js';

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} wanted @param {string} what @param {number} [relative] */
function near(got, wanted, what, relative = 4e-7) {
  assert.equal(got.length, wanted.length, what);
  const scale = Math.max(1, ...Array.from(wanted, Math.abs));
  for (let i = 0; i < got.length; i++) {
    assert.ok(Math.abs(got[i] - wanted[i]) <= relative * scale, `${what}[${i}] is ${got[i]}, not ${wanted[i]}`);
  }
}

const open = ({ config, weights, normalize, factor }) =>
  loadFeatures({ config, weights }, normalize === 'expected_average_only_in' ? { normScaling: factor } : {});
const rowsOf = ({ data, shape: [count, width] }) =>
  Array.from({ length: count }, (_, t) => Array.from(data.subarray(t * width, (t + 1) * width)));

test('every combination of settings, forms and dtypes', async () => {
  await fc.assert(
    fc.asyncProperty(DRAWN, fc.array(fc.nat(), { minLength: 3, maxLength: 3 }), async (drawn, [a, b, c]) => {
      const dictionary = dictionaryOf(drawn);
      const { x, size, width, tokens } = dictionary;
      const features = await open(dictionary);
      assert.deepEqual([features.width, features.size, features.at], [width, size, undefined]);
      assert.equal(features.active, drawn.architecture === 'topk' ? dictionary.k : undefined);
      const rows = rowsOf(x).map((row) => encoded(dictionary, row, dictionary.factor));
      const found = features.encode(x);
      assert.deepEqual(found.shape, [tokens, size]);
      const values = rows.flatMap((row) => row.features);
      near(found.data, values, 'features');
      const back = features.decode(found, x);
      const wanted = rows.flatMap(({ decode }, t) => decode(rowsOf(found)[t]));
      near(back.data, wanted, 'reconstruction');
      const edits = [
        { feature: a % size, set: 1.5 },
        { feature: b % size, scale: -2 },
        { feature: c % size, add: 0.25 },
      ];
      const changed = rowsOf(found).map((row) => {
        row[a % size] = 1.5;
        row[b % size] *= -2;
        row[c % size] += 0.25;
        return row;
      });
      const moved = rows.flatMap(({ decode }, t) => {
        const [before, after] = [decode(rowsOf(found)[t]), decode(changed[t])];
        return rowsOf(x)[t].map((value, i) => value + after[i] - before[i]);
      });
      near(features.change(x, edits).data, moved, 'change');
    }),
    { numRuns: 400 },
  );
});

test('a row has the same bits alone, in a batch and in a file that was saved', async () => {
  await fc.assert(
    fc.asyncProperty(DRAWN, async (drawn) => {
      const dictionary = dictionaryOf({ ...drawn, tokens: 35 });
      const features = await open(dictionary);
      const found = features.encode(dictionary.x);
      const rows = rowsOf(dictionary.x).map((row) => features.encode(row).data);
      for (const [t, row] of rowsOf(found).entries()) assert.deepEqual(Array.from(rows[t]), row);
      const file = features.save();
      const again = await loadFeatures(file);
      assert.deepEqual(again.save(), file);
      assert.deepEqual(again.encode(dictionary.x), found);
      assert.deepEqual(again.decode(found, dictionary.x), features.decode(found, dictionary.x));
      assert.deepEqual(features.change(dictionary.x, []).data, dictionary.x.data);
    }),
    { numRuns: 60 },
  );
});

test('one unit of a feature adds its vector', async () => {
  await fc.assert(
    fc.asyncProperty(DRAWN, fc.nat(), async (drawn, n) => {
      const dictionary = dictionaryOf({ ...drawn, normalize: 'none' });
      const features = await open(dictionary);
      const feature = n % features.size;
      const changed = features.change(dictionary.x, [{ feature, add: 1 }]);
      const step = features.vector(feature);
      const wanted = dictionary.x.data.map((value, i) => value + step[i % features.width]);
      near(changed.data, wanted, 'vector');
    }),
    { numRuns: 60 },
  );
});

test('of equal values top-k keeps the lower feature, and none that is not above 0', async () => {
  const config = { architecture: 'topk', k: 2, d_in: 1, d_sae: 4, metadata: { hook_name: 'blocks.0.hook_mlp_out' } };
  const W_dec = [[1], [2], [4], [8]];
  const weights = writeSafetensors({ W_enc: [[1, 2, 2, 2]], W_dec, b_enc: [0, 0, 0, 0], b_dec: [0] });
  const features = await loadFeatures({ config, weights });
  assert.deepEqual([...features.encode([3]).data], [0, 6, 6, 0]);
  assert.deepEqual([...features.encode([-3]).data], [0, 0, 0, 0]);
  // Switched off, it does not make room for another.
  assert.deepEqual([...features.change([3], [{ feature: 1, set: 0 }]).data], [3 - 12]);
  const edits = [
    { feature: 3, set: 1 },
    { feature: 3, scale: 2 },
  ];
  assert.deepEqual([...features.change([3], edits).data], [3 + 16]);
});

test('vectors of zeros, and decoder rows of zeros, give numbers', async () => {
  for (const normalize of ['constant_norm_rescale', 'layer_norm']) {
    const config = {
      architecture: 'topk',
      k: 2,
      d_in: 2,
      d_sae: 2,
      normalize_activations: normalize,
      rescale_acts_by_decoder_norm: true,
      metadata: { hook_name: 'blocks.0.hook_mlp_out' },
    };
    const [W_enc, W_dec] = [[[1, 0], [0, 1]], [[0, 0], [3, 4]]]; // prettier-ignore
    const tensors = { W_enc, W_dec, b_enc: [1, 1], b_dec: [0, 0] };
    const features = await loadFeatures({ config, weights: writeSafetensors(tensors) });
    const zeros = [[0, 0]];
    const found = features.encode(zeros);
    assert.deepEqual([...found.data], [0, 5]);
    assert.deepEqual([...features.decode(found, zeros).data], [0, 0]);
    assert.deepEqual([...features.change(zeros, [{ feature: 0, set: 9 }]).data], [0, 0]);
    assert.deepEqual([...features.vector(0)], [0, 0]);
    near(features.vector(1), [0.6, 0.8], 'vector');
  }
});
