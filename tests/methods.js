// Every public method and property, by the object that has it, with good arguments by name. errors, hostile, interface,
// freed, names and the random walk read it; interface.test.js compares it with what the objects have, errors.test.js
// its arguments with those that refusals list.
import { Vocabulary, load, writeSafetensors } from 'glassformer';
import { trainFeatures } from 'glassformer/features';
import { TENSORS } from './operations.js';

/**
 * `given`: of a method; undefined: not given. `order`: the arguments that come by position. `on`: another object that
 * it is called on. `refuses`: once its model is freed; the others stay. `alone`: on that side only.
 * @typedef {{given?: Record<string, any>, order?: string[], on?: string, refuses?: boolean, alone?: string}} Row
 */

export const SMALL = {
  kind: 'decoder',
  vocabulary: 9,
  d_model: 4,
  heads: 2,
  d_ff: 4,
  layers: 1,
  head: 'tied',
  seed: 1,
};
export const IDS = [1, 2, 3];
export const OF = 'decoder.layers.0.ffn.out';
export const X = [
  [1, 2, 3, 4],
  [5, 6, 7, 8],
];
/** An argument that is not given. */
const _ = undefined;

const gf = await load({ variant: 'simd' });
const model = gf.createModel(SMALL);
const { model: bert, tokenizer } = /** @type {any} */ (
  await gf.loadModel(new URL('checkpoints/bert-classes/', import.meta.url).pathname)
);
const trainer = model.trainer();
const rebuilding = gf.createModel({ kind: 'feed-forward', d_model: 4, d_ff: 4 }).trainer({ loss: 'mse' });
const vocabulary = new Vocabulary(['a', 'b', 'c', 'd']);
const trace = model.trace({ ids: IDS, capture: true });
const spare = model.clone();
/** Of each number of a vector one feature above 0 and one below. */
export const DICTIONARY = {
  config: { d_in: 4, d_sae: 8, normalize_activations: 'layer_norm', metadata: { hook_name: 'blocks.0.mlp.hook_post' } },
  weights: writeSafetensors({
    W_enc: [0, 1, 2, 3].map((i) => Array.from({ length: 8 }, (_, n) => Number(n === i) - Number(n === i + 4))),
    W_dec: Array.from({ length: 8 }, (_, n) => [0, 1, 2, 3].map((i) => Number(n === i) - Number(n === i + 4))),
    b_enc: new Float32Array(8),
    b_dec: new Float32Array(4),
  }),
};
/** Stands for the class of a package, which reads Jinja. */
export const jinja = class {
  render = () => 'the creek';
};
const LINES = Array.from({ length: 6 }, (_, i) => [i, 8 - i, (i * i) % 9]);
const features = await trainFeatures(model, { at: { layer: 0 }, ids: LINES, features: 8, active: 2, steps: 9 });
const tagger = await bert.clone({ head: 'classes', of: 'tokens', labels: ['noun', 'other'] });
const reader = await bert.clone({ head: 'spans' });
const made = {
  engine: gf,
  model,
  bert,
  tagger,
  reader,
  spare,
  trainer,
  rebuilding,
  trace,
  tokenizer,
  vocabulary,
  features,
};
/** @type {Record<string, any>} */
export const OBJECTS = made;
export const FILE = await model.save();

const layers = [...gf.createModel({ ...SMALL, kind: 'encoder-decoder', vocabulary: 0, head: 'none' }).weights()];
/** Weights of a layer as operations name them. @param {string} stack @param {string} part @param {string} [cut] */
const weights = (stack, part = '', cut = '') => {
  const stem = `${stack}.layers.0.`;
  const some = layers.filter(([name]) => name.startsWith(stem + part));
  return new Map(some.map(([name, tensor]) => [name.slice((stem + cut).length), tensor]));
};

