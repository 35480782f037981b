// Fine-tuning: classes of texts and of tokens, and low-rank adapters. Fetched when it is first used.
import { operationsReader } from './cost.js';
import { adapted as adaptedTrainer } from './adapters.js';
import { embed } from './embed.js';
import { GlassformerError } from '../errors.js';
import { Model, handleOf } from './model.js';
import { linear, relu, softmax } from './ops.js';
import { spanHead, trainerOfSpans } from './spans.js';
import { namedInput } from './named.js';
import { isPacked, readPacked } from './packed.js';
import {
  any,
  bytes,
  choice,
  expectShape,
  flag,
  integer,
  ints,
  listOf,
  maybe,
  optional,
  readOptions,
  refuseType,
  signalReader,
} from '../arrays/tensor.js';

export { answer, hasOwnSpans, spansOf } from './spans.js';

/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {{weight: FloatTensor, bias: FloatTensor}} Linear weight [out, in] */

/**
 * The head of a model that was trained on classes of texts, or of tokens.
 * @typedef {object} Classifier
 * @property {'texts' | 'tokens' | 'spans'} of
 * @property {'tanh' | 'relu' | undefined} activation between its two linear maps, of texts
 * @property {string[]} labels of the classes
 * @property {'softmax' | 'sigmoid' | 'none' | undefined} scores the function from the logits to them; undefined:
 *   config.json asks for another one
 * @property {{dense?: Linear, out: Linear}} weights dense: of texts
 */

/**
 * The class found for a text.
 * @typedef {object} Classified
 * @property {string} label the class with the highest score
 * @property {number} index its number, from 0
 * @property {number} score its score
 * @property {Record<string, number>} scores of all classes by their labels (by their numbers where classes share a
 *   label): probabilities that sum to 1; where config.json says `multi_label_classification` one from 0 to 1 for each
 *   class; of a regression its numbers
 */

/**
 * Classes of texts: see Model.classify.
 * @param {import('./model.js').Model} model
 * @param {import('./model.js').Input} rows
 * @param {Omit<import('./embed.js').EmbedOptions, 'pooling' | 'normalize'>} [options]
 * @returns {Classified[]}
 * @throws {GlassformerError} config for a model without such a head; unsupported for a `problem_type` that is not
 *   computed here; as `model.embed`
 * @example
 * import { classify, loadCheckpoint } from 'glassformer/checkpoints';
 * import { load } from 'glassformer';
 * const gf = await load();
 * const { model } = await loadCheckpoint(gf, 'node_modules/glassformer/dist/checkpoints/bert/');
 * classify(model, 'the creek was cold'); // throws config
 */
export function classify(model, rows, options) {
  const handle = handleOf(model);
  const { core } = handle;
  const { activation, labels, scores, weights } = classifierOf(model, 'texts');
  if (!scores) {
    const known = 'regression, single_label_classification, multi_label_classification';
    const { problem_type: problem } = /** @type {any} */ (handle.checkpoint).config;
    throw new GlassformerError('unsupported', 'config.problem_type', problem, `must be one of ${known}`);
  }
  const names = ['ids', 'typeIds', 'padding', 'maxOperations', 'signal', 'truncation', 'maxLength'];
  const readers = Object.fromEntries(names.map((name) => [name, any]));
  const given = readOptions(namedInput(handle, rows, options, true), readers);
  const first = embed(model, given, { pooling: 'first' });
  const { weight, bias } = /** @type {Linear} */ (weights.dense);
  const hidden = linear(core, first, weight, bias);
  const active = activation === 'relu' ? relu(core, hidden) : tanh(core, hidden);
  const logits = linear(core, active, weights.out.weight, weights.out.bias);
  const { data } = { none: () => logits, softmax: () => softmax(core, logits), sigmoid: () => sigmoid(core, logits) }[
    scores
  ]();
  return classified(data, labels);
}

/** @param {Float32Array} data as many scores for each as there are labels @param {string[]} labels */
function classified(data, labels) {
  const keys = new Set(labels).size === labels.length ? labels : Object.keys(labels);
  return Array.from({ length: data.length / labels.length }, (_, row) => {
    const own = Array.from(data.subarray(row * labels.length, (row + 1) * labels.length));
    const index = own.reduce((best, each, i) => (each > own[best] ? i : best), 0);
    const byKey = Object.fromEntries(own.map((each, i) => [keys[i], each]));
    return { label: labels[index], index, score: own[index], scores: byKey };
  });
}

