// Repeats the module's computations: naive, in double precision, on rows of numbers. And the
// seeded inputs and comparisons that the tests share.
import assert from 'node:assert/strict';
import { GlassformerError } from 'glassformer';

/** @typedef {number[][]} Matrix */
/** @typedef {{data: ArrayLike<number>, shape: number[]}} Tensor */

/** A model for what a test only has to have. */
export const TINY = { kind: 'decoder', vocabulary: 5, d_model: 4, heads: 2, layers: 1, d_ff: 4, head: 'tied' };
/** One with both stacks, for names and places. */
export const BOTH = {
  kind: 'encoder-decoder',
  vocabulary: 11,
  d_model: 8,
  heads: 2,
  d_ff: 12,
  layers: 2,
  head: 'linear',
};

/** Mulberry32. @param {number} seed */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (low, high) => low + Math.floor(next() * (high - low + 1));
  const tensor = (shape, scale = 1) => ({
    data: Float32Array.from({ length: size(shape) }, () => (2 * next() - 1) * scale),
    shape,
  });
  return {
    next,
    int,
    tensor,
    bool: (chance = 0.5) => next() < chance,
    pick: (list) => list[int(0, list.length - 1)],
    ids: (shape, V) => ({ data: Int32Array.from({ length: size(shape) }, () => int(0, V - 1)), shape }),
    padding: (shape, chance = 0.3) => ({
      data: Uint8Array.from({ length: size(shape) }, () => +(next() < chance)),
      shape,
    }),
  };
}

export const size = (shape) => shape.reduce((a, b) => a * b, 1);

/** Element [index...] of a tensor. @param {Tensor} t @param {number[]} index */
export const at = ({ data, shape }, ...index) => data[index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)];

/** The matrix at one place of the leading axes. @param {Tensor} t @param {number[]} lead @returns {Matrix} */
export const matrix = (t, ...lead) => {
  const [R, N] = t.shape.slice(-2);
  return Array.from({ length: R }, (_, r) => Array.from({ length: N }, (_, n) => at(t, ...lead, r, n)));
};

/** @param {number[][][]} list @param {number[]} shape @returns {Tensor} */
export const stack = (list, shape) => ({ data: list.flat(Infinity), shape });

/** Same shape, and each element within absolute + relative * |expected|; NaN only where expected. */
export function close(got, expected, tolerance, label = '') {
  assert.deepEqual(got.shape, expected.shape, `${label} shape`);
  assert.equal(got.data.length, expected.data.length, `${label} length`);
  for (let i = 0; i < got.data.length; i++) {
    const [a, b] = [got.data[i], expected.data[i]];
    if (Object.is(a, b) || a === b) continue;
    assert.ok(Math.abs(a - b) <= tolerance * (1 + Math.abs(b)), `${label}[${i}] is ${a}, expected ${b}`);
  }
}

/** Bit for bit, so that -0 is not 0. */
export function same(a, b, label = '') {
  assert.deepEqual(a.shape, b.shape, `${label} shape`);
  assert.deepEqual(
    Buffer.from(a.data.buffer, a.data.byteOffset, a.data.byteLength),
    Buffer.from(b.data.buffer, b.data.byteOffset, b.data.byteLength),
    `${label} bits`,
  );
}

/** Runs a refused call and gives its error back. */
export function refused(call, code, parameter) {
  let error;
  try {
    call();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof GlassformerError, `expected a GlassformerError '${code}', got ${error}`);
  assert.equal(error.name, 'GlassformerError');
  assert.equal(error.code, code, error.message);
  if (parameter !== undefined) assert.equal(error.parameter, parameter, error.message);
  assert.ok(error.message.includes(error.parameter), error.message);
  return error;
}

// ---- the arithmetic

/** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
export const matmul = (a, b) => a.map((row) => b[0].map((_, n) => row.reduce((sum, x, k) => sum + x * b[k][n], 0)));
export const transpose = (a) => a[0].map((_, n) => a.map((row) => row[n]));
export const add = (a, b) => a.map((row, r) => row.map((x, n) => x + b[r][n]));
/**
 * x w^T + bias, as PyTorch's Linear.
 * @param {Matrix} x
 * @param {Matrix} w
 * @param {ArrayLike<number> | undefined} bias
 */
export const linear = (x, w, bias) => matmul(x, transpose(w)).map((row) => row.map((y, n) => y + (bias ? bias[n] : 0)));

export function softmax(row) {
  const top = Math.max(...row);
  if (top === -Infinity) return row.map(() => 0);
  const powers = row.map((x) => Math.exp(x - top));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((x) => x / sum);
}

export function layerNorm(row, weight, bias, epsilon) {
  const mean = row.reduce((a, b) => a + b, 0) / row.length;
  const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length;
  const output = row.map(
    (x, c) => ((x - mean) / Math.sqrt(variance + epsilon)) * (weight ? weight[c] : 1) + (bias ? bias[c] : 0),
  );
  return { output, mean, variance };
}

/** By its series; |x| <= 5 keeps enough digits. */
function erf(x) {
  if (Math.abs(x) > 5) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let n = 1; n < 200; n++) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

