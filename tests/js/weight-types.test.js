// Weights in 16 bits: the same numbers as in 32, from files of both types, and what they refuse. In 8 bits: nearly.
import assert from 'node:assert/strict';
import test from 'node:test';
import { readSafetensors, writeSafetensors } from 'glassformer';
import { loadCheckpoint, openSafetensors } from 'glassformer/checkpoints';
import { weightType } from '../../src/js/files/fill.js';
import { engines } from './engines.js';

const TYPES = /** @type {const} */ (['bf16', 'f16']);
const PACKED = /** @type {const} */ ([...TYPES, 'int8']);
const SHAPE = { d_model: 16, heads: 2, d_ff: 37, seed: 3 };
/** @type {Parameters<typeof engines[0]['createModel']>[0][]} */
const MODELS = [
  { kind: 'decoder', vocabulary: 53, layers: 2, head: 'tied', norm: 'pre', ...SHAPE },
  { kind: 'encoder', vocabulary: 29, layers: 1, head: 'linear', headTransform: true, activation: 'gelu', ...SHAPE },
  { kind: 'encoder-decoder', vocabulary: 21, layers: 1, decoderLayers: 1, head: 'linear', ...SHAPE },
  { kind: 'attention', ...SHAPE },
  { kind: 'feed-forward', ...SHAPE },
];
const IDS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3];

/** Inputs of so many tokens. @param {any} config @param {number} T */
function inputs({ kind, vocabulary, d_model }, T) {
  const ids = IDS.slice(0, T);
  if (!vocabulary)
    return { vectors: { data: ids.flatMap((id) => Array(d_model).fill(Math.sin(id))), shape: [T, d_model] } };
  return kind === 'encoder-decoder' ? { sourceIds: IDS, targetIds: ids } : { ids };
}

/** The results of a pass in one list. @param {any} passed */
const numbersOf = ({ logits, output }) => [...(logits ?? output).data];

/**
 * The distance of a product from that of doubles: of the bound for int8, half of 1/32767 of the largest of each 32
 * numbers of x beside float32's own rounding, and of this alone.
 * @param {{x: ArrayLike<number>, w: ArrayLike<number>, y: ArrayLike<number>, K: number}} product
 */
function boundUsed({ x, w, y, K }) {
  const N = w.length / K;
  let [used, beyond] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    const [row, column] = [Math.floor(i / N) * K, (i % N) * K];
    let [exact, sizes, steps] = [0, 0, 0];
    for (let from = 0; from < K; from += 32) {
      let [most, weights] = [0, 0];
      for (let k = from; k < Math.min(K, from + 32); k++) {
        exact += x[row + k] * w[column + k];
        sizes += Math.abs(x[row + k] * w[column + k]);
        most = Math.max(most, Math.abs(x[row + k]));
        weights += Math.abs(w[column + k]);
      }
      steps += (most / 32767 / 2) * weights;
    }
    // Biases are 0. A block has an integer and two scales, then the blocks are added.
    const rounding = (Math.ceil(K / 32) + 4) * 2 ** -24 * sizes;
    used = Math.max(used, Math.abs(y[i] - exact) / (steps + rounding));
    beyond = Math.max(beyond, Math.abs(y[i] - exact) / rounding);
  }
  return { used, beyond };
}

