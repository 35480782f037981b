// The kept numbers of a pass: against the same numbers read at once, and against arithmetic in double.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import fc from 'fast-check';
import { load } from 'glassformer';
import { BOTH, random, same } from './reference.js';

const gf = await load({ variant: 'simd' });
const SIZES = { vocabulary: 9, d_model: 12, heads: 3, d_ff: 10, layers: 3, head: 'linear', seed: 4 };
const decoder = gf.createModel({ ...SIZES, kind: 'decoder', norm: 'pre', finalNorm: true });
const MODELS = [
  [decoder, { ids: [1, 2, 3, 4] }, { ids: [4, 3, 2, 1] }],
  [
    gf.createModel({ ...SIZES, kind: 'encoder', headTransform: true, activation: 'gelu' }),
    { ids: [1, 2, 3, 4] },
    { ids: [5, 6, 7, 8] },
  ],
  [
    gf.createModel({ ...SIZES, kind: 'encoder', head: 'tied', weights: 'bf16', d_model: 48 }),
    { ids: [1, 2, 3] },
    { ids: [5, 6, 7] },
  ],
  [
    gf.createModel(BOTH),
    { sourceIds: [1, 2, 3, 4], targetIds: [5, 6, 7] },
    { sourceIds: [1, 1, 1, 1], targetIds: [2, 2, 2] },
  ],
];

test('a trace is readable after whatever comes later, to the bit', async () => {
  for (const [model, input, other] of MODELS) {
    const own = model.clone();
    const { logits, output } = own.forward({ ...input, capture: true });
    const names = own.tensors().flatMap(({ name, region }) => (region === 'weight' ? [] : [name]));
    const kept = new Map(names.map((name) => [name, own.tensor(name)]));
    const holds = (trace) => {
      same(trace.logits, logits);
      same(trace.output, output);
      for (const name of names) assert.deepEqual(trace.tensor(name), kept.get(name), name);
    };
    const events = [
      () => {},
      () => own.forward(other),
      () => own.forward({ ...input, logits: false }),
      () =>
        own.forward({
          ...input,
          ablate: [{ stack: own.config.kind === 'encoder' ? 'encoder' : 'decoder', layer: 0, head: 0 }],
        }),
      () =>
        own.config.kind !== 'encoder' &&
        own.generateSync({ ...other, ...(other.targetIds && { sourceIds: [1], targetIds: [1] }), maxTokens: 2 }),
      () => own.initialize(9),
      () => own.free(),
    ];
    for (const event of events) {
      const trace = own.trace(input);
      holds(trace);
      try {
        event();
      } catch (error) {
        assert.equal(error.code, 'unknown', error.message); // other names of ids
      }
      if (event === events[5]) own.loadWeights(model.weights());
      holds(trace);
    }
  }
});

test('parts of a trace are those of the model, before and after', () => {
  const input = { ids: { data: [1, 2, 3, 4, 5, 6], shape: [2, 3] } };
  const trace = decoder.trace(input);
  const selectors = [
    { layer: 1, head: 2 },
    { layer: 1, head: 2, batch: 1, row: 0 },
    { layer: 0, neuron: 4 },
    { layer: 2, role: 'weights', index: [null, 1, null, 0] },
    { name: 'decoder.ids', batch: 1 },
  ];
  const before = selectors.map((each) => trace.tensor(each));
  assert.deepEqual(
    selectors.map((each) => decoder.tensor(each)),
    before,
  );
  decoder.forward({ ids: [1] });
  assert.deepEqual(
    selectors.map((each) => trace.tensor(each)),
    before,
  );
});

