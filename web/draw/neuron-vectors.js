// Reads the vectors of a neuron and of a token, from a model that holds a pass.

/**
 * The part of a model that it needs.
 * @typedef {{
 *   config: {d_model: number, d_ff: number},
 *   tensor: (name: any) => {data: any},
 *   tensors: () => readonly {name: string, node: unknown, stack: unknown, layer: unknown, role: unknown}[],
 *   graph: () => readonly {kind: string, stack: unknown, layer: unknown, tensor: string | null,
 *     inputs: readonly number[]}[],
 * }} Read
 */

/**
 * @param {Read} model
 * @param {{stack: 'encoder' | 'decoder', layer: number, row: number, neuron: number}} place
 * @returns {import('./neuron-why.js').NeuronVectors}
 */
export function neuronVectors(model, { stack, layer, row, neuron }) {
  const { d_model: width, d_ff: count } = model.config;
  const graph = model.graph();
  const node = graph.find((each) => each.kind === 'ffn' && each.stack === stack && each.layer === layer && each.tensor);
  const input = /** @type {Float32Array} */ (model.tensor(node && graph[node.inputs[0]].tensor).data);
  /** @param {'linear1_weight' | 'linear3_weight' | 'linear1_bias' | 'linear3_bias' | 'linear2_weight'} role */
  function weights(role) {
    const found = model
      .tensors()
      .findLast((each) => each.node === 'ffn' && each.stack === stack && each.layer === layer && each.role === role);
    return found ? /** @type {Float32Array} */ (model.tensor(found.name).data) : null;
  }
  /** @param {Float32Array} data @param {number} at */
  const rowOf = (data, at) => data.slice(at * width, (at + 1) * width);
  const value = /** @type {Float32Array} */ (weights('linear2_weight'));
  const up = weights('linear3_weight');
  return {
    x: rowOf(input, row),
    key: rowOf(/** @type {Float32Array} */ (weights('linear1_weight')), neuron),
    bias: weights('linear1_bias')?.[neuron] ?? 0,
    up: up && rowOf(up, neuron),
    upBias: weights('linear3_bias')?.[neuron] ?? 0,
    value: Float32Array.from({ length: width }, (_, d) => value[d * count + neuron]),
  };
}
