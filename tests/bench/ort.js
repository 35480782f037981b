// onnxruntime-web as a contestant: each workload as a plain graph, and as the graphs of its own fused operators.
import { Graph, bytesOf } from '../../src/js/formats/proto.js';
import { transpose } from './reference.js';

/** @typedef {import('./workloads.js').Workload} Workload */
/** @typedef {ReturnType<typeof import('./workloads.js').problem>} Problem */

const EPSILON = { float: 1e-5 };

/** ORT's own operators stand beside the standard ones. */
const VERSION = { name: 'bench', ir: 8, opsets: { '': 18, 'com.microsoft': 1 } };

/**
 * The styles of a graph: with standard operators, with ORT's fused ones (Attention, Gemm, …), or with its other
 * attention.
 */
const STYLES = ['plain', 'fused', 'MultiHeadAttention'];

/** Linear of (T,K) by a weight (N,K). A plain exporter writes MatMul and Add, the fused graph Gemm. */
function linear(g, style, x, weight, bias, K, N) {
  if (style !== 'plain') return g.node('Gemm', [x, g.constant([N, K], weight), g.constant([N], bias)], { transB: 1 });
  return g.node('Add', [g.node('MatMul', [x, g.constant([K, N], transpose(weight, N, K))]), g.constant([N], bias)]);
}

/** @param {Graph} g @param {string} x @param {number[]} shape */
const reshape = (g, x, shape) => g.node('Reshape', [x, g.integers(...shape)]);

/** Of heads that are projected already. */
function attend(g, style, [q, k, v], { B, T, C, H }) {
  const D = C / H;
  if (style === 'MultiHeadAttention') {
    return g.node(
      'com.microsoft.MultiHeadAttention',
      [q, k, v].map((name) => reshape(g, name, [B ?? 1, T, C])),
      { num_heads: H },
    );
  }
  const [split, across, turned] = B
    ? [
        [B, T, H, D],
        [0, 2, 1, 3],
        [0, 2, 3, 1],
      ]
    : [
        [T, H, D],
        [1, 0, 2],
        [1, 2, 0],
      ];
  const heads = (name, perm) => g.node('Transpose', [reshape(g, name, split)], { perm });
  const scores = g.node('MatMul', [heads(q, across), heads(k, turned)]);
  const scaled = g.node('Mul', [scores, g.constant([], Float32Array.of(1 / Math.sqrt(D)))]);
  const output = g.node('MatMul', [g.node('Softmax', [scaled], { axis: -1 }), heads(v, across)]);
  return g.node('Transpose', [output], { perm: across });
}

function attention(g, style, x, w, at, { B, T, C, H }) {
  const weight = w[`${at}in_proj_weight`],
    bias = w[`${at}in_proj_bias`];
  let concat;
  if (style === 'fused') {
    concat = g.node(
      'com.microsoft.Attention',
      [reshape(g, x, [B ?? 1, T, C]), g.constant([C, 3 * C], transpose(weight, 3 * C, C)), g.constant([3 * C], bias)],
      { num_heads: H },
    );
  } else {
    const [q, k, v] = [0, 1, 2].map((i) =>
      linear(g, style, x, weight.slice(i * C * C, (i + 1) * C * C), bias.slice(i * C, (i + 1) * C), C, C),
    );
    concat = attend(g, style, [q, k, v], { B, T, C, H });
  }
  return linear(
    g,
    style,
    reshape(g, concat, [(B ?? 1) * T, C]),
    w[`${at}out_proj.weight`],
    w[`${at}out_proj.bias`],
    C,
    C,
  );
}

/** x Phi(x) of standard operators, or as one. */
function gelu(g, style, x) {
  const one = (value) => g.constant([], Float32Array.of(value));
  if (style !== 'plain') return g.node('com.microsoft.Gelu', [x]);
  const erf = g.node('Erf', [g.node('Div', [x, one(Math.SQRT2)])]);
  return g.node('Mul', [g.node('Mul', [x, g.node('Add', [erf, one(1)])]), one(0.5)]);
}

function feedForward(g, style, x, w, at, { C, F }, isGelu = false) {
  const sum = linear(g, style, x, w[`${at}linear1.weight`], w[`${at}linear1.bias`], C, F);
  const hidden = isGelu ? gelu(g, style, sum) : g.node('Relu', [sum]);
  return linear(g, style, hidden, w[`${at}linear2.weight`], w[`${at}linear2.bias`], F, C);
}