/**
 * The class found for a token.
 * @typedef {Classified & {at: number, id: number}} ClassifiedToken at: its place in its row, from 0; id: the token's
 */

const READERS = {
  ids: ints,
  typeIds: any,
  padding: maybe(bytes),
  maxOperations: maybe(operationsReader()),
  signal: maybe(signalReader),
  truncation: optional(flag, true),
  maxLength: maybe(integer(1, 2 ** 20)),
};

/**
 * Classes of tokens: see Model.classifyTokens.
 * @param {import('./model.js').Model} model
 * @param {import('./model.js').Input} rows
 * @param {Parameters<typeof classify>[2]} [options]
 * @returns {ClassifiedToken[][]}
 * @throws {GlassformerError} config for a model without such a head; as `model.forward`
 * @example
 * import { classifyTokens, loadCheckpoint } from 'glassformer/checkpoints';
 * import { load } from 'glassformer';
 * const gf = await load();
 * const { model } = await loadCheckpoint(gf, 'node_modules/glassformer/dist/checkpoints/bert/');
 * classifyTokens(model, 'the creek was cold'); // throws config
 */
export function classifyTokens(model, rows, options) {
  const handle = handleOf(model);
  const { core } = handle;
  const { labels, weights } = classifierOf(model, 'tokens');
  const given = readOptions(namedInput(handle, rows, options, true), READERS);
  const { ids, typeIds, padding, maxOperations, signal } = given;
  signal?.throwIfAborted();
  const { data, shape } = model.forward({ ids, typeIds, padding, maxOperations }).output;
  const [B, S, C] = shape;
  const logits = linear(core, { data, shape: [B * S, C] }, weights.out.weight, weights.out.bias);
  const found = classified(softmax(core, logits).data, labels);
  const all = found.map((each, at) => ({ at: at % S, id: ids.data[at], ...each }));
  return Array.from({ length: B }, (_, row) =>
    all.slice(row * S, (row + 1) * S).filter(({ at }) => !padding?.data[row * S + at]),
  );
}

/**
 * The head of a model for classes: its own, which trains, or that of its folder.
 * @param {import('./model.js').Model} model
 * @param {'texts' | 'tokens'} of
 * @returns {Classifier}
 */
function classifierOf(model, of) {
  const { config, texts, checkpoint } = handleOf(model);
  const isOwn = hasOwnClasses(config, texts.labels);
  const classifier = isOwn ? ofWeights(config, model.weights(), texts.labels) : checkpoint?.classifier;
  if (classifier?.of === of) return classifier;
  const [changes, kind] = of === 'texts' ? ['', 'Sequence'] : [" of: 'tokens',", 'Token'];
  const why = `has no head for classes of ${of}: model.clone({ head: 'classes',${changes} labels }) makes one to train`;
  const folders = `; or open a folder of BertFor${kind}Classification, or of a DistilBERT or RoBERTa with such a head`;
  throw new GlassformerError('config', 'model', Object(checkpoint?.config.architectures)[0], `${why}${folders}`);
}

/**
 * Whether its output head is one for classes.
 * @param {import('./config.js').Config} config
 * @param {readonly string[]} [labels]
 */
export const hasOwnClasses = ({ head, headPooler, headScale }, labels) =>
  head === 'linear' && !headScale && (headPooler !== 'none' || labels !== undefined);

/**
 * The head among a model's weights.
 * @param {import('./config.js').Config} config of such a model
 * @param {Map<string, FloatTensor>} weights
 * @param {readonly string[]} [names] of the classes
 * @returns {Classifier}
 */
