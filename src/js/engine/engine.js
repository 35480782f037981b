import { attention, attentionBackward } from './attention.js';
import * as backward from './backward.js';
import { filesOf, foreign } from '../errors.js';
import { PARTS, feedForward, multiHeadAttention, runPart } from './layers.js';
import { Model } from './model.js';
import { present } from '../arrays/object.js';
import * as ops from './ops.js';
import * as positions from './positions.js';
import { floats } from '../arrays/tensor.js';

/** @typedef {import('./start.js').Core} Core */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../arrays/tensor.js').Ints} Ints */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('../../../dist/generated/settings.js').Activation} Activation */
/** @typedef {import('../../../dist/generated/settings.js').Norm} Norm */
/** @import * as Ops from './operations.js' */

/**
 * The core of an engine, for other modules.
 * @type {(self: Engine) => Core}
 */
export let coreOf;

/**
 * A model whose weights are all 0, for modules that fill it.
 * @param {Engine} gf
 * @param {unknown} config
 */
export const emptyModel = (gf, config) => new Model(coreOf(gf), config, true);

/**
 * One running module. Its operations are pure: they take tensors, then an object of options, check all of it, and
 * return tensors that the caller owns. Every refusal is a GlassformerError; beside the codes named below, each may
 * throw `type`, `missing`, `unknown`, `dtype`, `shape`, `range` and `memory`.
 *
 * Letters: B batch, T target or query length, S source or key length, C d_model, H heads, D = C/H, F d_ff,
 * V vocabulary. Numbers are unitless unless a unit is named.
 * @example
 * import { load } from 'glassformer';
 * const gf = await load();
 * gf.softmax([0, 0]).data; // → [0.5, 0.5]
 */
export class Engine {
  static {
    coreOf = (self) => Engine.#of(self);
  }

  #core;

  /** @internal @param {Core} core */
  constructor(core) {
    this.#core = core;
  }

  /**
   * The build that runs, 'simd' or 'relaxed'.
   * @example
   * gf.variant; // → 'simd'
   */
  get variant() {
    return Engine.#of(this).variant;
  }

  /**
   * One sentence: why this variant was chosen.
   * @example
   * gf.reason; // → 'The caller asked for simd.'
   */
  get reason() {
    return Engine.#of(this).reason;
  }

  /**
   * Threads that compute a large pass: 1, or as many as `load({ worker: true, threads })` has started.
   * @example
   * gf.threads; // → 1
   */
  get threads() {
    return Engine.#of(this).slices?.count ?? 1;
  }

  /**
   * Of the module: major.minor.patch.
   * @example
   * gf.version.split('.').length; // → 3
   */
  get version() {
    const number = Engine.#of(this).functions.gf_version();
    return [number / 1e6, (number / 1e3) % 1e3, number % 1e3].map(Math.floor).join('.');
  }

  /**
   * Present size of the WebAssembly memory, at most 2 GB. It never shrinks: freed memory is used again.
   * @example
   * gf.memoryBytes >= 2 ** 20; // → true
   */
  get memoryBytes() {
    return Engine.#of(this).memory.bytes;
  }

  /**
   * Numbers as a tensor: nested arrays, which tell their shape, or flat ones with a shape.
   * @param {Floats} values
   * @param {readonly number[]} [shape] of flat values
   * @returns {FloatTensor} a copy
   * @category Operations
   * @example
   * gf.tensor([[1, 2, 3], [4, 5, 6]]).shape; // → [2, 3]
   * gf.tensor(new Float32Array(6), [3, 2]).shape; // → [3, 2]
   */
  tensor(values, shape) {
    Engine.#of(this);
    const given = floats(shape === undefined ? values : { data: values, shape }, 'values');
    return { data: given.data.slice(), shape: given.shape };
  }

