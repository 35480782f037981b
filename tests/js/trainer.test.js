// Training through the public API: gradients against central differences and naive formulas in
// double, optimisers, schedules, losses; that a refused step changes nothing; that saved training
// goes on to the same bits; that a seed means bits.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { resumeTrainer, saveTrainer } from 'glassformer/core';
import { CASES, ODD } from './cases.js';
import { withModelOf } from './engines.js';
import { reverse } from '../../src/tasks/index.js';
import * as ref from './reference.js';
import { TRAINED_200 } from './trained.js';

const { close, matrix, random, refused, size } = ref;
const gf = await load({ variant: 'simd' });

const engines = [gf];
try {
  engines.push(await load({ variant: 'relaxed' }));
} catch (error) {
  assert.equal(error.code, 'unsupported');
}

const withModel = (config, body, engine = gf) => withModelOf(engine, config, body);

/**
 * A case's model, trainer and batch.
 * @param {string} name
 * @param {object} settings
 * @param {(model: any, trainer: any, batch: any) => any} body
 */
function withCase(name, settings, body) {
  const { config, loss, batch } = CASES[name](random(7));
  return withModel({ ...config, seed: 3 }, (model) => body(model, model.trainer({ ...loss, ...settings }), batch));
}

/** Of any arrays, as bits. @param {ArrayBufferView[]} arrays */
function digest(...arrays) {
  const hash = createHash('sha256');
  for (const { buffer, byteOffset, byteLength } of arrays) hash.update(Buffer.from(buffer, byteOffset, byteLength));
  return hash.digest('hex');
}

const digestOf = ({ weights, moment1, moment2, steps }) => digest(weights, moment1, moment2, Int32Array.of(steps));
const weightsOf = (model) => digest(...[...model.weights().values()].map(({ data }) => data));
const times = (count, f) => Array.from({ length: count }, (_, i) => f(i));
const inputsOf = ({ labels: _, ...inputs }) => inputs;
const encoderInputs = inputsOf(CASES.encoder(random(7)).batch);

test('gradients agree with central differences along random directions, in every kind', () => {
  for (const engine of engines) {
    for (const [name, make] of Object.entries(CASES)) {
      const r = random(7);
      const { config, loss: settings = {}, batch } = make(r);
      withModel(
        { ...config, seed: 3 },
        (model) => {
          // Weights that no symmetry makes easy: gains beside 1, biases beside 0.
          model.loadWeights(
            new Map(
              [...model.weights()].map(([key, t]) => [
                key,
                { data: t.data.map((x) => x + 0.2 * (r.next() - 0.5)), shape: t.shape },
              ]),
            ),
          );
          const trainer = model.trainer(settings);
          const { loss } = trainer.loss(batch);
          trainer.gradients(batch);
          const weights = model.weights();
          const gradients = new Map([...weights.keys()].map((key) => [key, model.tensor(`grad.${key}`)]));
          for (const [key, { data, shape }] of weights) {
            const direction = Array.from(data, () => (r.bool() ? 1 : -1));
            const slope = gradients.get(key).data.reduce((sum, g, i) => sum + g * direction[i], 0);
            const at = (h) => {
              model.loadWeights(
                { [key]: { data: data.map((x, i) => x + h * direction[i]), shape } },
                { strict: false },
              );
              return trainer.loss(batch).loss;
            };
            const h = 4e-3;
            const expected = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
            model.loadWeights({ [key]: { data, shape } }, { strict: false });
            assert.ok(
              Math.abs(slope - expected) < 1e-3 * (1 + Math.abs(expected)) * (1 + Math.abs(loss)),
              `${name}, ${key} (${engine.variant}): ${slope}, expected ${expected}`,
            );
          }
        },
        engine,
      );
    }
  }
});