test('a patch from a trace is the patch of its numbers, to the bit', () => {
  for (const [model, input, other] of MODELS) {
    const from = model.trace(other);
    const patchable = model.tensors().filter(({ patchable }) => patchable);
    fc.assert(
      fc.property(fc.constantFrom(...patchable), fc.infiniteStream(fc.option(fc.nat(20))), ({ name, shape }, draws) => {
        const index = shape.map((length) => {
          const at = draws.next().value;
          return at === null ? null : at % length;
        });
        const value = from.tensor({ name, index });
        if (!value.data.every(Number.isFinite)) return; // hidden by a mask
        const wanted = model.forward({ ...input, patches: [{ name, index, value }] }).logits;
        same(model.forward({ ...input, patches: [{ at: { name, index }, from }] }).logits, wanted);
        same(model.forward({ ...input, patches: [{ name, index, value: from }] }).logits, wanted);
      }),
      { numRuns: 40, seed: 2 },
    );
  }
});

test('of a batch a trace of one sequence goes into each, and one of as many into its own', () => {
  const rows = (...data) => ({ ids: { data: data.flat(), shape: [data.length, 3] } });
  const at = { layer: 1 };
  const one = decoder.trace(rows([4, 5, 6]));
  const two = decoder.trace(rows([4, 5, 6], [7, 8, 1]));
  const out = (from) => decoder.forward({ ...rows([1, 2, 3], [3, 2, 1]), patches: [{ at, from }] }).logits.data;
  assert.deepEqual(out(one), Float32Array.from([...one.logits.data, ...one.logits.data]));
  assert.deepEqual(out(two), two.logits.data);
});

test('nothing but its user holds a trace', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const dropped = (() => new WeakRef(decoder.trace({ ids: [1, 2, 3] })))();
  for (let i = 0; i < 20 && dropped.deref(); i++) {
    await new Promise((resolve) => setTimeout(resolve));
    gc();
  }
  assert.equal(dropped.deref(), undefined);
  decoder.forward({ ids: [1] });
});

test('where a copy does not fit, no later number replaces it', () => {
  const trace = decoder.trace({ ids: [1, 2, 3] });
  const { slice } = Float32Array.prototype;
  Float32Array.prototype.slice = () => {
    throw new RangeError('Array buffer allocation failed');
  };
  assert.throws(() => decoder.forward({ ids: [4, 5, 6] }), RangeError);
  Float32Array.prototype.slice = slice;
  decoder.forward({ ids: [4, 5, 6] });
  assert.throws(() => trace.tensor('decoder.layers.2.out'), { code: 'unknown', message: /was not captured/ });
});

test('what was freed or not captured is refused by name', () => {
  const trace = decoder.trace({ ids: [1, 2, 3] });
  trace.free();
  trace.free();
  for (const use of [() => trace.logits, () => trace.tensor('logits'), () => trace.decided(0)]) {
    assert.throws(use, { code: 'freed', parameter: 'trace' });
  }
  const part = decoder.trace({ ids: [1, 2, 3], capture: [{ layer: 1 }] });
  const name = 'decoder.layers.0.out';
  assert.throws(() => part.tensor({ layer: 0 }), { code: 'unknown', message: /decoder.layers.0.out|capture/ });
  decoder.forward({ ids: [1] });
  assert.throws(() => part.tensor(name), { code: 'unknown', message: /was not captured in that pass/ });
  assert.throws(() => part.tensor('decoder.layers.0.linear1.weight'), { code: 'unknown', message: /is a weight/ });
  const pass = (patch) => () => decoder.forward({ ids: [1, 2, 3], patches: [patch] });
  assert.throws(pass({ layer: 0, from: part }), { code: 'unknown', parameter: 'patches[0]' });
  assert.throws(pass({ layer: 1, row: 0, from: {} }), { code: 'type', parameter: 'patches[0].from' });
  assert.throws(pass({ layer: 1, row: 0, from: part, value: 1 }), { code: 'unknown', parameter: 'patches[0].value' });
  const short = decoder.trace({ ids: [1, 2] });
  for (const at of [{ layer: 1 }, 'decoder.layers.1.self_attn.weights', { layer: 1, head: 0, name: undefined }])
    assert.throws(pass({ at, from: short }), {
      code: 'shape',
      parameter: 'patches[0].from',
      message: /the passes have 3 and 2 tokens/,
    });
  decoder.forward({ ids: [1, 2, 3], patches: [{ layer: 1, row: 1, from: short }] });
});

