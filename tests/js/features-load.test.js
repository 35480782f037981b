// Sparse autoencoders of SAELens's layouts against the numbers of PyTorch (tests/dictionaries), here and in a worker.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { load, readSafetensors } from 'glassformer';
import { loadFeatures } from 'glassformer/features';

const here = await load({ variant: 'simd' });
const there = await load({ variant: 'simd', worker: true });
after(() => there.terminate());

const folderOf = (name) => new URL(`../dictionaries/${name}/`, import.meta.url).pathname;
const modelOf = (gf, { model }) =>
  gf.loadModel(new URL(`../checkpoints/${model.replace(/.*\//, '')}/`, import.meta.url).pathname);

/** The folders; `expected` are PyTorch's numbers. */
const CASES = readdirSync(new URL('../dictionaries/', import.meta.url)).map((name) => ({
  name,
  folder: folderOf(name),
  facts: JSON.parse(readFileSync(`${folderOf(name)}case.json`, 'utf8')),
  expected: readSafetensors(readFileSync(`${folderOf(name)}expected.safetensors`)).tensors,
}));

/** @param {ArrayLike<number>} got @param {ArrayLike<number>} wanted @param {number} tolerance @param {string} what */
function near(got, wanted, tolerance, what) {
  assert.equal(got.length, wanted.length, what);
  for (let i = 0; i < got.length; i++) {
    assert.ok(Math.abs(got[i] - wanted[i]) <= tolerance, `${what}[${i}] is ${got[i]}, not ${wanted[i]}`);
  }
}

/** Logits of some rows, with vectors in the place of a tensor. */
async function logitsWith(model, ids, at, value, rows) {
  const { logits } = await model.forward({ ids, patches: [{ at, value }] });
  const words = logits.shape.at(-1);
  return rows.flatMap((row) => [...logits.data.subarray(row * words, (row + 1) * words)]);
}

for (const { name, folder, facts, expected } of CASES) {
  const ids = [...expected.get('ids').data];
  const { tolerance, rows, norm_scaling_factor: normScaling, errorNorm } = facts;
  const number = (what) => expected.get(what).data;
  const raw = { processed: false, ...(normScaling && { normScaling: 1 }) };

  for (const gf of [here, there]) {
    test(`${name}: features, reconstruction, error and edits ${gf === here ? 'here' : 'in a worker'}`, async () => {
      const { model } = await modelOf(gf, facts);
      const features = await loadFeatures(folder, { model, ...raw });
      const trace = await model.trace({ ids });
      const x = await trace.tensor(features.at);
      near(x.data, number('x'), tolerance.x, 'x');
      const found = await features.encode(trace);
      assert.deepEqual(found.shape, [1, ids.length, features.size]);
      near(found.data, number('features'), tolerance.features, 'features');
      const rebuilt = await features.decode(found, trace);
      assert.deepEqual(rebuilt.shape, x.shape);
      near(rebuilt.data, number('reconstruction'), tolerance.reconstruction, 'reconstruction');
      const errors = x.data.map((value, i) => value - rebuilt.data[i]);
      const norms = ids.map((_, t) => Math.hypot(...errors.subarray(t * features.width, (t + 1) * features.width)));
      near(norms, errorNorm, features.width * tolerance.reconstruction, 'errorNorm');
      for (const [what, value] of [
        ['reconstruction', rebuilt],
        ['zero', await features.change(trace, [{ feature: facts.zero, set: 0 }])],
        ['double', await features.change(trace, [{ feature: facts.double, scale: 2 }])],
      ]) {
        const logits = await logitsWith(model, ids, features.at, value, rows);
        near(logits, number(`logits_${what}`), tolerance[`logits_${what}`], `logits_${what}`);
      }
      await model.free();
    });
  }

  const variant = facts.variant?.name;
  if (variant) {
    test(`${name}: of a model that was processed (${variant})`, async () => {
      const { model } = await modelOf(here, facts);
      const features = await loadFeatures(folder, { model, processed: true });
      const trace = model.trace({ ids });
      const found = features.encode(trace);
      near(found.data, number(`features_${variant}`), tolerance[`features_${variant}`], 'features');
      const rebuilt = features.decode(found);
      // A shift comes back, as nothing in the model adds it; a mean does not, as every LayerNorm removes it.
      const shift = variant === 'processed' ? number('x').map((value, i) => value - number('x_processed')[i]) : [];
      const wanted = number(`reconstruction_${variant}`).map((value, i) => value + (shift[i] ?? 0));
      near(rebuilt.data, wanted, tolerance[`reconstruction_${variant}`] + 1e-6, 'reconstruction');
      const logits = await logitsWith(model, ids, features.at, rebuilt, rows);
      const what = `logits_reconstruction_${variant}`;
      near(logits, number(what), tolerance[what], what);
      model.free();
    });
  }

  if (normScaling) {
    test(`${name}: with the factor of its inputs folded`, async () => {
      const features = await loadFeatures(folder, { normScaling });
      const x = expected.get('x');
      const found = features.encode(x);
      near(found.data, number('features_folded'), tolerance.features_folded, 'features');
      near(features.decode(found).data, number('reconstruction_folded'), tolerance.reconstruction_folded, 'rebuilt');
      await assert.rejects(loadFeatures(folder), { code: 'missing', parameter: 'normScaling' });
    });
  }

  test(`${name}: saved and opened again, the same bits`, async () => {
    const { model } = await modelOf(here, facts);
    for (const options of [raw, ...(variant ? [{ processed: true }] : [])]) {
      const features = await loadFeatures(folder, { model, ...options });
      const file = features.save();
      const again = await loadFeatures(file);
      assert.deepEqual(again.save(), file);
      assert.equal(again.at, features.at);
      const trace = model.trace({ ids });
      assert.deepEqual(again.encode(trace), features.encode(trace));
      assert.deepEqual(again.decode(again.encode(trace), trace), features.decode(features.encode(trace), trace));
    }
    model.free();
  });
}
