// Glassformer as a contestant: the module's own functions on data in its memory, the operations of the JS API, and
// models. All go through one instance that load() made, so that its choices for this machine hold.
import { load } from '../../dist/js/index.js';

/** @typedef {import('./workloads.js').Workload} Workload */
/** @typedef {{call: () => unknown, result: () => Promise<Float32Array> | Float32Array}} Contestant */

/**
 * The engine with the exports beneath it, and the handle of the model made last.
 * @param {'simd' | 'relaxed'} variant
 */
async function open(variant) {
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
  const room = (count) => functions.gf_alloc(4 * count) >>> 0;
  const put = (data) => {
    const pointer = room(data.length);
    view(pointer, data.length).set(data);
    return pointer;
  };
  return { view, room, put };
}

const KINDS = { softmax: 1, layerNorm: 1, gelu: 1, matmul: 1 };

/**
 * @param {'simd' | 'relaxed'} variant
 * @returns {Promise<(workload: Workload, problem: ReturnType<typeof import('./workloads.js').problem>) =>
 *   Record<string, Contestant>>}
 */
export async function ours(variant) {
  const { core, gf } = await open(variant);
  return (workload, problem) =>
    workload.kind in KINDS
      ? {
          ...(!workload.fresh && operation(core, workload, problem)),
          ...api(gf, workload, problem),
          ...(workload.packed && packed(gf, core, workload, problem)),
        }
      : model(gf, workload, problem);
}

/** The exported C function on what stands in its memory. */
function operation(core, { kind, size: { M, K, N, R, C }, transposed: [ta, tb] = [false, false] }, { x, w, expected }) {
  const { functions: f } = core,
    { view, room, put } = arrays(core),
    count = expected.length;
  const a = put(ta ? flip(x, M, K) : x),
    y = room(count);
  const [b, weight, bias] = [w.b && (tb ? flip(w.b, K, N) : w.b), w.weight, w.bias].map((data) =>
    data ? put(data) : 0,
  );
  const calls = {
    matmul: () => f.gf_matmul(y, a, b, 1, M, K, N, +ta, +tb),
    softmax: () => f.gf_softmax(y, a, R, C),
    layerNorm: () => f.gf_layer_norm(y, 0, 0, a, weight, bias, 1e-5, R, C),
    gelu: () => f.gf_activation(y, a, R * C, 1),
  };
  const call = calls[kind];
  return { '': { call, result: () => (call(), view(y, count).slice()) } };
}

/** The same through the JS API, which copies in and out. */
function api(gf, { kind, size: { M, K, N, R, C }, transposed: [ta, tb] = [false, false] }, { x, w }) {
  const tensor = (data, ...shape) => ({ data, shape });
  const a = kind !== 'matmul' ? tensor(x, R, C) : ta ? tensor(flip(x, M, K), K, M) : tensor(x, M, K);
  const b = w.b && (tb ? tensor(flip(w.b, K, N), N, K) : tensor(w.b, K, N));
  const calls = {
    matmul: () => gf.matmul({ a, b, transposeA: ta, transposeB: tb }),
    softmax: () => gf.softmax({ x: a }),
    layerNorm: () => gf.layerNorm({ x: a, weight: tensor(w.weight, C), bias: tensor(w.bias, C) }),
    gelu: () => gf.gelu({ x: a }),
  };
  const call = calls[kind];
  return {
    ', arrays': {
      call,
      result: () => {
        const y = call();
        return (y.output ?? y).data;
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
  const table = new Float32Array(N * K); // one vocabulary for both ends; only its first M rows are looked up
  table.set(x);
  model.loadWeights({
    'tok_emb.weight': { data: table, shape: [N, K] },
    'generator.weight': { data: flip(w.b, K, N), shape: [N, K] },
  });
  model.forward({ ids: Int32Array.from({ length: M }, (_, i) => i) });
  return { ', packed': { call: () => forward(handle), result: () => (forward(handle), model.tensor('logits').data) } };
}

/** One forward call: vectors in, vectors out. */
function model(gf, { kind, size: { T, C, H = 1, F = 0, layers = 0 } }, { x, w }) {
  const alone = kind !== 'encoder';
  const made = gf.createModel({
    kind,
    d_model: C,
    heads: H,
    d_ff: F,
    layers,
    ...(!alone && { vocabulary: 0, positions: 'none' }),
  });
  const shapes = new Map(made.tensors().map(({ name, shape }) => [name, shape]));
  made.loadWeights(
    Object.fromEntries(Object.entries(w).map(([name, data]) => [name, { data, shape: shapes.get(name) }])),
  );
  const vectors = { data: x, shape: [T, C] };
  const call = () => made.forward({ vectors }).output.data;
  return { '': { call, result: call } };
}

/** (R,C) into (C,R). */
function flip(x, R, C) {
  const y = new Float32Array(x.length);
  for (let r = 0; r < R; r++) for (let c = 0; c < C; c++) y[c * R + r] = x[r * C + c];
  return y;
}
