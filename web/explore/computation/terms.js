// What follows from the tensors of one weight.

/** @typedef {import('./view.js').ComputationData} ComputationData */

/** @param {Pick<ComputationData, 'query' | 'key'>} data */
export const termsOf = ({ query, key }) => Float32Array.from(query, (q, d) => q * key[d]);

/** @param {Pick<ComputationData, 'value' | 'weights' | 'column'>} data */
export const weightedOf = ({ value, weights, column }) => Float32Array.from(value, (v) => v * weights[column]);

/**
 * The softmax of the row; `weight` is its result, also where an intervention set another.
 * @param {Pick<ComputationData, 'masked' | 'weights' | 'column'>} data
 */
export function softmaxOf({ masked, weights, column }) {
  const most = masked.reduce((so, each) => Math.max(so, each), -Infinity);
  const exps = Array.from(masked, (each) => (each === -Infinity ? 0 : Math.exp(each - most)));
  const total = exps.reduce((so, each) => so + each, 0);
  const computed = exps[column] / total;
  const isSet = total > 0 && Math.abs(computed - weights[column]) > 1e-3;
  return { exps, total, isSet, weight: isSet ? computed : weights[column] };
}
