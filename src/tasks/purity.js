import { GlassformerError } from '../js/errors.js';
import { integer } from './check.js';
import { groupOf } from './lexicon.js';

/** @typedef {import('./creek-grammar.js').Sentence} Sentence */
/** @typedef {import('./random.js').Random} Random */
/** @typedef {import('./scores.js').Tensor} Tensor */

/**
 * The kind of places at which a neuron fires.
 * @typedef {object} NeuronScore
 * @property {number} neuron from 0
 * @property {string} label the commonest among its strongest places
 * @property {number} purity share of the strongest places that bear it
 * @property {number} f1 of the detector `activation > half of the largest` for that label
 * @property {number[]} strongest places, from the strongest on
 */

/**
 * The labels of every word of some sentences, one after the other: the word itself; the class of a
 * noun, adjective or verb; the number of a noun; that it is a pronoun, and the class and number of
 * what it stands for.
 * @param {readonly Sentence[]} sentences
 * @returns {string[][]}
 * @example
 * import { creek, placeLabels } from 'glassformer/tasks';
 * placeLabels(creek.heldOut(1).sentences).length > 1000; // → true
 */
export function placeLabels(sentences) {
  return sentences.flatMap(({ tokens }) =>
    tokens.map(({ word, role, kind, plural }) => {
      const labels = [`word ${word}`];
      if (!kind) return labels;
      const number = plural ? 'plural' : 'singular';
      if (role === 'noun') labels.push(`${kind} noun`, `${number} noun`);
      if (role === 'adjective' || role === 'predicate') labels.push(`${groupOf(kind)} adjective`);
      if (role === 'verb') labels.push(`${groupOf(kind)} verb`);
      if (role === 'pronoun') labels.push('pronoun', `pronoun for ${kind}`, `pronoun for ${number}`);
      return labels;
    }),
  );
}

/**
 * Measures how much the places at which a neuron fires most are of one kind.
 * @param {Tensor} activations [places, neurons]
 * @param {readonly (readonly string[])[]} labels of each place
 * @param {number} [count] how many places are the strongest
 * @returns {NeuronScore[]}
 * @example
 * import { neuronPurity } from 'glassformer/tasks';
 * const activations = { data: [3, 0, 2, 0, 0, 1], shape: [3, 2] }; // of two neurons at three places
 * const [first] = neuronPurity(activations, [['noun'], ['noun'], ['verb']], 2);
 * first.label; // → 'noun'
 * first.purity; // → 1
 */
export function neuronPurity(activations, labels, count = 40) {
  const [places, neurons] = activations.shape;
  if (activations.shape.length !== 2 || places !== labels.length) {
    throw new GlassformerError(
      'shape',
      'activations',
      activations.shape,
      `must have shape [${labels.length}, neurons]`,
    );
  }
  integer(count, 1, places, 'count');
  return Array.from({ length: neurons }, (_, neuron) => {
    const values = Float64Array.from({ length: places }, (__, place) => activations.data[place * neurons + neuron]);
    const strongest = [...values.keys()].sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
    const { label, share: purity } = commonest(strongest, labels);
    return { neuron, label, purity, f1: detectorF1(values, values[strongest[0]] / 2, label, labels), strongest };
  });
}

/**
 * The purity of places that no neuron chose: what `neuronPurity` must beat.
 * @param {readonly (readonly string[])[]} labels
 * @param {Random} random
 * @param {number} [count]
 * @returns {number}
 * @example
 * import { Random, randomPurity } from 'glassformer/tasks';
 * randomPurity([['noun'], ['noun']], new Random(1), 2); // → 1
 */
export function randomPurity(labels, random, count = 40) {
  return commonest(random.shuffle([...labels.keys()]).slice(0, count), labels).share;
}

/**
 * @param {readonly number[]} places
 * @param {readonly (readonly string[])[]} labels
 * @returns {{label: string, share: number}} the first of equally common ones
 */
function commonest(places, labels) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const place of places) for (const label of labels[place]) counts.set(label, (counts.get(label) ?? 0) + 1);
  const [label, most] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best));
  return { label, share: most / places.length };
}

/**
 * @param {Float64Array} values
 * @param {number} threshold
 * @param {string} label
 * @param {readonly (readonly string[])[]} labels
 * @returns {number} harmonic mean of precision and recall
 */
function detectorF1(values, threshold, label, labels) {
  let both = 0;
  let fired = 0;
  let labelled = 0;
  values.forEach((value, place) => {
    const fires = value > threshold;
    const has = labels[place].includes(label);
    both += Number(fires && has);
    fired += Number(fires);
    labelled += Number(has);
  });
  return (2 * both) / (fired + labelled);
}

/**
 * The words that a neuron's value vector speaks for most: the largest E_w . W2[:, neuron].
 * @param {Tensor} embedding [V,C]
 * @param {Tensor} linear2 [C,F]
 * @param {number} neuron
 * @param {number} [count]
 * @returns {number[]} ids
 * @example
 * import { valueWords } from 'glassformer/tasks';
 * const embedding = { data: [1, 0, 0, 1, -1, 0], shape: [3, 2] };
 * valueWords(embedding, { data: [2, 0], shape: [2, 1] }, 0, 2); // → [0, 1]
 */
export function valueWords(embedding, linear2, neuron, count = 5) {
  const [vocabulary, width] = embedding.shape;
  const [rows, neurons] = linear2.shape;
  if (rows !== width) throw new GlassformerError('shape', 'linear2', linear2.shape, `must have shape [${width}, F]`);
  integer(neuron, 0, neurons - 1, 'neuron');
  const scores = Array.from({ length: vocabulary }, (_, id) => {
    let score = 0;
    for (let c = 0; c < width; c++) score += embedding.data[id * width + c] * linear2.data[c * neurons + neuron];
    return score;
  });
  return [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b).slice(0, count);
}
