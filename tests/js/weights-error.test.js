// The error that loading in int8 states is that of the whole model in float32, though only a layer of it was there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { readSafetensors, writeSafetensors } from 'glassformer';
import { load as loadWorker } from 'glassformer/worker';
import { engines } from './engines.js';

const [gf] = engines;
const SHAPE = { d_model: 16, heads: 2, d_ff: 37, seed: 3 };
/** The block of Llama, with norms of queries and keys, and one key and value for both heads. */
const TODAY = /** @type {const} */ ({
  ...{ normKind: 'rms', norm: 'pre', finalNorm: true, positions: 'rotary', qkNorm: true, ffn: 'gated' },
  ...{ activation: 'silu', embeddingScale: false, keyValueHeads: 1, headWidth: 16 },
});

/** @param {any} config */
function text({ kind, vocabulary, targetVocabulary, d_model, maxLength }) {
  const rows = Math.min(16, maxLength);
  const ids = (/** @type {number} */ size) =>
    Array.from({ length: rows }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 0) % size);
  const data = Array.from({ length: rows * d_model }, (_, i) => Math.sin(i * i));
  if (!vocabulary) return { vectors: { data, shape: [rows, d_model] } };
  if (kind !== 'encoder-decoder') return { ids: ids(vocabulary) };
  return { sourceIds: ids(vocabulary), targetIds: ids(targetVocabulary || vocabulary) };
}

