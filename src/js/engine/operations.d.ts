// Arguments and results of Engine's operations. In shapes B is the batch, T the target or query length, S the source or
// key length, C d_model, H the heads, D = C/H, F d_ff, V the vocabulary; [...] are any axes.
import type { Activation, Norm, TrainerOptions } from '../../../dist/generated/settings.js';
import type { Flags, Floats, Ints, Tensor } from '../arrays/tensor.js';

/** Weights by PyTorch's names. */
export type WeightsByName = Map<string, Floats> | Record<string, Floats>;

/** The option of calls that may be long. */
export interface Limit {
  /** multiply-adds that the call may take; default: the engine's, see `load` */
  maxOperations?: number;
}

/** Options of `matmul`. */
export interface MatmulOptions extends Limit {
  /** take `a` with its last two axes exchanged; default false */
  transposeA?: boolean;
  /** take `b` with its last two axes exchanged; default false */
  transposeB?: boolean;
}

/** Options of `layerNorm`. */
export interface LayerNormOptions {
  /** [C], the gain; default ones */
  weight?: Floats;
  /** [C]; default zeros */
  bias?: Floats;
  /** added to the variance, from 0; default 1e-5 */
  epsilon?: number;
}

/** Result of `layerNorm`. */
export interface LayerNormResult {
  /** [...,C] */
  output: Tensor;
  /** [...], of each row */
  mean: Tensor;
  /** [...], of each row, biased: divided by C */
  variance: Tensor;
}

/** Options of `rmsNorm`. */
export interface RMSNormOptions {
  /** [C], the gain; default ones */
  weight?: Floats;
  /** added to the mean square, from 0; default 1e-5 */
  epsilon?: number;
}

/** Result of `rmsNorm`. */
export interface RMSNormResult {
  /** [...,C] */
  output: Tensor;
  /** [...], of each row */
  meanSquare: Tensor;
}

/** Result of `rmsNormBackward`. */
export interface RMSNormGradients {
  /** [...,C] */
  x: Tensor;
  /** [C] */
  weight: Tensor;
}

/** Angles of rotary positions. */
export interface RotaryAngles {
  /** positions count from here; default 0 */
  start?: number;
  /** positions one by one, in place of `start` */
  positions?: Ints;
  /** base of the frequencies; default 10000 */
  theta?: number;
  /** the method that slows them for long texts; default 'none' */
  scaling?: 'none' | 'linear' | 'llama3';
  /** of the scaling, from 1; default 1 */
  factor?: number;
  /** llama3: pairs of fewer turns within `originalLength` are slowed by the whole factor; default 1 */
  lowFrequency?: number;
  /** llama3: pairs of more turns are not slowed; default 4 */
  highFrequency?: number;
  /** llama3: tokens of the texts before the scaling; default 8192 */
  originalLength?: number;
}

/** Arguments of `rotaryTable`. */
export interface RotaryTableOptions extends RotaryAngles {
  /** numbers of a head, even */
  headWidth: number;
  /** number of positions from `start` on */
  length?: number;
}

/** Result of `rotaryTable`. */
export interface RotaryTable {
  /** [length, headWidth / 2] */
  cos: Tensor;
  /** [length, headWidth / 2] */
  sin: Tensor;
}

/** Options of `rotary`; `positions` are of shape [T], or one for each row. */
export interface RotaryOptions extends RotaryAngles {
  /** heads side by side; default 1 */
  heads?: number;
  /** numbers of each head that turn, its first, even; the others stay; default all */
  width?: number;
  /** pairs are neighbours, 2i and 2i + 1, as in the paper; default false */
  interleaved?: boolean;
  /** turn back, which is also the gradient; default false */
  inverse?: boolean;
}

/** Options of `gelu`. */
export interface GeluOptions {
  /** as in PyTorch: 'tanh' is the approximation by tanh; default 'none' */
  approximate?: 'none' | 'tanh';
}

/** Options of `embedding`. */
export interface EmbeddingOptions {
  /** factor of every row; default 1 */
  scale?: number;
}

/** Arguments of `positionalEncoding`: `length` positions from `start` on, or a list. */
export interface PositionalEncodingOptions {
  /** C, the width of a row */
  d_model: number;
  /** number of positions, needed without `positions` */
  length?: number;
  /** the first of `length` positions; default 0 */
  start?: number;
  /** [n], these positions instead */
  positions?: Ints;
}

/** Masks of attention, which hide keys from queries. */
export interface AttentionMasks {
  /** query t sees keys 0..t only; default false, in `decoderLayer` true */
  causal?: boolean;
  /** [B,S], or [S] for all, 1 = hidden from every query */
  keyPadding?: Flags;
  /** [T,S], added to the scaled scores; -Infinity hides; 'causal' hides later keys */
  mask?: Floats | 'causal';
}

/** Options of `attention`. */
export interface AttentionOptions extends AttentionMasks, Limit {
  /** H; default 1, or the second axis of rank 4 */
  heads?: number;
  /** factor of the scores; default 1/sqrt(D) */
  scale?: number;
}

/** Result of `attention`; without B for rank 2. */
export interface AttentionResult {
  /** like query, with value's last axis */
  output: Tensor;
  /** [B,H,T,S], softmax of the masked scores */
  weights: Tensor;
  /** [B,H,T,S], scaled, before masks */
  scores: Tensor;
}

