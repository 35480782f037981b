// The activations of an FFN in little space: a pixel for each column at each token.

import { paintMatrix } from './canvas.js';
import { positiveScale, roundLimit, signedScale } from './color.js';

/**
 * By the root, so that one large value does not bleach the others.
 * @param {HTMLCanvasElement} canvas
 * @param {{columns: number, data: Float32Array}} shown [tokens, columns] flat
 * @param {import('./color.js').Scheme} scheme
 */
export function paintNeurons(canvas, { columns, data }, scheme) {
  const scaleOf = data.some((value) => value < 0) ? signedScale : positiveScale;
  const scale = scaleOf(scheme, roundLimit(data), true);
  paintMatrix(canvas, { rows: data.length / columns, columns, data, scheme, scale });
}