test('an FFN: loss and gradients are those of the formulas, those of input and intermediates too', () => {
  const r = random(2);
  const [B, T, C, F] = [2, 5, 3, 7];
  const [vectors, labels] = [r.tensor([B, T, C]), r.tensor([B, T, C])];
  withModel({ kind: 'feed-forward', d_model: C, d_ff: F, activation: 'relu' }, (model) => {
    model.loadWeights(ref.feedForwardWeights(r, C, F));
    const trainer = model.trainer({ loss: 'mse' });
    const report = trainer.gradients({ vectors, labels, capture: true });
    const rows = (t) => matrix({ data: t.data, shape: [B * T, t.shape.at(-1)] });
    const x = rows(vectors);
    const { pre, active, output } = ref.feedForward(x, model.weights(), 'relu');
    const n = B * T * C;
    const error = output.map((row, i) => row.map((y, c) => y - rows(labels)[i][c]));
    const dOut = error.map((row) => row.map((e) => (2 * e) / n));
    const dActive = ref.matmul(dOut, matrix(model.tensor('linear2.weight')));
    const dPre = dActive.map((row, i) => row.map((g, f) => (pre[i][f] > 0 ? g : 0)));
    const columnSums = (m) => m[0].map((_, c) => m.reduce((sum, row) => sum + row[c], 0));
    const flat = (m, shape) => ({ data: m.flat(), shape });
    assert.ok(Math.abs(report.loss - error.flat().reduce((sum, e) => sum + e * e, 0) / n) < 1e-6);
    const near = (name, expected) => close(model.tensor(`grad.${name}`), expected, 1e-6, name);
    near('linear2.weight', flat(ref.matmul(ref.transpose(dOut), active), [C, F]));
    near('linear2.bias', flat(columnSums(dOut), [C]));
    near('linear1.weight', flat(ref.matmul(ref.transpose(dPre), x), [F, C]));
    near('linear1.bias', flat(columnSums(dPre), [F]));
    near('ffn.activation', flat(dActive, [B, T, F]));
    near('ffn.pre_activation', flat(dPre, [B, T, F]));
    near('input', flat(ref.matmul(dPre, matrix(model.tensor('linear1.weight'))), [B, T, C]));
  });
});

test('gradients are tensors like others: by name, of the shape of what they belong to', () => {
  withCase('encoder', {}, (model, trainer, batch) => {
    trainer.gradients(batch);
    const listed = (region) => model.tensors().filter((t) => t.region === region);
    const shapes = new Map(listed('weight').map(({ name, shape }) => [name, shape]));
    assert.deepEqual(new Map(listed('gradient').map(({ name, shape }) => [name.replace('grad.', ''), shape])), shapes);
    trainer.gradients({ ...batch, capture: true });
    const all = new Map(model.tensors().map(({ name, shape }) => [name, shape]));
    for (const name of [
      'encoder.input',
      'encoder.layers.0.out',
      'encoder.layers.1.self_attn.weights',
      'encoder.layers.1.self_attn.query',
      'encoder.layers.0.ffn.activation',
    ]) {
      assert.deepEqual(all.get(`grad.${name}`) ?? name, all.get(name));
      assert.ok(
        model.tensor(`grad.${name}`).data.some((x) => x !== 0),
        name,
      );
    }
    for (const [name] of all) assert.ok(name !== '' && name !== 'grad.', 'every tensor has a name');
    model.forward(encoderInputs);
    refused(() => model.tensor('grad.encoder.layers.0.out'), 'unknown', 'name');
  });
});

/** One element of a step, as PyTorch has it. */
const RULES = {
  adamw: (p, g, m, v, t, s) => adam(p * (1 - s.learningRate * s.weightDecay), g, m, v, t, s),
  adam: (p, g, m, v, t, s) => adam(p, g + s.weightDecay * p, m, v, t, s),
  sgd: (p, g, m, v, t, s) => {
    const next = t === 1 ? g + s.weightDecay * p : s.momentum * m + g + s.weightDecay * p;
    return [p - s.learningRate * next, next, v];
  },
};

function adam(p, g, m, v, t, { learningRate, beta1, beta2, epsilon }) {
  const next = [beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g];
  const hat = [next[0] / (1 - beta1 ** t), next[1] / (1 - beta2 ** t)];
  return [p - (learningRate * hat[0]) / (Math.sqrt(hat[1]) + epsilon), ...next];
}

/** The case's weights; some stay, of which one has another behind it and one is the last. */
const SOME = ['decoder.layers.0.linear1', 'pos_emb.weight', 'generator'];