/** x W^T + b in double. */
const linear = (x, weight, bias, rows) => {
  const [out, C] = weight.shape;
  return Array.from({ length: rows * out }, (_, i) => {
    let sum = bias ? bias.data[i % out] : 0;
    for (let c = 0; c < C; c++) sum += x[Math.floor(i / out) * C + c] * weight.data[(i % out) * C + c];
    return sum;
  });
};
const layerNorm = (x, weight, bias, C, epsilon) =>
  x.map((value, i) => {
    const row = x.slice(i - (i % C), i - (i % C) + C);
    const mean = row.reduce((a, b) => a + b, 0) / C;
    const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / C;
    return ((value - mean) / Math.sqrt(variance + epsilon)) * weight.data[i % C] + bias.data[i % C];
  });
const erf = (x) => {
  // Abramowitz and Stegun 7.1.5: the series, in double.
  let [sum, term] = [x, x];
  for (let n = 1; n < 80; n++) sum += (term *= -(x * x) / n) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * sum;
};

test('the lens of every layer is the norm and head of its stream, in double; of the last the logits', async () => {
  const r = random(3);
  for (const [model, input] of MODELS) {
    const { finalNorm, headTransform, d_model: C, epsilon, kind } = model.config;
    const own = model.clone();
    const packed = own.config.weights === 'bf16';
    if (!packed)
      own.loadWeights(
        new Map(
          [...own.weights()].map(([name, { data, shape }]) => [
            name,
            { data: data.map((each) => each + r.tensor([1]).data[0] / 9), shape },
          ]),
        ),
      );
    const weights = own.weights();
    const stack = kind === 'encoder' ? 'encoder' : 'decoder';
    const trace = own.trace(input);
    const depth = kind === 'encoder-decoder' ? own.config.decoderLayers : own.config.layers;
    for (let layer = 0; layer < depth; layer++) {
      const stream = trace.tensor({ stack, layer });
      let x = [...stream.data];
      const rows = x.length / C;
      if (finalNorm)
        x = layerNorm(x, weights.get(`${stack}.norm.weight`), weights.get(`${stack}.norm.bias`), C, epsilon);
      if (headTransform) {
        x = linear(x, weights.get('transform.dense.weight'), weights.get('transform.dense.bias'), rows);
        x = x.map((value) => (value / 2) * (1 + erf(value / Math.SQRT2)));
        x = layerNorm(x, weights.get('transform.norm.weight'), weights.get('transform.norm.bias'), C, epsilon);
      }
      const table = weights.get('generator.weight') ?? weights.get('tok_emb.weight');
      const wanted = linear(x, table, weights.get('generator.bias'), rows);
      const found = await trace.lens(layer);
      assert.deepEqual(found.shape, [1, rows, table.shape[0]]);
      found.data.forEach((value, i) =>
        assert.ok(
          Math.abs(value - wanted[i]) < 1e-4 * (1 + Math.abs(wanted[i])),
          `${kind} ${layer}: ${value} ${wanted[i]}`,
        ),
      );
    }
    const last = await trace.lens(depth - 1);
    const off = last.data.reduce((most, each, i) => Math.max(most, Math.abs(each - trace.logits.data[i])), 0);
    assert.ok(off < 1e-5, `${off}`);
    await assert.rejects(trace.lens({ stack, layer: 0, head: 0 }), { code: 'shape', parameter: 'layer' });
    await assert.rejects(trace.lens(9), { code: 'range', parameter: 'selector.layer' });
    const input0 = await trace.lens({ stack, role: 'input' });
    assert.deepEqual(input0.shape, last.shape);
  }
  const bare = gf.createModel({ kind: 'encoder', vocabulary: 9, d_model: 8, heads: 2 });
  await assert.rejects(bare.trace({ ids: [1] }).lens(0), { code: 'config', parameter: 'head' });
});

/** exp(x_i) / sum, in double. */
const share = (row, id) => {
  const most = Math.max(...row);
  return Math.exp(row[id] - most) / row.reduce((sum, each) => sum + Math.exp(each - most), 0);
};

