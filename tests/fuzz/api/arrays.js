// Good arguments of the operations on arrays.

/** @typedef {import('./draw.js').Draw} Draw */

/** @param {Draw} d */
const axes = (d, low = 1) => Array.from({ length: d.int(low, 3) }, () => d.int(1, 4));

/** @param {Draw} d @param {number[]} shape @param {number} outer hides some scores */
const masks = (d, [T, S], B = 0) => ({
  ...(d.chance(0.3) && { causal: d.chance(0.5) }),
  ...(d.chance(0.2) && { keyPadding: d.flagTensor(B ? [B, S] : [S]) }),
  ...(d.chance(0.2) && { mask: d.tensor([T, S], (data) => data.fill(-Infinity, 0, d.int(0, 2))) }),
});

/** @param {Draw} d @param {number} C @param {number} F */
const feedForward = (d, C, F) => ({
  'linear1.weight': d.tensor([F, C]),
  'linear1.bias': d.tensor([F]),
  'linear2.weight': d.tensor([C, F]),
  'linear2.bias': d.tensor([C]),
});

/** Biases go together. @param {Draw} d @param {number} C @param {string[]} prefixes */
function projections(d, C, prefixes = ['']) {
  const biased = d.chance(0.7);
  const each = prefixes.map((prefix) => ({
    [`${prefix}in_proj_weight`]: d.tensor([3 * C, C]),
    ...(biased && { [`${prefix}in_proj_bias`]: d.tensor([3 * C]) }),
    [`${prefix}out_proj.weight`]: d.tensor([C, C]),
    ...(biased && { [`${prefix}out_proj.bias`]: d.tensor([C]) }),
  }));
  return Object.assign({}, ...each);
}

/** @param {Draw} d @param {number} C @param {number} sublayers */
const norms = (d, C, sublayers) =>
  Object.fromEntries(
    Array.from({ length: sublayers }, (_, i) => [
      [`norm${i + 1}.weight`, d.tensor([C])],
      [`norm${i + 1}.bias`, d.tensor([C])],
    ]).flat(),
  );

/** @param {Draw} d */
function pair(d) {
  const shape = axes(d);
  return { a: d.tensor(shape), b: d.tensor(shape) };
}

/** Of rotary positions. @param {Draw} d */
const angles = (d) => ({
  ...(d.chance(0.3) && { theta: d.pick([1, 100, 500000]) }),
  ...(d.chance(0.4) && { scaling: d.pick(['none', 'linear', 'llama3']), factor: d.pick([1, 4.5]) }),
  ...(d.chance(0.2) && { lowFrequency: 2, highFrequency: d.pick([2.5, 8]), originalLength: d.int(1, 99) }),
});

/** An activation, top-k with how many stay. @param {Draw} d */
const activation = (d) =>
  d.chance(0.2)
    ? { activation: 'top-k', active: d.int(1, 3) }
    : { activation: d.pick(['relu', 'gelu', 'gelu-tanh', 'none', 'silu']) };