test('optimisers, clipping, frozen weights: each step is what the formulas make of the gradients', () => {
  for (const optimizer of /** @type {const} */ (['adamw', 'adam', 'sgd'])) {
    for (const [clip, frozen] of /** @type {[number, string[]][]} */ ([
      [0, []],
      [0.05, []],
      [1e6, []],
      [0.05, SOME],
    ])) {
      const settings = {
        optimizer,
        learningRate: 0.01,
        beta1: 0.8,
        beta2: 0.95,
        epsilon: 1e-6,
        weightDecay: 0.02,
        momentum: 0.7,
        clip,
        frozen,
      };
      withCase('decoder', settings, (model, trainer, batch) => {
        let state;
        for (let step = 1; step <= 4; step++) {
          const { gradientNorm } = trainer.gradients(batch);
          const before = model.weights();
          const names = [...before.keys()];
          const stays = (/** @type {string} */ name) => frozen.some((part) => name.startsWith(part));
          assert.equal(new Set(names.filter(stays)).size, frozen.length && 5);
          const isFrozen = names.flatMap((name) => Array.from(before.get(name).data, () => stays(name)));
          const slopes = names.flatMap((name) => Array.from(model.tensor(`grad.${name}`).data));
          const moved = slopes.some((slope, i) => isFrozen[i] && slope);
          assert.equal(moved, frozen.length > 0, 'frozen ones have a gradient');
          const gradients = slopes.map((slope, i) => (isFrozen[i] ? 0 : slope));
          const norm = Math.sqrt(gradients.reduce((sum, g) => sum + g * g, 0));
          assert.ok(Math.abs(norm - gradientNorm) < 1e-6 * norm);
          const scale = clip > 0 && norm > clip ? clip / (norm + 1e-6) : 1;
          const report = trainer.step(batch);
          assert.deepEqual([report.step, trainer.steps, report.learningRate], [step, step, 0.01]);
          assert.equal(report.gradientNorm, gradientNorm, 'before clipping');
          const values = names.flatMap((name) => Array.from(before.get(name).data));
          state ??= values.map(() => [0, 0, 0]);
          state = values.map((p, i) =>
            isFrozen[i]
              ? [p, 0, 0]
              : RULES[optimizer](p, gradients[i] * scale, state[i][1], state[i][2], step, settings),
          );
          const after = names.flatMap((name) => Array.from(model.tensor(name).data));
          assert.ok(
            after.every((p, i) => !isFrozen[i] || Object.is(p, values[i])),
            'frozen ones keep their bits',
          );
          close(
            { data: after, shape: [after.length] },
            { data: state.map(([p]) => p), shape: [after.length] },
            2e-6,
            `${optimizer} clip ${clip} step ${step}`,
          );
        }
      });
    }
  }
});

test('frozen: none, all, thawed again, over a file; moments stay, and what is no weight is refused', async () => {
  const { config, loss: settings, batch } = CASES.encoder(random(7));
  const model = gf.createModel({ ...config, seed: 3 });
  model.trainer({ ...settings, frozen: [] }).step(batch);
  const before = digestOf(model.trainer(settings).state());
  const names = model.tensors().flatMap(({ name, region }) => (region === 'weight' ? [name] : []));
  const still = model.trainer({ ...settings, weightDecay: 0.5, frozen: names });
  const report = still.step(batch);
  assert.deepEqual([report.gradientNorm, report.step], [0, 2]);
  still.resume({ ...still.state(), steps: 1 });
  assert.equal(digestOf(still.state()), before, 'weights and moments');
  const file = await still.save();
  model.trainer(settings).step(batch);
  assert.notEqual(digestOf(model.trainer(settings).state()), before, 'another trainer trains them again');
  model.free();

  const { model: later, trainer } = await gf.loadModel(file);
  assert.deepEqual(trainer?.settings.frozen, names);
  trainer?.step(batch);
  trainer?.resume({ ...trainer.state(), steps: 1 });
  assert.equal(digestOf(trainer.state()), before, 'a file says what is frozen');
  const live = digestOf(trainer.state());
  for (const [bad, code] of /** @type {const} */ ([
    [['encoder.layers.7'], 'unknown'],
    [['encoder.layer'], 'unknown'],
    [['encoder.input'], 'unknown'],
    [[''], 'unknown'],
    [[1], 'type'],
    [[Symbol('encoder')], 'type'],
    [new Array(2 ** 32 - 1), 'missing'],
    ['encoder', 'type'],
    [null, 'type'],
  ])) {
    refused(() => later.trainer(/** @type {any} */ ({ ...settings, frozen: bad })), code, 'frozen');
  }
  assert.equal(digestOf(trainer.state()), live);
  later.free();
});

test('schedules: the reported rate is that of the formula', () => {
  const [peak, warmup, steps, floor] = [0.02, 4, 12, 0.1];
  const part = (t) => Math.min((t - warmup) / (steps - warmup), 1);
  const rising = (f) => (t) => peak * (t <= warmup ? t / warmup : f(part(t)));
  /** @type {Record<string, (t: number) => number>} */
  const formulas = {
    constant: rising(() => 1),
    linear: rising((p) => 1 - (1 - floor) * p),
    cosine: rising((p) => floor + ((1 - floor) * (1 + Math.cos(Math.PI * p))) / 2),
    noam: (t) => peak * 6 ** -0.5 * Math.min(t ** -0.5, t * warmup ** -1.5),
  };
  for (const [schedule, formula] of Object.entries(formulas)) {
    withCase('encoder', { schedule, learningRate: peak, warmup, steps, floor }, (model, trainer, batch) => {
      for (let step = 1; step <= steps + 3; step++) {
        const { learningRate } = trainer.step(batch);
        assert.ok(
          Math.abs(learningRate - formula(step)) < 1e-12,
          `${schedule}, step ${step}: ${learningRate}, not ${formula(step)}`,
        );
      }
    });
  }
  withCase('encoder', { learningRate: 0.5 }, (model, trainer, batch) =>
    assert.equal(trainer.step(batch).learningRate, 0.5),
  );
});

