// The weights that the large map can show: those of the selected head, or the mean of its layer; whether they are even.

import { attentionName } from '../../engine/plan.js';
import { selectedIn } from './words.js';

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../../app/schema.js').State} state
 * @returns {(ReturnType<typeof selectedIn> & {data: Float32Array}) | undefined} undefined: not here yet
 */
export function weightsAt(result, state) {
  const place = selectedIn(result, state);
  const {
    selection: { layer, head, mean },
    kind,
    rowWords,
    columnWords,
  } = place;
  const tensor = result.tensors.get(attentionName(kind, layer, 'weights'));
  const size = rowWords.length * columnWords.length;
  return (
    tensor && {
      ...place,
      data: mean ? meanOfHeads(tensor.data, size) : tensor.data.subarray(head * size, (head + 1) * size),
    }
  );
}

/** @type {WeakMap<Float32Array, Float32Array>} */
const made = new WeakMap();

/**
 * @param {Float32Array} data [heads, size], all heads of a layer
 * @param {number} size cells of one head
 */
export function meanOfHeads(data, size) {
  const known = made.get(data);
  if (known) return known;
  const heads = data.length / size;
  const mean = Float32Array.from({ length: size }, (_, cell) => {
    let sum = 0;
    for (let head = 0; head < heads; head++) sum += data[head * size + cell];
    return sum / heads;
  });
  made.set(data, mean);
  return mean;
}

const EVEN = 1.25; // times the smallest

/** @param {readonly number[]} weights of the keys that the mask leaves */
export const isEven = (weights) => weights.length > 1 && Math.max(...weights) <= EVEN * Math.min(...weights);
