// One LayerNorm: what it reads, knows and hands on.

import { asStack, nodesOf, tensorWith } from '../shared/graph.js';

/**
 * `weight` and `bias` where it has them; `choices`: the norms of this layer and the stack's final one.
 * @typedef {{
 *   title: string, place: number, choices: {place: number, title: string}[], before: Float32Array,
 *   after: Float32Array, mean: Float32Array, variance: Float32Array,
 *   weight: Float32Array | null, bias: Float32Array | null, epsilon: number, width: number,
 * }} Norm
 */

/**
 * '@norm/stack/layer/sublayer'; where the stack has no such one, another of that layer.
 * @param {import('../../engine/derived.js').Context} context
 * @param {string} stack
 * @param {string} layer
 * @param {string} sublayer 0: the final norm
 * @returns {Norm | {absent: true}}
 */
export function norm({ model, isPart }, stack, layer, sublayer) {
  const nodes = nodesOf(model, isPart)[asStack(stack)] ?? [];
  const choices = nodes.filter((each) => each.kind === 'norm' && [null, Number(layer)].includes(each.layer));
  const node = choices.find((each) => each.sublayer === Number(sublayer)) ?? choices[0];
  if (!node?.tensor || !node.before) return { absent: true };
  const place = { node: /** @type {const} */ ('norm'), layer: node.layer, sublayer: node.sublayer || null };
  /** @param {'mean' | 'variance' | 'weight' | 'bias'} role */
  const partOf = (role) => {
    const name = tensorWith(model, { ...place, role, stack: asStack(stack) });
    return name === null ? null : copy(name);
  };
  /** @param {string} name */
  const copy = (name) => /** @type {Float32Array} */ (model.tensor(name).data);
  const { norm: order, epsilon, d_model: width } = model.config;
  /** @param {import('../shared/graph.js').Node} each */
  const title = (each) =>
    each.layer === null
      ? each.label === 'Final norm'
        ? each.label
        : 'Norm of the embeddings'
      : `Layer ${each.layer + 1}, ${order === 'pre' ? 'before' : 'after'} ${each.name}`;
  return {
    title: title(node),
    place: node.sublayer,
    choices: choices.map((each) => ({ place: each.sublayer, title: title(each) })),
    before: copy(node.before),
    after: copy(node.tensor),
    mean: /** @type {Float32Array} */ (partOf('mean')),
    variance: /** @type {Float32Array} */ (partOf('variance')),
    weight: partOf('weight'),
    bias: partOf('bias'),
    epsilon,
    width,
  };
}