test('losses: label smoothing, ignored labels, mse, linear', () => {
  const { config, batch } = CASES.encoder(random(7));
  for (const labelSmoothing of [0, 0.1, 1]) {
    for (const ignoreIndex of [-100, 4]) {
      withModel(config, (model) => {
        const { logits } = model.forward(encoderInputs);
        const labels = { ...batch.labels, data: batch.labels.data.map((id) => (id === -100 ? ignoreIndex : id)) };
        const rows = matrix({ data: logits.data, shape: [10, 7] });
        const expected = ref.crossEntropy(rows, labels.data, { ignoreIndex, labelSmoothing, reduction: 'mean' });
        const trainer = model.trainer({ labelSmoothing, ignoreIndex });
        const { loss, count } = trainer.loss({ ...batch, labels });
        assert.equal(count, expected.count);
        assert.ok(Math.abs(loss - expected.loss) < 2e-6, `${loss}, not ${expected.loss}`);
        assert.equal(trainer.step({ ...batch, labels }).loss, loss, 'the loss of a step is that before it');
      });
    }
  }
  for (const name of ['encoder of vectors', 'attention', 'feed-forward']) {
    for (const loss of /** @type {const} */ (['mse', 'linear'])) {
      withCase(name, { loss }, (model, trainer, { labels, ...inputs }) => {
        const { data } = model.forward(inputs).output;
        const terms = Array.from(data, (y, i) =>
          loss === 'mse' ? (y - labels.data[i]) ** 2 / data.length : y * labels.data[i],
        );
        const got = trainer.loss({ ...inputs, labels }).loss;
        assert.ok(Math.abs(got - terms.reduce((a, b) => a + b)) < 1e-5, `${name}, ${loss}`);
      });
    }
  }
});

test('every kind learns', () => {
  for (const name of Object.keys(CASES)) {
    if (CASES[name](random(7)).loss?.loss === 'linear') continue; // it has no minimum
    withCase(name, { learningRate: 0.01, labelSmoothing: 0 }, (model, trainer, batch) => {
      const first = trainer.loss(batch).loss;
      for (let i = 0; i < 150; i++) trainer.step(batch);
      const last = trainer.loss(batch).loss;
      assert.ok(last < first / 2, `${name}: ${first} -> ${last}`);
    });
  }
});

test('dropout: in steps and gradients only, the same seed means the same bits', () => {
  for (const name of ['encoder', 'encoder-decoder', 'encoder of vectors', 'attention', 'feed-forward']) {
    const run = (settings) =>
      withCase(name, settings, (model, trainer, batch) => {
        const plain = trainer.loss(batch).loss;
        const drawn = trainer.gradients(batch).loss;
        assert.equal(trainer.step(batch).loss, drawn, 'gradients are those that the step takes');
        const next = trainer.step(batch).loss;
        return { plain, drawn, next, weights: weightsOf(model) };
      });
    const [none, one, again, other] = [
      {},
      { dropout: 0.3, seed: 5 },
      { dropout: 0.3, seed: 5 },
      { dropout: 0.3, seed: 6 },
    ].map(run);
    assert.deepEqual(one, again);
    assert.equal(one.plain, none.plain, 'evaluation knows no dropout');
    assert.equal(none.plain, none.drawn);
    if (name === 'attention' || name === 'feed-forward') {
      // alone they are no sublayer of a stack
      assert.deepEqual(one, none);
      continue;
    }
    assert.notEqual(one.drawn, one.plain);
    assert.notEqual(one.drawn, other.drawn);
    assert.notEqual(one.weights, other.weights);
  }
});

test('a number that is not finite stops the step by name, and nothing changes', () => {
  const spoil = (t, value) => ({ ...t, data: t.data.map((x, i) => (i === 4 ? value : x)) });
  for (const name of ['encoder of vectors', 'attention', 'feed-forward']) {
    for (const value of [NaN, Infinity, -Infinity]) {
      withCase(name, {}, (model, trainer, batch) => {
        trainer.step(batch);
        const before = digestOf(trainer.state());
        const input = name.includes('vectors') ? 'encoder.vectors' : 'input';
        refused(() => trainer.step({ ...batch, vectors: spoil(batch.vectors, value) }), 'number', input);
        refused(() => trainer.gradients({ ...batch, vectors: spoil(batch.vectors, value) }), 'number', input);
        refused(() => trainer.step({ ...batch, labels: spoil(batch.labels, value) }), 'number', 'labels');
        assert.equal(digestOf(trainer.state()), before);
        assert.ok(!Number.isFinite(trainer.loss({ ...batch, labels: spoil(batch.labels, value) }).loss));
        if (trainer.settings.loss === 'mse')
          refused(() => trainer.step({ ...batch, labels: spoil(batch.labels, 1e30) }), 'number', 'loss');
        assert.equal(trainer.step(batch).step, 2, 'and training goes on');
      });
    }
  }
  withCase('encoder', {}, (model, trainer, batch) => {
    const before = digestOf(trainer.state());
    const { message } = refused(
      () => trainer.step({ ...batch, labels: { data: new Int32Array(10).fill(-100), shape: [2, 5] } }),
      'number',
      'labels',
    );
    assert.match(message, /none of them counts/);
    assert.equal(digestOf(trainer.state()), before);
  });
  withCase('encoder', { learningRate: 1e6, optimizer: 'sgd', momentum: 0.9 }, (model, trainer, batch) => {
    const { parameter } = refused(() => {
      for (let i = 0; i < 200; i++) trainer.step(batch);
    }, 'number');
    assert.ok(
      parameter === 'loss' ||
        model.tensors().some(({ name }) => name === parameter.replace(/^grad\./, '')) ||
        /^encoder\.\w+/.test(parameter),
      parameter,
    );
  });
});

