// Gradients of operations on arrays, against differences of the operation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { load } from 'glassformer';
import { operationVjp } from 'glassformer/derivatives';
import { engines } from './engines.js';
import { random, refused } from './reference.js';
import { argumentsOf, perform } from '../operations.js';

const [gf] = engines;
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
  // With and without one b for all.
  matmul: (r, { a, b, c, H, on, off }) => ({
    options: {
      a: r.tensor(on ? [2, b, a] : [2, a, b]),
      b: r.tensor([...(H === 1 ? [] : [2]), ...(off ? [c, b] : [b, c])]),
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
    options: { logits: r.tensor([a, c], 2), labels: r.ids([a], c), labelSmoothing: on ? 0.1 : 0 },
    of: ['logits'],
  }),
};

const outputOf = (name, options) => {
  const result = perform(gf, name, options);
  return name === 'crossEntropy' ? { data: [result.loss], shape: [] } : (result.output ?? result);
};

for (const [name, make] of Object.entries(CASES)) {
  test(`${name}: the product agrees with differences`, () => {
    const property = (given, seed) => {
      const r = random(seed);
      const { options, of } = make(r, given);
      const tangents = Object.fromEntries(
        of.filter(() => r.bool(0.8)).map((key) => [key, r.tensor(options[key].shape)]),
      );
      if (Object.keys(tangents).length === 0) tangents[of[0]] = r.tensor(options[of[0]].shape);
      const { shape } = outputOf(name, options);
      const cotangent = name === 'crossEntropy' ? 0.3 : r.tensor(shape);
      const along = typeof cotangent === 'number' ? [cotangent] : cotangent.data;
      const at = (h) => {
        const moved = Object.entries(tangents).map(([key, { data }]) => [
          key,
          { ...options[key], data: options[key].data.map((x, i) => x + h * data[i]) },
        ]);
        return dot(outputOf(name, { ...options, ...Object.fromEntries(moved) }).data, along);
      };
      const h = 4e-3;
      const wanted = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      const back = operationVjp(gf, name, argumentsOf(name, options), cotangent);
      const found = Object.entries(tangents).reduce((sum, [key, { data }]) => sum + dot(data, back[key].data), 0);
      assert.ok(Math.abs(found - wanted) < 2e-3 * (1 + Math.abs(wanted)), `${found}, ${wanted}`);
    };
    fc.assert(fc.property(sizes, fc.nat(2 ** 31 - 1), property), { numRuns: 40, seed: 11 });
  });
}

test('maxOperations is the limit of each of the operations', async () => {
  const small = await load({ variant: 'simd', maxOperations: 1000 });
  const a = random(5).tensor([20, 20]);
  for (const [name, options] of [
    ['matmul', { a, b: a }],
    ['attention', { query: a, key: a, value: a }],
  ]) {
    const free = { ...options, maxOperations: 1e6 };
    assert.deepEqual(
      operationVjp(small, name, argumentsOf(name, free), a),
      operationVjp(gf, name, argumentsOf(name, options), a),
    );
    refused(() => operationVjp(small, name, argumentsOf(name, options), a), 'limit', Object.keys(options)[0]);
  }
});

test('bad arguments are named', () => {
  const x = [[1, 2]];
  // A loss has no dimension, nor has its cotangent: softmax([1, 2]) - [1, 0], times 0.5.
  for (const scalar of [0.5, { data: [0.5], shape: [] }]) {
    const { data } = operationVjp(gf, 'crossEntropy', [x, [0]], scalar).logits;
    const slope = 0.5 / (1 + Math.exp(-1));
    assert.ok(Math.abs(data[0] + slope) < 1e-6 && Math.abs(data[1] - slope) < 1e-6, `${data}`);
  }
  for (const other of [undefined, {}, load()]) refused(() => operationVjp(other, 'softmax', [x], x), 'foreign', 'gf');
  const loss = [x, [0]];
  refused(() => operationVjp(gf, 'crossEntropy', loss, { data: [], shape: [] }), 'shape', 'cotangent');
  refused(() => operationVjp(gf, 'crossEntropy', loss, { shape: [] }), 'type', 'cotangent');
  refused(() => operationVjp(gf, 'softMax', [x], x), 'unknown', 'operation');
  refused(() => operationVjp(gf, 'positionalEncoding', [], x), 'unknown', 'operation');
  refused(() => operationVjp(gf, 'softmax', [x, 1], x), 'unknown', 'arguments');
  refused(() => operationVjp(gf, 'softmax', { x }, x), 'type', 'args');
  refused(() => operationVjp(gf, 'softmax', [], x), 'missing', 'x');
  refused(() => operationVjp(gf, 'softmax', [x], [1]), 'shape', 'cotangent');
  refused(() => operationVjp(gf, 'softmax', [x], [[1, NaN]]), 'range', 'cotangent');
  refused(() => operationVjp(gf, 'softmax', [x]), 'missing', 'cotangent');
  refused(() => operationVjp(gf, 'crossEntropy', [x, [0]], [1]), 'shape', 'cotangent');
});