function addNorm(g, style, x, y, w, at, { B = 1, T, C }) {
  const weight = g.constant([C], w[`${at}weight`]),
    bias = g.constant([C], w[`${at}bias`]);
  if (style === 'plain')
    return g.node('LayerNormalization', [g.node('Add', [x, y]), weight, bias], { axis: -1, epsilon: EPSILON });
  const [a, b] = [x, y].map((name) => reshape(g, name, [B, T, C]));
  const sum = g.node('com.microsoft.SkipLayerNormalization', [a, b, weight, bias], { epsilon: EPSILON });
  return reshape(g, sum, [B * T, C]);
}

/**
 * A workload's graph.
 * @param {Workload} workload
 * @param {Problem} problem
 * @param {string} style
 * @returns {Uint8Array | undefined} nothing where the style has nothing of its own
 */
function build({ kind, size, fresh, gelu: isGelu }, { w }, style) {
  const { M, K, N, R, B = 1, T, C, layers } = size,
    g = new Graph();
  if (style !== 'plain' && ['matmul', 'softmax', 'layerNorm'].includes(kind)) return undefined;
  if (style === 'MultiHeadAttention' && !['heads', 'attention', 'encoder'].includes(kind)) return undefined;
  if (style === 'fused' && kind === 'heads') return undefined;
  const dims = kind === 'matmul' ? [M, N] : [R ?? B * T, C];
  let x = g.input('x', kind === 'matmul' ? [M, K] : dims);
  if (kind === 'matmul') x = g.node('MatMul', [x, fresh ? g.input('b', [K, N]) : g.constant([K, N], w.b)]);
  else if (kind === 'heads') {
    const [key, value] = [w.key, w.value].map((data) => g.constant([T, C], data));
    x = reshape(g, attend(g, style, [x, key, value], size), [T, C]);
  } else if (kind === 'softmax') x = g.node('Softmax', [x], { axis: -1 });
  else if (kind === 'layerNorm')
    x = g.node('LayerNormalization', [x, g.constant([C], w.weight), g.constant([C], w.bias)], {
      axis: -1,
      epsilon: EPSILON,
    });
  else if (kind === 'gelu') x = gelu(g, style, x);
  else if (kind === 'attention') x = attention(g, style, x, w, '', size);
  else if (kind === 'feed-forward') x = feedForward(g, style, x, w, '', size);
  else {
    for (let l = 0; l < layers; l++) {
      const at = `encoder.layers.${l}.`;
      x = addNorm(g, style, x, attention(g, style, x, w, `${at}self_attn.`, size), w, `${at}norm1.`, size);
      x = addNorm(g, style, x, feedForward(g, style, x, w, at, size, isGelu), w, `${at}norm2.`, size);
    }
  }
  g.output(x, dims);
  return bytesOf(g.model(VERSION));
}

/**
 * @param {number} threads fixed once for the whole process
 * @param {string} [url] of its single-file build, in a page
 * @returns {Promise<(workload: Workload, problem: Problem) => Promise<Record<string, import('./ours.js').Contestant>>>}
 */
export async function ort(threads, url = 'onnxruntime-web') {
  const { InferenceSession, Tensor, env } = await import(url);
  env.wasm.numThreads = threads;
  env.logLevel = 'error';
  return async (workload, problem) => {
    /** @type {Record<string, import('./ours.js').Contestant>} */
    const found = {};
    const {
      kind,
      size: { M, K, N, R, B = 1, T, C },
      fresh,
    } = workload;
    for (const style of STYLES) {
      const graph = build(workload, problem, style);
      if (!graph) continue;
      const session = await InferenceSession.create(graph, { graphOptimizationLevel: 'all' });
      const output = session.outputNames[0];
      const feeds = () => ({
        x: new Tensor('float32', problem.x, kind === 'matmul' ? [M, K] : [R ?? B * T, C]),
        ...(fresh && { b: new Tensor('float32', problem.w.b, [K, N]) }),
      });
      const call = async () => (await session.run(feeds()))[output].data;
      found[` ${style}`] = { call, result: call };
    }
    return found;
  };
}
