// The softmax of a row of scores, where an intervention may have put other weights.

/**
 * The weight that the softmax gave a key, if an intervention set another one; else undefined.
 * @param {{masked: Float32Array, weights: Float32Array}} row scores after the mask, and weights
 * @returns {(column: number) => number | undefined}
 */
export function replacedIn({ masked, weights }) {
  const most = masked.reduce((so, each) => Math.max(so, each), -Infinity);
  const exps = Array.from(masked, (each) => (each === -Infinity ? 0 : Math.exp(each - most)));
  const total = exps.reduce((so, each) => so + each, 0);
  return (column) => {
    const computed = exps[column] / total;
    return total > 0 && Math.abs(computed - weights[column]) > 1e-3 ? computed : undefined;
  };
}