/** Options of `multiHeadAttention`. */
export interface MultiHeadAttentionOptions extends AttentionMasks, Limit {
  /** [B,S,C] or [S,C], where keys and values come from; default x */
  memory?: Floats;
  /** in_proj_weight [3C,C], in_proj_bias [3C], out_proj.weight [C,C], out_proj.bias [C]; both biases or none */
  weights: WeightsByName;
  /** H, which must divide C */
  heads: number;
}

/** Result of `multiHeadAttention`; without B for rank 2. */
export interface MultiHeadAttentionResult {
  /** [B,T,C] */
  output: Tensor;
  /** [B,H,T,D] */
  query: Tensor;
  /** [B,H,S,D] */
  key: Tensor;
  /** [B,H,S,D] */
  value: Tensor;
  /** [B,H,T,S], query times key */
  scores: Tensor;
  /** [B,H,T,S], scores by sqrt(D) */
  scaled: Tensor;
  /** [B,H,T,S], with the masks added */
  masked: Tensor;
  /** [B,H,T,S], softmax of it */
  weights: Tensor;
  /** [B,H,T,D], weights times value */
  headOutputs: Tensor;
  /** [B,T,C], the heads side by side, before the output projection */
  concat: Tensor;
}

/** Options of `feedForward`. */
export interface FeedForwardOptions extends Limit {
  /** linear1.weight [F,C], linear1.bias [F], linear2.weight [C,F], linear2.bias [C] */
  weights: WeightsByName;
  /** default 'relu' */
  activation?: Activation;
  /** with activation 'top-k': neurons of a token that stay active */
  active?: number;
}

/** Option of `activation` and its gradient. */
export interface ActiveOption {
  /** with 'top-k', and only then: how many numbers of a row stay, 1 or more */
  active?: number;
}

/** Result of `feedForward`. */
export interface FeedForwardResult {
  /** like x */
  output: Tensor;
  /** [B,T,F], without B for rank 2 */
  preActivation: Tensor;
  /** [B,T,F], without B for rank 2 */
  activation: Tensor;
}

/** Settings of one layer. */
export interface LayerSettings {
  /** H, which must divide C */
  heads: number;
  /** of the feed-forward network; default 'relu' */
  activation?: Activation;
  /** with activation 'top-k': neurons of a token that stay active */
  active?: number;
  /** where LayerNorm stands; default 'post' */
  norm?: Norm;
  /** of LayerNorm; default 1e-5 */
  epsilon?: number;
}

/** Arguments of `encoderLayer` beside x; masks are those of its self-attention, S is T. */
export interface EncoderLayerOptions extends LayerSettings, AttentionMasks, Limit {
  /** by PyTorch's names, self_attn.in_proj_weight to norm2.bias */
  weights: WeightsByName;
}

/** Arguments of `decoderLayer` beside x; masks are those of its self-attention, S in them is T. */
export interface DecoderLayerOptions extends EncoderLayerOptions {
  /** [B,S,C] or [S,C], the encoder's output */
  memory: Floats;
  /** [B,S], 1 = hidden from cross-attention */
  memoryKeyPadding?: Flags;
}

/** Result of `encoderLayer` and `decoderLayer`. */
export interface LayerResult {
  /** like x */
  output: Tensor;
  /** every intermediate by name, like 'self_attn.weights' */
  tensors: Map<string, Tensor>;
}

/** Options of `crossEntropy` and `crossEntropyBackward`. */
export interface CrossEntropyOptions {
  /** 'mean' over the counted rows or 'sum'; default 'mean' */
  reduction?: 'mean' | 'sum';
  /** the label whose row is not counted; default -100 */
  ignoreIndex?: number;
  /** share of the label's probability spread over all, 0 to 1; default 0 */
  labelSmoothing?: number;
}

/** Result of `crossEntropy`. */
export interface CrossEntropyResult {
  /** in nats, over the counted rows; their mean is NaN when there is none */
  loss: number;
  /** [...,V] */
  logProbabilities: Tensor;
  /** rows that were counted */
  count: number;
}

/** Result of `layerNormBackward`. */
export interface LayerNormGradients {
  /** [...,C] */
  x: Tensor;
  /** [C] */
  weight: Tensor;
  /** [C] */
  bias: Tensor;
}

/** Options of `attentionBackward`: those of `attention`, and its weights. */
export interface AttentionBackwardOptions extends Omit<AttentionOptions, keyof AttentionMasks> {
  /** [B,H,T,S], from attention */
  weights: Floats;
}

/** Result of `attentionBackward`. */
export interface AttentionGradients {
  /** like query */
  query: Tensor;
  /** like key */
  key: Tensor;
  /** like value */
  value: Tensor;
}

/** The settings of an optimiser alone. */
export type OptimizerSettings = Pick<
  TrainerOptions,
  'optimizer' | 'learningRate' | 'beta1' | 'beta2' | 'epsilon' | 'weightDecay' | 'momentum'
>;

/** Options of `optimizerStep`; moments have their shape. */
export interface OptimizerStepOptions extends OptimizerSettings {
  /** of the step before; default zeros */
  moment1?: Floats;
  /** of the step before; default zeros */
  moment2?: Floats;
  /** number of this step, from 1 */
  step: number;
}

/** Result of `optimizerStep`: copies, after the step. */
export interface OptimizerStepResult {
  /** changed */
  parameters: Tensor;
  /** for the next step */
  moment1: Tensor;
  /** for the next step */
  moment2: Tensor;
}
