// Computes the answer at each place: the softmax of the logits, [1, T, V].

/**
 * As the pass computed them: of a text that goes on, of the new words alone.
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
