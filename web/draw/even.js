// Whether the weights of a row are even.

const EVEN = 1.25; // times the smallest

/** @param {readonly number[]} weights of the keys that the mask leaves */
export const isEven = (weights) => weights.length > 1 && Math.max(...weights) <= EVEN * Math.min(...weights);