test('a step whose update is not finite changes nothing and names the weight, in shards too', async () => {
  const settings = { optimizer: 'sgd', momentum: 1, learningRate: 1e-3 };
  const name = 'encoder.layers.0.linear1.bias';
  for (const shards of [1, 2]) {
    const { config, batch } = CASES.encoder(random(3));
    const model = gf.createModel(config);
    const trainer = model.trainer({ ...settings, shards });
    await trainer.step(batch);
    const state = trainer.state();
    const moment = model.trainer({ ...trainer.settings, learningRate: 1e6 });
    assert.equal(moment.steps, 1);
    const file = readSafetensors(await moment.save());
    file.tensors.get(`moment1.${name}`).data[1] = 3e38; // finite, and near the largest float
    await moment.resume(writeSafetensors(file.tensors, { metadata: file.metadata }));
    const before = digestOf(moment.state());
    const error = await Promise.resolve()
      .then(() => moment.step(batch))
      .then(
        () => assert.fail('a step'),
        (reason) => reason,
      );
    assert.deepEqual([error.name, error.code, error.parameter], ['GlassformerError', 'number', name]);
    assert.match(error.message, /or a moment of it would not be finite after this step; no weight was changed/);
    assert.equal(digestOf(moment.state()), before);
    moment.resume(state);
    assert.equal((await moment.step(batch)).step, 2, 'and training goes on');
    model.free();
  }
});

test('a second moment of -0 is taken, in a file a negative one is refused by its tensor', async () => {
  await withCase('encoder', {}, (model, trainer, batch) => {
    trainer.step(batch);
    const state = trainer.state();
    trainer.resume({ ...state, moment2: state.moment2.map((x) => x || -0) });
    trainer.step(batch);
    assert.ok(trainer.state().weights.every(Number.isFinite));
    trainer.resume(state);
    const { tensors, metadata } = readSafetensors(saveTrainer(trainer));
    tensors.get('moment2.tok_emb.weight').data[5] = -1;
    const file = writeSafetensors(tensors, { metadata });
    const { message } = refused(() => resumeTrainer(trainer, file), 'range', 'moment2.tok_emb.weight');
    assert.match(message, /moment2\.tok_emb\.weight\[0\]\[5\] must be 0 or more, and finite, got -1/);
    assert.equal(digestOf(trainer.state()), digestOf(state));
    return assert.rejects(gf.loadModel(file), { code: 'range', parameter: 'moment2.tok_emb.weight' });
  });
});

test('snapshots and states: back to the same bits, in another model and another engine too', async () => {
  const settings = { dropout: 0.1, seed: 9, schedule: 'cosine', warmup: 2, steps: 12, learningRate: 0.01, clip: 1 };
  const { config, batch } = CASES.encoder(random(7));
  const elsewhere = await load({ variant: 'simd' });
  elsewhere.createModel({ d_model: 10, heads: 2 }); // other addresses
  withCase('encoder', settings, (model, trainer) => {
    times(5, () => trainer.step(batch));
    const [state, snapshot, there] = [trainer.state(), trainer.snapshot(), weightsOf(model)];
    assert.equal(state.steps, 5);
    const copy = digestOf(state);
    const reports = times(5, () => trainer.step(batch));
    const end = digestOf(trainer.state());
    assert.equal(digestOf(state), copy, 'a state is a copy');
    trainer.restore(snapshot);
    assert.equal(weightsOf(model), there);
    assert.equal(trainer.steps, 10, 'restore leaves the steps');
    trainer.resume(structuredClone(state));
    assert.deepEqual(
      times(5, () => trainer.step(batch)),
      reports,
    );
    assert.equal(digestOf(trainer.state()), end);
    for (const engine of [gf, elsewhere]) {
      withModel(
        { ...config, seed: 77 },
        (twin) => {
          const other = twin.trainer(settings);
          other.resume(state);
          assert.deepEqual(
            times(5, () => other.step(batch)),
            reports,
          );
          assert.equal(digestOf(other.state()), end);
        },
        engine,
      );
    }
  });
});