for (const gf of engines) {
  const { variant } = gf;

  test(`${variant}: 16 bits compute what the same numbers compute in 32, at every length`, () => {
    for (const settings of MODELS) {
      for (const weights of TYPES) {
        const half = gf.createModel({ ...settings, weights });
        const full = half.clone({ weights: 'f32' });
        for (let T = 1; T <= IDS.length; T++) {
          const given = inputs(half.config, T);
          assert.deepEqual(half.forward(given), full.forward(given), `${settings.kind}, ${weights}, ${T}`);
        }
        assert.deepEqual(half.weights(), full.weights());
        half.free();
        full.free();
      }
    }
  });

  test(`${variant}: a cached token has the bits of a whole pass`, () => {
    for (const weights of PACKED) {
      const model = gf.createModel({ ...MODELS[0], weights });
      const run = (/** @type {typeof model} */ from, /** @type {boolean} */ cache) => {
        const rows = [];
        const logits = (/** @type {Float32Array} */ row) => void rows.push(...row);
        return [...from.generateSync({ ids: [1, 2], maxTokens: 20, cache, logits }).ids, ...rows];
      };
      const given = run(model, true);
      assert.deepEqual(run(model, false), given);
      if (weights !== 'int8') assert.deepEqual(run(model.clone({ weights: 'f32' }), true), given);
      model.free();
    }
  });

  test(`${variant}: 8 bits compute nearly what the same numbers compute in 32, a row alone as among others`, () => {
    for (const settings of MODELS) {
      const small = gf.createModel({ ...settings, d_model: 48, weights: 'int8' });
      const full = small.clone({ weights: 'f32' });
      const causal = settings.kind === 'decoder';
      const [all, wanted] = [small, full].map((each) => numbersOf(each.forward(inputs(each.config, IDS.length))));
      const size = Math.max(...wanted.map(Math.abs));
      const apart = Math.max(...wanted.map((number, i) => Math.abs(number - all[i])));
      assert.ok(apart > 0 && apart < 1e-4 * size, `${settings.kind}: off by ${apart} of ${size}`);
      for (let T = 1; causal && T < IDS.length; T++) {
        const some = numbersOf(small.forward(inputs(small.config, T)));
        assert.deepEqual(some, all.slice(0, some.length), `${T}`);
      }
      const again = full.clone({ weights: 'int8' });
      assert.deepEqual(again.weights(), small.weights());
      assert.deepEqual(full.weights(), small.weights());
      for (const each of [small, full, again]) each.free();
    }
  });

  test(`${variant}: 8 bits round also the other operand of each product, by no more than the guide says`, () => {
    const shape = { norm: /** @type {const} */ ('pre'), finalNorm: true, d_model: 48, heads: 1, d_ff: 70 };
    const model = gf.createModel({ ...MODELS[0], ...shape, layers: 1, weights: 'int8' });
    model.forward({ ids: IDS, capture: true });
    const layer = 'decoder.layers.0';
    const third = (/** @type {number} */ i) => ({
      name: `${layer}.self_attn.in_proj_weight`,
      from: 48 * i,
      to: 48 * i + 48,
    });
    for (const [x, w, y] of /** @type {[string, any, string][]} */ ([
      [`${layer}.norm1.out`, third(0), `${layer}.self_attn.query`],
      [`${layer}.norm1.out`, third(1), `${layer}.self_attn.key`],
      [`${layer}.norm1.out`, third(2), `${layer}.self_attn.value`],
      [`${layer}.self_attn.concat`, { name: `${layer}.self_attn.out_proj.weight` }, `${layer}.self_attn.out`],
      [`${layer}.norm2.out`, { name: `${layer}.linear1.weight` }, `${layer}.ffn.pre_activation`],
      [`${layer}.ffn.activation`, { name: `${layer}.linear2.weight` }, `${layer}.ffn.out`],
      ['decoder.norm.out', { name: 'tok_emb.weight' }, 'logits'],
    ])) {
      const [from, matrix, got] = [x, w.name, y].map((name) => model.tensor(name));
      const K = matrix.shape[1];
      const rows = matrix.data.subarray((w.from ?? 0) * K, (w.to ?? matrix.shape[0]) * K);
      const { used, beyond } = boundUsed({ x: from.data, w: rows, y: got.data, K });
      assert.ok(used <= 1, `${y}: ${used} of the bound`);
      assert.ok(beyond > 4, `${y}: at most ${beyond} of what float32 may be off`); // rounded, as the guide says
    }
    model.free();
  });

  test(`${variant}: 8 bits round to 127 parts of the largest of 32, in 36 bytes each`, () => {
    const model = gf.createModel({ ...MODELS[4], d_model: 48, d_ff: 64, weights: 'int8' });
    const [name] = [...model.weights().keys()].filter((each) => each.endsWith('linear2.weight'));
    const data = Float32Array.from({ length: 48 * 64 }, (_, i) => (i % 32 ? i % 32 : -127));
    model.loadWeights({ [name]: { data, shape: [48, 64] } }, { strict: false });
    assert.deepEqual(model.tensor(name).data, data);
    assert.equal(model.tensors().find((each) => each.name === name).dtype, 'int8');
    data[40] = 2 ** 127;
    const range = { code: 'range', parameter: name };
    assert.throws(() => model.loadWeights({ [name]: { data, shape: [48, 64] } }, { strict: false }), range);
    model.free();
    const before = gf.memoryBytes;
    const large = gf.createModel({ vocabulary: 2 ** 12, d_model: 512, heads: 4, layers: 0, weights: 'int8' });
    assert.ok(gf.memoryBytes - before < 2 ** 12 * 512 * (36 / 32) * 1.1 + 2 ** 20, `${gf.memoryBytes - before}`);
    large.free();
  });

  test(`${variant}: rounded to the nearest, the nearest even of two, and half as large`, () => {
    const model = gf.createModel({ ...MODELS[4], weights: 'bf16' });
    const [name] = [...model.weights().keys()].filter((each) => each.endsWith('linear1.weight'));
    const data = new Float32Array(16 * 37);
    data.set([1 + 2 ** -8, 1 + 3 * 2 ** -8, 1 + 2 ** -9, -1 / 3]);
    model.loadWeights({ [name]: { data, shape: [37, 16] } }, { strict: false });
    assert.deepEqual([...model.tensor(name).data.slice(0, 4)], [1, 1 + 2 ** -6, 1, -0.333984375]);
    assert.equal(model.tensors().find((each) => each.name === name).dtype, 'bfloat16');
    model.free();
    const before = gf.memoryBytes;
    const large = gf.createModel({ vocabulary: 2 ** 15, d_model: 128, heads: 4, layers: 0, weights: 'f16' });
    assert.ok(gf.memoryBytes - before < 2 ** 15 * 128 * 2 * 1.3 + 2 ** 21, `${gf.memoryBytes - before}`);
    large.free();
  });

  test(`${variant}: views, training and numbers beyond the type are refused, and change nothing`, () => {
    assert.throws(() => gf.createModel({ ...MODELS[0], weights: 'int8' }).trainer(), { message: /int8 weights/ });
    const model = gf.createModel({ ...MODELS[0], weights: 'f16' });
    const name = 'tok_emb.weight';
    const before = model.weights();
    const state = { code: 'state', parameter: 'weights', message: /clone\(\{ weights: 'f32' \}\)/ };
    assert.throws(() => model.view(name), state);
    assert.throws(() => model.trainer(), state);
    const data = new Float32Array(53 * 16).fill(1);
    data[7] = 65520;
    const range = { code: 'range', parameter: name };
    assert.throws(() => model.loadWeights({ [name]: { data, shape: [53, 16] } }, { strict: false }), range);
    assert.throws(() => gf.createModel({ ...MODELS[0], d_model: 24, weights: 'f16' }), { code: 'config' });
    assert.deepEqual(model.weights(), before);
    model.view('decoder.layers.0.linear1.bias').fill(1); // not in 16 bits
    model.free();
  });

  test(`${variant}: saved and loaded, also in another type`, async () => {
    const model = gf.createModel({ ...MODELS[2], weights: 'f16' });
    const file = await model.save();
    const { model: again } = await gf.loadModel(file);
    assert.equal(again.config.weights, 'f16');
    assert.deepEqual(again.weights(), model.weights());
    const { model: wide } = await gf.loadModel(file, { weights: 'f32' });
    assert.equal(wide.config.weights, 'f32');
    assert.deepEqual(wide.weights(), model.weights());
    assert.ok(
      !readSafetensors(await wide.save())
        .metadata.get('glassformer.config')
        .includes('weights'),
    );
    const { model: narrow } = await gf.loadModel(wide.save({ float16: true }), { weights: 'bf16' });
    assert.deepEqual(narrow.weights(), wide.clone({ weights: 'bf16' }).weights());
    assert.equal((await model.save({ format: 'onnx' })).length, (await wide.save({ format: 'onnx' })).length);
    const { model: eighth } = await gf.loadModel(wide.save(), { weights: 'int8' });
    assert.deepEqual((await gf.loadModel(eighth.save())).model.weights(), eighth.weights());
  });
}

