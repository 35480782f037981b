// Derivatives without a trainer, and a trainer's of a changed model: against central differences, in which numbers are
// put in the place of computed ones, and against the trainer, to the bit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { gradients, vjp } from 'glassformer/derivatives';
import { CASES } from './cases.js';
import { engines, withModelOf } from './engines.js';
import { random, refused, same, size } from './reference.js';

/**
 * Each case in each engine, with weights that no symmetry makes easy, and the tensors that can be patched.
 * @param {(given: Record<'model' | 'r' | 'batch' | 'inputs' | 'loss' | 'patchable' | 'label', any>) => void} body
 */
function eachCase(body) {
  for (const gf of engines) {
    for (const [name, make] of Object.entries(CASES)) {
      const r = random(7);
      const { config, loss = {}, batch } = make(r);
      withModelOf(gf, config, (model) => {
        model.loadWeights(
          [...model.weights()].reduce(
            (map, [key, t]) => map.set(key, { data: t.data.map((x) => x + 0.3 * (r.next() - 0.5)), shape: t.shape }),
            new Map(),
          ),
        );
        const inputs = { ...batch, labels: undefined };
        delete inputs.labels;
        model.forward({ ...inputs, capture: true });
        const patchable = model.tensors().filter((info) => info.patchable);
        body({ model, r, batch, inputs, loss, patchable, label: `${name} (${gf.variant})` });
      });
    }
  }
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** The slope at 0 by four points. @param {(h: number) => number} f */
const slopeOf = (f, h = 4e-3) => (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);

const STEPS = [1.6e-2, 8e-3, 4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4];

/**
 * The slope at 0 of a function of floats, by the step that agrees best with its neighbour: long steps bend where a norm
 * is near 0, short ones round. The value that is tested has no part in the choice.
 * @param {(h: number) => number} f
 */
function steadySlope(f) {
  const slopes = STEPS.map((h) => slopeOf(f, h));
  const errors = slopes.slice(1).map((slope, i) => Math.abs(slope - slopes[i]));
  const error = Math.min(...errors);
  return { value: slopes[errors.indexOf(error) + 1], error };
}

/** @param {number} got @param {number} wanted @param {number} scale @param {string} label */
function near(got, wanted, scale, label) {
  assert.ok(
    Math.abs(got - wanted) < 1e-3 * (1 + Math.abs(wanted)) * (1 + Math.abs(scale)),
    `${label}: ${got}, ${wanted}`,
  );
}

/** Loss and gradient of a changed model along a direction through each of its weights. */
function alongWeights({ model, r, batch, loss: settings, label }, changes) {
  const trainer = model.trainer(settings);
  const { loss } = trainer.gradients({ ...batch, ...changes });
  const weights = [...model.weights()];
  const found = new Map(weights.map(([key]) => [key, model.tensor(`grad.${key}`).data]));
  for (const [key, { data, shape }] of weights) {
    const direction = Array.from(data, () => (r.bool() ? 1 : -1));
    const put = (h) =>
      model.loadWeights({ [key]: { data: data.map((x, i) => x + h * direction[i]), shape } }, { strict: false });
    const wanted = slopeOf((h) => {
      put(h);
      return trainer.loss({ ...batch, ...changes }).loss;
    });
    put(0);
    near(dot(found.get(key), direction), wanted, loss, `${label}, ${key}`);
  }
}

test('the gradient of each captured tensor is what the loss does when it is moved', () => {
  eachCase(({ model, r, batch, loss: settings, patchable, label }) => {
    const of = patchable.map(({ name }) => name);
    const found = gradients(model, { ...batch, ...settings, of });
    const kept = new Map(of.map((name) => [name, model.tensor(name)]));
    const trainer = model.trainer(settings);
    assert.ok(of.some((name) => name.endsWith('scores')) || label.startsWith('feed'));
    for (const name of of) {
      const { data, shape } = kept.get(name);
      assert.deepEqual(found.gradients.get(name).shape, shape, name);
      // Where a mask hides, the number stays as good as hidden.
      const direction = Array.from(data, (x) => (x === -Infinity ? 0 : r.bool() ? 1 : -1));
      const at = (h) => {
        const value = data.map((x, i) => (x === -Infinity ? -1e30 : x + h * direction[i]));
        return trainer.loss({ ...batch, patches: [{ name, value }] }).loss;
      };
      near(dot(found.gradients.get(name).data, direction), slopeOf(at), found.loss, `${label}, ${name}`);
    }
  });
});

test('gradients are those of the trainer, to the bit, and leave it alone', () => {
  eachCase(({ model, batch, loss: settings, label }) => {
    const trainer = model.trainer(settings);
    const report = trainer.gradients({ ...batch, capture: true });
    const of = model
      .tensors()
      .filter(({ region }) => region === 'gradient')
      .map(({ name }) => name.replace('grad.', ''));
    const wanted = new Map(of.map((name) => [name, model.tensor(`grad.${name}`)]));
    const before = trainer.state();
    const found = gradients(model, { ...batch, ...settings, of });
    assert.deepEqual(trainer.state(), before, label);
    assert.equal(found.count, report.count);
    assert.equal(found.overflow, null);
    near(found.loss, report.loss, 0, label);
    for (const name of of) {
      if (settings.loss === 'mse') {
        const { data } = wanted.get(name);
        found.gradients.get(name).data.forEach((x, i) => assert.ok(Math.abs(x - data[i]) <= 1e-6, `${label}, ${name}`));
      } else same(found.gradients.get(name), wanted.get(name));
    }
  });
});

test('the gradients of a model with patches are those of the patched loss', () => {
  eachCase((given) => {
    const { r, patchable, label } = given;
    // one of the tensors of each role, at random places
    const roles = new Map(patchable.map((info) => [`${info.node} ${info.role}`, info]));
    for (const [role, { name, shape }] of roles) {
      const index = shape.map((length) => (r.bool() ? r.int(0, length - 1) : null));
      const patches = [{ name, index, value: 0.3 }];
      alongWeights({ ...given, label: `${label}, ${role} patched at ${index}` }, { patches });
    }
  });
});

test('the gradients of a model with another temperature and without a head are those of its loss', () => {
  eachCase((given) => {
    alongWeights({ ...given, label: `${given.label}, temperature` }, { temperature: 0.7 });
    if (given.patchable.some(({ role }) => role === 'head_outputs')) {
      const stack = given.label.startsWith('encoder-decoder') ? 'encoder' : undefined;
      const ablate = [{ head: 1, ...(given.model.config.layers > 1 && { layer: 0 }), ...(stack && { stack }) }];
      if (!/coder|residual/.test(given.label)) delete ablate[0].layer;
      alongWeights({ ...given, label: `${given.label}, ablated` }, { ablate });
    }
  });
});

test('what a patch replaces has no gradient; the patch has', () => {
  eachCase(({ model, batch, loss, patchable, label }) => {
    const scores = patchable.find(({ role }) => role === 'scores')?.name;
    if (!scores) return;
    const [scaled, query] = ['scaled', 'query'].map((role) => scores.replace(/scores$/, role));
    const patches = [{ name: scaled, value: 0.1 }];
    const found = gradients(model, { ...batch, ...loss, patches, of: [scaled, scores, query] });
    assert.ok(
      found.gradients.get(scaled).data.some((x) => x !== 0),
      label,
    );
    for (const name of [scores, query])
      assert.ok(
        found.gradients.get(name).data.every((x) => x === 0),
        `${label}, ${name}`,
      );
  });
});

test('a product with the Jacobian of any tensor agrees with differences of that tensor', () => {
  eachCase(({ model, r, inputs, patchable, label }) => {
    const first = patchable[0].name;
    const start = model.tensor(first);
    const others = patchable.map(({ name }) => name).filter((name) => !/masked$/.test(name));
    for (const name of [...others, 'output']) {
      const cotangent = r.tensor(model.tensor(name).shape);
      const { gradients: found, overflow } = vjp(model, { ...inputs, cotangents: { [name]: cotangent }, of: [first] });
      assert.equal(overflow, null);
      const direction = Array.from(start.data, () => (r.bool() ? 1 : -1));
      const wanted = slopeOf((h) => {
        const value = start.data.map((x, i) => x + h * direction[i]);
        model.forward({ ...inputs, capture: true, patches: [{ name: first, value }] });
        return dot(model.tensor(name).data, cotangent.data);
      });
      near(dot(found.get(first).data, direction), wanted, 1, `${label}, ${name}`);
    }
  });
});

test('products are linear in their cotangents, which add up', () => {
  eachCase(({ model, r, inputs, patchable, label }) => {
    const [first, other] = [patchable[0].name, patchable.at(-1).name];
    const [a, b] = ['output', other].map((name) => r.tensor(model.tensor(name).shape));
    const product = (cotangents) => vjp(model, { ...inputs, cotangents, of: [first] }).gradients.get(first).data;
    const [one, two] = [product({ output: a }), product(new Map([[other, b]]))];
    product({ output: a, [other]: b }).forEach((x, i) => near(x, one[i] + two[i], 1, label));
  });
});

const DECODER = { kind: 'decoder', vocabulary: 10, d_model: 8, heads: 2, layers: 2, head: 'tied' };
const [gf] = engines;

test('a cotangent of masked scores goes no further where the mask hides', () => {
  eachCase(({ model, r, inputs, patchable, label }) => {
    for (const { name } of patchable.filter(({ role }) => role === 'masked')) {
      const scaled = name.replace(/masked$/, 'scaled');
      model.forward({ ...inputs, capture: true });
      const hidden = Array.from(model.tensor(name).data, (x) => x === -Infinity);
      const cotangent = r.tensor(model.tensor(name).shape);
      const { gradients: found } = vjp(model, { ...inputs, cotangents: { [name]: cotangent }, of: [name, scaled] });
      same(found.get(name), cotangent);
      const wanted = cotangent.data.map((x, i) => (hidden[i] ? 0 : x));
      assert.deepEqual(found.get(scaled).data, wanted, `${label}, ${name}`);
    }
  });
});

test('a model that has had no trainer has derivatives, and can be given one afterwards', () => {
  const [model, twin] = [gf.createModel(DECODER), gf.createModel(DECODER)];
  const batch = { ids: [1, 2, 3], labels: [2, 3, 4] };
  const { loss } = gradients(model, { ...batch, of: ['tok_emb.weight'] });
  assert.equal(model.trainer().step(batch).loss, loss);
  twin.trainer().step(batch);
  for (const [name, weight] of twin.weights()) same(model.tensor(name), weight);
  model.free();
  twin.free();
});

test("cross-entropy of values has the trainer's gradients", () => {
  withModelOf(gf, { ...DECODER, head: 'none', outputWidth: 7 }, (model) => {
    const batch = { ids: [1, 2, 3], labels: [2, -100, 4] };
    const of = [...model.weights().keys()];
    const { loss, count, gradients: found } = gradients(model, { ...batch, of });
    const report = model.trainer({ loss: 'crossEntropy' }).gradients(batch);
    assert.deepEqual([loss, count], [report.loss, 2]);
    for (const name of of) same(found.get(name), model.tensor(`grad.${name}`));
  });
});

test('an overflow is named, not thrown, and training goes on to throw', () => {
  const plain = { vocabulary: 0, d_model: 8, heads: 2, d_ff: 16, layers: 24, norm: 'none', positions: 'none' };
  withModelOf(gf, { kind: 'encoder', ...plain }, (model) => {
    for (const [name, { data }] of model.weights()) model.view(name).set(data.map((x) => 40 * x));
    const vectors = random(1).tensor([1, 4, 8]);
    const cotangents = { output: vectors };
    const forward = vjp(model, { vectors, cotangents, of: ['encoder.vectors'] });
    assert.match(forward.overflow, /^encoder[.]layers[.]\d+[.]/);
    assert.deepEqual(forward.gradients.get('encoder.vectors').shape, [1, 4, 8]);
    refused(
      () => model.trainer({ loss: 'linear' }).gradients({ vectors, labels: vectors }),
      'number',
      forward.overflow,
    );
    const loss = gradients(model, { vectors, labels: vectors, loss: 'mse', of: ['encoder.vectors'] });
    assert.equal(loss.overflow, forward.overflow);
    assert.ok(!Number.isFinite(loss.loss));
  });
  withModelOf(gf, { kind: 'feed-forward', d_model: 2, d_ff: 3, heads: 1 }, (model) => {
    model.view('linear2.weight').fill(2);
    const cotangents = { output: [[[3e38, 3e38]]] };
    const { overflow } = vjp(model, { vectors: [[[1, 1]]], cotangents, of: ['input'] });
    assert.match(overflow, /^grad[.]/);
  });
});

test('bad arguments are named', () => {
  withModelOf(gf, DECODER, (model) => {
    const ids = [1, 2, 3];
    const of = ['decoder.embedding'];
    const cotangents = { logits: { data: new Float32Array(30), shape: [1, 3, 10] } };
    const good = { ids, cotangents, of };
    vjp(model, good);
    refused(() => vjp({}, good), 'foreign', 'model');
    refused(() => vjp(null, good), 'foreign', 'model');
    refused(() => vjp(model), 'missing', 'options');
    model.forward({ ids });
    for (const call of [gradients, vjp]) assert.throws(() => call(model), /options: call with [(]\{ ids, /);
    refused(() => vjp(model, { ...good, cotangents: new Map([[1, [1]]]) }), 'type', 'cotangents');
    assert.throws(
      () => vjp(model, { ...good, cotangents: { nope: [1] } }),
      ({ message }) => /model.tensors[(][)] lists/.test(message) && !message.includes('undefined'),
    );
    refused(() => vjp(model, { ids, of }), 'missing', 'cotangents');
    refused(() => vjp(model, { ...good, cotangents: {} }), 'type', 'cotangents');
    refused(() => vjp(model, { ...good, of: [] }), 'type', 'of');
    refused(() => vjp(model, { ...good, of: ['decoder.embeding'] }), 'unknown', 'of[0]');
    refused(() => vjp(model, { ...good, of: ['decoder.layers.0.norm1.mean'] }), 'unknown', 'of[0]');
    refused(() => vjp(model, { ...good, of: [1] }), 'type', 'of[0]');
    refused(() => vjp(model, { ...good, cotangents: { logit: [1] } }), 'unknown', 'cotangents.logit');
    refused(
      () => vjp(model, { ...good, cotangents: { 'tok_emb.weight': [1] } }),
      'unknown',
      'cotangents.tok_emb.weight',
    );
    refused(() => vjp(model, { ...good, cotangents: { logits: [1, 2] } }), 'shape', 'cotangents.logits');
    const bad = { data: new Float32Array(30).fill(NaN), shape: [1, 3, 10] };
    refused(() => vjp(model, { ...good, cotangents: { logits: bad } }), 'range', 'cotangents.logits');
    refused(() => vjp(model, { ...good, ids: [10] }), 'token', 'ids');
    refused(() => vjp(model, { ...good, temperature: 0 }), 'range', 'temperature');
    refused(() => vjp(model, { ...good, patches: [{ name: 'logits', value: 1 }] }), 'range', 'patches[0].name');
    refused(() => vjp(model, { ...good, maxOperations: 10 }), 'limit', 'ids');
    refused(() => vjp(model, { ...good, target: 1 }), 'unknown', 'target');
    refused(() => gradients(model, { ids, of }), 'missing', 'labels');
    refused(() => gradients(model, { ids, of, labels: [1, 2] }), 'shape', 'labels');
    refused(() => gradients(model, { ids, of, labels: [1, 2, 10] }), 'token', 'labels');
    refused(() => gradients(model, { ids, of, labels: ids, loss: 'hinge' }), 'range', 'loss');
    refused(() => gradients(model, { ids, of, labels: ids, labelSmoothing: 2 }), 'range', 'labelSmoothing');
    refused(() => gradients(model, { ids, of, labels: ids, ignoreIndex: 0.5 }), 'range', 'ignoreIndex');
    refused(
      () =>
        gradients(model, {
          ids,
          of,
          labels: { data: new Float32Array(24), shape: [3, 8] },
          loss: 'mse',
          labelSmoothing: 2,
        }),
      'range',
      'labelSmoothing',
    );
    // A setting that is undefined has its default, and a bad one changes nothing.
    const usual = { loss: undefined, ignoreIndex: undefined, labelSmoothing: undefined };
    assert.equal(gradients(model, { ids, of, labels: [1, 2, -100], ...usual }).count, 2);
    model.forward({ ids: [4, 5], capture: true });
    refused(() => gradients(model, { ids, of, labels: ids, labelSmoothing: 2 }), 'range', 'labelSmoothing');
    assert.deepEqual(model.tensor('decoder.embedding').shape, [1, 2, 8]);
    const trainer = model.trainer();
    refused(() => trainer.loss({ ids, labels: ids, temperature: -1 }), 'range', 'temperature');
    refused(() => trainer.gradients({ ids, labels: ids, patches: [{ name: 'x', value: 1 }] }), 'unknown', 'name');
    refused(() => trainer.step({ ids, labels: ids, temperature: 2 }), 'unknown', 'temperature');
  });
  withModelOf(gf, { ...DECODER, head: 'none' }, (model) => {
    const bad = { ids: [1], labels: [1], of: ['decoder.embedding'] };
    refused(() => gradients(model, bad), 'config', 'loss');
    model.free();
    refused(() => gradients(model, bad), 'freed', 'model');
  });
});

test('every shape is that of the tensor, also of a view of heads', () => {
  withModelOf(gf, DECODER, (model) => {
    const [query, heads] = ['query', 'head_outputs'].map((role) => `decoder.layers.1.self_attn.${role}`);
    const r = random(2);
    const cotangents = { [heads]: r.tensor([1, 2, 3, 4]) };
    const { gradients: found } = vjp(model, { ids: [1, 2, 3], cotangents, of: [query, heads] });
    same(found.get(heads), cotangents[heads]);
    assert.equal(size(found.get(query).shape), 24);
  });
});

test('products agree with differences in any model, with patches and a temperature', () => {
  const kinds = fc.constantFrom('encoder', 'decoder', 'encoder-decoder', 'attention', 'feed-forward');
  const config = fc.record({
    kind: kinds,
    heads: fc.constantFrom(1, 2, 3),
    layers: fc.nat(2),
    decoderLayers: fc.nat(2),
    d_ff: fc.constantFrom(1, 5, 8),
    norm: fc.constantFrom('none', 'pre', 'post'),
    residual: fc.boolean(),
    normAffine: fc.boolean(),
    finalNorm: fc.boolean(),
    embeddingNorm: fc.boolean(),
    embeddingScale: fc.boolean(),
    causal: fc.boolean(),
    scoreScale: fc.boolean(),
    attentionBias: fc.boolean(),
    headBias: fc.boolean(),
    headTransform: fc.boolean(),
    window: fc.constantFrom(0, 2),
    globalLayers: fc.constantFrom(0, 2),
    tokens: fc.boolean(),
    head: fc.constantFrom('none', 'linear', 'tied'),
    positions: fc.constantFrom('none', 'sinusoidal', 'learned', 'rotary', 'rotary'),
    normKind: fc.constantFrom('layer', 'rms'),
    ffn: fc.constantFrom('plain', 'gated'),
    ffnBias: fc.boolean(),
    keyValueHeads: fc.constantFrom(0, 1),
    headWidth: fc.constantFrom(0, 4),
    qkNorm: fc.boolean(),
    attentionOutBias: fc.boolean(),
    relativeBuckets: fc.constantFrom(0, 4, 7),
    activation: fc.constantFrom('gelu', 'gelu-tanh', 'silu'), // smooth: differences cross no kink
    seed: fc.nat(1000),
  });
  const property = ({ kind, head, tokens, ...settings }, temperature, patched) => {
    const r = random(settings.seed);
    const alone = !/coder/.test(kind);
    const embeds = tokens && !alone;
    if (settings.positions === 'rotary' && (6 / settings.heads) % 2) settings.headWidth = 4;
    const { d_ff, activation, causal, ffn, ffnBias, keyValueHeads, headWidth, qkNorm, relativeBuckets } = settings;
    const positions = settings.positions === 'rotary' ? 'rotary' : 'none';
    const shared = {
      activation,
      causal,
      ...(kind === 'attention' && { keyValueHeads, headWidth, qkNorm, positions, relativeBuckets }),
    };
    const given = alone ? { ...shared, d_ff, ffn, ffnBias } : settings;
    if (kind !== 'encoder-decoder') delete given.decoderLayers;
    const made = { ...given, kind, d_model: 6, heads: settings.heads, seed: settings.seed };
    if (!alone) Object.assign(made, { vocabulary: embeds ? 7 : 0, head: embeds ? head : 'none' });
    if (!embeds) delete made.embeddingNorm;
    if (!embeds || head === 'none') delete made.headTransform;
    else made.headScale = settings.seed % 2 === 0;
    const isStack = /^(en|de)coder$/.test(kind) && settings.norm === 'pre' && settings.residual;
    if (isStack && d_ff > 0 && settings.seed % 3) made.parallel = true;
    if (made.positions === 'rotary' && settings.seed % 4) made.ropeWidth = 2;
    withModelOf(gf, made, (model) => {
      const [B, T, S] = [r.int(1, 2), r.int(1, 4), r.int(1, 4)];
      const input = (length) => (embeds ? r.ids([B, length], 7) : r.tensor([B, length, 6]));
      const isPair = kind === 'encoder-decoder';
      const inputs = { [isPair ? (embeds ? 'sourceIds' : 'sourceVectors') : embeds ? 'ids' : 'vectors']: input(T) };
      if (isPair) inputs[embeds ? 'targetIds' : 'targetVectors'] = input(S);
      inputs.temperature = temperature;
      for (const name of model.weights().keys())
        model.view(name).forEach((x, i, all) => (all[i] = x + 0.4 * (r.next() - 0.5)));
      model.forward({ ...inputs, capture: true });
      const infos = model.tensors();
      const all = infos.filter(({ patchable, role }) => patchable && role !== 'masked');
      if (patched && all.length) {
        const { name, shape } = r.pick(all);
        inputs.patches = [{ name, index: shape.map((length) => (r.bool() ? r.int(0, length - 1) : null)), value: 0.2 }];
      }
      const to = [...new Set([r.pick(all).name, r.pick(all).name, 'output'])];
      const cotangents = new Map(to.map((name) => [name, r.tensor(model.tensor(name).shape)]));
      const weights = [...model.weights()];
      if (weights.length === 0) return;
      const { gradients: found } = vjp(model, { ...inputs, cotangents, of: weights.map(([name]) => name) });
      const along = weights.map(([name, { data }]) => [name, data, r.tensor([data.length]).data]);
      const moved = (h) => {
        for (const [name, data, direction] of along) model.view(name).set(data.map((x, i) => x + h * direction[i]));
        model.forward({ ...inputs, capture: true });
        return to.reduce((sum, name) => sum + dot(model.tensor(name).data, cotangents.get(name).data), 0);
      };
      const parts = along.map(([name, , direction]) => dot(found.get(name).data, direction));
      const scale = parts.reduce((sum, part) => sum + Math.abs(part), 0);
      const total = parts.reduce((sum, part) => sum + part, 0);
      const { value: slope, error } = steadySlope(moved);
      assert.ok(error < 1e-3 * (1 + scale), `no step is steady: ${slope} within ${error}`);
      assert.ok(Math.abs(total - slope) < 2e-4 * (1 + scale), `${total}, ${slope}`);
    });
  };
  fc.assert(fc.property(config, fc.constantFrom(1, 0.5, 3), fc.boolean(), property), { numRuns: 300, seed: 7 });
});

test('one logit: its gradients are its differences, and those of a cotangent to the bit', async () => {
  const config = { kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, layers: 2, head: 'linear', seed: 3 };
  const own = gf.createModel(config);
  const ids = { data: [1, 2, 3, 4, 5, 6], shape: [2, 3] };
  const [at, id, batch] = [2, 4, 1];
  const embedding = { node: 'embedding' };
  const head = { layer: 0, head: 1, batch: 1 };
  const neuron = { layer: 1, neuron: 3, batch: 1 };
  const of = [embedding, 'decoder.layers.1.out', head, neuron, { name: 'generator.weight', row: 4 }];
  const { gradients: found, overflow } = await own.gradients({ ids }, { logit: { at, id, batch }, of });
  assert.equal(overflow, null);
  assert.deepEqual([...found.keys()], of);
  const cotangent = { data: new Float32Array(2 * 3 * 9), shape: [2, 3, 9] };
  cotangent.data[(batch * 3 + at) * 9 + id] = 1;
  const whole = vjp(own, { ids, cotangents: { logits: cotangent }, of }).gradients;
  for (const each of of) assert.deepEqual(found.get(each), whole.get(each));
  const logit = (selector, value) => {
    const { data } = own.forward({ ids, patches: [{ at: selector, value }] }).logits;
    return data[(batch * 3 + at) * 9 + id];
  };
  for (const selector of [embedding, head, neuron]) {
    own.forward({ ids, capture: true });
    const { data, shape } = own.tensor(selector);
    const given = found.get(selector);
    assert.deepEqual(given.shape, shape);
    for (let i = 0; i < data.length; i += 3) {
      const moved = (by) => logit(selector, { data: data.map((each, j) => (j === i ? each + by : each)), shape });
      const slope = (moved(1 / 64) - moved(-1 / 64)) * 32;
      assert.ok(Math.abs(slope - given.data[i]) < 2e-3 * (1 + Math.abs(slope)), `${JSON.stringify(selector)} ${i}`);
    }
  }
  const refused = (input, options, code, parameter) =>
    assert.rejects(own.gradients(input, options), { code, parameter }, JSON.stringify(options));
  const logits = { at, id };
  await refused({ ids }, { logit: { at: 3, id }, of }, 'range', 'logit.at');
  await refused({ ids }, { logit: { at, id: 9 }, of }, 'range', 'logit.id');
  await refused({ ids }, { logit: { at, id, batch: 2 }, of }, 'range', 'logit.batch');
  await refused({ ids }, { logit: { at }, of }, 'missing', 'logit.id');
  await refused({ ids }, { logit: logits, of: [{ layer: 2 }] }, 'range', 'of[0].layer');
  await refused({ ids }, { logit: logits, of: [{ layer: 0, head: 2 }] }, 'range', 'head');
  await refused({ ids }, { logit: logits, of: ['decoder.positions'] }, 'unknown', 'of[0]');
  await refused({ ids }, { logit: logits }, 'missing', 'of');
  const bare = gf.createModel({ ...config, head: 'none' });
  await assert.rejects(bare.gradients({ ids }, { logit: logits, of }), { code: 'config', parameter: 'head' });
});
