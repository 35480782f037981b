// A small model that says what each pronoun of creek's sentences stands for, and what its units detect.
import { IGNORE, creek, placeLabels } from 'glassformer/tasks';
import { randomOf } from './numbers.js';
import { range } from './picture.js';
import { recipeOf, train, trained } from './train.js';

/** @typedef {import('glassformer').Engine} Engine */
/** @typedef {import('glassformer').Model} Model */
/** @typedef {import('./numbers.js').Tensor} Tensor */
/** @typedef {ReturnType<typeof creek.pool>[number]} Sentence */
/** @typedef {import('glassformer/features').Detector} Detector */

const BATCH = 32;
const [PAD, MASK] = creek.vocabulary.ids(['[PAD]', '[MASK]']);
/** Stands for a word that the model is not to see; training has none. */
export const hiddenWord = MASK;

/** @param {Sentence} sentence */
const hasPronoun = ({ tokens }) => tokens.some(({ role }) => role === 'pronoun');
/** @param {Sentence} sentence */
const idsOf = ({ tokens }) => creek.vocabulary.ids(tokens.map(({ word }) => word));
/** The word that each pronoun stands for; nothing of other words. @param {Sentence} sentence */
const answersOf = ({ tokens }) =>
  tokens.map(({ role, link }) => (role === 'pronoun' ? creek.vocabulary.id(tokens[link].word) : IGNORE));

/** Drawn once. @type {{pool?: Sentence[], unseen?: Sentence[]}} */
const drawn = {};

/** @param {number} count of sentences that no model is trained on */
export function unseen(count) {
  drawn.unseen ??= creek.heldOut(0).sentences;
  const sentences = drawn.unseen.slice(0, count);
  return { sentences, ids: sentences.map(idsOf), labels: placeLabels(sentences) };
}

/** @param {readonly Sentence[]} sentences @returns {any} */
export function batchOf(sentences) {
  const length = sentences.reduce((most, { tokens }) => Math.max(most, tokens.length), 0);
  const shape = [sentences.length, length];
  /** @param {(sentence: Sentence) => number[]} of @param {number} rest */
  const filled = (of, rest) => ({
    data: Int32Array.from(
      sentences.flatMap((sentence) => {
        const own = of(sentence);
        return range(length).map((at) => own[at] ?? rest);
      }),
    ),
    shape,
  });
  const padding = sentences.flatMap(({ tokens }) => range(length).map((at) => Number(at >= tokens.length)));
  return {
    ids: filled(idsOf, PAD),
    labels: filled(answersOf, IGNORE),
    padding: { data: Uint8Array.from(padding), shape },
  };
}

/** @param {{width: number, neurons: number, seed: number}} of @returns {any} */
const configOf = ({ width, neurons, seed }) => ({
  ...creek.config,
  ...{ layers: 2, d_model: width, d_ff: neurons, norm: 'pre', finalNorm: true, seed },
});

/**
 * A model for who frees it: two layers that have learned it, or that are as they begin.
 * @param {Engine} gf
 * @param {{width: number, neurons: number, learningRate: number, steps: number, seed: number, isTrained?: boolean}} of
 * @param {() => Promise<void>} step
 * @returns {Promise<Model>}
 */
export const learnPronouns = (gf, { learningRate, steps, isTrained = true, ...of }, step) =>
  trained(gf, configOf(of), async (model) => {
    if (!isTrained) return;
    drawn.pool ??= creek.pool(0).filter(hasPronoun);
    const { pool } = drawn;
    const random = randomOf(of.seed, 'pronouns');
    const next = () => batchOf(range(BATCH).map(() => random.choose(pool)));
    await train(model.trainer(recipeOf(learningRate, steps)), next, steps, step);
  });

/** The activations of a layer's neurons. @param {number} layer from 1 */
export const neuronsAt = (layer) => `encoder.layers.${layer - 1}.ffn.activation`;

/**
 * The rows of a tensor at each word of each sentence, one after the other.
 * @param {Model} model
 * @param {string} at its name
 * @param {readonly number[][]} ids
 * @returns {Tensor}
 */
export function rowsAt(model, at, ids) {
  const parts = ids.map((each) => /** @type {Tensor} */ (model.trace({ ids: each, capture: [at] }).tensor(at)));
  const width = /** @type {number} */ (parts[0].shape.at(-1));
  const data = new Float32Array(parts.reduce((sum, part) => sum + part.data.length, 0));
  let filled = 0;
  for (const part of parts) {
    data.set(part.data, filled);
    filled += part.data.length;
  }
  return { data, shape: [data.length / width, width] };
}

/**
 * Trains a dictionary of features, of which each step is one of the run.
 * @param {Model} model
 * @param {Omit<import('glassformer/features').TrainFeaturesOptions, 'onProgress'>} options
 * @param {() => Promise<void>} step
 */
export async function dictionaryOf(model, options, step) {
  const { trainFeatures } = await import('glassformer/features');
  return trainFeatures(model, { ...options, onProgress: step });
}

/**
 * The label that each unit detects best.
 * @param {Tensor} rows at the words of a corpus
 * @param {readonly (readonly string[])[]} labels
 * @param {import('glassformer/features').Places} places of the corpus
 */
export const detectorsOf = async (rows, labels, places) =>
  (await import('glassformer/features')).detectors(rows, labels, places);

/**
 * F1 of the label that each unit detects best, counted on held-out sentences.
 * @param {readonly (Detector | undefined)[]} detectors
 * @param {(unit: number) => boolean} [counts] whether it is one
 */
export const scoresOf = (detectors, counts = () => true) =>
  detectors.flatMap((each, unit) => (each && counts(unit) ? [each.f1] : []));
