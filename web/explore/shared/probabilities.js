// What the model would answer at each place: the softmax of the logits, [1, T, V].

/** @type {import('../../engine/derived.js').DerivedFunction} */
export const probabilities = ({ gf, model }) =>
  gf.softmax({ x: /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor('logits')) });