export const activations = {
  relu: (x) => Math.max(x, 0),
  gelu: (x) => (x * (1 + erf(x / Math.SQRT2))) / 2,
  'gelu-tanh': (x) => (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  none: (x) => x,
  silu: (x) => x / (1 + Math.exp(-x)),
};

export const position = (p, C) =>
  Array.from({ length: C }, (_, c) => {
    const angle = p / 10000 ** ((c - (c % 2)) / C);
    return c % 2 ? Math.cos(angle) : Math.sin(angle);
  });

/** One head. hidden(t, s): whether query t may not see key s; mask: added to the scaled scores. */
export function attention(q, k, v, { scale = 1 / Math.sqrt(q[0].length), causal = false, padding, mask } = {}) {
  const raw = matmul(q, transpose(k));
  const scores = raw.map((row) => row.map((x) => x * scale));
  const masked = scores.map((row, t) =>
    row.map((x, s) => ((causal && s > t) || padding?.[s] ? -Infinity : x + (mask ? mask[t][s] : 0))),
  );
  const weights = masked.map(softmax);
  return { raw, scores, masked, weights, output: matmul(weights, v) };
}

const columns = (x, from, to) => x.map((row) => row.slice(from, to));

/** Weights are a Map of tensors by PyTorch's names, x and memory matrices. */
export function multiHead(x, memory, weights, heads, options) {
  const C = x[0].length;
  const D = C / heads;
  const all = matrix(weights.get('in_proj_weight'));
  const bias = weights.get('in_proj_bias')?.data;
  const part = (input, i) =>
    linear(input, all.slice(i * C, i * C + C), bias && Array.from(bias).slice(i * C, i * C + C));
  const source = memory ?? x;
  const [q, k, v] = [part(x, 0), part(source, 1), part(source, 2)];
  const run = Array.from({ length: heads }, (_, h) => {
    const [qh, kh, vh] = [q, k, v].map((m) => columns(m, h * D, h * D + D));
    return { query: qh, key: kh, value: vh, ...attention(qh, kh, vh, options) };
  });
  const concat = x.map((_, t) => run.flatMap(({ output }) => output[t]));
  return {
    run,
    concat,
    output: linear(concat, matrix(weights.get('out_proj.weight')), weights.get('out_proj.bias')?.data),
  };
}

export function feedForward(x, weights, activation) {
  const pre = linear(x, matrix(weights.get('linear1.weight')), weights.get('linear1.bias').data);
  const active = pre.map((row) => row.map(activations[activation]));
  return {
    pre,
    active,
    output: linear(active, matrix(weights.get('linear2.weight')), weights.get('linear2.bias').data),
  };
}

const under = (weights, prefix) =>
  new Map(
    [...weights]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, tensor]) => [name.slice(prefix.length), tensor]),
  );

/** A layer of either stack: cross-attention where there is memory. */
export function layer(x, memory, weights, { heads, activation, norm, epsilon, self, cross }) {
  const branches = [
    (y) => multiHead(y, undefined, under(weights, 'self_attn.'), heads, self).output,
    ...(memory ? [(y) => multiHead(y, memory, under(weights, 'multihead_attn.'), heads, cross).output] : []),
    (y) => feedForward(y, weights, activation).output,
  ];
  branches.forEach((branch, i) => {
    const normed = (y) =>
      norm === 'none'
        ? y
        : y.map(
            (row) =>
              layerNorm(row, weights.get(`norm${i + 1}.weight`)?.data, weights.get(`norm${i + 1}.bias`)?.data, epsilon)
                .output,
          );
    x = norm === 'post' ? normed(add(x, branch(x))) : add(x, branch(norm === 'pre' ? normed(x) : x));
  });
  return x;
}

export function crossEntropy(rows, labels, { ignoreIndex, labelSmoothing, reduction }) {
  const logProbabilities = rows.map((row) => {
    const top = Math.max(...row);
    const total = top + Math.log(row.reduce((sum, x) => sum + Math.exp(x - top), 0));
    return row.map((x) => x - total);
  });
  const losses = logProbabilities.flatMap((row, r) =>
    labels[r] === ignoreIndex
      ? []
      : [-(1 - labelSmoothing) * row[labels[r]] - (labelSmoothing / row.length) * row.reduce((a, b) => a + b, 0)],
  );
  const sum = losses.reduce((a, b) => a + b, 0);
  return { logProbabilities, count: losses.length, loss: reduction === 'mean' ? sum / losses.length : sum };
}

// ---- weights by PyTorch's names

export function attentionWeights(r, C, bias = true, prefix = '') {
  const scale = 1 / Math.sqrt(C);
  return new Map([
    [`${prefix}in_proj_weight`, r.tensor([3 * C, C], scale)],
    ...(bias ? [[`${prefix}in_proj_bias`, r.tensor([3 * C])]] : []),
    [`${prefix}out_proj.weight`, r.tensor([C, C], scale)],
    ...(bias ? [[`${prefix}out_proj.bias`, r.tensor([C])]] : []),
  ]);
}

export const feedForwardWeights = (r, C, F) =>
  new Map([
    ['linear1.weight', r.tensor([F, C], 1 / Math.sqrt(C))],
    ['linear1.bias', r.tensor([F])],
    ['linear2.weight', r.tensor([C, F], 1 / Math.sqrt(F))],
    ['linear2.bias', r.tensor([C])],
  ]);

export const layerWeights = (r, C, F, { cross, norm }) =>
  new Map([
    ...attentionWeights(r, C, true, 'self_attn.'),
    ...(cross ? attentionWeights(r, C, true, 'multihead_attn.') : []),
    ...feedForwardWeights(r, C, F),
    ...(norm === 'none'
      ? []
      : [1, 2, 3].slice(0, cross ? 3 : 2).flatMap((i) => [
          [`norm${i}.weight`, r.tensor([C])],
          [`norm${i}.bias`, r.tensor([C])],
        ])),
  ]);