/** A half's number. @param {number} bits */
const halfOf = (bits) =>
  (bits & 0x8000 ? -1 : 1) *
  (bits & 0x7c00 ? 2 ** (((bits >> 10) & 31) - 15) * (1 + (bits & 0x3ff) / 1024) : (bits & 0x3ff) * 2 ** -24);

/** A GPT-2 of Hugging Face's, whose matrices are transposed. */
function gpt2({ d = 16, layers = 1, vocabulary = 40, second = 0 } = {}) {
  const normal = (/** @type {number[]} */ ...shape) => {
    const data = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => Math.sin(i * 0.7) / 8);
    return { data, shape };
  };
  /** @type {Record<string, {data: Float32Array, shape: number[]}>} */
  const tensors = { 'wte.weight': normal(vocabulary, d), 'wpe.weight': normal(32, d) };
  for (const at of ['ln_f', ...Array.from({ length: layers }, (_, i) => [`h.${i}.ln_1`, `h.${i}.ln_2`]).flat()]) {
    Object.assign(tensors, { [`${at}.weight`]: normal(d), [`${at}.bias`]: normal(d) });
  }
  for (let i = 0; i < layers; i++) {
    const parts = {
      'attn.c_attn': [d, 3 * d],
      'attn.c_proj': [d, d],
      'mlp.c_fc': [d, 4 * d],
      'mlp.c_proj': [4 * d, d],
    };
    for (const [part, [rows, columns]] of Object.entries(parts)) {
      tensors[`h.${i}.${part}.weight`] = normal(rows, columns);
      tensors[`h.${i}.${part}.bias`] = normal(columns);
    }
  }
  if (second) {
    const head = { ...tensors['wte.weight'], data: tensors['wte.weight'].data.slice() };
    if (second === 2) head.data[5] += 0.25;
    tensors['lm_head.weight'] = head;
  }
  const config = { model_type: 'gpt2', vocab_size: vocabulary, n_embd: d, n_head: 2, n_layer: layers, n_positions: 32 };
  return { config, weights: writeSafetensors(tensors, { float16: true }) };
}