export function ofWeights({ headPooler }, weights, names) {
  const tensor = (/** @type {string} */ name) => /** @type {FloatTensor} */ (weights.get(name));
  const out = tensor('generator.weight');
  const [count] = out.shape;
  const dense = () => ({ weight: tensor('transform.dense.weight'), bias: tensor('transform.dense.bias') });
  return {
    of: headPooler === 'none' ? 'tokens' : 'texts',
    activation: headPooler === 'none' ? undefined : headPooler,
    labels: [...(names ?? Array.from({ length: count }, (_, i) => `LABEL_${i}`))],
    scores: 'softmax',
    weights: {
      ...(headPooler !== 'none' && { dense: dense() }),
      out: { weight: out, bias: weights.get('generator.bias') ?? { data: new Float32Array(count), shape: [count] } },
    },
  };
}

/**
 * A head for classes in the place of a model's own.
 * @typedef {object} ClassesOptions
 * @property {'classes'} head of classes
 * @property {'texts' | 'tokens'} [of] default texts
 * @property {readonly string[]} [labels] names of the classes, 2 or more; default those that the model has
 * @property {number} [seed] of the weights that are drawn; default the model's
 */

/**
 * A head for spans in the place of a model's own.
 * @typedef {object} SpansOptions
 * @property {'spans'} head of spans
 * @property {number} [seed] of its weights; default the model's
 */

/** @type {import('../arrays/tensor.js').Reader<string>} */
const text = (value, name) => (typeof value === 'string' ? value : refuseType(name, value ?? null, 'a string'));

/** @type {import('../arrays/tensor.js').Reader<string[]>} */
export function labelsReader(value, name) {
  const labels = listOf(text, 'an array of names')(value, name);
  if (labels.length > 1) return labels;
  throw new GlassformerError('range', name, labels.length, 'must be 2 names or more');
}

/** The function of the pooler by families; of others as of BERT. @type {Record<string, 'relu' | undefined>} */
const POOLERS = { distilbert: 'relu', electra: undefined };

/**
 * A trainer of adapters, or of spans: see Model.trainer.
 * @param {import('./model.js').Model} model
 * @param {any} options
 */
export const adapted = (model, options) =>
  options.loss === 'spans' ? trainerOfSpans(model, options) : adaptedTrainer(model, options);

/**
 * A copy of an encoder with a head for classes, or for spans: see Model.clone.
 * @param {import('./model.js').Model} model
 * @param {Record<string, any>} changes
 * @returns {Promise<import('./model.js').Model>}
 */
export async function withClasses(model, { head, of: what, labels: given, seed, ...changes }) {
  if (head === 'spans') {
    const refused = Object.entries({ of: what, labels: given }).find(([, value]) => value !== undefined);
    if (refused) throw new GlassformerError('unknown', refused[0], refused[1], "is not for head: 'spans'");
    const { drawn, own } = spanHead(model, { seed, changes });
    return headed(model, drawn, () => own);
  }
  const handle = handleOf(model);
  const { config, checkpoint, texts } = handle;
  const of = choice(/** @type {const} */ (['texts', 'tokens']))(what ?? 'texts', 'of');
  const { classifier: itsOwn, family = 'bert' } = checkpoint ?? {};
  const classifier = itsOwn?.of === of ? itsOwn : undefined;
  if (config.kind !== 'encoder') {
    throw new GlassformerError('config', 'kind', config.kind, "head: 'classes' needs an encoder");
  }
  const isOwn = hasOwnClasses(config, texts.labels) && (config.headPooler === 'none') === (of === 'tokens');
  const known = (isOwn && texts.labels) || classifier?.labels;
  if (!given && !known) throw new GlassformerError('missing', 'labels', undefined, 'needed: names of the classes');
  const labels = given === undefined ? [.../** @type {string[]} */ (known)] : labelsReader(given, 'labels');
  const ofFamily = classifier?.activation ?? (family in POOLERS ? POOLERS[family] : 'tanh');
  const headPooler = of === 'tokens' ? 'none' : (changes.headPooler ?? ofFamily);
  if (!headPooler) {
    throw new GlassformerError('unsupported', 'head', 'classes', `the pooler of family ${family} is not computed here`);
  }
  const isOfFolder = !given && !isOwn;
  if (isOfFolder && classifier?.scores !== 'softmax') {
    const why = 'only classes of which each text has one (single_label_classification) are trained here';
    throw new GlassformerError('unsupported', 'config.problem_type', checkpoint?.config.problem_type, why);
  }
  const ofHead = { head: 'linear', headPooler, headBias: true, outputVocabulary: labels.length };
  const others = { headTransform: false, headScale: false, outputWidth: 0 };
  const drawn = { ...config, ...changes, ...others, ...ofHead, seed: seed ?? handle.seed };
  return headed(model, drawn, (copy) => headOf(model, copy, labels.length, isOwn, classifier), labels);
}

