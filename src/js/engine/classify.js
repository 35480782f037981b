// Classes of texts. Fetched when it is first used.
import { embed } from './embed.js';
import { GlassformerError } from '../errors.js';
import { handleOf } from './model.js';
import { linear, relu, softmax } from './ops.js';
import { namedInput } from './named.js';
import { any, readOptions } from '../arrays/tensor.js';

/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */
/** @typedef {{weight: FloatTensor, bias: FloatTensor}} Linear weight [out, in] */

/**
 * The head of a checkpoint that was trained on classes of texts.
 * @typedef {object} Classifier
 * @property {'tanh' | 'relu'} activation between its two linear maps
 * @property {string[]} labels of the classes
 * @property {'softmax' | 'sigmoid' | 'none' | undefined} scores the function from the logits to them; undefined:
 *   config.json asks for another one
 * @property {{dense: Linear, out: Linear}} weights
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
  const { core, checkpoint } = handleOf(model);
  const { classifier, config } = checkpoint ?? {};
  if (!classifier) {
    const why =
      'has no head for classes of texts: open a folder of BertForSequenceClassification, or of a DistilBERT or';
    throw new GlassformerError('config', 'model', Object(config?.architectures)[0], `${why} RoBERTa with such a head`);
  }
  const { labels, scores, weights } = classifier;
  if (!scores) {
    const known = 'regression, single_label_classification, multi_label_classification';
    throw new GlassformerError('unsupported', 'config.problem_type', config?.problem_type, `must be one of ${known}`);
  }
  const names = ['ids', 'typeIds', 'padding', 'maxOperations', 'signal', 'truncation', 'maxLength'];
  const readers = Object.fromEntries(names.map((name) => [name, any]));
  const given = readOptions(namedInput(handleOf(model), rows, options, true), readers);
  const first = embed(model, given, { pooling: 'first' });
  const hidden = linear(core, first, weights.dense.weight, weights.dense.bias);
  const active = classifier.activation === 'relu' ? relu(core, hidden) : tanh(core, hidden);
  const logits = linear(core, active, weights.out.weight, weights.out.bias);
  const { data } = { none: () => logits, softmax: () => softmax(core, logits), sigmoid: () => sigmoid(core, logits) }[
    scores
  ]();
  const keys = new Set(labels).size === labels.length ? labels : Object.keys(labels);
  return Array.from({ length: first.shape[0] }, (_, row) => {
    const own = Array.from(data.subarray(row * labels.length, (row + 1) * labels.length));
    const index = own.reduce((best, each, i) => (each > own[best] ? i : best), 0);
    const byKey = Object.fromEntries(own.map((each, i) => [keys[i], each]));
    return { label: labels[index], index, score: own[index], scores: byKey };
  });
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
