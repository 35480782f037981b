// Products with the Jacobian of operations on arrays: against differences of the operation, and against each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { GlassformerError, load } from 'glassformer';
import { operationJvp, operationVjp } from 'glassformer/derivatives';
import { engines } from './engines.js';
import { random, refusal } from './reference.js';

const [gf] = engines;
const refused = (call, code, parameter) => refusal(GlassformerError, call, code, parameter);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const length = (max) => fc.integer({ min: 1, max });
const sizes = fc.record({
  a: length(4),
  b: length(5),
  c: length(6),
  H: length(3),
  on: fc.boolean(),
  off: fc.boolean(),
});

/** Each operation with random arguments, and those of them that have derivatives. */
const CASES = {
  matmul: (r, { a, b, c, on, off }) => ({
    options: {
      a: r.tensor(on ? [2, b, a] : [2, a, b]),
      b: r.tensor(off ? [2, c, b] : [2, b, c]),
      transposeA: on,
      transposeB: off,
    },
    of: ['a', 'b'],
  }),
  softmax: (r, { a, c }) => ({ options: { x: r.tensor([a, c], 2) }, of: ['x'] }),
  logSoftmax: (r, { a, c }) => ({ options: { x: r.tensor([a, c], 2) }, of: ['x'] }),
  layerNorm: (r, { a, c, on, off }) => ({
    options: {
      x: r.tensor([a, c + 2], 2),
      ...(on && { weight: r.tensor([c + 2]) }),
      ...(off && { bias: r.tensor([c + 2]) }),
      epsilon: 0.1,
    },
    of: ['x', ...(on ? ['weight'] : []), ...(off ? ['bias'] : [])],
  }),
  activation: (r, { a, c, on }) => ({
    options: { x: r.tensor([a, c], 2), activation: on ? 'gelu' : 'silu' },
    of: ['x'],
  }),
  attention: (r, { a, b, c, H, on, off }) => ({
    options: {
      query: r.tensor(on ? [2, H, a, c] : [2, a, H * c]),
      key: r.tensor(on ? [2, H, b, c] : [2, b, H * c]),
      value: r.tensor(on ? [2, H, b, c + 1] : [2, b, H * (c + 1)]),
      ...(!on && { heads: H }),
      causal: off,
      scale: 0.7,
      mask: { data: r.tensor([a, b]).data.map((x) => (x > 0.7 ? -Infinity : x)), shape: [a, b] },
    },
    of: ['query', 'key', 'value'],
  }),
  crossEntropy: (r, { a, c, on }) => ({
    options: { logits: r.tensor([a, c], 2), targets: r.ids([a], c), labelSmoothing: on ? 0.1 : 0 },
    of: ['logits'],
  }),
};

const outputOf = (name, options) => {
  const result = gf[name](options);
  return name === 'crossEntropy' ? { data: [result.loss], shape: [] } : (result.output ?? result);
};

