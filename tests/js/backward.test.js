// Every gradient against central differences of the naive reference in double precision, on random
// shapes, in each variant that runs here; the optimisers against their formulas; refusals.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { eachEngine, engines } from './engines.js';
import * as ref from './reference.js';
import { perform } from '../operations.js';

const { close, matrix, random, refused, same, size } = ref;
const ROUNDS = 25;
const STEP = 1e-4;
const each = eachEngine(ROUNDS);

const every = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const sum = (list) => list.reduce((a, b) => a + b, 0);
const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
const doubled = ({ data, shape }) => ({ data: Array.from(data), shape });

/** The derivative of a scalar by each element of a tensor. */
function slopes(tensor, f) {
  const { data, shape } = tensor;
  return {
    shape,
    data: data.map((x, i) => {
      const [up, down] = [STEP, -STEP].map((h) => f({ shape, data: data.with(i, x + h) }));
      return (up - down) / (2 * STEP);
    }),
  };
}

/** The rows of the last axis. */
const rowsOf = ({ data, shape }) => matrix({ data, shape: [size(shape) / shape.at(-1), shape.at(-1)] });

each('softmaxBackward', (gf, r) => {
  const shape = [...every(r.int(0, 2), () => r.int(1, 3)), r.int(1, 37)];
  const [x, gradient] = [r.tensor(shape, 3), r.tensor(shape)];
  const got = gf.softmaxBackward(gf.softmax(x), gradient);
  close(
    got,
    slopes(doubled(x), (t) => dot(rowsOf(t).flatMap(ref.softmax), gradient.data)),
    2e-6,
  );
});

each('layerNormBackward', (gf, r) => {
  const C = r.int(2, 35);
  const shape = [...every(r.int(0, 2), () => r.int(1, 3)), C];
  const [x, gradient, weight] = [r.tensor(shape, 3), r.tensor(shape), r.bool() ? r.tensor([C]) : undefined];
  const epsilon = r.pick([undefined, 1e-2]);
  const got = gf.layerNormBackward(x, gradient, { weight, epsilon });
  const value = (t, w, b) =>
    dot(
      rowsOf(t).flatMap((row) => ref.layerNorm(row, w, b, epsilon ?? 1e-5).output),
      gradient.data,
    );
  const [ones, zeros] = [
    { data: every(C, () => 1), shape: [C] },
    { data: every(C, () => 0), shape: [C] },
  ];
  const w = weight ? doubled(weight) : ones;
  close(
    got.x,
    slopes(doubled(x), (t) => value(t, w.data, zeros.data)),
    5e-5,
    'x',
  ); // two elements may almost agree
  close(
    got.weight,
    slopes(w, (t) => value(doubled(x), t.data, zeros.data)),
    1e-5,
    'weight',
  );
  close(
    got.bias,
    slopes(zeros, (t) => value(doubled(x), w.data, t.data)),
    1e-5,
    'bias',
  );
});

each('activationBackward', (gf, r) => {
  const shape = every(r.int(0, 3), () => r.int(1, 7));
  const [x, gradient] = [r.tensor(shape, 4), r.tensor(shape)];
  for (const [activation, f] of Object.entries(ref.activations)) {
    const expected = slopes(doubled(x), (t) => dot(t.data.map(f), gradient.data));
    const got = gf.activationBackward(x, gradient, activation);
    if (activation === 'relu')
      for (const [i, value] of x.data.entries()) if (Math.abs(value) < STEP) expected.data[i] = got.data[i];
    close(got, expected, 3e-6, activation);
  }
});

