import { isArray } from '../../arrays/arrays.js';

/** @typedef {import('../../engine/classify.js').Classifier} Classifier */

/** Endings of model classes with a head for classes. @type {Record<Classifier['of'], string>} */
const SUFFIXES = {
  texts: 'ForSequenceClassification',
  tokens: 'ForTokenClassification',
  spans: 'ForQuestionAnswering',
};
/** The function from logits to scores for each problem_type of a BERT. */
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
function architectureOf({ architectures }) {
  const [first] = isArray(architectures) ? architectures : [];
  return typeof first === 'string' ? first : '';
}

/**
 * The reverse: the class of a model with or without heads.
 * @param {import('./read.js').Family} family
 * @param {boolean} hasHead
 * @param {Classifier} [classifier]
 */
export function architectureFor({ classes: [body, whole] }, hasHead, classifier) {
  return classifier ? body.replace('Model', SUFFIXES[classifier.of]) : hasHead ? whole : body;
}

/**
 * The names of a head for classes in the files of a family.
 * @param {import('./read.js').Family} family an encoder
 * @param {Classifier['of']} of
 * @returns {{dense?: string, out: string} | undefined} undefined: the family has none here
 */
export const headNames = ({ classifier }, of) =>
  of === 'texts' ? classifier : { out: of === 'spans' ? 'qa_outputs' : 'classifier' };

/** Whether a family has heads for classes here. @param {import('./read.js').Family} family */
export const hasClasses = (family) => 'classifier' in family;

/**
 * The head for classes of texts, still without numbers, and what a reader may want to know of its labels.
 * @param {import('./read.js').ModelConfig} config
 * @param {import('./read.js').Family} family
 * @param {(name: string) => readonly number[] | undefined} shapeOf a tensor of the file
 * @param {number} width of the model's vectors
 * @returns {{classifier?: Classifier, notes: string[]}} no classifier where config.json or the file has no such head
 */
export function classifierOf(config, family, shapeOf, width) {
  const [of = 'texts'] = /** @type {const} */ (['tokens', 'spans']).filter((each) =>
    architectureOf(config).endsWith(SUFFIXES[each]),
  );
  const names = hasClasses(family) && architectureOf(config).endsWith(SUFFIXES[of]) && headNames(family, of);
  if (!names) return { notes: [] };
  const { dense: hidden, out } = names;
  const all = [...(hidden ? [hidden] : []), out].flatMap((name) => [
    shapeOf(`${name}.weight`),
    shapeOf(`${name}.bias`),
  ]);
  if (all.includes(undefined)) return { notes: [] };
  const classes = Number(shapeOf(`${out}.weight`)?.[0]);
  const tensor = (/** @type {number[]} */ ...shape) => ({
    data: new Float32Array(shape.reduce((product, size) => product * size, 1)),
    shape,
  });
  const isSpans = of === 'spans';
  if (isSpans && classes !== 2) return { notes: [] };
  const { labels, notes } = isSpans ? { labels: ['start', 'end'], notes: [] } : labelsOf(config, classes);
  const dense = { weight: tensor(width, width), bias: tensor(width) };
  /** @type {Classifier} */
  const classifier = {
    of,
    activation: of === 'texts' ? family.classifier?.activation : undefined,
    labels,
    scores: of === 'texts' ? scoresOf(config, classes) : 'softmax',
    weights: { ...(hidden && { dense }), out: { weight: tensor(classes, width), bias: tensor(classes) } },
  };
  if (isSpans) return { classifier, notes: ['its head finds answers: model.answer(question, text)'] };
  const call = of === 'tokens' ? 'classifyTokens' : 'classify';
  return { classifier, notes: [`its head has ${classes} classes: model.${call}(texts)`, ...notes] };
}

/**
 * Labels are for the reader alone: numbers identify the classes.
 * @param {import('./read.js').ModelConfig} config
 * @param {number} count
 */
function labelsOf({ id2label: named }, count) {
  const given = /** @type {Record<string, unknown>} */ (typeof named === 'object' && named ? named : {});
  const isLabel = (/** @type {number} */ i) => /^(string|number|boolean)$/.test(typeof given[i]);
  const labels = Array.from({ length: count }, (_, i) => (isLabel(i) ? String(given[i]) : `LABEL_${i}`));
  const known = labels.filter((_, i) => isLabel(i)).length;
  const listed = Object.keys(given).length;
  const distinct = new Set(labels).size;
  return {
    labels,
    notes: [
      ...(named && known < count ? [`id2label names ${known} of them; the others are called LABEL_ and number`] : []),
      ...(listed > count ? [`id2label lists ${listed} classes: those from ${count} on are not used`] : []),
      ...(distinct < count ? ['some classes have the same name: index tells them apart'] : []),
    ],
  };
}

/**
 * @param {import('./read.js').ModelConfig} config
 * @param {number} count
 * @returns {Classifier['scores']} undefined: config.json names a problem that classify does not know
 */
function scoresOf({ problem_type: problem }, count) {
  if (!problem) return count > 1 ? 'softmax' : 'sigmoid';
  if (typeof problem !== 'string' || !Object.hasOwn(SCORES, problem)) return undefined;
  return SCORES[/** @type {keyof typeof SCORES} */ (problem)];
}
