import { isArray } from '../../arrays/arrays.js';
import { isObject } from '../../arrays/tensor.js';
import { refuse } from './read.js';

/** @typedef {import('../../engine/classify.js').Classifier} Classifier */

const SUFFIX = 'ForSequenceClassification';
/** What a BERT has for problem_type: how logits become scores. */
const SCORES = /** @type {const} */ ({
  regression: 'none',
  single_label_classification: 'softmax',
  multi_label_classification: 'sigmoid',
});

/**
 * The model class of Hugging Face that a config.json names.
 * @param {import('./read.js').ModelConfig} config
 * @returns {string} '' where it names none
 */
export function architectureOf({ architectures }) {
  const [first] = isArray(architectures) ? architectures : [];
  return typeof first === 'string' ? first : '';
}

/**
 * The reverse: the class of a model with or without heads.
 * @param {import('./read.js').Family} family
 * @param {boolean} hasHead
 * @param {boolean} hasClasses
 */
export function architectureFor({ classes: [body, whole] }, hasHead, hasClasses) {
  return hasClasses ? body.replace('Model', SUFFIX) : hasHead ? whole : body;
}

/**
 * The head for classes of texts, still without numbers.
 * @param {import('./read.js').ModelConfig} config
 * @param {import('./read.js').Family} family
 * @param {(name: string) => readonly number[] | undefined} shapeOf a tensor of the file
 * @param {number} width of the model's vectors
 * @returns {Classifier | undefined} undefined where config.json or the file has no such head
 */
export function classifierOf(config, { classifier: names }, shapeOf, width) {
  if (!names || !architectureOf(config).endsWith(SUFFIX)) return undefined;
  const all = [names.dense, names.out].flatMap((name) => [shapeOf(`${name}.weight`), shapeOf(`${name}.bias`)]);
  if (all.includes(undefined)) return undefined;
  const classes = Number(all[2]?.[0]);
  const tensor = (/** @type {number[]} */ ...shape) => ({
    data: new Float32Array(shape.reduce((product, size) => product * size, 1)),
    shape,
  });
  return {
    activation: names.activation,
    ...classesOf(config, classes),
    weights: {
      dense: { weight: tensor(width, width), bias: tensor(width) },
      out: { weight: tensor(classes, width), bias: tensor(classes) },
    },
  };
}

/**
 * @param {import('./read.js').ModelConfig} config
 * @param {number} count
 * @returns {Pick<Classifier, 'labels' | 'scores'>}
 */
function classesOf({ id2label: named, problem_type: problem }, count) {
  const labels = Array.from({ length: count }, (_, i) => (named ? Object(named)[i] : `LABEL_${i}`));
  const isNamed = new Set(labels).size === count && labels.every((label) => typeof label === 'string');
  if (!isNamed || (named && (!isObject(named) || Object.keys(named).length !== count))) {
    refuse('id2label', named, `must name each of ${count} classes`);
  }
  if (!problem) return { labels, scores: count > 1 ? 'softmax' : 'sigmoid' };
  if (typeof problem !== 'string' || !Object.hasOwn(SCORES, problem)) {
    return refuse('problem_type', problem, `must be one of ${Object.keys(SCORES).join(', ')}`);
  }
  return { labels, scores: SCORES[/** @type {keyof typeof SCORES} */ (problem)] };
}
