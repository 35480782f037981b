import { attention } from './attention.js';
import * as backward from './backward.js';
import { filesOf, foreign } from '../errors.js';
import { PARTS, feedForward, multiHeadAttention, runPart } from './layers.js';
import { Model } from './model.js';
import { Held, present, retired } from '../arrays/object.js';
import * as ops from './ops.js';
import { floats } from '../arrays/tensor.js';

/** @typedef {import('./start.js').Core} Core */
/** @typedef {import('../arrays/tensor.js').Floats} Floats */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {import('../../../dist/generated/settings.js').Activation} Activation */
/** @typedef {import('../../../dist/generated/settings.js').Norm} Norm */
/** @import * as Ops from './operations.js' */

/**
 * What runs an engine, for modules beside it.
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
 * One running module. Its operations are pure: they take one object, check all of it, and return tensors that the
 * caller owns. Every refusal is a GlassformerError; beside the codes named below, each may throw `type`, `missing`,
 * `unknown`, `dtype`, `shape`, `range` and `memory`.
 *
 * Letters: B batch, T target or query length, S source or key length, C d_model, H heads, D = C/H, F d_ff,
 * V vocabulary. Numbers are unitless unless a unit is named.
 * @example
 * import { load } from 'glassformer';
 * const gf = await load();
 * gf.softmax({ x: [0, 0] }).data; // → [0.5, 0.5]
 */
export class Engine extends Held {
  static {
    coreOf = (self) => Engine.#of(self);
  }

  #core;

  /** @internal @param {Core} core */
  constructor(core) {
    super();
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
   * Present size of the WebAssembly memory, at most 2 GB. It never shrinks: what is freed is used again.
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
    const given = floats(shape ? { data: values, shape } : values, 'values');
    return { data: given.data.slice(), shape: given.shape };
  }

