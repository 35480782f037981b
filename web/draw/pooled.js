// Activations in few columns: of neighbouring neurons the value of largest magnitude.

/** @typedef {{columns: number, data: Float32Array}} Pooled [rows, columns] flat */

/**
 * Neighbouring columns as one where there are more than `most`.
 * @param {number} most @param {Float32Array} data [rows, columns] @param {number} columns
 * @returns {Pooled}
 */
export function pooledTo(most, data, columns) {
  if (columns <= most) return { columns, data };
  const largest = new Float32Array((data.length / columns) * most);
  for (let i = 0; i < data.length; i++) {
    const at = Math.floor(i / columns) * most + Math.floor(((i % columns) * most) / columns);
    if (Math.abs(data[i]) > Math.abs(largest[at])) largest[at] = data[i];
  }
  return { columns: most, data: largest };
}