each('attentionBackward', (gf, r) => {
  const [B, H, T, S, D] = [r.int(1, 2), r.int(1, 3), r.int(1, 4), r.int(1, 5), r.int(1, 7)];
  const split = r.bool();
  const E = r.pick([D, r.int(1, 7)]); // columns of a value head
  const shape = (length, width) => (split ? [B, H, length, width] : [B, length, H * width]);
  const [query, key] = [T, S].map((length) => r.tensor(shape(length, D)));
  const [value, gradient] = [S, T].map((length) => r.tensor(shape(length, E)));
  const scale = r.pick([undefined, 0.3, -1]);
  const heads = split ? undefined : H;
  const causal = r.bool();
  const { weights } = gf.attention(query, key, value, { heads, scale, causal });
  const got = gf.attentionBackward(query, key, value, gradient, { weights, heads, scale });
  const head = (t, b, h) => (split ? matrix(t, b, h) : matrix(t, b).map((row) => columnsOf(row, h)));
  const columnsOf = (row, h) => row.slice((h * row.length) / H, ((h + 1) * row.length) / H);
  const value2 = (q, k, v) =>
    sum(
      every(B, (b) =>
        sum(
          every(H, (h) =>
            dot(
              ref.attention(head(q, b, h), head(k, b, h), head(v, b, h), { scale, causal }).output.flat(),
              head(gradient, b, h).flat(),
            ),
          ),
        ),
      ),
    );
  const [q, k, v] = [query, key, value].map(doubled);
  close(
    got.query,
    slopes(q, (t) => value2(t, k, v)),
    5e-6,
    'query',
  );
  close(
    got.key,
    slopes(k, (t) => value2(q, t, v)),
    5e-6,
    'key',
  );
  close(
    got.value,
    slopes(v, (t) => value2(q, k, t)),
    5e-6,
    'value',
  );
});

each('crossEntropyBackward', (gf, r) => {
  const lead = every(r.int(0, 2), () => r.int(1, 3));
  const V = r.int(1, 19);
  const logits = r.tensor([...lead, V], 4);
  const labels = r.ids(lead, V);
  const given = {
    reduction: r.pick(['mean', 'sum']),
    ignoreIndex: r.pick([-100, -1, 0]),
    labelSmoothing: r.pick([0, 0.2, 1]),
  };
  if (given.ignoreIndex < 0)
    labels.data.forEach((_, i) => {
      if (i > 0 && r.bool(0.3)) labels.data[i] = given.ignoreIndex;
    });
  const { logProbabilities, count } = perform(gf, 'crossEntropy', { logits, labels, ...given });
  const got = perform(gf, 'crossEntropyBackward', { logProbabilities, labels, ...given });
  const expected = slopes(doubled(logits), (t) =>
    count === 0 ? 0 : ref.crossEntropy(rowsOf(t), labels.data, given).loss,
  );
  close(got, expected, 2e-6);
});

/** One element of a step, as PyTorch has it. */
const RULES = {
  adamw: (p, g, m, v, t, s) => adam(p * (1 - s.learningRate * s.weightDecay), g, m, v, t, s),
  adam: (p, g, m, v, t, s) => adam(p, g + s.weightDecay * p, m, v, t, s),
  sgd: (p, g, m, v, t, s) => {
    const decayed = g + s.weightDecay * p;
    const next = t === 1 ? decayed : s.momentum * m + decayed;
    return [p - s.learningRate * next, next, v];
  },
};

function adam(p, g, m, v, t, { learningRate, beta1, beta2, epsilon }) {
  const next = [beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g];
  const hat = [next[0] / (1 - beta1 ** t), next[1] / (1 - beta2 ** t)];
  return [p - (learningRate * hat[0]) / (Math.sqrt(hat[1]) + epsilon), ...next];
}

each('optimizerStep', (gf, r) => {
  const shape = [r.int(1, 5), r.int(1, 17)];
  const settings = {
    optimizer: r.pick(Object.keys(RULES)),
    learningRate: r.pick([1e-3, 0.1]),
    beta1: r.pick([0.9, 0]),
    beta2: 0.98,
    epsilon: r.pick([1e-8, 1e-3]),
    weightDecay: r.pick([0, 0.1]),
    momentum: r.pick([0, 0.9]),
  };
  let state = { parameters: r.tensor(shape) };
  let [p, m, v] = [Array.from(state.parameters.data), every(size(shape), () => 0), every(size(shape), () => 0)];
  for (let step = 1; step <= 4; step++) {
    const gradients = r.tensor(shape);
    state = perform(gf, 'optimizerStep', { ...state, gradients, step, ...settings });
    const next = p.map((x, i) => RULES[settings.optimizer](x, gradients.data[i], m[i], v[i], step, settings));
    [p, m, v] = [0, 1, 2].map((part) => next.map((one) => one[part]));
  }
  close(state.parameters, { data: p, shape }, 2e-6, 'parameters');
  close(state.moment1, { data: m, shape }, 2e-6, 'moment1');
  close(state.moment2, { data: v, shape }, 2e-6, 'moment2');
});