  /**
   * Matrix products, batched over equal leading axes.
   * @param {Ops.MatmulOptions} options
   * @returns {FloatTensor} [...,M,N]
   * @category Operations
   * @example
   * gf.matmul({ a: [[1, 2], [3, 4]], b: [[1], [10]] }).data; // → [21, 43]
   */
  matmul(options) {
    return ops.matmul(Engine.#of(this), options);
  }

  /**
   * exp(x) / sum exp(x) over the last axis, shifted by its maximum. -Infinity gives 0, a row of nothing else zeros.
   * @param {Ops.RowsOptions} options
   * @returns {FloatTensor} [...,N]
   * @category Operations
   * @example
   * gf.softmax({ x: [0, 1, -Infinity] }).data; // → [0.269, 0.731, 0]
   */
  softmax(options) {
    return ops.softmax(Engine.#of(this), options);
  }

  /**
   * x - log sum exp(x) over the last axis, the logarithm of softmax, in nats. -Infinity stays.
   * @param {Ops.RowsOptions} options
   * @returns {FloatTensor} [...,N]
   * @category Operations
   * @example
   * gf.logSoftmax({ x: [0, 0] }).data; // → [-0.693, -0.693]
   */
  logSoftmax(options) {
    return ops.logSoftmax(Engine.#of(this), options);
  }

  /**
   * Kullback-Leibler divergence D(P || Q) = sum P (log P - log Q) of each pair of rows, in nats, where
   * P and Q are the softmax of logits. Infinite where Q is 0 and P is not; NaN where all logits of a
   * row are -Infinity. Kullback and Leibler 1951, "On Information and Sufficiency", equation 2.4.
   * @param {Ops.KlDivergenceOptions} options
   * @returns {FloatTensor} [...]
   * @category Operations
   * @example
   * gf.klDivergence({ p: [[0, 1], [5, 5]], q: [[1, 0], [0, 0]] }).data; // → [0.462, 0.000]
   */
  klDivergence(options) {
    return ops.klDivergence(Engine.#of(this), options);
  }

  /**
   * Dot products of rows: sum a b over the last axis, added in double.
   * @param {Ops.DotOptions} options
   * @returns {FloatTensor} [...]
   * @category Operations
   * @example
   * gf.dot({ a: [[1, 2], [3, 4]], b: [[10, 1], [0, 1]] }).data; // → [12, 4]
   */
  dot(options) {
    return ops.dot(Engine.#of(this), options);
  }

  /**
   * Euclidean norms of rows: sqrt(sum x^2) over the last axis, added in double.
   * @param {Ops.RowsOptions} options
   * @returns {FloatTensor} [...]
   * @category Operations
   * @example
   * gf.vectorNorm({ x: [[3, 4], [0, 2]] }).data; // → [5, 2]
   */
  vectorNorm(options) {
    return ops.vectorNorm(Engine.#of(this), options);
  }

  /**
   * (x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis. Ba et al. 2016,
   * "Layer Normalization", section 3.
   * @param {Ops.LayerNormOptions} options
   * @returns {Ops.LayerNormResult}
   * @category Operations
   * @example
   * gf.layerNorm({ x: [[1, 3], [10, 10]] }).output.data; // → [-1.0, 1.0, 0, 0]
   */
  layerNorm(options) {
    return ops.layerNorm(Engine.#of(this), options);
  }

  /**
   * One of the functions of a feed-forward network, element by element: src/kernel/activation.h has the formulas.
   * @param {Ops.ActivationOptions} options
   * @returns {FloatTensor} of the same shape
   * @category Operations
   * @example
   * gf.activation({ x: [-1, 0, 2], activation: 'silu' }).data; // → [-0.269, 0, 1.762]
   */
  activation(options) {
    return ops.activation(Engine.#of(this), options);
  }

  /**
   * max(x, 0).
   * @param {Ops.ElementsOptions} options
   * @returns {FloatTensor} of the same shape
   * @category Operations
   * @example
   * gf.relu({ x: [-1, 0, 2] }).data; // → [0, 0, 2]
   */
  relu(options) {
    return ops.relu(Engine.#of(this), options);
  }

  /**
   * x Phi(x), Phi the normal distribution; `approximate` as in PyTorch.
   * @param {Ops.GeluOptions} options
   * @returns {FloatTensor} of the same shape
   * @category Operations
   * @example
   * gf.gelu({ x: [-1, 0, 2] }).data; // → [-0.159, 0, 1.954]
   */
  gelu(options) {
    return ops.gelu(Engine.#of(this), options);
  }

  /**
   * table[id] * scale for each id. Vaswani et al. 2017, section 3.4.
   * @param {Ops.EmbeddingOptions} options
   * @returns {FloatTensor} [...ids.shape,C]
   * @throws {GlassformerError} token for an id outside the table
   * @category Layers of a Transformer
   * @example
   * gf.embedding({ ids: [1, 0], table: [[1, 2], [3, 4]], scale: 10 }).data; // → [30, 40, 10, 20]
   * gf.embedding({ ids: [2], table: [[1, 2], [3, 4]] }); // throws token
   */
  embedding(options) {
    return ops.embedding(Engine.#of(this), options);
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
    return ops.positionalEncoding(Engine.#of(this), options);
  }

  /**
   * Scaled dot-product attention: scores = q k^T scale, weights = softmax(scores + masks),
   * output = weights v. A query whose keys are all hidden has weights and output 0. Values may be of another width than
   * keys: [S,Cv] give an output [T,Cv], of which each head has Cv / heads columns. Vaswani et al. 2017, section 3.2.
   * @param {Ops.AttentionOptions} options
   * @returns {Ops.AttentionResult}
   * @category Layers of a Transformer
   * @example
   * const x = [[1, 0], [0, 1]];
   * const { weights, output } = gf.attention({ query: x, key: x, value: x, causal: true });
   * weights.data; // → [1, 0, 0.330, 0.670]
   */
  attention(options) {
    return attention(Engine.#of(this), options);
  }

  /**
   * Attention with its four projections, PyTorch's nn.MultiheadAttention. Vaswani et al. 2017, section 3.2.2.
   * @param {Ops.MultiHeadAttentionOptions} options
   * @returns {Ops.MultiHeadAttentionResult}
   * @category Layers of a Transformer
   * @example
   * const I = [[1, 0], [0, 1]], weights = { in_proj_weight: [...I, ...I, ...I], 'out_proj.weight': I };
   * const { weights: heads } = gf.multiHeadAttention({ x: [[1, 2], [3, 4], [5, 6]], weights, heads: 2 });
   * heads.shape; // → [2, 3, 3]
   */
  multiHeadAttention(options) {
    return multiHeadAttention(Engine.#of(this), options);
  }

  /**
   * linear2(activation(linear1(x))). Vaswani et al. 2017, section 3.3.
   * @param {Ops.FeedForwardOptions} options
   * @returns {Ops.FeedForwardResult}
   * @category Layers of a Transformer
   * @example
   * const weights = {
   *   'linear1.weight': [[1, 1]], 'linear1.bias': [-1],
   *   'linear2.weight': [[2], [3]], 'linear2.bias': [0, 0],
   * };
   * gf.feedForward({ x: [[1, 1], [0, 0]], weights }).output.data; // → [2, 3, 0, 0]
   */
  feedForward(options) {
    return feedForward(Engine.#of(this), options);
  }

  /**
   * PyTorch's nn.TransformerEncoderLayer without dropout. Vaswani et al. 2017, section 3.1.
   * @param {Ops.EncoderLayerOptions} options
   * @returns {Ops.LayerResult}
   * @category Layers of a Transformer
   * @example
   * const model = gf.createModel({ vocabulary: 0, d_model: 8, heads: 2, d_ff: 16, layers: 1, positions: 'none' });
   * const weights = new Map([...model.weights()].map(([name, of]) => [name.replace('encoder.layers.0.', ''), of]));
   * const { tensors } = gf.encoderLayer({ x: gf.tensor(new Float32Array(24), [3, 8]), weights, heads: 2 });
   * tensors.get('self_attn.weights').shape; // → [2, 3, 3]
   */
  encoderLayer(options) {
    return runPart(Engine.#of(this), PARTS.encoderLayer, options);
  }

  /**
   * PyTorch's nn.TransformerDecoderLayer without dropout. Vaswani et al. 2017, section 3.1.
   * @param {Ops.DecoderLayerOptions} options
   * @returns {Ops.LayerResult}
   * @category Layers of a Transformer
   * @example
   * const model = gf.createModel({ kind: 'encoder-decoder', d_model: 8, heads: 2, d_ff: 16, decoderLayers: 1 });
   * const own = [...model.weights()].filter(([name]) => name.startsWith('decoder.layers.0.'));
   * const weights = new Map(own.map(([name, of]) => [name.replace('decoder.layers.0.', ''), of]));
   * const [x, memory] = [gf.tensor(new Float32Array(24), [3, 8]), gf.tensor(new Float32Array(16), [2, 8])];
   * gf.decoderLayer({ x, memory, weights, heads: 2 }).output.shape; // → [3, 8]
   */
  decoderLayer(options) {
    return runPart(Engine.#of(this), PARTS.decoderLayer, options);
  }

  /**
   * Cross-entropy in nats of each row of logits against its target, with label smoothing as in
   * Szegedy et al. 2016, section 7.
   * @param {Ops.CrossEntropyOptions} options
   * @returns {Ops.CrossEntropyResult}
   * @throws {GlassformerError} token for a target outside the vocabulary
   * @category Operations
   * @example
   * gf.crossEntropy({ logits: [[0, 0], [3, 1], [9, 9]], targets: [0, 0, -100] }).loss; // → 0.410
   */
  crossEntropy(options) {
    return ops.crossEntropy(Engine.#of(this), options);
  }

  /**
   * The gradient of softmax's x, from its output and the gradient of that.
   * @param {Ops.SoftmaxBackwardOptions} options
   * @returns {FloatTensor} [...,N]
   * @category Gradients and optimizers
   * @example
   * gf.softmaxBackward({ output: [0.5, 0.5], gradient: [1, 0] }).data; // → [0.25, -0.25]
   */
  softmaxBackward(options) {
    return backward.softmaxBackward(Engine.#of(this), options);
  }

  /**
   * The gradients of layerNorm's x, weight and bias.
   * @param {Ops.LayerNormBackwardOptions} options
   * @returns {Ops.LayerNormGradients}
   * @category Gradients and optimizers
   * @example
   * gf.layerNormBackward({ x: [[1, 3]], gradient: [[1, 1]] }).weight.data; // → [-1.0, 1.0]
   */
  layerNormBackward(options) {
    return backward.layerNormBackward(Engine.#of(this), options);
  }

  /**
   * The gradient of an activation's x; relu's slope at 0 is 0.
   * @param {Ops.ActivationBackwardOptions} options
   * @returns {FloatTensor} of that shape
   * @category Gradients and optimizers
   * @example
   * gf.activationBackward({ x: [-1, 0, 2], gradient: [5, 5, 5], activation: 'relu' }).data; // → [0, 0, 5]
   */
  activationBackward(options) {
    return backward.activationBackward(Engine.#of(this), options);
  }

  /**
   * The gradients of attention's query, key and value.
   * @param {Ops.AttentionBackwardOptions} options
   * @returns {Ops.AttentionGradients}
   * @category Gradients and optimizers
   * @example
   * const [query, key, value] = [[[1, 0]], [[1, 0], [0, 1]], [[1, 0], [0, 1]]];
   * const { weights } = gf.attention({ query, key, value });
   * gf.attentionBackward({ query, key, value, weights, gradient: [[1, 0]] }).query.data; // → [0.156, -0.156]
   */
  attentionBackward(options) {
    return backward.attentionBackward(Engine.#of(this), options);
  }

  /**
   * The gradient of crossEntropy's logits.
   * @param {Ops.CrossEntropyBackwardOptions} options
   * @returns {FloatTensor} [...,V]
   * @category Gradients and optimizers
   * @example
   * gf.crossEntropyBackward({ logProbabilities: [[-0.693, -0.693]], targets: [0] }).data; // → [-0.5, 0.5]
   */
  crossEntropyBackward(options) {
    return backward.crossEntropyBackward(Engine.#of(this), options);
  }

  /**
   * One step of an optimiser on parameters of your own; models have a trainer for that.
   * @param {Ops.OptimizerStepOptions} options
   * @returns {Ops.OptimizerStepResult}
   * @category Gradients and optimizers
   * @example
   * const [parameters, gradients] = [[1, 1], [0.5, -0.5]];
   * const after = gf.optimizerStep({ parameters, gradients, step: 1, optimizer: 'sgd', learningRate: 1 });
   * after.parameters.data; // → [0.5, 1.5]
   */
  optimizerStep(options) {
    return backward.optimizerStep(Engine.#of(this), options);
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
   * A model from its file, with what else that says; the reverse of `model.save` and `trainer.save`. In
   * `glassformer/core` a function: `loadModel(gf, file)`.
   *
   * Or a checkpoint of Hugging Face's (`bert`, `distilbert`, `roberta`, `gpt2`, `gpt_neo`, `opt`): `{ config, weights,
   * tokenizer }`, the address of its folder with / at the end, `hub:ORG/NAME` for one of huggingface.co, or an array of
   * its files; `loadCheckpoint` of `glassformer/checkpoints` has the details, and is fetched for it.
   * @template {import('../files/source.js').FileSource | PromiseLike<import('../files/source.js').FileSource>
   *   | import('../files/checkpoint-source.js').CheckpointFiles | import('../files/checkpoint-source.js').Folder} F
   * @param {F} file address, Response (or what `fetch` gives), Blob or bytes of a safetensors file with a
   *   configuration; in Node also a path or file: URL; or a checkpoint
   * @param {import('../files/safetensors-stream.js').OpenOptions & import('../files/hub.js').HubOptions &
   *   import('../files/weight-type.js').WeightOptions} [options] signal: an AbortSignal that ends it; onProgress:
   *   called with `{ loaded, total }`, bytes, after each piece; revision and endpoint: of a name on the hub; weights:
   *   'f32', 'bf16', 'f16' or 'int8', the numbers in which matrices are kept
   * @returns {Promise<import('./results.js').Opened<F>>}
   * @throws {GlassformerError} type; format for an address or page without such a file, for a malformed one and for
   *   one without configuration; config, unknown, missing, shape for weights that are not the configuration's; memory;
   *   the signal's reason
   * @category Models and files
   * @example
   * const first = gf.createModel({ kind: 'decoder', vocabulary: 3, head: 'tied' });
   * const file = first.save({ vocabulary: ['the', 'old', 'creek'] });
   * const { model, vocabulary } = await gf.loadModel(file); // or an address, a Response, a Blob
   * model.generate({ ids: vocabulary.encode('the creek').ids, maxTokens: 2 }).newIds.length; // → 2
   */
  async loadModel(file, options) {
    return /** @type {any} */ (filesOf(Engine.#of(this))).loadModel(this, file, options);
  }

  /**
   * A model as an ONNX file, which onnxruntime and others run; `exportOnnx` of `glassformer/onnx`, which is fetched for
   * it, says more. In `glassformer/core` that function does it.
   * @param {Model} model
   * @param {import('../onnx.js').OnnxOptions} [options] inputs: optional inputs of `forward` that the graph shall have
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   * @throws {GlassformerError} foreign, freed, type, unknown, range, unsupported, memory
   * @category Models and files
   * @example
   * const model = gf.createModel({ kind: 'decoder', vocabulary: 20, head: 'tied' });
   * const file = await gf.exportOnnx(model); // batch and length are chosen in each run
   * file.length > 4 * model.parameterCount; // → true
   */
  async exportOnnx(model, options) {
    return filesOf(Engine.#of(this)).exportOnnx(model, options);
  }

  /** @param {Engine} self @returns {Core} */
  static #of(self) {
    if (#core in Object(self)) return self.#core;
    throw foreign(self, 'an engine');
  }
}

present(Engine, 'GlassformerEngine', ({ variant, version, memoryBytes }) => ({ variant, version, memoryBytes }));
retired(Engine, { workers: 'threads' });
