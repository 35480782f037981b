// Reads a model's answer at one row: from all rows, or in a long text from that row alone.

import { rowName } from '../../engine/part.js';
import { PROBABILITIES } from '../../engine/plan.js';

/** @typedef {Pick<import('../../engine/results.js').Result, 'tensors' | 'derived'>} Result */

/**
 * '@answer-row/' and the row, after a pass without logits.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function answerRow({ gf, model }, row) {
  const logits = model.logitsAt(Number(row));
  return { logits: logits.data, probabilities: gf.softmax(logits).data };
}

/** @param {import('../../engine/protocol.js').Tensor | undefined} tensor [1, rows, words] @param {number} row */
const rowOf = (tensor, row) => {
  const width = tensor?.shape.at(-1) ?? 0;
  return tensor?.data.subarray(row * width, (row + 1) * width);
};

/**
 * undefined: they are not here yet.
 * @param {Result} result @param {number} row
 * @returns {Float32Array | undefined}
 */
export const probabilitiesOfRow = ({ derived }, row) =>
  rowOf(derived.get(PROBABILITIES), row) ?? derived.get(rowName(row))?.probabilities;

/**
 * undefined: they are not here yet.
 * @param {Result} result @param {number} row
 * @returns {Float32Array | undefined}
 */
export const logitsOfRow = ({ tensors, derived }, row) =>
  rowOf(tensors.get('logits'), row) ?? derived.get(rowName(row))?.logits;

/**
 * The answer at each place: the softmax of the logits, [1, T, V]. As the pass computed them: of a text that goes on,
 * of the new words alone.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export const probabilities = ({ model }) =>
  /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor('probabilities'));

/**
 * Those of one row alone.
 * @param {import('glassformer').Engine} gf
 * @param {import('../../engine/protocol.js').Tensor | undefined} logits [1, rows, words]
 * @param {number} row
 */
export function probabilitiesAt(gf, logits, row) {
  const { data, shape } = /** @type {import('../../engine/protocol.js').Tensor} */ (logits);
  const width = shape[2];
  return gf.softmax({ data: data.slice(row * width, (row + 1) * width), shape: [1, width] }).data;
}
