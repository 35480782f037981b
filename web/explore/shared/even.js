// Whether weights are spread evenly: sentences about the largest then say so.

const EVEN = 1.25; // times the smallest

/** @param {readonly number[]} weights of the keys that the mask leaves */
export const isEven = (weights) => weights.length > 1 && Math.max(...weights) <= EVEN * Math.min(...weights);
