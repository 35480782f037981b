// One LayerNorm or RMSNorm: its input, statistics, weights and output.

import { asStack, nodesOf } from '../shared/graph.js';

/**
 * `mean` and `variance` of a LayerNorm, `meanSquare` of an RMSNorm; `weight` and `bias` where it has them; `choices`:
 * the norms of this layer and the stack's final one.
 * @typedef {{
 *   title: string, place: number, choices: {place: number, title: string}[], before: Float32Array,
 *   after: Float32Array, mean: Float32Array | null, variance: Float32Array | null, meanSquare: Float32Array | null,
 *   weight: Float32Array | null, bias: Float32Array | null, epsilon: number, width: number,
 * }} Norm
 */

/**
 * '@norm/stack/layer/sublayer'; where the stack has no such one, another of that layer.
 * @param {import('../../engine/derived.js').Context} context
 * @param {string} stack
 * @param {string} layer
 * @param {string} sublayer 0 and 4: outside the layers
 * @returns {Norm | {absent: true}}
 */
export function norm({ model, isPart }, stack, layer, sublayer) {
  const nodes = nodesOf(model, isPart)[asStack(stack)] ?? [];
  const choices = nodes.filter((each) => each.kind === 'norm' && [null, Number(layer)].includes(each.layer));
  const node = choices.find((each) => each.sublayer === Number(sublayer)) ?? choices[0];
  if (!node?.tensor || !node.before) return { absent: true };
  const names = new Set(model.tensors().map(({ name }) => name));
  /** Two norms outside the layers differ in their name only. @param {string} role */
  const partOf = (role) => {
    const name = String(node.tensor).replace(/out$/, role);
    return names.has(name) ? copy(name) : null;
  };
  /** @param {string} name */
  const copy = (name) => /** @type {Float32Array} */ (model.tensor(name).data);
  const { norm: order, epsilon, d_model: width } = model.config;
  /** @param {import('../shared/graph.js').Node} each */
  const title = (each) =>
    each.layer === null
      ? each.sublayer
        ? 'Norm before the logits'
        : each.label.startsWith('Final')
          ? each.label
          : 'Norm of the embeddings'
      : `Layer ${each.layer + 1}, ${order === 'pre' ? 'before' : 'after'} ${each.name}` +
        (each.beside ? ', of the layer’s input' : '');
  return {
    title: title(node),
    place: node.sublayer,
    choices: choices.map((each) => ({ place: each.sublayer, title: title(each) })),
    before: copy(node.before),
    after: copy(node.tensor),
    mean: partOf('mean'),
    variance: partOf('variance'),
    meanSquare: partOf('mean_square'),
    weight: partOf('weight'),
    bias: partOf('bias'),
    epsilon,
    width,
  };
}