for (const [name, make] of Object.entries(CASES)) {
  test(`${name}: the product with a tangent is what differences say, and the adjoint of the other`, () => {
    const property = (given, seed) => {
      const r = random(seed);
      const { options, of } = make(r, given);
      const tangents = Object.fromEntries(
        of.filter(() => r.bool(0.8)).map((key) => [key, r.tensor(options[key].shape)]),
      );
      if (Object.keys(tangents).length === 0) tangents[of[0]] = r.tensor(options[of[0]].shape);
      const { data, shape } = operationJvp(gf, name, options, tangents);
      const at = (h) => {
        const moved = Object.entries(tangents).map(([key, { data: along }]) => [
          key,
          { ...options[key], data: options[key].data.map((x, i) => x + h * along[i]) },
        ]);
        return outputOf(name, { ...options, ...Object.fromEntries(moved) }).data;
      };
      assert.deepEqual(shape, outputOf(name, options).shape);
      const h = 4e-3;
      const [p, m, pp, mm] = [at(h), at(-h), at(2 * h), at(-2 * h)];
      data.forEach((x, i) => {
        const wanted = (8 * (p[i] - m[i]) - (pp[i] - mm[i])) / (12 * h);
        assert.ok(Math.abs(x - wanted) < 2e-3 * (1 + Math.abs(wanted)), `[${i}] is ${x}, ${wanted}`);
      });
      const cotangent = name === 'crossEntropy' ? 0.3 : r.tensor(shape);
      const back = operationVjp(gf, name, options, cotangent);
      const along = typeof cotangent === 'number' ? [cotangent] : cotangent.data;
      const right = Object.entries(tangents).reduce(
        (sum, [key, tangent]) => sum + dot(tangent.data, back[key].data),
        0,
      );
      const scale = data.length + Object.values(tangents).reduce((sum, tangent) => sum + tangent.data.length, 0);
      assert.ok(Math.abs(dot(data, along) - right) < 2e-5 * scale, `${dot(data, along)}, ${right}`);
    };
    fc.assert(fc.property(sizes, fc.nat(2 ** 31 - 1), property), { numRuns: 40, seed: 11 });
  });
}

test('maxOperations is the limit of each of the operations', async () => {
  const small = await load({ variant: 'simd', maxOperations: 1000 });
  const a = random(5).tensor([20, 20]);
  for (const [name, options, along] of [
    ['matmul', { a, b: a }, { a, b: a }],
    ['attention', { query: a, key: a, value: a }, { query: a, key: a, value: a }],
  ]) {
    const free = { ...options, maxOperations: 1e6 };
    assert.deepEqual(operationVjp(small, name, free, a), operationVjp(gf, name, options, a));
    assert.deepEqual(operationJvp(small, name, free, along), operationJvp(gf, name, options, along));
    refused(() => operationVjp(small, name, options, a), 'limit', Object.keys(options)[0]);
  }
});

test('bad arguments are named', () => {
  const x = [[1, 2]];
  for (const other of [undefined, {}, load()]) {
    refused(() => operationVjp(other, 'softmax', { x }, x), 'foreign', 'gf');
    refused(() => operationJvp(other, 'softmax', { x }, { x }), 'foreign', 'gf');
  }
  const loss = { logits: x, targets: [0] };
  refused(() => operationVjp(gf, 'crossEntropy', loss, { data: [], shape: [] }), 'shape', 'cotangent');
  refused(() => operationVjp(gf, 'crossEntropy', loss, { shape: [] }), 'type', 'cotangent');
  refused(() => operationVjp(gf, 'softMax', { x }, x), 'unknown', 'operation');
  refused(() => operationVjp(gf, 'positionalEncoding', {}, x), 'unknown', 'operation');
  refused(() => operationVjp(gf, 'softmax', { y: x }, x), 'unknown', 'y');
  refused(() => operationVjp(gf, 'softmax', { x }, [1]), 'shape', 'cotangent');
  refused(() => operationVjp(gf, 'softmax', { x }, [[1, NaN]]), 'range', 'cotangent');
  refused(() => operationVjp(gf, 'softmax', { x }), 'missing', 'cotangent');
  refused(() => operationVjp(gf, 'crossEntropy', { logits: x, targets: [0] }, [1]), 'shape', 'cotangent');
  refused(() => operationJvp(gf, 'softmax', { x }, {}), 'type', 'tangents');
  refused(() => operationJvp(gf, 'softmax', { x }), 'missing', 'tangents');
  refused(() => operationJvp(gf, 'softmax', { x }, { y: x }), 'unknown', 'tangents.y');
  refused(() => operationJvp(gf, 'softmax', { x }, { x: [1] }), 'shape', 'tangents.x');
  refused(() => operationJvp(gf, 'layerNorm', { x }, { weight: [1, 1] }), 'unknown', 'tangents.weight');
});
