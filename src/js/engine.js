import { attention } from './attention.js';
import * as backward from './backward.js';
import { foreign } from './errors.js';
import { PARTS, runPart } from './layers.js';
import { Model } from './model.js';
import * as ops from './ops.js';
import { choice, floats, optional, readOptions } from './tensor.js';

/** @typedef {import('./start.js').Core} Core */
/** @typedef {import('./tensor.js').Floats} Floats */
/** @typedef {import('./tensor.js').Ints} Ints */
/** @typedef {import('./tensor.js').Flags} Flags */
/** @typedef {import('./tensor.js').Tensor} FloatTensor */
/** @typedef {import('./layers.js').Weights} Weights */
/** @typedef {import('../../dist/generated/settings.js').Activation} Activation */
/** @typedef {import('../../dist/generated/settings.js').Norm} Norm */
/** @typedef {{heads: number, activation?: Activation, norm?: Norm, epsilon?: number,
 *   causal?: boolean}} LayerSettings */

/**
 * One running module. Its operations are pure: they take one object, check all of it, and return
 * tensors that the caller owns. Every refusal is a GlassformerError; beside the codes named below,
 * each may throw `type`, `missing`, `unknown`, `dtype`, `shape`, `range` and `memory`.
 *
 * Letters: B batch, T target or query length, S source or key length, C d_model, H heads,
 * D = C/H, F d_ff, V vocabulary. Numbers are unitless unless a unit is named.
 */
export class Engine {
  #core;

  /** @internal @param {Core} core */
  constructor(core) {
    this.#core = core;
  }

  /** The build that runs. */
  get variant() {
    return Engine.#of(this).variant;
  }

  /** One sentence: why this variant was chosen. */
  get reason() {
    return Engine.#of(this).reason;
  }

  /** Of the module, like '0.1.0'. */
  get version() {
    const number = Engine.#of(this).functions.gf_version();
    return [number / 1e6, (number / 1e3) % 1e3, number % 1e3].map(Math.floor).join('.');
  }

  /** Present size of the WebAssembly memory; it never shrinks. */
  get memoryBytes() {
    return Engine.#of(this).memory.bytes;
  }

  /**
   * Numbers as a tensor: nested arrays, which tell their shape, or flat ones with a shape.
   * @param {Floats} values
   * @param {readonly number[]} [shape] of flat values
   * @returns {FloatTensor} a copy
   */
  tensor(values, shape) {
    Engine.#of(this);
    const given = floats(shape ? { data: values, shape } : values, 'values');
    return { data: given.data.slice(), shape: given.shape };
  }