test('refusals, and arguments that stay as they were', () => {
  const [gf] = engines;
  const r = random(1);
  const [x, other] = [r.tensor([2, 4]), r.tensor([2, 3])];
  const one = { data: new Int32Array(2), shape: [2] };
  refused(() => gf.softmaxBackward(x), 'missing', 'gradient');
  refused(() => gf.softmaxBackward(x, other), 'shape', 'gradient');
  refused(() => gf.softmaxBackward(r.tensor([]), r.tensor([])), 'shape', 'output');
  refused(() => gf.layerNormBackward(x, other), 'shape', 'gradient');
  refused(() => gf.layerNormBackward(x, x, { weight: r.tensor([3]) }), 'shape', 'weight');
  refused(() => gf.layerNormBackward(x, x, { epsilon: -1 }), 'range', 'epsilon');
  refused(() => gf.layerNormBackward(x, x, { bias: r.tensor([4]) }), 'unknown', 'bias');
  refused(() => gf.activationBackward(x, other, 'relu'), 'shape', 'gradient');
  refused(() => gf.activationBackward(x, x, 'tanh'), 'range', 'activation');
  const all = { query: x, key: x, value: x, gradient: x, weights: r.tensor([1, 2, 2]) };
  perform(gf, 'attentionBackward', all);
  refused(() => perform(gf, 'attentionBackward', { ...all, weights: r.tensor([2, 2]) }), 'shape', 'weights');
  refused(() => perform(gf, 'attentionBackward', { ...all, heads: 2 }), 'shape', 'weights');
  refused(() => perform(gf, 'attentionBackward', { ...all, heads: 3 }), 'range', 'heads');
  refused(() => perform(gf, 'attentionBackward', { ...all, gradient: other }), 'shape', 'gradient');
  refused(() => perform(gf, 'attentionBackward', { ...all, value: other }), 'shape', 'gradient');
  perform(gf, 'attentionBackward', { ...all, value: other, gradient: other });
  refused(() => perform(gf, 'attentionBackward', { ...all, value: r.tensor([3, 4]) }), 'shape', 'value');
  const halves = { ...all, weights: r.tensor([2, 2, 2]), heads: 2 };
  perform(gf, 'attentionBackward', halves);
  refused(() => perform(gf, 'attentionBackward', { ...halves, value: other, gradient: other }), 'range', 'heads');
  refused(() => perform(gf, 'attentionBackward', { ...all, key: r.tensor([1, 2, 4]) }), 'shape', 'key');
  refused(() => perform(gf, 'attentionBackward', { ...all, scale: NaN }), 'range', 'scale');
  refused(() => perform(gf, 'attentionBackward', { ...all, causal: true }), 'unknown', 'causal');
  refused(() => gf.crossEntropyBackward(x, [0]), 'shape', 'labels');
  refused(() => gf.crossEntropyBackward(x, [0, 4]), 'token', 'labels');
  refused(() => gf.crossEntropyBackward(x, one, { logits: x }), 'unknown', 'logits');
  refused(() => gf.crossEntropyBackward(x, one, { labelSmoothing: 2 }), 'range', 'labelSmoothing');
  const step = { parameters: x, gradients: x, step: 1 };
  refused(() => perform(gf, 'optimizerStep', { ...step, step: 0 }), 'range', 'step');
  refused(() => perform(gf, 'optimizerStep', { ...step, step: undefined }), 'missing', 'step');
  refused(() => perform(gf, 'optimizerStep', { ...step, gradients: other }), 'shape', 'gradients');
  refused(() => perform(gf, 'optimizerStep', { ...step, moment2: other }), 'shape', 'moment2');
  refused(() => perform(gf, 'optimizerStep', { ...step, optimizer: 'lion' }), 'config', 'optimizer');
  refused(() => perform(gf, 'optimizerStep', { ...step, learningRate: -1 }), 'config', 'learningRate');
  refused(() => perform(gf, 'optimizerStep', { ...step, beta2: 1 }), 'config', 'beta2');
  refused(() => perform(gf, 'optimizerStep', { ...step, clip: 1 }), 'unknown', 'clip');
  const { parameters } = perform(gf, 'optimizerStep', { ...step, moment1: x, moment2: gf.relu(x) });
  assert.notDeepEqual(parameters.data, x.data);
  same(x, random(1).tensor([2, 4]), 'the argument');
  refused(() => gf.softmaxBackward.call({}, { output: x, gradient: x }), 'foreign', 'this');
});