const PLACES = { start: _, positions: _ };
const ANGLES = { theta: _, scaling: _, factor: _, lowFrequency: _, highFrequency: _, originalLength: _ };
const MASKS = { mask: _, causal: _, keyPadding: _, maxOperations: _ };
const LAYER = { activation: _, active: _, norm: _, epsilon: _, ...MASKS };
const LOSS = { reduction: _, ignoreIndex: _, labelSmoothing: _ };
const ATTENTION = { query: X, key: X, value: X, heads: 1, scale: _ };
const OPTIMIZER = { optimizer: _, learningRate: _, beta1: _, beta2: _, epsilon: _, weightDecay: _, momentum: _ };
const NORM = { weight: _, epsilon: _ };

/** Operations on arrays. @type {Record<string, Row>} */
export const OPERATIONS = Object.fromEntries(
  Object.entries({
    matmul: { a: X, b: X, transposeA: false, transposeB: true, maxOperations: _ },
    linear: { x: X, weight: X, bias: [1, 2], maxOperations: _ },
    transpose: { x: X },
    add: { a: X, b: X },
    mul: { a: X, b: X },
    argmax: { x: X },
    softmax: { x: X },
    logSoftmax: { x: X },
    klDivergence: { p: X, q: X },
    dot: { a: X, b: X },
    cosine: { a: X, b: X },
    vectorNorm: { x: X },
    layerNorm: { x: X, ...NORM, bias: _ },
    rmsNorm: { x: X, ...NORM },
    activation: { x: X, activation: 'relu', active: _ },
    relu: { x: X },
    gelu: { x: X, approximate: _ },
    embedding: { ids: [0, 1], table: X, scale: 1 },
    positionalEncoding: { d_model: 4, length: 2, ...PLACES },
    rotaryTable: { headWidth: 4, length: 2, ...PLACES, ...ANGLES },
    rotary: { x: X, heads: 1, width: _, ...PLACES, interleaved: _, inverse: _, ...ANGLES },
    attention: { ...ATTENTION, ...MASKS, causal: false },
    multiHeadAttention: {
      x: X,
      memory: _,
      weights: weights('encoder', 'self_attn.', 'self_attn.'),
      heads: 2,
      ...MASKS,
    },
    feedForward: { x: X, weights: weights('encoder', 'linear'), activation: _, active: _, maxOperations: _ },
    encoderLayer: { x: X, weights: weights('encoder'), heads: 2, ...LAYER },
    decoderLayer: { x: X, memory: X, weights: weights('decoder'), heads: 2, ...LAYER, memoryKeyPadding: _ },
    crossEntropy: { logits: X, labels: [0, 1], ...LOSS },
    softmaxBackward: { output: X, gradient: X },
    layerNormBackward: { x: X, gradient: X, ...NORM },
    rmsNormBackward: { x: X, gradient: X, ...NORM },
    activationBackward: { x: X, gradient: X, activation: 'relu', active: _ },
    attentionBackward: { ...ATTENTION, gradient: X, weights: [X.map(() => [0.5, 0.5])], maxOperations: _ },
    crossEntropyBackward: { logProbabilities: X, labels: [0, 1], ...LOSS },
    optimizerStep: { parameters: X, gradients: X, step: 1, moment1: _, moment2: _, ...OPTIMIZER },
  }).map(([name, given]) => [name, { given, order: TENSORS[name] ?? ['x'] }]),
);