/** Computes the result of `weightsError` from two models. @param {any} wide @param {any} narrow */
function between(wide, narrow) {
  const [wanted, got] = [wide, narrow].map((model) => {
    const { logits, output } = model.forward(text(model.config));
    return logits ?? output;
  });
  const columns = wanted.shape[2];
  const rowsOf = (/** @type {any} */ { data }) =>
    Array.from({ length: data.length / columns }, (_, i) => [...data.subarray(i * columns, (i + 1) * columns)]);
  const [a, b] = [rowsOf(wanted), rowsOf(got)];
  const mean = (/** @type {number[]} */ numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const apart = a.flatMap((row, i) => row.map((x, k) => Math.abs(x - b[i][k])));
  const about = a.flatMap((row) => row.map((x) => (x - mean(row)) ** 2));
  const best = (/** @type {number[]} */ row) => row.indexOf(Math.max(...row));
  const error = {
    rms: Math.sqrt(mean(apart.map((x) => x ** 2))),
    max: Math.max(...apart),
    spread: Math.sqrt(mean(about)),
  };
  return wide.config.head === 'none'
    ? error
    : { ...error, agree: mean(a.map((row, i) => Number(best(row) === best(b[i])))) };
}

/** @param {any} wide @param {any} narrow @param {string} what */
function check({ model: wide }, { model: narrow, weightsError }, what) {
  const wanted = between(wide, narrow);
  assert.deepEqual(Object.keys(weightsError), Object.keys(wanted), what);
  for (const [name, value] of Object.entries(wanted)) {
    assert.ok(Math.abs(weightsError[name] - value) < 1e-5, `${what}, ${name}: ${weightsError[name]}, not ${value}`);
  }
  assert.ok(weightsError.rms > 0 && weightsError.rms < 0.03 * weightsError.spread, `${what}: ${weightsError.rms}`);
  for (const model of [wide, narrow]) model.free();
}

test('checkpoints of each family', async () => {
  const names = 'bert-2l bert-classes distilbert-2l gpt2-2l gpt2-bare-bf16 gpt-neo-4l mistral-2l-window';
  for (const name of names.split(' ')) {
    const folder = `tests/checkpoints/${name}/`;
    check(await gf.loadModel(folder, { weights: 'f32' }), await gf.loadModel(folder, { weights: 'int8' }), name);
  }
});

test('files of every kind, of a Response too', async () => {
  const odd = { maxLength: 9, positions: 'learned', activation: 'gelu' };
  /** @type {any[]} */
  const all = [
    { kind: 'decoder', vocabulary: 53, layers: 35, head: 'linear', window: 2, globalLayers: 5, globalLayersAbove: 4 },
    { kind: 'decoder', vocabulary: 53, layers: 0, head: 'tied', norm: 'pre', finalNorm: true, ...odd },
    { kind: 'encoder', vocabulary: 29, layers: 1, head: 'tied', headTransform: true, types: 2, embeddingNorm: true },
    { kind: 'encoder', vocabulary: 29, layers: 2, finalNorm: true, causal: true, embeddingScale: false },
    { kind: 'encoder-decoder', vocabulary: 21, targetVocabulary: 30, layers: 1, decoderLayers: 1, head: 'linear' },
    { kind: 'decoder', vocabulary: 53, layers: 3, ...TODAY, head: 'tied', window: 3 },
    { kind: 'decoder', vocabulary: 53, layers: 2, ...TODAY, head: 'linear', ropeScaling: 'llama3', ropeFactor: 8 },
    { kind: 'encoder', vocabulary: 29, layers: 2, ...TODAY, head: 'tied', ropeScaling: 'linear', ropeFactor: 3 },
    { kind: 'attention' },
    { kind: 'feed-forward' },
  ];
  for (const settings of all) {
    const file = await gf.createModel({ ...SHAPE, ...settings }).save();
    const narrow = await gf.loadModel(new Response(file), { weights: 'int8' });
    check(await gf.loadModel(file), narrow, JSON.stringify(settings));
  }
  assert.equal((await gf.loadModel(gf.createModel({ ...SHAPE, ...all[0] }).save())).weightsError, undefined);
});

test('a file that cannot be read once more is refused', async () => {
  const read = (/** @type {string} */ name) => readFileSync(`tests/checkpoints/gpt2-2l/${name}`);
  const weights = new Blob([read('model.safetensors')]);
  let [slices, most] = [0, Infinity];
  weights.slice = (...part) => {
    if (++slices > most) throw new RangeError('gone');
    return Blob.prototype.slice.apply(weights, part);
  };
  const open = (/** @type {'f16' | 'int8'} */ type) =>
    gf.loadModel({ config: JSON.parse(`${read('config.json')}`), weights }, { weights: type });
  (await open('f16')).model.free();
  most = 2 * slices + 1;
  await assert.rejects(open('int8'));
  assert.equal(slices, most + 1);
});

test('the file of a model in 8 bits says the error, until it has other weights', async () => {
  const wide = gf.createModel({ ...SHAPE, kind: 'decoder', vocabulary: 9, head: 'tied' });
  const { model, weightsError } = await gf.loadModel(wide.save(), { weights: 'int8' });
  const file = await model.save();
  for (const given of [file, new Blob([file])]) {
    for (const options of [{}, { weights: /** @type {const} */ ('int8') }, { weights: /** @type {const} */ ('f32') }]) {
      assert.deepEqual((await gf.loadModel(given, options)).weightsError, weightsError);
    }
  }
  const { model: checkpoint } = await gf.loadModel('tests/checkpoints/gpt2-2l/', { weights: 'int8' });
  assert.ok((await gf.loadModel(checkpoint.save())).weightsError?.rms > 0);
  const says = (/** @type {any} */ said) =>
    gf.loadModel(
      writeSafetensors(model.weights(), { metadata: new Map([...readSafetensors(file).metadata, ...said]) }),
    );
  for (const said of ['{}', 'null', '{"rms":1,"max":1,"spread":-1}', '{"rms":1,"max":"1","spread":1}']) {
    assert.equal((await says([['glassformer.weightsError', said]])).weightsError, undefined);
  }
  model.loadWeights(wide.weights());
  assert.equal((await gf.loadModel(model.save())).weightsError, undefined);
  checkpoint.initialize(3);
  assert.equal((await gf.loadModel(checkpoint.save())).weightsError, undefined);
});

test('a worker measures a file and refuses a checkpoint', async () => {
  const there = await loadWorker();
  const file = await gf.createModel({ ...SHAPE, kind: 'decoder', vocabulary: 9, head: 'tied' }).save();
  const [{ weightsError: wanted }, { weightsError }] = await Promise.all(
    [gf, there].map((each) => each.loadModel(file, { weights: 'int8' })),
  );
  assert.deepEqual(weightsError, wanted);
  const refused = { code: 'unsupported', parameter: 'weights', value: 'int8' };
  await assert.rejects(there.loadModel('tests/checkpoints/gpt2-2l/', { weights: 'int8' }), refused);
  await there.terminate();
});