test('decided: each cell is the probability under its change, from passes with patches by numbers', async () => {
  for (const [model, input, other] of MODELS) {
    const trace = model.trace(input);
    const token = 2;
    const rowOf = (options) => {
      const { data, shape } = model.forward({ ...input, ...options }).logits;
      return [...data.slice(token * shape[2], (token + 1) * shape[2])];
    };
    const plain = rowOf({});
    const from = model.trace(other);
    const { answer, probability, stream, parts } = await trace.decided(token, { from, groups: 3 });
    assert.equal(answer, plain.indexOf(Math.max(...plain)));
    const near = (found, options, what) => {
      const wanted = share(rowOf(options), answer);
      assert.ok(Math.abs(found - wanted) < 1e-6, `${what}: ${found} ${wanted}`);
    };
    near(probability, {}, 'plain');
    const streamOf = ({ stack, layer }) => (layer === null ? { stack, role: 'input' } : { stack, layer });
    for (const cell of stream) {
      const at = { ...streamOf(cell), row: cell.row };
      near(cell.probability, { patches: [{ at, value: from.tensor(at) }] }, JSON.stringify(at));
    }
    for (const { stack, layer, attention, head, neurons, probability: found } of parts) {
      const ablate = neurons
        ? Array.from({ length: neurons[1] - neurons[0] + 1 }, (_, i) => ({ stack, layer, neuron: neurons[0] + i }))
        : [{ stack, layer, attention, head }];
      near(found, { ablate }, JSON.stringify({ stack, layer, head, neurons }));
    }
    const { layers, decoderLayers, kind } = model.config;
    const [S, T] = [(input.sourceIds ?? input.ids).length, input.targetIds?.length ?? 0];
    assert.equal(stream.length, kind === 'encoder-decoder' ? (layers + 1) * S + decoderLayers * T : layers * S);
    const mean = await trace.decided(token, { from: 'mean' });
    for (const cell of mean.stream) {
      near(cell.probability, { patches: [{ ...streamOf(cell), row: cell.row, value: 'mean' }] }, 'mean');
    }
    assert.equal(mean.from, 'mean');
  }
});

test('decided swaps the word that turns the answer most, not the answer’s own, here and in a worker', async () => {
  const file = readFileSync(new URL('../../dist/models/creek.safetensors', import.meta.url));
  const far = await load({ variant: 'simd', worker: true });
  const tired = 'the dog did not jump over the creek because it was tired .';
  for (const [text, token, row, answer, turned] of /** @type {[string, number, number, string, string][]} */ ([
    [tired, 9, 11, 'dog', 'creek'],
    [tired.replace('tired', 'deep'), 9, 11, 'creek', 'dog'],
    ['the rabbit did not eat the carrot because it was hungry .', 8, 10, 'rabbit', 'carrot'],
  ])) {
    const { model, tokenizer } = await gf.loadModel(file.slice());
    const word = (/** @type {number} */ id) => tokenizer.token(id);
    const trace = model.trace(text);
    const found = await trace.decided(token);
    const { swap, from, stream } = found;
    const ids = tokenizer.encode(text).ids;
    assert.deepEqual([swap.row, word(found.answer), word(swap.to)], [row, answer, turned], text);
    assert.deepEqual(from, Object.assign([...ids], { [swap.row]: swap.id }));
    assert.ok(![swap.to, found.answer].includes(swap.id));
    const says = (/** @type {number[]} */ of) => {
      const { data, shape } = model.forward({ ids: of }).logits;
      return gf.softmax({ data: data.slice(token * shape[2], (token + 1) * shape[2]), shape: [1, shape[2]] }).data;
    };
    const lead = (/** @type {ArrayLike<number>} */ p) =>
      p[found.answer] - Math.max(...Array.from(p).filter((_, id) => id !== found.answer));
    assert.equal(swap.probability, says(from)[found.answer]);
    // Of every word in the place, those that fit by the definition; none of them costs more of the lead.
    const { data } = trace.tensor({ name: 'logits', row });
    const shares = gf.softmax({ data, shape: [1, data.length] }).data;
    for (const [id, share] of shares.entries()) {
      if (id === ids[row] || share < Math.max(5e-4, 0.02 * (1 - shares[ids[row]]))) continue;
      const now = says(Object.assign([...ids], { [row]: id }));
      if (now[id] < Math.max(...now)) assert.ok(lead(now) >= lead(says(from)) - 1e-6, word(id));
    }
    const own = stream.find((each) => each.layer === null && each.row === row);
    assert.ok(own.probability < 0.01, `${own.probability}: the word itself carries it`);
    const { model: remote } = await far.loadModel(file.slice());
    assert.deepEqual(await (await remote.trace(text)).decided(token), found);
  }
  const given = await decoder.trace({ ids: [1, 2, 3] }).decided(2, { from: decoder.trace({ ids: [3, 2, 1] }) });
  assert.deepEqual([given.swap, given.from], [null, null]);
  const other = gf.createModel({ ...SIZES, kind: 'decoder', outputVocabulary: 4 });
  for (const trace of [MODELS.at(-1)[0].trace(MODELS.at(-1)[1]), other.trace({ ids: [1, 2, 3] })]) {
    const { swap, from } = await trace.decided(2);
    assert.deepEqual([swap, from], [null, 'mean'], 'words of the answer are not those of the text');
  }
  far.terminate();
});

