// Models as ONNX files: onnxruntime-web computes the numbers of many random models, and of the shipped ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportOnnx } from 'glassformer/onnx';
import { inputsOf } from '../../src/js/engine/inputs.js';
import { WITHOUT_TOP_K, unknownTo } from '../../src/js/engine/known.js';
import { MODEL } from '../../dist/generated/settings.js';
import { CHOICES, KINDS, caseOf } from '../onnx/cases.js';
import { compare, judge } from '../onnx/compare.js';
import { engines } from './engines.js';
import { random } from './reference.js';

const SEEDS = Array.from({ length: 24 }, (_, i) => i + 1);
const [gf] = engines;

for (const kind of KINDS) {
  test(`onnxruntime computes the numbers of kind ${kind}`, async () => {
    for (const seed of SEEDS) {
      try {
        await judge(engines[seed % engines.length], kind, seed);
      } catch (error) {
        const { config, inputs } = caseOf(kind, seed);
        throw new Error(`seed ${seed}: ${JSON.stringify({ ...config, inputs })}`, { cause: error });
      }
    }
  });
}

test('the models that are tried have every choice of every setting', () => {
  const all = KINDS.flatMap((kind) => SEEDS.map((seed) => caseOf(kind, seed)));
  const tried = (/** @type {string} */ kind, /** @type {string} */ name, /** @type {unknown} */ value) =>
    all.some(({ config }) => config.kind === kind && config[name] === value);
  for (const kind of KINDS.slice(0, 3)) {
    for (const [name, values] of Object.entries(CHOICES)) {
      for (const value of values) assert(tried(kind, name, value), `${kind} ${name} ${value}`);
    }
    for (const head of ['none', 'linear', 'tied']) assert(tried(kind, 'head', head), `${kind} ${head}`);
    for (const name of ['embeddingNorm', 'headTransform']) assert(tried(kind, name, true), `${kind} ${name}`);
    assert(tried(kind, 'outputVocabulary', 5), kind);
  }
  assert(tried('encoder-decoder', 'tiedEmbeddings', true) && tried('encoder-decoder', 'targetVocabulary', 11));
  for (const kind of KINDS) {
    const model = gf.createModel(caseOf(kind, 1).config);
    const optional = Object.entries(inputsOf(model.config)).filter(
      ([, { flag, free, zeros }]) => (flag || free) && !zeros,
    );
    for (const [name] of optional) {
      assert(
        all.some(({ config, inputs }) => config.kind === kind && inputs.includes(name)),
        `${kind} ${name}`,
      );
    }
    // A setting that a later version adds is tried here, or the export refuses it.
    for (const [name, value] of Object.entries(model.config)) {
      if (all.some(({ config }) => name in config)) continue;
      const other = typeof value === 'boolean' ? true : 1;
      const config = { ...model.config, [name]: other };
      assert.equal(
        unknownTo({ config, core: { settings: MODEL } }, WITHOUT_TOP_K),
        name,
        'exportOnnx refuses what is unknown',
      );
    }
    model.free();
  }
});

test('onnxruntime computes the numbers of the shipped models', async () => {
  const sentence = 'The dog did not jump over the creek because it was tired.';
  for (const name of ['creek', 'translate', 'continue']) {
    const file = import.meta.resolve(`glassformer/models/${name}`);
    const { model } = await gf.loadModel(file);
    const { tokenizer: vocabulary } = await gf.loadModel(file);
    const ids = vocabulary.encode(name === 'creek' ? sentence : vocabulary.words.slice(4, 12).join(' ')).ids;
    const both = model.config.kind === 'encoder-decoder';
    const passes = [1, 3].map((B) => {
      const shape = [B, ids.length];
      const data = Int32Array.from({ length: B * ids.length }, (_, i) => ids[i % ids.length]);
      if (!both) return { ids: { data, shape } };
      return { sourceIds: { data, shape }, targetIds: { data: data.map((id) => id % 9), shape } };
    });
    const worst = await compare(model, await model.save({ format: 'onnx' }), passes);
    assert(worst > 0, 'something was compared');
    model.free();
  }
});

test('beside the file no copy of the weights is made', () => {
  const model = gf.createModel({ kind: 'feed-forward', d_model: 1024, heads: 1, d_ff: 8192 });
  const before = process.memoryUsage().arrayBuffers;
  const file = exportOnnx(model);
  const made = process.memoryUsage().arrayBuffers - before;
  assert(file.length > 4 * model.parameterCount);
  assert(made < 1.1 * file.length, `${made} bytes for a file of ${file.length}`);
  model.free();
});

test('attention and FFN stand side by side, a part of each head turns', async () => {
  const shape = { d_model: 12, heads: 2, d_ff: 10, layers: 2, vocabulary: 7, positions: 'rotary', norm: 'pre' };
  for (const kind of ['encoder', 'decoder'])
    for (const [ropeWidth, normKind] of [
      [2, 'layer'],
      [4, 'rms'],
      [0, 'layer'],
    ]) {
      const model = gf.createModel({ kind, ...shape, ropeWidth, normKind, parallel: true, head: 'tied', seed: 6 });
      await compare(model, exportOnnx(model), [{ ids: random(4).ids([2, 9], 7) }]);
      model.free();
    }
});

test('each layer has its own window', async () => {
  const shape = { d_model: 8, heads: 2, d_ff: 0, layers: 34, vocabulary: 7, window: 2 };
  for (const globalLayersAbove of [0, 1, 2]) {
    const model = gf.createModel({ kind: 'decoder', ...shape, globalLayers: -3, globalLayersAbove, seed: 5 });
    await compare(model, exportOnnx(model), [{ ids: random(4).ids([1, 9], 7) }]);
    model.free();
  }
});