  /**
   * Matrix products, batched over equal leading axes.
   * @param {{a: Floats, b: Floats, transposeA?: boolean, transposeB?: boolean}} options a [...,M,K]
   *   ([...,K,M] with transposeA), b [...,K,N] ([...,N,K] with transposeB)
   * @returns {FloatTensor} [...,M,N]
   */
  matmul(options) {
    return ops.matmul(Engine.#of(this), options);
  }

  /**
   * exp(x) / sum exp(x) over the last axis, shifted by its maximum. -Infinity gives 0, a row of
   * nothing else zeros.
   * @param {{x: Floats}} options x [...,N]
   * @returns {FloatTensor} [...,N]
   */
  softmax(options) {
    return ops.softmax(Engine.#of(this), options);
  }

  /**
   * x - log sum exp(x) over the last axis, the logarithm of softmax, in nats. -Infinity stays.
   * @param {{x: Floats}} options x [...,N]
   * @returns {FloatTensor} [...,N]
   */
  logSoftmax(options) {
    return ops.logSoftmax(Engine.#of(this), options);
  }

  /**
   * Kullback-Leibler divergence D(P || Q) = sum P (log P - log Q) of each pair of rows, in nats, where
   * P and Q are the softmax of logits. Infinite where Q is 0 and P is not; NaN where all logits of a
   * row are -Infinity. Kullback and Leibler 1951, "On Information and Sufficiency", equation 2.4.
   * @param {{p: Floats, q: Floats}} options logits, both [...,N]
   * @returns {FloatTensor} [...]
   */
  klDivergence(options) {
    return ops.klDivergence(Engine.#of(this), options);
  }

  /**
   * Dot products of rows: sum a b over the last axis, added in double.
   * @param {{a: Floats, b: Floats}} options both [...,C]
   * @returns {FloatTensor} [...]
   */
  dot(options) {
    return ops.dot(Engine.#of(this), options);
  }

  /**
   * Euclidean norms of rows: sqrt(sum x^2) over the last axis, added in double.
   * @param {{x: Floats}} options x [...,C]
   * @returns {FloatTensor} [...]
   */
  vectorNorm(options) {
    return ops.vectorNorm(Engine.#of(this), options);
  }

  /**
   * (x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis. Ba et al. 2016,
   * "Layer Normalization", section 3.
   * @param {{x: Floats, weight?: Floats, bias?: Floats, epsilon?: number}} options x [...,C];
   *   weight [C], default ones; bias [C], default zeros; epsilon from 0, default 1e-5
   * @returns {{output: FloatTensor, mean: FloatTensor, variance: FloatTensor}} output [...,C], mean
   *   [...], variance [...] (biased: divided by C)
   */
  layerNorm(options) {
    return ops.layerNorm(Engine.#of(this), options);
  }

  /**
   * One of the functions of a feed-forward network, element by element; their formulas stand in
   * src/kernel/activation.h.
   * @param {{x: Floats, activation: Activation}} options x of any shape
   * @returns {FloatTensor} of the same shape
   */
  activation(options) {
    return ops.activation(Engine.#of(this), options);
  }

  /**
   * max(x, 0).
   * @param {{x: Floats}} options x of any shape
   * @returns {FloatTensor} of the same shape
   */
  relu(options) {
    const { x } = readOptions(options, { x: floats });
    return ops.activation(Engine.#of(this), { x, activation: 'relu' });
  }

  /**
   * x Phi(x), Phi the normal distribution; `approximate` as in PyTorch.
   * @param {{x: Floats, approximate?: 'none' | 'tanh'}} options x of any shape
   * @returns {FloatTensor} of the same shape
   */
  gelu(options) {
    const { x, approximate } = readOptions(options, {
      x: floats,
      approximate: optional(choice(/** @type {const} */ (['none', 'tanh'])), 'none'),
    });
    const activation = approximate === 'tanh' ? 'gelu-tanh' : 'gelu';
    return ops.activation(Engine.#of(this), { x, activation });
  }

  /**
   * table[id] * scale for each id. Vaswani et al. 2017, section 3.4.
   * @param {{ids: Ints, table: Floats, scale?: number}} options ids of any shape, each 0..V-1;
   *   table [V,C]
   * @returns {FloatTensor} [...ids.shape,C]
   * @throws {GlassformerError} token for an id outside the table
   */
  embedding(options) {
    return ops.embedding(Engine.#of(this), options);
  }

  /**
   * Sinusoidal positional encoding: sin and cos of position / 10000^(2j/C), in radians, side by
   * side. Vaswani et al. 2017, section 3.5.
   * @param {{d_model: number, length: number, start?: number}
   *   | {d_model: number, positions: Ints}} options n positions from start (default 0), or listed
   * @returns {FloatTensor} [n,d_model]
   */
  positionalEncoding(options) {
    return ops.positionalEncoding(Engine.#of(this), options);
  }

  /**
   * Scaled dot-product attention: scores = q k^T scale, weights = softmax(scores + masks),
   * output = weights v. A query whose keys are all hidden has weights and output 0. Vaswani et al.
   * 2017, sections 3.2.1 and 3.2.2.
   * @param {{query: Floats, key: Floats, value: Floats, heads?: number, causal?: boolean,
   *   scale?: number, keyPadding?: Flags, mask?: Floats}} options query [T,C] or [B,T,C], whose last
   *   axis is split into heads (default 1), or [B,H,T,D]; key and value alike with S for T; scale
   *   default 1/sqrt(D); keyPadding [B,S] or [S], 1 = hidden; mask [T,S] is added to the scaled
   *   scores, -Infinity hides; causal: query t sees keys 0..t
   * @returns {{output: FloatTensor, weights: FloatTensor, scores: FloatTensor}} output like query;
   *   weights and scores (scaled, before masks) [B,H,T,S], without B for rank 2
   */
  attention(options) {
    return attention(Engine.#of(this), options);
  }

  /**
   * Attention with its four projections, PyTorch's nn.MultiheadAttention. Vaswani et al. 2017,
   * section 3.2.2.
   * @param {{x: Floats, memory?: Floats, weights: Weights, heads: number, causal?: boolean,
   *   keyPadding?: Flags, mask?: Floats}} options x [B,T,C] or [T,C]; memory [B,S,C], where keys and
   *   values come from, default x; weights in_proj_weight [3C,C], in_proj_bias [3C],
   *   out_proj.weight [C,C], out_proj.bias [C] (both biases or none); masks as in attention
   * @returns {{output: FloatTensor, query: FloatTensor, key: FloatTensor, value: FloatTensor,
   *   scores: FloatTensor, scaled: FloatTensor, masked: FloatTensor, weights: FloatTensor,
   *   headOutputs: FloatTensor, concat: FloatTensor}} output and concat [B,T,C]; query and
   *   headOutputs [B,H,T,D], key and value [B,H,S,D]; [B,H,T,S]: scores q k^T, scaled by 1/sqrt(D),
   *   masked, weights; all without B for rank 2
   */
  multiHeadAttention(options) {
    const { output, tensors } = runPart(Engine.#of(this), PARTS.attention, options);
    const named = (/** @type {string} */ name) => /** @type {FloatTensor} */ (tensors.get(name));
    return {
      output,
      query: named('query'),
      key: named('key'),
      value: named('value'),
      scores: named('scores'),
      scaled: named('scaled'),
      masked: named('masked'),
      weights: named('weights'),
      headOutputs: named('head_outputs'),
      concat: named('concat'),
    };
  }

  /**
   * linear2(activation(linear1(x))). Vaswani et al. 2017, section 3.3.
   * @param {{x: Floats, weights: Weights, activation?: Activation}} options x [B,T,C] or [T,C];
   *   weights linear1.weight [F,C], linear1.bias [F], linear2.weight [C,F], linear2.bias [C];
   *   activation default relu
   * @returns {{output: FloatTensor, preActivation: FloatTensor, activation: FloatTensor}} output
   *   like x; the others [B,T,F], without B for rank 2
   */
  feedForward(options) {
    const { output, tensors } = runPart(Engine.#of(this), PARTS.feedForward, options);
    const named = (/** @type {string} */ name) => /** @type {FloatTensor} */ (tensors.get(name));
    return { output, preActivation: named('ffn.pre_activation'), activation: named('ffn.activation') };
  }

  /**
   * PyTorch's nn.TransformerEncoderLayer without dropout. Vaswani et al. 2017, section 3.1.
   * @param {LayerSettings & {x: Floats, weights: Weights, keyPadding?: Flags, mask?: Floats}} options
   *   x [B,T,C] or [T,C]; weights by PyTorch's names (self_attn.in_proj_weight ... norm2.bias);
   *   activation default relu, norm default post, epsilon default 1e-5, causal default false;
   *   keyPadding [B,T], mask [T,T]
   * @returns {{output: FloatTensor, tensors: Map<string, FloatTensor>}} output like x, and every
   *   intermediate by name
   */
  encoderLayer(options) {
    return runPart(Engine.#of(this), PARTS.encoderLayer, options);
  }

  /**
   * PyTorch's nn.TransformerDecoderLayer without dropout. Vaswani et al. 2017, section 3.1.
   * @param {LayerSettings & {x: Floats, memory: Floats, weights: Weights, keyPadding?: Flags,
   *   memoryKeyPadding?: Flags, mask?: Floats}} options x [B,T,C] or [T,C]; memory [B,S,C] or [S,C];
   *   weights by PyTorch's names; settings as in encoderLayer, but causal default true; keyPadding
   *   [B,T] and mask [T,T] for self-attention, memoryKeyPadding [B,S] for cross-attention
   * @returns {{output: FloatTensor, tensors: Map<string, FloatTensor>}} output like x, and every
   *   intermediate by name
   */
  decoderLayer(options) {
    return runPart(Engine.#of(this), PARTS.decoderLayer, options);
  }

  /**
   * Cross-entropy in nats of each row of logits against its target, with label smoothing as in
   * Szegedy et al. 2016, section 7.
   * @param {{logits: Floats, targets: Ints, reduction?: 'mean' | 'sum', ignoreIndex?: number,
   *   labelSmoothing?: number}} options logits [...,V]; targets [...], each 0..V-1 or ignoreIndex
   *   (default -100), whose row is not counted; labelSmoothing 0..1, default 0
   * @returns {{loss: number, logProbabilities: FloatTensor, count: number}} loss over the counted
   *   rows (their mean is NaN when there is none); logProbabilities [...,V]; count of rows
   * @throws {GlassformerError} token for a target outside the vocabulary
   */
  crossEntropy(options) {
    return ops.crossEntropy(Engine.#of(this), options);
  }

  /**
   * The gradient of softmax's x, from its output and the gradient of that.
   * @param {{output: Floats, gradient: Floats}} options both [...,N]
   * @returns {FloatTensor} [...,N]
   */
  softmaxBackward(options) {
    return backward.softmaxBackward(Engine.#of(this), options);
  }

  /**
   * The gradients of layerNorm's x, weight and bias.
   * @param {{x: Floats, weight?: Floats, gradient: Floats, epsilon?: number}} options x and weight
   *   as layerNorm had them, gradient [...,C] of its output
   * @returns {{x: FloatTensor, weight: FloatTensor, bias: FloatTensor}} [...,C], [C], [C]
   */
  layerNormBackward(options) {
    return backward.layerNormBackward(Engine.#of(this), options);
  }

  /**
   * The gradient of an activation's x; relu's slope at 0 is 0.
   * @param {{x: Floats, gradient: Floats, activation: Activation}} options of one shape
   * @returns {FloatTensor} of that shape
   */
  activationBackward(options) {
    return backward.activationBackward(Engine.#of(this), options);
  }

  /**
   * The gradients of attention's query, key and value.
   * @param {{query: Floats, key: Floats, value: Floats, weights: Floats, gradient: Floats,
   *   heads?: number, scale?: number}} options as attention had them; weights are its result,
   *   gradient is that of its output
   * @returns {{query: FloatTensor, key: FloatTensor, value: FloatTensor}}
   */
  attentionBackward(options) {
    return backward.attentionBackward(Engine.#of(this), options);
  }

  /**
   * The gradient of crossEntropy's logits.
   * @param {{logProbabilities: Floats, targets: Ints, reduction?: 'mean' | 'sum',
   *   ignoreIndex?: number, labelSmoothing?: number}} options logProbabilities as crossEntropy gave
   *   them, the rest as it took them
   * @returns {FloatTensor} [...,V]
   */
  crossEntropyBackward(options) {
    return backward.crossEntropyBackward(Engine.#of(this), options);
  }

  /**
   * One step of an optimiser on parameters of your own; models have a trainer for that.
   * @param {{parameters: Floats, gradients: Floats, moment1?: Floats, moment2?: Floats, step: number}
   *   & Pick<import('./trainer.js').TrainerOptions, 'optimizer' | 'learningRate' | 'beta1' | 'beta2'
   *   | 'epsilon' | 'weightDecay' | 'momentum'>} options all of one shape; moments default to zeros;
   *   step from 1
   * @returns {{parameters: FloatTensor, moment1: FloatTensor, moment2: FloatTensor}} after the step
   */
  optimizerStep(options) {
    return backward.optimizerStep(Engine.#of(this), options);
  }

  /**
   * A Transformer with fresh weights. The settings, their ranges and defaults are those of
   * src/model/config.h; `model.config` tells them all.
   * @param {import('./config.js').Settings} [config]
   * @returns {Model} to be freed by its `free`
   * @throws {GlassformerError} unknown for an unknown setting, config for an invalid one, memory
   */
  createModel(config = {}) {
    return new Model(Engine.#of(this), config);
  }

  /**
   * @param {Engine} self
   * @returns {Core}
   */
  static #of(self) {
    if (#core in Object(self)) return self.#core;
    throw foreign(self, 'an engine');
  }
}
