// Glassformer as a contestant: the module's own functions on data in its memory, the operations of the JS API, and
// models. All go through one instance that load() made, so that its choices for this machine hold.
import { load } from '../../dist/js/index.js';
import { ADAMW } from './workloads.js';
import { perform } from '../operations.js';

/** @typedef {import('./workloads.js').Workload} Workload */
/** @typedef {{call: () => unknown, result: () => Promise<Float32Array> | Float32Array}} Contestant */

/**
 * The engine with the exports beneath it, and the handle of the model made last.
 * @param {'simd' | 'relaxed'} variant
 */
export async function open(variant) {
  const { instantiate } = WebAssembly;
  /**
   * @type {{functions: Record<string, (...values: number[]) => number>, memory: WebAssembly.Memory, handle: number}}
   */
  const core = { functions: {}, memory: /** @type {any} */ (undefined), handle: 0 };
  WebAssembly.instantiate = /** @type {any} */ (
    async (...given) => {
      const { exports } = await /** @type {any} */ (instantiate)(...given);
      const create = exports.gf_model_create;
      core.memory = exports.memory;
      core.functions = { ...exports, gf_model_create: (...values) => (core.handle = create(...values)) };
      return { exports: core.functions };
    }
  );
  try {
    return { core, gf: await load({ variant }) };
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

/** @param {Awaited<ReturnType<typeof open>>['core']} core */
function arrays({ functions, memory }) {
  const view = (pointer, count) => new Float32Array(memory.buffer, pointer, count);
  const alloc = (count) => functions.gf_alloc(4 * count) >>> 0;
  const put = (data) => {
    const pointer = alloc(data.length);
    view(pointer, data.length).set(data);
    return pointer;
  };
  return { view, alloc, put };
}

const MODELS = ['attention', 'feed-forward', 'encoder'];

/**
 * @param {'simd' | 'relaxed'} variant
 * @returns {Promise<(workload: Workload, problem: ReturnType<typeof import('./workloads.js').problem>) =>
 *   Record<string, Contestant>>}
 */
export async function ours(variant) {
  const { core, gf } = await open(variant);
  return (workload, problem) =>
    !MODELS.includes(workload.kind)
      ? {
          ...(!workload.fresh && operation(core, gf, workload, problem)),
          ...api(gf, workload, problem),
          ...(workload.packed && packed(gf, core, workload, problem)),
        }
      : model(gf, workload, problem);
}

/** The exported C function on what stands in its memory. */
function operation(core, gf, workload, { x, w, expected }) {
  const { kind, size, transposed: [ta, tb] = [false, false] } = workload;
  const { M, K, N, R, C, T = 0, H = 1 } = size;
  const { functions: f } = core,
    { view, alloc, put } = arrays(core),
    count = expected.length;
  const a = put(ta ? flip(x, M, K) : x),
    y = alloc(count);
  const [b, weight, bias, key, value, dy] = [
    w.b && (tb ? flip(w.b, K, N) : w.b),
    w.weight,
    w.bias,
    w.key,
    w.value,
    w.dy,
  ].map((data) => (data ? put(data) : 0));
  if (kind === 'adamw') return optimizer(core, gf, x, w.dy, dy);
  const [scores, weights] = kind === 'heads' ? [alloc(H * T * T), alloc(H * T * T)] : [0, 0];
  const [dweight, dbias] = kind === 'layerNormBackward' ? [put(w.bias), put(w.bias)] : [0, 0];
  const calls = {
    matmul: () => f.gf_matmul(y, a, b, 1, M, K, N, +ta, +tb),
    softmax: () => f.gf_softmax(y, a, R, C),
    layerNorm: () => f.gf_layer_norm(y, 0, 0, a, weight, bias, 1e-5, R, C),
    gelu: () => f.gf_activation(y, a, R * C, 1),
    softmaxBackward: () => f.gf_softmax_backward(y, dy, a, R, C),
    layerNormBackward: () => f.gf_layer_norm_backward(y, dweight, dbias, dy, a, weight, 1e-5, R, C),
    geluBackward: () => f.gf_activation_backward(y, dy, a, R * C, 1),
    heads: () => f.gf_attention(y, scores, weights, a, key, value, 0, 0, Math.sqrt(H / C), 0, 1, T, T, H, C / H, C / H),
  };
  const call = calls[kind];
  return { '': { call, result: () => (call(), view(y, count).slice()) } };
}

/** AdamW in place: as of its second call it is another step, of the same work. */
function optimizer(core, gf, x, gradients, g) {
  const { functions: f, memory } = core,
    { view, put } = arrays(core);
  const { gf_optimize: optimize } = f;
  const bytes = 8 * f.gf_trainer_count();
  let settings = new Uint8Array();
  f.gf_optimize = (...given) => {
    settings = new Uint8Array(memory.buffer, given[5], bytes).slice();
    return optimize(...given);
  };
  perform(gf, 'optimizerStep', { parameters: x, gradients, step: 1, optimizer: 'adamw', ...ADAMW });
  f.gf_optimize = optimize;
  const [p, m, v] = [x, x, x].map(put);
  const words = f.gf_alloc(bytes);
  new Uint8Array(memory.buffer, words, bytes).set(settings);
  const call = () => optimize(p, m, v, g, x.length, words, 1);
  const result = () => {
    view(p, x.length).set(x);
    for (const moment of [m, v]) view(moment, x.length).fill(0);
    call();
    return view(p, x.length).slice();
  };
  return { '': { call, result } };
}

/** The same through the JS API, which copies in and out. */
function api(gf, { kind, size: { M, K, N, R, T = 0, C, H }, transposed: [ta, tb] = [false, false] }, { x, w }) {
  const tensor = (data, ...shape) => ({ data, shape });
  const a = kind !== 'matmul' ? tensor(x, R ?? T, C) : ta ? tensor(flip(x, M, K), K, M) : tensor(x, M, K);
  const b = w.b && (tb ? tensor(flip(w.b, K, N), N, K) : tensor(w.b, K, N));
  const calls = {
    matmul: () => gf.matmul(a, b, { transposeA: ta, transposeB: tb }),
    softmax: () => gf.softmax(a),
    layerNorm: () => gf.layerNorm(a, { weight: tensor(w.weight, C), bias: tensor(w.bias, C) }),
    gelu: () => gf.gelu(a),
    heads: () => gf.attention(a, tensor(w.key, T, C), tensor(w.value, T, C), { heads: H }),
    adamw: () =>
      perform(gf, 'optimizerStep', {
        parameters: a,
        gradients: tensor(w.dy, R, C),
        step: 1,
        optimizer: 'adamw',
        ...ADAMW,
      }),
  };
  const call = calls[kind];
  if (!call) return {};
  return {
    ', arrays': {
      call,
      result: () => {
        const y = call();
        return (y.output ?? y.parameters ?? y).data;
      },
    },
  };
}

/** A product with a model's weights: the head of a decoder without layers, whose embeddings are the left factor. */
function packed(gf, core, { size: { M, K, N } }, { x, w }) {
  const model = gf.createModel({
    kind: 'decoder',
    vocabulary: N,
    d_model: K,
    heads: 1,
    layers: 0,
    positions: 'none',
    embeddingScale: false,
    head: 'linear',
    headBias: false,
  });
  const { handle } = core,
    { gf_model_forward: forward } = core.functions;
  const table = new Float32Array(N * K); // one vocabulary for both ends; only its first M rows are read
  table.set(x);
  model.loadWeights({
    'tok_emb.weight': { data: table, shape: [N, K] },
    'generator.weight': { data: flip(w.b, K, N), shape: [N, K] },
  });
  model.forward({ ids: Int32Array.from({ length: M }, (_, i) => i) });
  return { ', packed': { call: () => forward(handle), result: () => (forward(handle), model.tensor('logits').data) } };
}

/** One forward call: vectors in, vectors out. */
function model(gf, { kind, gelu, size: { B = 1, T, C, H = 1, F = 0, layers = 0 } }, { x, w }) {
  const alone = kind !== 'encoder';
  const made = gf.createModel({
    kind,
    d_model: C,
    heads: H,
    d_ff: F,
    layers,
    ...(!alone && { vocabulary: 0, positions: 'none' }),
    ...(gelu && { activation: 'gelu' }),
  });
  const shapes = new Map(made.tensors().map(({ name, shape }) => [name, shape]));
  made.loadWeights(
    Object.fromEntries(Object.entries(w).map(([name, data]) => [name, { data, shape: shapes.get(name) }])),
  );
  const vectors = { data: x, shape: [B, T, C] };
  const call = () => made.forward({ vectors }).output.data;
  return { '': { call, result: call } };
}

/** (R,C) into (C,R). */
function flip(x, R, C) {
  const y = new Float32Array(x.length);
  for (let r = 0; r < R; r++) for (let c = 0; c < C; c++) y[c * R + r] = x[r * C + c];
  return y;
}