/**
 * A copy with another head, and all other weights.
 * @param {import('./model.js').Model} model
 * @param {any} settings
 * @param {(copy: import('./model.js').Model) => Map<string, FloatTensor>} weightsOf the head
 * @param {string[]} [labels]
 */
function headed(model, settings, weightsOf, labels) {
  const handle = handleOf(model);
  const { core, checkpoint, texts } = handle;
  const copy = new Model(core, settings, true);
  try {
    const own = weightsOf(copy);
    const to = handleOf(copy);
    for (const info of to.list()) {
      if (info.region !== 'weight') continue;
      const drawnHere = own.get(info.name);
      if (drawnHere) to.put(info, drawnHere.data);
      else {
        const from = handle.get(info.name);
        expectShape(from, info.shape, info.name);
        to.put(info, isPacked(from) ? readPacked(handle, from) : handle.lend(from));
      }
    }
    to.checkpoint = checkpoint && { ...checkpoint, classifier: undefined };
    to.texts = { ...texts, ...to.texts, labels };
  } catch (error) {
    copy.free();
    throw error;
  }
  return copy;
}

/**
 * The weights of the head: the model's own or those of its folder where they fit, else drawn from the seed.
 * @param {import('./model.js').Model} model
 * @param {import('./model.js').Model} copy
 * @param {number} count of classes
 * @param {boolean} isOwn the model's head is of the same kind
 * @param {Classifier} [classifier] of the same kind
 * @returns {Map<string, FloatTensor>}
 */
function headOf(model, { config, seed }, count, isOwn, classifier) {
  const { core, config: before } = handleOf(model);
  const isOfHead = (/** @type {[string, FloatTensor]} */ [name]) => /^(transform|generator)\./.test(name);
  const had = [...model.weights()].filter(isOfHead);
  const isSame = before.headPooler === config.headPooler && before.outputVocabulary === count;
  if (isOwn && isSame) return new Map(had);
  const { weights, labels = [], activation = 'none' } = classifier ?? {};
  if (weights && labels.length === count && activation === config.headPooler) {
    const { dense, out } = weights;
    const named = Object.entries({ ...(dense && { 'transform.dense': dense }), generator: out });
    return new Map(
      named.flatMap(([name, { weight, bias }]) => [
        [`${name}.weight`, weight],
        [`${name}.bias`, bias],
      ]),
    );
  }
  // Weights do not depend on which others there are: a model without layers draws the same.
  const { d_model, head, headPooler, headBias, outputVocabulary, initializerRange } = config;
  const ofHead = { head, headPooler, headBias, outputVocabulary, initializerRange, seed };
  const small = new Model(core, {
    kind: 'encoder',
    vocabulary: 1,
    positions: 'none',
    d_model,
    heads: 1,
    layers: 0,
    ...ofHead,
  });
  const drawn = [...small.weights()].filter(isOfHead);
  small.free();
  return new Map(drawn);
}

/** @typedef {import('./start.js').Core} Core */

/**
 * 1 / (1 + e^-x) and the rest to 1, by the core's exponential: the same bits everywhere.
 * @param {Core} core @param {FloatTensor} x @param {number} [scale] of x
 */
function shares(core, { data }, scale = 1) {
  const pairs = new Float32Array(2 * data.length);
  data.forEach((each, i) => (pairs[2 * i] = scale * each));
  return softmax(core, { data: pairs, shape: [data.length, 2] }).data;
}

/** @param {Core} core @param {FloatTensor} x */
function sigmoid(core, { data, shape }) {
  const parts = shares(core, { data, shape });
  return { data: data.map((_, i) => parts[2 * i]), shape };
}

/** @param {Core} core @param {FloatTensor} x */
function tanh(core, { data, shape }) {
  const parts = shares(core, { data, shape }, 2);
  return { data: data.map((_, i) => parts[2 * i] - parts[2 * i + 1]), shape };
}