test('decided goes on from the changes of its pass, shows how far it is, and ends by a signal', async () => {
  const ablate = [{ layer: 0, head: 1 }];
  const trace = decoder.trace({ ids: [1, 2, 3, 4], ablate, temperature: 2 });
  const steps = [];
  for await (const { done, total } of trace.decided(3)) steps.push([done, total]);
  const cells = 3 * 4 + 3 * (3 + 4);
  const [[, total]] = steps;
  assert.ok(total > cells && total <= cells + 3 * 8, `${total - cells} swaps`); // no words say what may come first
  assert.deepEqual(
    steps,
    Array.from({ length: total + 1 }, (_, i) => [i, total]),
  );
  const { parts, probability } = await trace.decided(3);
  assert.equal(parts[1].probability, probability); // that head was off already
  const stop = new AbortController();
  const seen = [];
  await assert.rejects(
    async () => {
      for await (const { done } of trace.decided(3, { signal: stop.signal })) if (seen.push(done) === 3) stop.abort();
    },
    { name: 'AbortError' },
  );
  assert.deepEqual(seen, [0, 1, 2]);
  await assert.rejects(async () => trace.decided(4), { code: 'range', parameter: 'token' });
  await assert.rejects(async () => trace.decided(0, { from: 3 }), { code: 'type', parameter: 'from' });
  const short = decoder.trace({ ids: [1, 2] });
  await assert.rejects(async () => trace.decided(0, { from: short }), { code: 'shape', parameter: 'from' });
});

test('a text, what encode gives, and ids are one input, here and in a worker', async () => {
  const file = readFileSync(new URL('../../dist/models/creek.safetensors', import.meta.url));
  const far = await load({ variant: 'simd', worker: true });
  const text = 'the rabbit did not eat the carrot .';
  const of = [{ node: 'embedding' }];
  const found = [];
  for (const engine of [gf, far]) {
    const { model, tokenizer } = await engine.loadModel(file.slice());
    const encoding = tokenizer.encode(text);
    for (const input of [text, encoding, { ids: encoding.ids }, { ids: text }]) {
      const trace = await model.trace(input);
      const { gradients } = await model.gradients(input, { logit: { at: 1, id: 5 }, of });
      found.push([trace.logits, await trace.tensor({ layer: 1, head: 1 }), gradients.get(of[0])]);
    }
  }
  far.terminate();
  for (const each of found) assert.deepEqual(each, found[0]);
  assert.deepEqual(found[0][2].shape, [1, 8, found[0][2].shape[2]]);
});
