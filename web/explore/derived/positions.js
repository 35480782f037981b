// Compares positions by the dot products of their vectors.

import { asStack, tensorWith } from '../shared/graph.js';

/**
 * '@position-dots/stack': [T, T].
 * @param {import('../../engine/derived.js').Context} context
 * @param {string} stack
 */
export function positionDots({ gf, model }, stack) {
  const name = tensorWith(model, { node: 'positions', role: 'encoding', stack: asStack(stack) });
  if (name === null) return { absent: true };
  const x = /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor(name));
  return gf.matmul(x, x, { transposeB: true });
}
