// What the model would answer at each place: the softmax of the logits, [1, T, V].

/** @type {import('../../engine/derived.js').LabFunction} */
export const probabilities = ({ gf, model }) =>
  gf.softmax({ x: /** @type {import('../../engine/worker.js').Tensor} */ (model.tensor('logits')) });
