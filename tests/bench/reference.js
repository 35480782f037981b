// The reference for every engine: the same arithmetic in double precision, as plain as can be.

/** Largest difference that a result may have from the reference, relative to the reference's largest magnitude. */
export const TOLERANCE = 1e-5;

/** C = A B of (M,K) and (K,N); with `transposed`, B is (N,K), as Linear keeps its weights. */
export function matmul(a, b, M, K, N, transposed = false) {
  const y = new Float64Array(M * N),
    B = Float64Array.from(b);
  for (let m = 0; m < M; m++) {
    const row = y.subarray(m * N, (m + 1) * N);
    if (transposed) {
      for (let n = 0; n < N; n++) {
        let sum = 0;
        for (let k = 0; k < K; k++) sum += a[m * K + k] * B[n * K + k];
        row[n] = sum;
      }
    } else {
      for (let k = 0; k < K; k++) {
        const x = a[m * K + k],
          at = k * N;
        for (let n = 0; n < N; n++) row[n] += x * B[at + n];
      }
    }
  }
  return y;
}

/** (R,C) into (C,R). */
export function transpose(x, R, C) {
  const y = new x.constructor(x.length);
  for (let r = 0; r < R; r++) for (let c = 0; c < C; c++) y[c * R + r] = x[r * C + c];
  return y;
}

const linear = (x, w, bias, T, K, N) => matmul(x, w, T, K, N, true).map((v, i) => v + bias[i % N]);
const add = (x, y) => Float64Array.from(x, (v, i) => v + y[i]);

/** @param {ArrayLike<number>} x (R,N) */
export function softmax(x, R, N) {
  const y = Float64Array.from(x);
  for (let r = 0; r < R; r++) {
    const row = y.subarray(r * N, (r + 1) * N);
    const top = row.reduce((a, b) => Math.max(a, b), -Infinity);
    row.forEach((v, i) => {
      row[i] = Math.exp(v - top);
    });
    const sum = row.reduce((a, b) => a + b, 0);
    row.forEach((v, i) => {
      row[i] = v / sum;
    });
  }
  return y;
}

/** @param {ArrayLike<number>} x (R,C) */
export function layerNorm(x, weight, bias, epsilon, C) {
  const y = Float64Array.from(x);
  for (let at = 0; at < y.length; at += C) {
    const row = y.subarray(at, at + C);
    const mean = row.reduce((a, b) => a + b, 0) / C;
    const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / C;
    row.forEach((v, i) => {
      row[i] = ((v - mean) / Math.sqrt(variance + epsilon)) * weight[i] + bias[i];
    });
  }
  return y;
}

/** The error function by its Taylor series, beyond 6 the limit. */
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x,
    sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1); // erf = 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1)/(2n+1)!!
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** x Phi(x). @param {ArrayLike<number>} x */
export const gelu = (x) => Float64Array.from(x, (v) => v * 0.5 * (1 + erf(v / Math.SQRT2)));

/** Gradient of softmax's input. @param {ArrayLike<number>} dy @param {ArrayLike<number>} y its output, (R,N) */
export const softmaxBackward = (dy, y, N) =>
  byRow(y, N, (dot, at) => {
    let sum = 0;
    for (let i = at; i < at + N; i++) sum += dy[i] * y[i];
    for (let i = at; i < at + N; i++) dot[i] = y[i] * (dy[i] - sum);
  });

/** Gradient of LayerNorm's input. */
export function layerNormBackward(dy, x, weight, epsilon, C) {
  const plain = new Float64Array(C);
  const normal = layerNorm(
    x,
    plain.map(() => 1),
    plain,
    epsilon,
    C,
  );
  return byRow(x, C, (dx, at) => {
    const row = x.subarray(at, at + C);
    const mean = row.reduce((a, b) => a + b, 0) / C;
    const deviation = Math.sqrt(row.reduce((a, b) => a + (b - mean) ** 2, 0) / C + epsilon);
    let first = 0,
      second = 0;
    for (let i = 0; i < C; i++) {
      const g = dy[at + i] * weight[i];
      first += g / C;
      second += (g * normal[at + i]) / C;
    }
    for (let i = 0; i < C; i++) dx[at + i] = (dy[at + i] * weight[i] - first - normal[at + i] * second) / deviation;
  });
}