  /**
   * Matrix products, batched over the leading axes of a; one matrix b serves them all.
   * @param {Floats} a [...,M,K], or [...,K,M] with `transposeA`
   * @param {Floats} b [...,K,N], or [...,N,K] with `transposeB`; its leading axes are those of a, or none
   * @param {Ops.MatmulOptions} [options]
   * @returns {FloatTensor} [...,M,N]
   * @category Operations
   * @example
   * gf.matmul([[1, 2], [3, 4]], [[1], [10]]).data; // → [21, 43]
   */
  matmul(a, b, options) {
    return ops.matmul(Engine.#of(this), a, b, options);
  }

  /**
   * x W^T + bias over the last axis, with a weight as PyTorch's nn.Linear has it.
   * @param {Floats} x [...,K]
   * @param {Floats} weight [N,K]
   * @param {Floats} [bias] [N]; default zeros
   * @param {Ops.Limit} [options]
   * @returns {FloatTensor} [...,N]
   * @category Operations
   * @example
   * gf.linear([[1, 2]], [[1, 0], [0, 1], [1, 1]], [0, 0, 10]).data; // → [1, 2, 13]
   */
  linear(x, weight, bias, options) {
    return ops.linear(Engine.#of(this), x, weight, bias, options);
  }

  /**
   * The last two axes exchanged.
   * @param {Floats} x [...,M,N]
   * @returns {FloatTensor} [...,N,M]
   * @category Operations
   * @example
   * gf.transpose([[1, 2, 3], [4, 5, 6]]).data; // → [1, 4, 2, 5, 3, 6]
   */
  transpose(x) {
    return ops.transpose(Engine.#of(this), x);
  }

  /**
   * a + b, element by element. As in NumPy, axes are compared from the last one on: each must be the same in both, or 1
   * or absent in one of them, which is then repeated; so must a number.
   * @param {Floats | number} a
   * @param {Floats | number} b
   * @returns {FloatTensor}
   * @category Operations
   * @example
   * gf.add([[1, 2], [3, 4]], [10, 20]).data; // → [11, 22, 13, 24]
   */
  add(a, b) {
    return ops.add(Engine.#of(this), a, b);
  }

  /**
   * a * b, element by element, of the shapes that `add` takes.
   * @param {Floats | number} a
   * @param {Floats | number} b
   * @returns {FloatTensor}
   * @category Operations
   * @example
   * gf.mul([[1, 2], [3, 4]], [[10], [1]]).data; // → [10, 20, 3, 4]
   */
  mul(a, b) {
    return ops.mul(Engine.#of(this), a, b);
  }

  /**
   * The index of the largest number of each row, the first of equal ones; NaN is larger than all numbers.
   * @param {Floats} x [...,N]
   * @returns {import('../arrays/tensor.js').Tensor<Int32Array>} [...], to be used as ids
   * @category Operations
   * @example
   * gf.argmax([[1, 3, 2], [5, 0, 5]]).data; // → [1, 0]
   */
  argmax(x) {
    return ops.argmax(Engine.#of(this), x);
  }

  /**
   * exp(x) / sum exp(x) over the last axis, shifted by its maximum. -Infinity gives 0, a row of nothing else zeros.
   * @param {Floats} x [...,N]
   * @returns {FloatTensor} [...,N]
   * @category Operations
   * @example
   * gf.softmax([0, 1, -Infinity]).data; // → [0.269, 0.731, 0]
   */
  softmax(x) {
    return ops.softmax(Engine.#of(this), x);
  }

  /**
   * x - log sum exp(x) over the last axis, the logarithm of softmax, in nats. -Infinity stays.
   * @param {Floats} x [...,N]
   * @returns {FloatTensor} [...,N]
   * @category Operations
   * @example
   * gf.logSoftmax([0, 0]).data; // → [-0.693, -0.693]
   */
  logSoftmax(x) {
    return ops.logSoftmax(Engine.#of(this), x);
  }

  /**
   * Kullback-Leibler divergence D(P || Q) = sum P (log P - log Q) of each pair of rows, in nats, where
   * P and Q are the softmax of logits. Infinite where Q is 0 and P is not; NaN where all logits of a
   * row are -Infinity. Kullback and Leibler 1951, "On Information and Sufficiency", equation 2.4.
   * @param {Floats} p [...,N], logits of P
   * @param {Floats} q [...,N], logits of Q; or one of the two has a single row, for all of the other
   * @returns {FloatTensor} [...]
   * @category Operations
   * @example
   * gf.klDivergence([[0, 1], [5, 5]], [[1, 0], [0, 0]]).data; // → [0.462, 0.000]
   */
  klDivergence(p, q) {
    return ops.klDivergence(Engine.#of(this), p, q);
  }

  /**
   * Dot products of rows: sum a b over the last axis, added in double.
   * @param {Floats} a [...,C]
   * @param {Floats} b [...,C], of the same shape; or one of the two has a single row, for all of the other
   * @returns {FloatTensor} [...]
   * @category Operations
   * @example
   * gf.dot([[1, 2], [3, 4]], [[10, 1], [0, 1]]).data; // → [12, 4]
   */
  dot(a, b) {
    return ops.dot(Engine.#of(this), a, b);
  }

  /**
   * Cosine similarity of rows: their dot product by both norms. A row of zeros has 0.
   * @param {Floats} a [...,C]
   * @param {Floats} b [...,C], of the same shape; or one of the two has a single row, for all of the other
   * @returns {FloatTensor} [...], from -1 to 1 but for rounding
   * @category Operations
   * @example
   * gf.cosine([[1, 0], [1, 1]], [[5, 0], [1, -1]]).data; // → [1, 0]
   */
  cosine(a, b) {
    return ops.cosine(Engine.#of(this), a, b);
  }

  /**
   * Euclidean norms of rows: sqrt(sum x^2) over the last axis, added in double.
   * @param {Floats} x [...,C]
   * @returns {FloatTensor} [...]
   * @category Operations
   * @example
   * gf.vectorNorm([[3, 4], [0, 2]]).data; // → [5, 2]
   */
  vectorNorm(x) {
    return ops.vectorNorm(Engine.#of(this), x);
  }

  /**
   * (x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis. Ba et al. 2016,
   * "Layer Normalization", section 3.
   * @param {Floats} x [...,C]
   * @param {Ops.LayerNormOptions} [options]
   * @returns {Ops.LayerNormResult}
   * @category Operations
   * @example
   * gf.layerNorm([[1, 3], [10, 10]]).output.data; // → [-1.0, 1.0, 0, 0]
   */
  layerNorm(x, options) {
    return ops.layerNorm(Engine.#of(this), x, options);
  }

  /**
   * x / sqrt(mean(x²) + epsilon) * weight over the last axis. Zhang and Sennrich 2019, "Root Mean Square Layer
   * Normalization", equation 4.
   * @param {Floats} x [...,C]
   * @param {Ops.RMSNormOptions} [options]
   * @returns {Ops.RMSNormResult}
   * @category Operations
   * @example
   * gf.rmsNorm([[1, 7]]).output.data; // → [0.2, 1.4]
   */
  rmsNorm(x, options) {
    return ops.rmsNorm(Engine.#of(this), x, options);
  }

  /**
   * One of the functions of a feed-forward network, element by element: src/kernel/activation.h has the formulas. Of
   * 'top-k' x keeps, of each row of its last axis, those of the `active` largest that are above 0; of equal numbers
   * the first is the larger (Gao et al. 2024, section 2.3).
   * @param {Floats} x of any shape
   * @param {Activation} activation which function
   * @param {Ops.ActiveOption} [options] of 'top-k'
   * @returns {FloatTensor} of the same shape
   * @throws {GlassformerError} type, choice, range, unknown
   * @category Operations
   * @example
   * gf.activation([-1, 0, 2], 'silu').data; // → [-0.269, 0, 1.762]
   * gf.activation([3, -1, 4, 1, 5], 'top-k', { active: 2 }).data; // → [0, 0, 4, 0, 5]
   */
  activation(x, activation, options) {
    return ops.activation(Engine.#of(this), x, activation, options);
  }

  /**
   * max(x, 0).
   * @param {Floats} x of any shape
   * @returns {FloatTensor} of the same shape
   * @category Operations
   * @example
   * gf.relu([-1, 0, 2]).data; // → [0, 0, 2]
   */
  relu(x) {
    return ops.relu(Engine.#of(this), x);
  }

  /**
   * x Phi(x), Phi the normal distribution; `approximate` as in PyTorch.
   * @param {Floats} x of any shape
   * @param {Ops.GeluOptions} [options]
   * @returns {FloatTensor} of the same shape
   * @category Operations
   * @example
   * gf.gelu([-1, 0, 2]).data; // → [-0.159, 0, 1.954]
   */
  gelu(x, options) {
    return ops.gelu(Engine.#of(this), x, options);
  }

  /**
   * table[id] * scale for each id. Vaswani et al. 2017, section 3.4.
   * @param {Ints} ids of any shape, each from 0 to V-1
   * @param {Floats} table [V,C]
   * @param {Ops.EmbeddingOptions} [options]
   * @returns {FloatTensor} [...ids.shape,C]
   * @throws {GlassformerError} token for an id outside the table
   * @category Layers of a Transformer
   * @example
   * gf.embedding([1, 0], [[1, 2], [3, 4]], { scale: 10 }).data; // → [30, 40, 10, 20]
   * gf.embedding([2], [[1, 2], [3, 4]]); // throws token
   */
  embedding(ids, table, options) {
    return ops.embedding(Engine.#of(this), ids, table, options);
  }

  /**
   * Sinusoidal positional encoding: sin and cos of position / 10000^(2j/C), in radians, side by
   * side. Vaswani et al. 2017, section 3.5.
   * @param {Ops.PositionalEncodingOptions} options
   * @returns {FloatTensor} [n,d_model]
   * @category Layers of a Transformer
   * @example
   * gf.positionalEncoding({ d_model: 2, length: 2 }).data; // → [0, 1, 0.841, 0.540]
   */
  positionalEncoding(options) {
    return positions.positionalEncoding(Engine.#of(this), options);
  }

  /**
   * Cosines and sines of rotary positions: of pair i of a head, position · theta^(-2i/headWidth), scaled linearly or
   * as in Llama 3.1. Angles in double. Su et al. 2021, "RoFormer", section 3.2.2.
   * @param {Ops.RotaryTableOptions} options
   * @returns {Ops.RotaryTable}
   * @category Operations
   * @example
   * gf.rotaryTable({ headWidth: 2, length: 2 }).cos.data; // → [1, 0.54]
   */
  rotaryTable(options) {
    return positions.rotaryTable(Engine.#of(this), options);
  }

  /**
   * Queries or keys turned by their positions: in each head the numbers i and i + width / 2 turn as a pair, so that the
   * product of a query and a key depends on the distance between them only. With `width` a head's first numbers turn,
   * and the others stay, as in GPT-NeoX. Su et al. 2021, equation 34.
   * @param {Floats} x [...,T,C], heads side by side
   * @param {Ops.RotaryOptions} [options]
   * @returns {FloatTensor} as x
   * @category Operations
   * @example
   * gf.rotary([[1, 0], [1, 0]]).data; // → [1, 0, 0.54, 0.841]
   */
  rotary(x, options) {
    return positions.rotary(Engine.#of(this), x, options);
  }

  /**
   * Scaled dot-product attention: scores = q k^T scale, weights = softmax(scores + masks),
   * output = weights v. A query whose keys are all hidden has weights and output 0. Values may be of another width than
   * keys: [S,Cv] give an output [T,Cv], of which each head has Cv / heads columns. Vaswani et al. 2017, section 3.2.
   * @param {Floats} query [T,C] or [B,T,C], whose last axis is split into heads, or [B,H,T,D]
   * @param {Floats} key like query, with S for T
   * @param {Floats} value like key; its last axis may differ, which heads must divide
   * @param {Ops.AttentionOptions} [options]
   * @returns {Ops.AttentionResult}
   * @category Layers of a Transformer
   * @example
   * const x = [[1, 0], [0, 1]];
   * const { weights, output } = gf.attention(x, x, x, { causal: true });
   * weights.data; // → [1, 0, 0.330, 0.670]
   */
  attention(query, key, value, options) {
    return attention(Engine.#of(this), query, key, value, options);
  }

  /**
   * Attention with its four projections, PyTorch's nn.MultiheadAttention. Vaswani et al. 2017, section 3.2.2.
   * @param {Floats} x [B,T,C] or [T,C], where queries come from
   * @param {Ops.MultiHeadAttentionOptions} options
   * @returns {Ops.MultiHeadAttentionResult}
   * @category Layers of a Transformer
   * @example
   * const I = [[1, 0], [0, 1]], weights = { in_proj_weight: [...I, ...I, ...I], 'out_proj.weight': I };
   * const { weights: heads } = gf.multiHeadAttention([[1, 2], [3, 4], [5, 6]], { weights, heads: 2 });
   * heads.shape; // → [2, 3, 3]
   */
  multiHeadAttention(x, options) {
    return multiHeadAttention(Engine.#of(this), x, options);
  }

  /**
   * linear2(activation(linear1(x))). Vaswani et al. 2017, section 3.3.
   * @param {Floats} x [B,T,C] or [T,C]
   * @param {Ops.FeedForwardOptions} options
   * @returns {Ops.FeedForwardResult}
   * @category Layers of a Transformer
   * @example
   * const weights = {
   *   'linear1.weight': [[1, 1]], 'linear1.bias': [-1],
   *   'linear2.weight': [[2], [3]], 'linear2.bias': [0, 0],
   * };
   * gf.feedForward([[1, 1], [0, 0]], { weights }).output.data; // → [2, 3, 0, 0]
   */
  feedForward(x, options) {
    return feedForward(Engine.#of(this), x, options);
  }

  /**
   * PyTorch's nn.TransformerEncoderLayer without dropout. Vaswani et al. 2017, section 3.1.
   * @param {Floats} x [B,T,C] or [T,C]
   * @param {Ops.EncoderLayerOptions} options
   * @returns {Ops.LayerResult}
   * @category Layers of a Transformer
   * @example
   * const model = gf.createModel({ vocabulary: 0, d_model: 8, heads: 2, d_ff: 16, layers: 1, positions: 'none' });
   * const weights = new Map([...model.weights()].map(([name, of]) => [name.replace('encoder.layers.0.', ''), of]));
   * const { tensors } = gf.encoderLayer(gf.tensor(new Float32Array(24), [3, 8]), { weights, heads: 2 });
   * tensors.get('self_attn.weights').shape; // → [2, 3, 3]
   */
  encoderLayer(x, options) {
    return runPart(Engine.#of(this), PARTS.encoderLayer, x, options);
  }

  /**
   * PyTorch's nn.TransformerDecoderLayer without dropout. Vaswani et al. 2017, section 3.1.
   * @param {Floats} x [B,T,C] or [T,C]
   * @param {Ops.DecoderLayerOptions} options
   * @returns {Ops.LayerResult}
   * @category Layers of a Transformer
   * @example
   * const model = gf.createModel({ kind: 'encoder-decoder', d_model: 8, heads: 2, d_ff: 16, decoderLayers: 1 });
   * const own = [...model.weights()].filter(([name]) => name.startsWith('decoder.layers.0.'));
   * const weights = new Map(own.map(([name, of]) => [name.replace('decoder.layers.0.', ''), of]));
   * const [x, memory] = [gf.tensor(new Float32Array(24), [3, 8]), gf.tensor(new Float32Array(16), [2, 8])];
   * gf.decoderLayer(x, { memory, weights, heads: 2 }).output.shape; // → [3, 8]
   */
  decoderLayer(x, options) {
    return runPart(Engine.#of(this), PARTS.decoderLayer, x, options);
  }

  /**
   * Cross-entropy in nats of each row of logits against its target, with label smoothing as in
   * Szegedy et al. 2016, section 7.
   * @param {Floats} logits [...,V]
   * @param {Ints} labels [...], each from 0 to V-1, or `ignoreIndex`; a single sequence may come without the batch axis
   * @param {Ops.CrossEntropyOptions} [options]
   * @returns {Ops.CrossEntropyResult}
   * @throws {GlassformerError} token for a target outside the vocabulary
   * @category Operations
   * @example
   * gf.crossEntropy([[0, 0], [3, 1], [9, 9]], [0, 0, -100]).loss; // → 0.410
   */
  crossEntropy(logits, labels, options) {
    return ops.crossEntropy(Engine.#of(this), logits, labels, options);
  }

  /**
   * The gradient of softmax's x, from its output and the gradient of that.
   * @param {Floats} output [...,N], from softmax
   * @param {Floats} gradient [...,N], the gradient of it
   * @returns {FloatTensor} [...,N]
   * @category Gradients and optimizers
   * @example
   * gf.softmaxBackward([0.5, 0.5], [1, 0]).data; // → [0.25, -0.25]
   */
  softmaxBackward(output, gradient) {
    return backward.softmaxBackward(Engine.#of(this), output, gradient);
  }

  /**
   * The gradients of layerNorm's x, weight and bias.
   * @param {Floats} x [...,C]
   * @param {Floats} gradient [...,C], the gradient of the output
   * @param {Omit<Ops.LayerNormOptions, 'bias'>} [options]
   * @returns {Ops.LayerNormGradients}
   * @category Gradients and optimizers
   * @example
   * gf.layerNormBackward([[1, 3]], [[1, 1]]).weight.data; // → [-1.0, 1.0]
   */
  layerNormBackward(x, gradient, options) {
    return backward.layerNormBackward(Engine.#of(this), x, gradient, options);
  }

  /**
   * The gradients of rmsNorm's x and weight.
   * @param {Floats} x [...,C]
   * @param {Floats} gradient [...,C], the gradient of the output
   * @param {Ops.RMSNormOptions} [options]
   * @returns {Ops.RMSNormGradients}
   * @category Gradients and optimizers
   * @example
   * gf.rmsNormBackward([[1, 7]], [[1, 1]]).weight.data; // → [0.2, 1.4]
   */
  rmsNormBackward(x, gradient, options) {
    return backward.rmsNormBackward(Engine.#of(this), x, gradient, options);
  }

  /**
   * The gradient of an activation's x; relu's slope at 0 is 0.
   * @param {Floats} x of any shape
   * @param {Floats} gradient like x, the gradient of the output
   * @param {Activation} activation which function
   * @param {Ops.ActiveOption} [options] of 'top-k'
   * @returns {FloatTensor} of that shape
   * @category Gradients and optimizers
   * @example
   * gf.activationBackward([-1, 0, 2], [5, 5, 5], 'relu').data; // → [0, 0, 5]
   */
  activationBackward(x, gradient, activation, options) {
    return backward.activationBackward(Engine.#of(this), x, gradient, activation, options);
  }

  /**
   * The gradients of attention's query, key and value.
   * @param {Floats} query as attention took it
   * @param {Floats} key as well
   * @param {Floats} value as well
   * @param {Floats} gradient like the output, its gradient
   * @param {Ops.AttentionBackwardOptions} options
   * @returns {Ops.AttentionGradients}
   * @category Gradients and optimizers
   * @example
   * const [query, key, value] = [[[1, 0]], [[1, 0], [0, 1]], [[1, 0], [0, 1]]];
   * const { weights } = gf.attention(query, key, value);
   * gf.attentionBackward(query, key, value, [[1, 0]], { weights }).query.data; // → [0.156, -0.156]
   */
  attentionBackward(query, key, value, gradient, options) {
    return attentionBackward(Engine.#of(this), query, key, value, gradient, options);
  }

  /**
   * The gradient of crossEntropy's logits.
   * @param {Floats} logProbabilities [...,V], from crossEntropy
   * @param {Ints} labels as crossEntropy took them
   * @param {Ops.CrossEntropyOptions} [options]
   * @returns {FloatTensor} [...,V]
   * @category Gradients and optimizers
   * @example
   * gf.crossEntropyBackward([[-0.693, -0.693]], [0]).data; // → [-0.5, 0.5]
   */
  crossEntropyBackward(logProbabilities, labels, options) {
    return backward.crossEntropyBackward(Engine.#of(this), logProbabilities, labels, options);
  }

  /**
   * One step of an optimiser on parameters of your own; models have a trainer for that.
   * @param {Floats} parameters to be changed
   * @param {Floats} gradients of the loss by them, of the same shape
   * @param {Ops.OptimizerStepOptions} options
   * @returns {Ops.OptimizerStepResult}
   * @category Gradients and optimizers
   * @example
   * const [parameters, gradients] = [[1, 1], [0.5, -0.5]];
   * const after = gf.optimizerStep(parameters, gradients, { step: 1, optimizer: 'sgd', learningRate: 1 });
   * after.parameters.data; // → [0.5, 1.5]
   */
  optimizerStep(parameters, gradients, options) {
    return backward.optimizerStep(Engine.#of(this), parameters, gradients, options);
  }

  /**
   * A Transformer with fresh weights. The settings, their ranges and defaults are those of src/model/config.h;
   * `model.config` tells them all. A weight takes 4 bytes, 16 where it is trained, of the engine's 2 GB.
   * @template {import('./config.js').Config['head']} [H='none']
   * @param {import('./config.js').Settings & {head?: H}} [config]
   * @returns {Model<import('./results.js').LogitsOf<H>>} to be freed by its `free`
   * @throws {GlassformerError} unknown for an unknown setting, config for an invalid one, memory
   * @category Models and files
   * @example
   * const model = gf.createModel({ kind: 'decoder', vocabulary: 20, d_model: 32, heads: 4, layers: 2, seed: 7 });
   * model.forward({ ids: [3, 1, 4] }).output.shape; // → [1, 3, 32]
   * model.free();
   */
  createModel(config = {}) {
    return /** @type {any} */ (new Model(Engine.#of(this), config));
  }

  /**
   * A model from its file, with the file's other contents; the reverse of `model.save` and `trainer.save`. In
   * `glassformer/core` a function: `loadModel(gf, file)`.
   *
   * Or a checkpoint of Hugging Face's (`bert`, `distilbert`, `roberta`, `gpt2`, `gpt_neo`, `opt`): `{ config, weights,
   * tokenizer }`, the address of its folder, `hub:ORG/NAME` for one of huggingface.co, or an array of
   * its files; `loadCheckpoint` of `glassformer/checkpoints` has the details, and is fetched for it.
   * @template {import('../formats/source.js').FileSource | PromiseLike<import('../formats/source.js').FileSource>
   *   | import('../files/checkpoint-source.js').CheckpointFiles | import('../files/checkpoint-source.js').Folder} F
   * @param {F} file address, Response (or what `fetch` gives), Blob or bytes of a safetensors file with a
   *   configuration; in Node also a path or file: URL; or a checkpoint
   * @param {import('../formats/safetensors-stream.js').OpenOptions & import('../files/hub.js').HubOptions &
   *   import('../files/fill.js').WeightOptions} [options] signal: an AbortSignal that ends it; onProgress:
   *   called with `{ loaded, total }`, bytes, after each piece; revision, endpoint and token: of a name on the hub;
   *   weights: 'f32', 'bf16', 'f16' or 'int8', the numbers in which matrices are kept
   * @returns {Promise<import('./results.js').Opened<F>>}
   * @throws {GlassformerError} type; notFound; network; format for a malformed file and for one without
   *   configuration; config, unknown, missing, shape for weights that are not the configuration's; memory;
   *   the signal's reason
   * @category Models and files
   * @example
   * const first = gf.createModel({ kind: 'decoder', vocabulary: 3, head: 'tied' });
   * const file = await first.save({ vocabulary: ['the', 'old', 'creek'] });
   * const { model, tokenizer } = await gf.loadModel(file); // or an address, a Response, a Blob
   * (await model.generate('the creek', { maxTokens: 2 })).newIds.length; // → 2
   */
  async loadModel(file, options) {
    return /** @type {any} */ (filesOf(Engine.#of(this))).loadModel(this, file, options);
  }

  /** @param {Engine} self @returns {Core} */
  static #of(self) {
    if (#core in Object(self)) return self.#core;
    throw foreign(self, 'an engine');
  }
}

present(Engine, 'GlassformerEngine', ({ variant, version, memoryBytes }) => ({ variant, version, memoryBytes }), true);