const CHANGES = { patches: _, ablate: _, temperature: _, maxOperations: _ };
const READING = { ids: IDS, padding: _, mask: _, capture: _, logits: _, ...CHANGES };
const STEP = { ids: IDS, labels: IDS, padding: _, mask: _, lossMask: _, maxOperations: _ };
const PROBED = { ...STEP, ...CHANGES };
const POOLED = { ids: IDS, typeIds: _, padding: _, maxLength: _, truncation: _, maxOperations: _, signal: _ };
const ASKED = { ids: IDS, typeIds: _, from: 0, to: 2, longest: _, maxOperations: _, signal: _ };
const PROMPT = { ids: IDS, maxTokens: 2, maxOperations: _, patches: _, ablate: _, window: _, cache: _ };
const DRAWN = {
  temperature: _,
  topK: _,
  topP: _,
  repetitionPenalty: _,
  logits: _,
  seed: _,
  endId: _,
  stop: _,
  rules: _,
};
const SEARCHED = { beams: _, lengthPenalty: _, earlyStopping: _, keep: _ };
const GENERATED = { ...PROMPT, ...DRAWN, ...SEARCHED, onToken: _, signal: _ };
const WORDS = { vocabulary: _, targetVocabulary: _, outputVocabulary: _, endIds: _, rules: _, labels: _, tokenizer: _ };
const SAVED = { recipe: _, metadata: _, ...WORDS };
const PART = { node: _, role: _, attention: _, stack: _, sublayer: _, layer: _, head: _, neuron: _ };
const AT = { name: 'logits', ...PART, batch: _, row: _, index: _ };
/** @type {Row} */
const ENCODE = {
  given: { text: 'the creek', pair: _, special: _, padding: _, truncation: _, maxLength: _ },
  order: ['text'],
};
const TEXTS = {
  encode: ENCODE,
  decode: { given: { ids: IDS, special: _ }, order: ['ids'] },
  decoder: { given: { special: _ } },
  id: { given: { token: 'a' }, order: ['token'] },
  has: { given: { token: 'a' }, order: ['token'] },
  token: { given: { id: 3 }, order: ['id'] },
  toJSON: { given: {} },
  ...Object.fromEntries(['maxLength', 'size', 'unknown', 'special'].map((name) => [name, {}])),
};

const SETTINGS = { ...model.config, seed: 1 };

