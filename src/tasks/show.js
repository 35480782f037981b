import { IGNORE, sourceOf } from './batch.js';
import { answersOf } from './scores.js';

/** @typedef {import('./batch.js').Batch} Batch */
/** @typedef {import('./scores.js').Prediction} Prediction */
/** @typedef {import('./vocabulary.js').Vocabulary} Vocabulary */

/**
 * One row of a batch, for people: a word for each place, padding left out.
 * @typedef {object} Shown
 * @property {string[]} words what the model reads
 * @property {(string | null)[]} labels what is right there, null where nothing is asked
 * @property {string[]} [predicted] the likeliest word of each place; with a prediction
 * @property {(boolean | null)[]} [right] whether it is the target, null where nothing is asked; with a prediction
 */

/**
 * @param {Vocabulary} vocabulary
 * @param {Batch | import('./batch.js').PairBatch} batch
 * @param {number} row
 * @param {Prediction} [prediction]
 * @param {Vocabulary} [outputs] of the labels, where they have one of their own
 * @returns {Shown}
 */
export function showRow(vocabulary, batch, row, prediction, outputs = vocabulary) {
  const { ids, padding } = sourceOf(batch);
  const width = ids.shape[1];
  const start = row * width;
  const places = Array.from({ length: width }, (_, at) => start + at).filter((at) => !padding?.data[at]);
  const word = (/** @type {number} */ id) => vocabulary.token(id);
  const { data } = batch.labels;
  const shown = {
    words: places.map((at) => word(ids.data[at])),
    labels: places.map((at) => (data[at] === IGNORE ? null : outputs.token(data[at]))),
  };
  if (!prediction) return shown;
  const answers = answersOf(prediction, batch);
  return {
    ...shown,
    predicted: places.map((at) => outputs.token(answers[at])),
    right: places.map((at) => (data[at] === IGNORE ? null : answers[at] === data[at])),
  };
}