/** By operation. @type {Record<string, (d: Draw) => any>} */
export const ARRAYS = {
  matmul(d) {
    const [outer, M, K, N] = [axes(d, 0).slice(1), d.int(1, 5), d.int(1, 5), d.int(1, 5)];
    const [transposeA, transposeB] = [d.chance(0.3), d.chance(0.3)];
    const a = d.tensor([...outer, ...(transposeA ? [K, M] : [M, K])]);
    const b = d.tensor([...outer, ...(transposeB ? [N, K] : [K, N])]);
    return { a, b, ...(transposeA && { transposeA }), ...(transposeB && { transposeB }), ...limit(d) };
  },
  softmax: (d) => ({ x: d.tensor(axes(d)) }),
  logSoftmax: (d) => ({ x: d.tensor(axes(d), (data) => d.chance(0.1) && data.fill(-Infinity)) }),
  klDivergence(d) {
    const shape = axes(d);
    return { p: d.tensor(shape), q: d.tensor(shape) };
  },
  dot: (d) => pair(d),
  vectorNorm: (d) => ({ x: d.tensor(axes(d)) }),
  add: (d) => pair(d),
  mul: (d) => pair(d),
  cosine: (d) => pair(d),
  transpose: (d) => ({ x: d.tensor([d.int(1, 4), ...axes(d)]) }),
  argmax: (d) => ({ x: d.tensor(axes(d)) }),
  linear(d) {
    const [C, N] = [d.int(1, 5), d.int(1, 5)];
    return {
      x: d.tensor([d.int(1, 4), C]),
      weight: d.tensor([N, C]),
      ...(d.chance(0.5) && { bias: d.tensor([N]) }),
      ...limit(d),
    };
  },
  rmsNorm(d) {
    const shape = axes(d);
    return {
      x: d.tensor(shape),
      ...(d.chance(0.5) && { weight: d.tensor([shape[shape.length - 1]]) }),
      ...(d.chance(0.3) && { epsilon: d.pick([0, 1e-5, 1]) }),
    };
  },
  layerNorm(d) {
    const shape = axes(d);
    const N = [shape[shape.length - 1]];
    return {
      x: d.tensor(shape),
      ...(d.chance(0.5) && { weight: d.tensor(N) }),
      ...(d.chance(0.5) && { bias: d.tensor(N) }),
      ...(d.chance(0.3) && { epsilon: d.pick([0, 1e-5, 1]) }),
    };
  },
  activation: (d) => ({ x: d.tensor(axes(d)), ...activation(d) }),
  relu: (d) => ({ x: d.tensor(axes(d)) }),
  gelu: (d) => ({ x: d.tensor(axes(d)), ...(d.chance(0.4) && { approximate: d.pick(['none', 'tanh']) }) }),
  embedding(d) {
    const V = d.int(1, 5);
    const table = d.tensor([V, d.int(1, 4)]);
    return { ids: d.idTensor(axes(d), V), table, ...(d.chance(0.3) && { scale: d.float() }) };
  },
  positionalEncoding: (d) => ({
    d_model: d.int(1, 9),
    ...(d.chance(0.5) ? { length: d.int(1, 9), start: d.int(0, 9) } : { positions: d.idTensor([d.int(1, 5)], 99) }),
  }),
  rotaryTable: (d) => ({
    headWidth: 2 * d.int(1, 4),
    ...(d.chance(0.5) ? { length: d.int(1, 9), start: d.int(0, 9) } : { positions: d.idTensor([d.int(1, 5)], 99) }),
    ...angles(d),
  }),
  rotary(d) {
    const [B, T, H] = [d.int(1, 2), d.int(1, 4), d.int(1, 3)];
    const outer = d.chance(0.5) ? [B, T] : [T];
    const pairs = d.int(1, 5);
    return {
      x: d.tensor([...outer, H * 2 * pairs]),
      ...(d.chance(0.3) && { width: 2 * d.int(1, pairs) }),
      ...(H > 1 && { heads: H }),
      ...(d.chance(0.4) && (d.chance(0.5) ? { start: d.int(0, 9) } : { positions: d.idTensor([T], 99) })),
      ...(d.chance(0.3) && { interleaved: d.chance(0.5) }),
      ...(d.chance(0.3) && { inverse: d.chance(0.5) }),
      ...angles(d),
    };
  },
  attention(d) {
    const [T, S, H] = [d.int(1, 4), d.int(1, 4), d.int(1, 2)];
    const [C, Cv] = [H * d.int(1, 3), H * d.int(1, 3)];
    const B = d.chance(0.3) ? [d.int(1, 2)] : [];
    return {
      query: d.tensor([...B, T, C]),
      key: d.tensor([...B, S, C]),
      value: d.tensor([...B, S, Cv]),
      ...(H > 1 && { heads: H }),
      ...(d.chance(0.2) && { scale: d.float() }),
      ...masks(d, [T, S], B[0]),
      ...limit(d),
    };
  },
  multiHeadAttention(d) {
    const [T, S, H] = [d.int(1, 4), d.int(1, 4), d.int(1, 2)];
    const C = H * d.int(1, 3);
    const cross = d.chance(0.3);
    return {
      x: d.tensor([T, C]),
      ...(cross && { memory: d.tensor([S, C]) }),
      weights: projections(d, C),
      heads: H,
      ...masks(d, [T, cross ? S : T]),
      ...limit(d),
    };
  },
  feedForward(d) {
    const [C, F] = [d.int(1, 4), d.int(3, 5)];
    const how = d.chance(0.5) && activation(d);
    return { x: d.tensor([d.int(1, 4), C]), weights: feedForward(d, C, F), ...how, ...limit(d) };
  },
  encoderLayer(d) {
    const [T, H, F] = [d.int(1, 4), d.int(1, 2), d.int(1, 5)];
    const C = H * d.int(1, 3);
    const weights = { ...projections(d, C, ['self_attn.']), ...feedForward(d, C, F), ...norms(d, C, 2) };
    const norm = d.chance(0.5) && { norm: d.pick(['pre', 'post', 'none']) };
    return { x: d.tensor([T, C]), weights, heads: H, ...norm, ...masks(d, [T, T]), ...limit(d) };
  },
  decoderLayer(d) {
    const [T, S, H, F] = [d.int(1, 4), d.int(1, 4), d.int(1, 2), d.int(1, 5)];
    const C = H * d.int(1, 3);
    const attention = projections(d, C, ['self_attn.', 'multihead_attn.']);
    const weights = { ...attention, ...feedForward(d, C, F), ...norms(d, C, 3) };
    return { x: d.tensor([T, C]), memory: d.tensor([S, C]), weights, heads: H, ...masks(d, [T, T]), ...limit(d) };
  },
  crossEntropy(d) {
    const outer = axes(d);
    const V = d.int(1, 5);
    return { logits: d.tensor([...outer, V]), labels: d.idTensor(outer, V), ...loss(d) };
  },
  softmaxBackward(d) {
    const shape = axes(d);
    return { output: d.tensor(shape), gradient: d.tensor(shape) };
  },
  rmsNormBackward(d) {
    const shape = axes(d);
    const weight = d.chance(0.5) && { weight: d.tensor([shape[shape.length - 1]]) };
    return { x: d.tensor(shape), gradient: d.tensor(shape), ...weight };
  },
  layerNormBackward(d) {
    const shape = axes(d);
    const weight = d.chance(0.5) && { weight: d.tensor([shape[shape.length - 1]]) };
    return { x: d.tensor(shape), gradient: d.tensor(shape), ...weight };
  },
  activationBackward(d) {
    const shape = axes(d);
    return { x: d.tensor(shape), gradient: d.tensor(shape), ...activation(d) };
  },
  attentionBackward(d) {
    const [T, S, H, D] = [d.int(1, 4), d.int(1, 4), d.int(1, 2), d.int(1, 3)];
    return {
      query: d.tensor([T, H * D]),
      key: d.tensor([S, H * D]),
      value: d.tensor([S, H * D]),
      weights: d.tensor([H, T, S]),
      gradient: d.tensor([T, H * D]),
      heads: H,
      ...limit(d),
    };
  },
  crossEntropyBackward(d) {
    const outer = axes(d);
    const V = d.int(1, 5);
    return { logProbabilities: d.tensor([...outer, V]), labels: d.idTensor(outer, V), ...loss(d) };
  },
  optimizerStep(d) {
    const shape = axes(d);
    const moments = d.chance(0.5) && { moment1: d.tensor(shape), moment2: d.tensor(shape, (data) => data.fill(0.5)) };
    return {
      parameters: d.tensor(shape),
      gradients: d.tensor(shape),
      ...moments,
      step: d.int(1, 5),
      ...(d.chance(0.5) && { optimizer: d.pick(['adamw', 'adam', 'sgd']) }),
      ...(d.chance(0.5) && { learningRate: d.pick([0, 0.1, 1]) }),
    };
  },
};

/** Operations that have products with their Jacobian. */
export const DIFFERENTIABLE = [
  'matmul',
  'softmax',
  'logSoftmax',
  'layerNorm',
  'activation',
  'attention',
  'crossEntropy',
];

/** @param {Draw} d */
const limit = (d) => d.chance(0.1) && { maxOperations: d.pick([1, 1000, 1e9, Infinity]) };

/** @param {Draw} d */
const loss = (d) => ({
  ...(d.chance(0.3) && { reduction: d.pick(['mean', 'sum']) }),
  ...(d.chance(0.3) && { ignoreIndex: d.pick([-100, 0]) }),
  ...(d.chance(0.3) && { labelSmoothing: d.pick([0, 0.1, 1]) }),
});