test('the memory does not grow from step to step, nor does any allocation stay', () => {
  withCase('encoder-decoder', {}, (model, trainer, batch) => {
    trainer.step(batch);
    trainer.loss(batch);
    const view = model.view('logits');
    const before = gf.memoryBytes;
    for (let i = 0; i < 50; i++) trainer.step(batch);
    assert.equal(gf.memoryBytes, before);
    assert.ok(view.length > 0, 'a live view survives');
  });
  const cycle = () =>
    withCase('encoder', {}, (model, trainer, batch) => {
      trainer.step(batch);
      trainer.state();
    });
  cycle();
  const before = gf.memoryBytes;
  for (let i = 0; i < 300; i++) cycle();
  assert.equal(gf.memoryBytes, before);
});

test('a model has one trainer: another takes its place, with its moments and steps', () => {
  withCase('encoder', { learningRate: 0.01 }, (model, first, batch) => {
    times(3, () => first.step(batch));
    const before = digestOf(first.state());
    refused(() => model.trainer({ learningRate: -1 }), 'config', 'learningRate');
    refused(() => model.trainer({ schedule: 'linear', warmup: 3, steps: 3 }), 'config', 'steps');
    assert.equal(digestOf(first.state()), before, 'a refused one changes nothing');
    const second = model.trainer({ learningRate: 0.02 });
    assert.equal(digestOf(second.state()), before);
    assert.deepEqual(
      [second.step(batch).step, second.settings.learningRate, second.settings.optimizer],
      [4, 0.02, 'adamw'],
    );
    for (const use of [
      () => first.step(batch),
      () => first.loss(batch),
      () => first.gradients(batch),
      () => first.steps,
      () => first.snapshot(),
      () => first.state(),
      () => first.restore(second.snapshot()),
      () => first.resume(second.state()),
    ]) {
      refused(use, 'state', 'trainer');
    }
    const third = model.trainer({ loss: 'mse' });
    third.step({ ...encoderInputs, labels: { data: new Float32Array(60), shape: [2, 5, 6] } });
    assert.equal(third.steps, 5);
  });
});

test('settings are complete, frozen and checked', () => {
  withCase('encoder', {}, (model, trainer) => {
    assert.deepEqual(trainer.settings, {
      optimizer: 'adamw',
      learningRate: 1e-3,
      beta1: 0.9,
      beta2: 0.999,
      epsilon: 1e-8,
      weightDecay: 0,
      momentum: 0,
      clip: 0,
      schedule: 'constant',
      warmup: 0,
      steps: 0,
      floor: 0,
      loss: 'crossEntropy',
      ignoreIndex: -100,
      labelSmoothing: 0,
      dropout: 0,
      seed: 0,
      frozen: [],
    });
    assert.ok(Object.isFrozen(trainer.settings));
    assert.deepEqual(model.trainer(trainer.settings).settings, trainer.settings);
    for (const [settings, code, parameter] of [
      [{ optimizer: 'lion' }, 'config', 'optimizer'],
      [{ optimizer: 0 }, 'type', 'optimizer'],
      [{ lr: 1 }, 'unknown', 'lr'],
      [{ learningRate: NaN }, 'config', 'learningRate'],
      [{ learningRate: '1' }, 'type', 'learningRate'],
      [{ beta1: 1 }, 'config', 'beta1'],
      [{ epsilon: -1 }, 'config', 'epsilon'],
      [{ momentum: 1.5 }, 'config', 'momentum'],
      [{ clip: -1 }, 'config', 'clip'],
      [{ schedule: 'step' }, 'config', 'schedule'],
      [{ schedule: 'cosine' }, 'config', 'steps'],
      [{ schedule: 'noam' }, 'config', 'warmup'],
      [{ warmup: 1.5 }, 'config', 'warmup'],
      [{ floor: 2 }, 'config', 'floor'],
      [{ loss: 'hinge' }, 'config', 'loss'],
      [{ ignoreIndex: 0.5 }, 'config', 'ignoreIndex'],
      [{ labelSmoothing: 1.1 }, 'config', 'labelSmoothing'],
      [{ dropout: 1 }, 'config', 'dropout'],
      [{ seed: -1 }, 'config', 'seed'],
      [[], 'type', 'options'],
      [null, 'type', 'options'],
    ])
      refused(() => model.trainer(settings), code, parameter);
  });
  for (const config of [
    { ...ODD, vocabulary: 5, head: 'none' },
    { ...ODD, vocabulary: 0, head: 'none' },
  ]) {
    withModel(config, (model) => refused(() => model.trainer(), 'config', 'loss'));
  }
});

