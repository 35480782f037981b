// The mean of a layer's heads, made once for each layer's data.

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
