// A dictionary from a file reads a corpus: its examples, activities, scores and share not rebuilt are training's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { load as loadInWorker } from 'glassformer/worker';
import { loadFeatures, trainFeatures } from 'glassformer/features';
import { DICTIONARY } from '../methods.js';

const gf = await load({ variant: 'simd' });
const CONFIG = /** @type {const} */ ({
  ...{ kind: 'decoder', vocabulary: 12, d_model: 8, heads: 2, layers: 2, head: 'tied', norm: 'pre', seed: 3 },
});
const model = gf.createModel(CONFIG);
const ids = Array.from({ length: 90 }, (_, i) => [i % 12, (5 * i + 1) % 12, (i * i) % 12, (3 * i) % 7]);
const labels = ids.flatMap((row) => row.map((id) => [`token ${id}`]));
const trained = await trainFeatures(model, { at: { layer: 1 }, ids, features: 24, active: 3, steps: 300, seed: 2 });

/** @param {number} a @param {number} b @param {number} bound */
const near = (a, b, bound) => assert(Math.abs(a - b) <= bound, `${a} is not ${b} to ${bound}`);

test('what training kept of its corpus is read again from the file, here and in a worker', async () => {
  const engine = await loadInWorker({ variant: 'simd' });
  const remote = await engine.createModel(CONFIG);
  for (const reader of [model, remote]) {
    const features = await loadFeatures(trained.save());
    assert.throws(() => features.examples(0), { code: 'missing', parameter: 'corpus' });
    const { unexplained, alive } = await features.read(/** @type {any} */ (reader), { ids, seed: 2 });
    near(unexplained, Number(trained.unexplained), 1e-4);
    assert.deepEqual(alive, trained.alive);
    assert.deepEqual(features.places, trained.places);
    const [scores, before] = [features, trained].map((each) => each.score(labels));
    scores.forEach((score, n) => assert.equal(score?.label, before[n]?.label, `feature ${n}`));
    assert.deepEqual(
      features.examples(1).map(({ text, token }) => [text, token]),
      trained.examples(1).map(({ text, token }) => [text, token]),
    );
    near(features.activity(1).values[0], trained.activity(1).values[0], 1e-4);
  }
  engine.terminate();
});

test('in 16 bits a file is half as large, and its features are those rounded', async () => {
  const [whole, half] = [trained.save(), trained.save({ float16: true })];
  assert(half.length < 0.7 * whole.length, `${half.length} of ${whole.length} bytes`);
  const features = await loadFeatures(half);
  assert.deepEqual(features.facts, trained.facts);
  const exact = trained.vector(3);
  features.vector(3).forEach((value, i) => near(value, exact[i], Math.abs(exact[i]) / 1024));
});

test('any number of features may be active, and another corpus takes the place of the first', async () => {
  const small = gf.createModel({ ...CONFIG, d_model: 4, d_ff: 4, layers: 1 });
  const features = await loadFeatures(DICTIONARY, { model: small });
  const { unexplained } = await features.read(small, { ids });
  near(unexplained, 0, 1e-6); // a feature above 0 and one below for each number, so that all is rebuilt
  assert.equal(features.places.text.length, 360);
  await features.read(small, { ids: ids.slice(0, 20) });
  assert.equal(features.places.text.length, 80);
  const all = [...Array(8).keys()].map((n) => features.activity(n).places.length);
  assert(all.reduce((sum, count) => sum + count) > 2.5 * 80, `${all}`);
});

test('bad input is refused by name, and the corpus of before stays', async () => {
  const features = await loadFeatures(trained.save());
  await features.read(model, { ids });
  const two = gf.createModel({ kind: 'encoder-decoder', vocabulary: 9, targetVocabulary: 9 });
  const wide = gf.createModel({ ...CONFIG, d_model: 16 });
  /** @type {[options: any, code: string, parameter: string, of?: any][]} */
  const cases = [
    [{}, 'missing', 'texts'],
    [{ ids, texts: ['a'] }, 'unknown', 'ids'],
    [{ ids, steps: 3 }, 'unknown', 'steps'],
    [{ ids, heldOut: 1 }, 'range', 'heldOut'],
    [{ ids: ids.slice(0, 1) }, 'range', 'texts'],
    [{ ids }, 'foreign', 'model', null],
    [{ ids }, 'config', 'kind', two],
    [{ ids }, 'shape', 'at', wide],
  ];
  for (const [options, code, parameter, of = model] of cases)
    await assert.rejects(features.read(of, options), { code, parameter }, `${code} ${parameter}`);
  assert.equal(features.places.text.length, 360);
  await assert.rejects(features.read(model, { ids, signal: AbortSignal.abort(new Error('enough')) }), /enough/);
});
