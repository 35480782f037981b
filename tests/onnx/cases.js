// Random models of every kind, with every setting, and what a pass of them is given.
import { random } from '../js/reference.js';

export const KINDS = ['encoder', 'decoder', 'encoder-decoder', 'attention', 'feed-forward'];

/** Inputs that `forward` may be given, by kind. @type {Record<string, string[]>} */
const OPTIONAL = {
  encoder: ['padding', 'mask'],
  decoder: ['padding', 'mask'],
  'encoder-decoder': ['sourcePadding', 'targetPadding', 'mask', 'memoryPadding'],
  attention: ['memory', 'padding', 'mask'],
  'feed-forward': [],
};

/**
 * The values of a setting, by its name: of choices and switches all. Settings that depend on others follow below.
 * @type {Record<string, any[]>}
 */
export const CHOICES = {
  vocabulary: [0, 7, 23],
  heads: [1, 2, 4],
  d_ff: [5, 16],
  layers: [0, 1, 2],
  decoderLayers: [0, 1, 2],
  positions: ['none', 'sinusoidal', 'learned', 'rotary'],
  positionsFrom: ['index', 'first', 'visible'],
  embeddingScale: [true, false],
  norm: ['none', 'pre', 'post'],
  normAffine: [true, false],
  finalNorm: [true, false],
  epsilon: [1e-5, 1e-3, 0, 1],
  residual: [true, false],
  scoreScale: [true, false],
  causal: [true, false],
  attentionBias: [true, false],
  activation: ['relu', 'gelu', 'gelu-tanh', 'none', 'silu'],
  headBias: [true, false],
  window: [0, 1, 3],
  globalLayers: [0, 1, 2],
  globalLayersAbove: [0, 1],
  normKind: ['layer', 'rms'],
  ffn: ['plain', 'gated'],
  qkNorm: [true, false],
  attentionOutBias: [true, false],
  ffnBias: [true, false],
  ropeTheta: [100, 10000, 500000],
  ropeScaling: ['none', 'linear', 'llama3'],
  ropeFactor: [1, 4, 32],
  ropeLowFrequency: [1, 0.5],
  ropeHighFrequency: [4, 8],
  ropeOriginalLength: [12, 8192],
  initializerRange: [0, 0.5],
};

/** @typedef {ReturnType<typeof caseOf>} Case */

/**
 * @param {string} kind
 * @param {number} seed
 */
export function caseOf(kind, seed) {
  const r = random(seed * 31 + KINDS.indexOf(kind));
  /** @type {Record<string, any>} */
  const config = { kind, maxLength: 40, seed };
  for (const [name, values] of Object.entries(CHOICES)) config[name] = r.pick(values);
  config.d_model = config.heads * r.pick([1, 3, 8]);
  config.weights = config.d_model % 16 ? 'f32' : ['f32', 'bf16', 'f16'][seed % 3];
  const both = kind === 'encoder-decoder';
  const alone = kind === 'attention' || kind === 'feed-forward';
  if (kind === 'feed-forward') config.window = 0;
  const without = alone ? 1 : r.next();
  if (alone) config.vocabulary = 0;
  else if (without < 0.1) config.d_ff = 0;
  else if (without < 0.2 && !both) config.heads = config.window = 0;
  const { vocabulary } = config;
  if (vocabulary > 0) {
    config.embeddingNorm = r.bool();
    if (kind !== 'decoder') config.types = r.pick([0, 3]);
    if (both) config.tiedEmbeddings = r.bool();
    if (both && !config.tiedEmbeddings) config.targetVocabulary = r.pick([0, 11]);
  }
  if (!alone) {
    config.head = r.pick(vocabulary > 0 ? ['none', 'linear', 'tied', 'tied'] : ['none', 'linear']);
    if (vocabulary === 0) config.inputWidth = r.pick([0, 0, 2, 9]);
    if (config.head === 'none') config.outputWidth = r.pick([0, 3]);
    if (config.head !== 'none' || config.outputWidth) config.headTransform = r.bool();
    if (config.head === 'linear') config.outputVocabulary = r.pick(vocabulary > 0 ? [0, 5] : [5]);
  }
  if (config.heads > 0) {
    config.keyValueHeads = r.pick([0, 1, config.heads]);
    config.headWidth = r.pick([0, 0, 2, 6]);
    const width = config.headWidth || config.d_model / config.heads;
    if (width % 2 && config.positions === 'rotary') config.headWidth = 4;
    const panels = [config.heads, config.keyValueHeads || config.heads].map(
      (count) => count * (config.headWidth || config.d_model / config.heads),
    );
    if (panels.some((rows) => rows % 16)) config.weights = 'f32';
  } else {
    config.qkNorm = false;
    if (config.positions === 'rotary') config.positions = 'none';
  }
  // By the seed: a draw would change every case after it.
  config.ropeWidth = config.positions === 'rotary' && seed % 2 ? 2 : 0;
  const beside = /^(en|de)coder$/.test(kind) && config.norm === 'pre' && config.heads > 0 && config.d_ff > 0;
  config.parallel = beside && config.residual && seed % 3 > 0;
  const inputs = OPTIONAL[kind].filter(() => r.bool());
  const lengths = [
    { B: r.int(1, 3), S: r.int(1, 6), T: r.int(1, 6) },
    { B: r.int(1, 3), S: r.int(1, 40), T: r.int(1, 40) },
  ];
  return { config, inputs, lengths, r };
}