/** @type {Record<string, Record<string, Row>>} */
export const METHODS = {
  engine: {
    ...OPERATIONS,
    tensor: { given: { values: [1, 2], shape: [2] }, order: ['values', 'shape'] },
    createModel: { given: SETTINGS },
    loadModel: { given: { file: FILE, weights: _, signal: _, onProgress: _ }, order: ['file'] },
    terminate: { given: {}, alone: 'there' },
    ...Object.fromEntries(['variant', 'reason', 'threads', 'version', 'memoryBytes'].map((name) => [name, {}])),
  },
  model: {
    ...Object.fromEntries(['config', 'seed', 'parameterCount'].map((name) => [name, {}])),
    ...Object.fromEntries(['tokenizer', 'targetTokenizer'].map((name) => [name, {}])),
    free: { given: {} },
    initialize: { given: { seed: 3 }, order: ['seed'], refuses: true },
    forward: { given: READING, refuses: true },
    trace: { given: { ...READING, capture: _ }, refuses: true },
    gradients: { given: { ...PROBED, of: [OF], loss: _, ignoreIndex: _, labelSmoothing: _ }, refuses: true },
    forwardBytes: { given: READING, refuses: true },
    logitsAt: { given: { row: 2 }, order: ['row'], refuses: true },
    embed: { given: { ...POOLED, pooling: _, normalize: _ }, on: 'bert', refuses: true },
    classify: { given: POOLED, on: 'bert', refuses: true },
    classifyTokens: { given: POOLED, on: 'tagger', refuses: true },
    answer: { given: ASKED, on: 'reader', refuses: true },
    tensors: { given: {}, refuses: true },
    graph: { given: {}, refuses: true },
    tensor: { given: AT, refuses: true },
    view: { given: { name: 'tok_emb.weight' }, order: ['name'], refuses: true, alone: 'here' },
    weights: { given: {}, refuses: true },
    loadWeights: { given: { weights: model.weights(), rename: _, strict: _ }, order: ['weights'], refuses: true },
    clone: { given: { ...SETTINGS, seed: _ }, refuses: true },
    generate: { given: GENERATED, refuses: true },
    generateSync: { given: GENERATED, refuses: true, alone: 'here' },
    save: { given: { format: _, ...SAVED, float16: _, int8: _ }, refuses: true },
    trainer: { given: { ...trainer.settings, shards: 1, workers: 0, worker: _ }, on: 'spare', refuses: true },
  },
  trainer: {
    settings: {},
    steps: { refuses: true, alone: 'here' },
    step: { given: STEP, refuses: true },
    data: { given: { vectors: X, labels: X }, order: ['vectors', 'labels'], on: 'rebuilding', refuses: true },
    train: { given: { batches: [], onProgress: _, signal: _ }, order: ['batches'], refuses: true },
    loss: { given: { ...PROBED, capture: _ }, refuses: true },
    gradients: { given: { ...PROBED, capture: _ }, refuses: true },
    snapshot: { given: {}, refuses: true },
    restore: { given: { weights: trainer.snapshot().weights }, refuses: true },
    state: { given: {}, refuses: true },
    save: { given: SAVED, refuses: true },
    resume: { given: { ...trainer.state() }, refuses: true },
    free: { given: {} },
  },
  trace: {
    ...Object.fromEntries(['output', 'logits', 'values'].map((name) => [name, {}])),
    tensor: { given: AT },
    lens: { given: { layer: 0 }, order: ['layer'], refuses: true },
    attribution: {
      given: { token: 1, id: 2, against: 3, neurons: 0, features, at: _ },
      order: ['token'],
      refuses: true,
    },
    decided: { given: { token: 1, groups: 2, from: _, signal: _ }, order: ['token'], refuses: true },
    free: { given: {} },
  },
  tokenizer: {
    ...TEXTS,
    label: { given: { id: 5 }, order: ['id'] },
    chat: {
      given: { messages: [{ role: 'user' }], jinja, tools: _, addGenerationPrompt: _, variables: _, template: '' },
      order: ['messages'],
    },
  },
  vocabulary: {
    ...TEXTS,
    ids: { given: { words: ['a'] }, order: ['words'] },
    ...Object.fromEntries(['words', 'level'].map((name) => [name, {}])),
  },
  features: {
    encode: { given: { x: X }, order: ['x'] },
    decode: { given: { features: X.map((row) => [...row, ...row]), x: X }, order: ['features', 'x'] },
    vector: { given: { feature: 1 }, order: ['feature'] },
    change: { given: { x: X, edits: [{ feature: 1, set: 0 }] }, order: ['x', 'edits'] },
    save: { given: { float16: _ } },
    read: { given: { model, texts: _, ids: LINES, seed: _, heldOut: _, signal: _ }, order: ['model'] },
    activity: { given: { feature: 1 }, order: ['feature'] },
    examples: { given: { feature: 1, count: _ }, order: ['feature'] },
    score: { given: { labels: LINES.flatMap((ids) => ids.map((id) => [`id ${id}`])) }, order: ['labels'] },
    ...Object.fromEntries(['at', 'width', 'size', 'active', 'facts'].map((name) => [name, {}])),
    ...Object.fromEntries(['unexplained', 'alive', 'places'].map((name) => [name, {}])),
  },
};

/**
 * The arguments of a method in their order; getters of options run where they are read.
 * @param {Row} row @param {any} [named]
 * @returns {any[]}
 */
export function argumentsFor({ given = {}, order = [] }, named = given) {
  const options = Object.getOwnPropertyDescriptors(named);
  for (const name of order) delete options[name];
  const hasOptions = Object.keys(given).length > order.length;
  return [...order.map((name) => named[name]), ...(hasOptions ? [Object.defineProperties({}, options)] : [])];
}

/** A property, or a method's result. @param {any} object @param {string} name @param {Row} row @param {any} [named] */
export const use = (object, name, row, named) => (row.given ? object[name](...argumentsFor(row, named)) : object[name]);

/** All methods and properties. @type {[kind: string, name: string, row: Row][]} */
export const ALL = Object.entries(METHODS).flatMap(([kind, rows]) =>
  Object.entries(rows).map(([name, row]) => /** @type {[string, string, Row]} */ ([kind, name, row])),
);
