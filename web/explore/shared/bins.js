// The histogram of a neuron's activations.

/** Bins, each √2 times as wide as the one below; the first begins at 1/64, and has all that is less. */
export const BINS = 24;

/** @param {number} value above 0 */
export const binOf = (value) => Math.max(0, Math.min(BINS - 1, Math.floor(2 * Math.log2(value)) + BINS / 2));