test('a batch is checked before anything is written', () => {
  withCase('encoder', {}, (model, trainer, batch) => {
    trainer.step(batch);
    const before = JSON.stringify(model.tensors().map(({ name }) => [name, digest(model.tensor(name).data)]));
    const ids = (data, shape = [2, 5]) => ({ data, shape });
    const { labels, ids: good } = batch;
    for (const [bad, code, parameter] of [
      [undefined, 'missing', 'options'],
      [3, 'type', 'ids'],
      [encoderInputs, 'missing', 'labels'],
      [{ ...batch, ids: undefined }, 'missing', 'ids'],
      [{ ...batch, labels: ids(labels.data, [10]) }, 'shape', 'labels'],
      [{ ...batch, labels: ids(labels.data, [5, 2]) }, 'shape', 'labels'],
      [{ ...batch, labels: ids(labels.data.with(0, 7)) }, 'token', 'labels'],
      [{ ...batch, labels: ids(labels.data.with(0, -1)) }, 'token', 'labels'],
      [{ ...batch, labels: ids(labels.data.with(0, 0.5)) }, 'range', 'labels'],
      [{ ...batch, labels: ids(new Float32Array(10)) }, 'dtype', 'labels'],
      [{ ...batch, labels: 'x' }, 'type', 'labels'],
      [{ ...batch, ids: ids(Array.from(good.data).with(9, 7)) }, 'token', 'ids'],
      [{ ...batch, capture: true }, 'unknown', 'capture'],
      [{ ...batch, padding: ids(new Uint8Array(10), [10]) }, 'shape', 'padding'],
    ])
      refused(() => trainer.step(bad), code, parameter);
    refused(() => trainer.gradients({ ...batch, capture: 1 }), 'type', 'capture');
    assert.equal(JSON.stringify(model.tensors().map(({ name }) => [name, digest(model.tensor(name).data)])), before);
  });
  withCase('attention', {}, (model, trainer, batch) => {
    refused(() => trainer.step({ ...batch, labels: undefined }), 'missing', 'labels');
    refused(() => trainer.step({ ...batch, labels: [1, 2] }), 'shape', 'labels');
    refused(() => trainer.step({ ...batch, labels: batch.memory }), 'shape', 'labels');
  });
});

test('what restore and resume refuse changes nothing', () => {
  withCase('encoder', {}, (model, trainer, batch) => {
    trainer.step(batch);
    const state = trainer.state();
    const before = digestOf(state);
    const short = state.moment2.slice(1);
    for (const [bad, code, parameter] of [
      [undefined, 'missing', 'options'],
      [[], 'type', 'options'],
      [{ ...state, weights: undefined }, 'missing', 'weights'],
      [{ ...state, moment2: short }, 'shape', 'moment2'],
      [{ ...state, moment1: new Float64Array(3) }, 'shape', 'moment1'],
      [{ ...state, moment1: new Int32Array(state.moment1) }, 'dtype', 'moment1'],
      [{ ...state, moment2: 3 }, 'type', 'moment2'],
      [{ ...state, weights: state.weights.map(() => NaN) }, 'range', 'tok_emb.weight'],
      [{ ...state, moment1: state.moment1.map(() => Infinity) }, 'range', 'moment1.tok_emb.weight'],
      [{ ...state, moment2: state.moment2.map(() => -1e-45) }, 'range', 'moment2.tok_emb.weight'],
      [{ ...state, moment2: state.moment2.map(() => -1) }, 'range', 'moment2.tok_emb.weight'],
      [{ ...state, steps: -1 }, 'range', 'steps'],
      [{ ...state, steps: 1.5 }, 'range', 'steps'],
      [{ ...state, steps: undefined }, 'missing', 'steps'],
      [{ ...state, seed: 1 }, 'unknown', 'seed'],
    ])
      refused(() => trainer.resume(bad), code, parameter);
    for (const [bad, code, parameter] of [
      [null, 'type', 'options'],
      [{}, 'missing', 'weights'],
      [{ weights: short }, 'shape', 'weights'],
      [state, 'unknown'],
    ])
      refused(() => trainer.restore(bad), code, parameter);
    assert.equal(digestOf(trainer.state()), before);
    withCase('decoder', {}, (other, stranger) => refused(() => stranger.resume(state), 'shape', 'weights'));
  });
});

test('a trainer of a freed model, of a generating one, and no trainer at all', () => {
  const { config, batch } = CASES.decoder(random(7));
  const model = gf.createModel(config);
  const trainer = model.trainer();
  model.generateSync({
    ids: [1],
    maxTokens: 2,
    onToken: () => {
      refused(() => trainer.step(batch), 'state', 'model');
      refused(() => model.trainer(), 'state', 'model');
    },
  });
  const { step } = trainer;
  refused(() => step(batch), 'foreign', 'this');
  refused(() => trainer.loss.call(model, batch), 'foreign', 'this');
  refused(
    () => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(trainer), 'steps').get.call({}),
    'foreign',
    'this',
  );
  model.free();
  for (const use of [
    () => trainer.step(batch),
    () => trainer.steps,
    () => trainer.state(),
    () => trainer.restore({}),
    () => model.trainer(),
  ]) {
    refused(use, 'freed', 'model');
  }
});