test('a file keeps the 16 bits of every tensor that has them, in both layouts; what has more stays whole', async () => {
  const [gf] = engines;
  const BITS = {
    bf16: [0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x3f80, 0xff7f],
    f16: [0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xfbff],
  };
  for (const weights of TYPES) {
    const dtype = weights.toUpperCase();
    const model = gf.createModel({ ...MODELS[0], norm: 'pre', weights });
    const { data, shape } = model.tensor('tok_emb.weight');
    const words = new Uint32Array(data.buffer);
    for (const [i, half] of BITS[weights].entries()) {
      if (weights === 'bf16') words[i] = half << 16;
      else data[i] = halfOf(half);
    }
    model.loadWeights({ 'tok_emb.weight': { data, shape } }, { strict: false });
    model.view('decoder.layers.0.linear1.bias').fill(1 / 3);
    const file = await model.save();
    const types = new Map([...(await openSafetensors(file)).tensors].map(([name, each]) => [name, each.dtype]));
    assert.deepEqual(
      [...types].filter(([, type]) => type !== dtype),
      [['decoder.layers.0.linear1.bias', 'F32']],
    );
    assert.deepEqual((await gf.loadModel(file)).model.weights(), model.weights());
    assert.ok(file.length < 0.6 * (await model.clone({ weights: 'f32' }).save()).length);
    const { model: opened } = await loadCheckpoint(gf, gpt2(), { weights });
    const { 'config.json': config, 'model.safetensors': saved } = await opened.save({ format: 'huggingface' });
    const { tensors } = await openSafetensors(saved);
    for (const name of ['wte', 'h.0.attn.c_attn', 'h.0.mlp.c_proj'])
      assert.equal(tensors.get(`transformer.${name}.weight`).dtype, dtype, name);
    const again = await loadCheckpoint(gf, { config, weights: saved }, { weights });
    assert.deepEqual(again.model.weights(), opened.weights());
  }
});

test('a checkpoint keeps its type where it is large, and any type that is asked for', async () => {
  const [gf] = engines;
  const small = await loadCheckpoint(gf, gpt2());
  assert.equal(small.model.config.weights, 'f32');
  for (const second of [0, 1, 2]) {
    const asked = await loadCheckpoint(gf, gpt2({ second }), { weights: 'f16' });
    const plain = await loadCheckpoint(gf, gpt2({ second }));
    assert.equal(asked.model.config.weights, 'f16');
    assert.equal(asked.model.config.head, plain.model.config.head);
    assert.deepEqual(asked.model.weights(), plain.model.weights());
  }
  const eighth = await loadCheckpoint(gf, gpt2({ d: 48 }), { weights: 'int8' });
  const plain = await loadCheckpoint(gf, gpt2({ d: 48 }));
  assert.deepEqual(eighth.model.weights(), plain.model.clone({ weights: 'int8' }).weights());
  const large = [{ dtype: 'BF16', shape: [2 ** 16, 256] }];
  const bias = { dtype: 'F32', shape: [256] };
  const config = { d_model: 256 };
  assert.equal(weightType(undefined, config, [...large, bias]), 'bf16');
  assert.equal(weightType('f32', config, large), 'f32');
  assert.equal(weightType(undefined, { ...config, weights: 'f16' }, large), 'f16');
  assert.equal(weightType(undefined, { d_model: 24 }, large), 'f32');
  assert.equal(weightType(undefined, config, [...large, { dtype: 'F16', shape: [8, 8] }]), 'f32');
  assert.equal(weightType(undefined, config, [{ dtype: 'F32', shape: [2 ** 16, 256] }]), 'f32');
  await assert.rejects(loadCheckpoint(gf, gpt2(), { weights: /** @type {any} */ ('int4') }), { code: 'range' });
});