/** Calls with the array to fill and where each row begins. */
function byRow(like, N, fill) {
  const y = new Float64Array(like.length);
  for (let at = 0; at < y.length; at += N) fill(y, at);
  return y;
}

/** Gradient of GELU's input: Phi(x) + x phi(x). */
export const geluBackward = (dy, x) =>
  Float64Array.from(x, (v, i) => {
    const slope = 0.5 * (1 + erf(v / Math.SQRT2)) + (v * Math.exp((-v * v) / 2)) / Math.sqrt(2 * Math.PI);
    return dy[i] * slope;
  });

/** The first step of AdamW from moments of 0 (Loshchilov and Hutter 2019, algorithm 2, as PyTorch has it). */
export const adamw = (p, g, { learningRate, epsilon, weightDecay }) =>
  Float64Array.from(
    p,
    (v, i) => v * (1 - learningRate * weightDecay) - (learningRate * g[i]) / (Math.abs(g[i]) + epsilon),
  );

/** Attention of H heads on (T,C) without projections. */
export function heads(query, key, value, T, C, H) {
  const D = C / H,
    output = new Float64Array(T * C);
  const part = (x, h) => Float64Array.from({ length: T * D }, (_, i) => x[Math.floor(i / D) * C + h * D + (i % D)]);
  for (let h = 0; h < H; h++) {
    const scores = matmul(part(query, h), part(key, h), T, D, T, true).map((v) => v / Math.sqrt(D));
    matmul(softmax(scores, T, T), part(value, h), T, T, D).forEach((v, i) => {
      output[Math.floor(i / D) * C + h * D + (i % D)] = v;
    });
  }
  return output;
}

/** Self-attention of H heads with its projections, in sequences of T; weights by PyTorch's names after `prefix`. */
export function attention(x, w, prefix, T, C, H) {
  const R = x.length / C;
  const qkv = linear(x, w[`${prefix}in_proj_weight`], w[`${prefix}in_proj_bias`], R, C, 3 * C);
  const [query, key, value] = [0, 1, 2].map((which) =>
    Float64Array.from({ length: R * C }, (_, i) => qkv[Math.floor(i / C) * 3 * C + which * C + (i % C)]),
  );
  const concat = new Float64Array(R * C);
  for (let at = 0; at < R * C; at += T * C) {
    const [q, k, v] = [query, key, value].map((all) => all.subarray(at, at + T * C));
    concat.set(heads(q, k, v, T, C, H), at);
  }
  return linear(concat, w[`${prefix}out_proj.weight`], w[`${prefix}out_proj.bias`], R, C, C);
}

export const relu = (x) => x.map((v) => Math.max(0, v));

/** Two linear layers with an activation between. */
export function feedForward(x, w, prefix, C, F, activation = relu) {
  const R = x.length / C;
  const hidden = activation(linear(x, w[`${prefix}linear1.weight`], w[`${prefix}linear1.bias`], R, C, F));
  return linear(hidden, w[`${prefix}linear2.weight`], w[`${prefix}linear2.bias`], R, F, C);
}

/** Encoder layers with LayerNorm after each residual sum (Vaswani et al. 2017), of sequences of T. */
export function encoder(x, w, layers, T, C, H, F, activation = relu) {
  for (let l = 0; l < layers; l++) {
    const at = `encoder.layers.${l}.`;
    x = layerNorm(
      add(x, attention(x, w, `${at}self_attn.`, T, C, H)),
      w[`${at}norm1.weight`],
      w[`${at}norm1.bias`],
      1e-5,
      C,
    );
    x = layerNorm(
      add(x, feedForward(x, w, at, C, F, activation)),
      w[`${at}norm2.weight`],
      w[`${at}norm2.bias`],
      1e-5,
      C,
    );
  }
  return x;
}

/**
 * Refuses a wrong result.
 * @param {string} who
 * @param {Float32Array} result
 * @param {Float64Array} expected
 */
export function check(who, result, expected) {
  if (result.length !== expected.length)
    throw new Error(`${who}: ${result.length} numbers, ${expected.length} are right`);
  let error = 0,
    top = 0;
  for (let i = 0; i < expected.length; i++) {
    error = Math.max(error, Math.abs(result[i] - expected[i]));
    top = Math.max(top, Math.abs(expected[i]));
    if (Number.isNaN(result[i])) error = Infinity;
  }
  if (!(error <= TOLERANCE * top)) throw new Error(`${who}: wrong by ${error}, the largest number is ${top}`);
}