test('not enough memory for a batch is an error that changes nothing', () => {
  withCase('encoder-decoder', {}, (model, trainer, batch) => {
    trainer.step(batch);
    const before = digestOf(trainer.state());
    const large = { data: new Int32Array(2 ** 16), shape: [1, 2 ** 16] };
    const asked = { sourceIds: large, targetIds: large, labels: large, maxOperations: Infinity };
    refused(() => trainer.step(asked), 'memory');
    assert.equal(digestOf(trainer.state()), before);
    assert.equal(trainer.step(batch).step, 2);
  });
});

test('training leaves forward and generate as they are', () => {
  withCase('decoder', {}, (model, trainer, batch) => {
    const [plain, story] = [model.forward({ ids: batch.ids }), model.generateSync({ ids: [1, 2], maxTokens: 4 })];
    trainer.loss(batch);
    trainer.gradients(batch);
    assert.deepEqual(model.forward({ ids: batch.ids }), plain);
    assert.deepEqual(model.generateSync({ ids: [1, 2], maxTokens: 4 }), story);
    trainer.step(batch);
    assert.notDeepEqual(model.forward({ ids: batch.ids }).logits, plain.logits);
  });
});

for (const { name, changes, below, parameters, hash } of TRAINED_200) {
  test(`200 steps of ${name}: the same bits on every machine`, () => {
    withModel({ ...reverse.config, ...changes, seed: 1 }, (model) => {
      const trainer = model.trainer(reverse.trainer);
      const batches = reverse.batches(1);
      let loss;
      for (let i = 0; i < 200; i++) ({ loss } = trainer.step(batches.next().value));
      assert.ok(loss < below, `loss ${loss}`);
      assert.equal(size([model.parameterCount]), parameters);
      assert.equal(weightsOf(model), hash);
    });
  });
}

test('a layer on its own learns classes: its output taken as logits, crossEntropy', () => {
  // XOR of two inputs by an FFN; which of two keys is larger by attention over a memory
  const bits = { data: [0, 0, 0, 1, 1, 0, 1, 1], shape: [1, 4, 2] };
  const labels = { data: [0, 1, 1, -100], shape: [1, 4] };
  for (const [config, batch] of [
    [
      { kind: 'feed-forward', d_model: 2, heads: 1, d_ff: 16, activation: 'gelu', seed: 3 },
      { vectors: bits, labels },
    ],
    [
      { kind: 'attention', d_model: 2, heads: 1, seed: 3 },
      { vectors: bits, memory: { data: [1, 0, 0, 1, 1, 1], shape: [1, 3, 2] }, labels },
    ],
  ]) {
    const model = gf.createModel(config);
    const trainer = model.trainer({ learningRate: 3e-2, labelSmoothing: 0.05 });
    const before = trainer.loss(batch);
    assert.equal(before.count, 3);
    const wanted = model.forward(
      Object.fromEntries(Object.entries(batch).filter(([name]) => name !== 'labels')),
    ).output;
    const reference = gf.crossEntropy(wanted, labels, { labelSmoothing: 0.05 });
    assert.ok(Math.abs(before.loss - reference.loss) < 1e-6);
    trainer.gradients(batch);
    const weights = model.weights();
    const gradients = new Map([...weights.keys()].map((name) => [name, model.tensor(`grad.${name}`)]));
    for (const [name, { data, shape }] of weights) {
      const at = data.length - 1;
      const nearby = (h) => {
        const moved = Float32Array.from(data);
        moved[at] += h;
        model.loadWeights({ [name]: { data: moved, shape } }, { strict: false });
        const { loss } = trainer.loss(batch);
        model.loadWeights({ [name]: { data, shape } }, { strict: false });
        return loss;
      };
      const slope = (nearby(1e-2) - nearby(-1e-2)) / 2e-2;
      assert.ok(
        Math.abs(slope - gradients.get(name).data[at]) < 2e-3,
        `${name}: ${slope}, ${gradients.get(name).data[at]}`,
      );
    }
    let last;
    for (let i = 0; i < 200; i++) last = trainer.step(batch).loss;
    assert.ok(last < before.loss, `${before.loss} -> ${last}`);
    assert.throws(() => trainer.step({ ...batch, labels: { data: [0, 1, 2, 0], shape: [1, 4] } }), {
      code: 'token',
      parameter: 'labels',
    });
    model.free();
  }
});