/** Weights of which none is 0 or 1, as a new model's biases and gains are. @param {any} model @param {Case['r']} r */
export function shake(model, r) {
  const weights = model.weights();
  for (const { data } of weights.values()) for (let i = 0; i < data.length; i++) data[i] += (2 * r.next() - 1) * 0.3;
  model.loadWeights(weights);
}

/**
 * The inputs of `forward`.
 * @param {Record<string, any>} config the model's
 * @param {string[]} inputs
 * @param {{B: number, S: number, T: number}} lengths
 * @param {Case['r']} r
 */
export function feedsOf(config, inputs, { B, S, T }, r) {
  const { kind, vocabulary, targetVocabulary, types, d_model: C, inputWidth: I } = config;
  const both = kind === 'encoder-decoder';
  /** @type {Record<string, {data: any, shape: number[]}>} */
  const feeds = {};
  const first = both ? S : T;
  const keys = inputs.includes('memory') ? S : first;
  if (vocabulary > 0) feeds[both ? 'sourceIds' : 'ids'] = r.ids([B, first], vocabulary);
  else feeds[both ? 'sourceVectors' : 'vectors'] = r.tensor([B, first, I || C]);
  if (both && vocabulary > 0) feeds.targetIds = r.ids([B, T], targetVocabulary || vocabulary);
  else if (both) feeds.targetVectors = r.tensor([B, T, I || C]);
  if (types > 0) feeds[both ? 'sourceTypeIds' : 'typeIds'] = r.ids([B, first], types);
  /** @type {Record<string, () => any>} */
  const others = {
    padding: () => padded(r, [B, keys]),
    sourcePadding: () => padded(r, [B, keys]),
    targetPadding: () => padded(r, [B, T]),
    memoryPadding: () => padded(r, [B, S]),
    memory: () => r.tensor([B, S, C]),
    mask: () => hiding(r.tensor([T, kind === 'attention' ? keys : T], 3), r),
  };
  for (const name of inputs) feeds[name] = others[name]();
  return feeds;
}

/** A model refuses a row that is hidden whole. @param {Case['r']} r @param {number[]} shape */
function padded(r, shape) {
  const { data } = r.padding(shape);
  for (let row = 0; row < shape[0]; row++) data[row * shape[1] + r.int(0, shape[1] - 1)] = 0;
  return { data, shape };
}

/** Hides a quarter of the cells. @param {{data: Float32Array, shape: number[]}} mask @param {Case['r']} r */
function hiding({ data, shape }, r) {
  return { data: data.map((value) => (r.bool(0.25) ? -Infinity : value)), shape };
}
