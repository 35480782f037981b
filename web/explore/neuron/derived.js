// What a layer's neurons add to the stream, and which of them are alike.

import { asStack, outputOf, tensorWith } from '../shared/graph.js';
import { chain } from '../shared/order.js';

/** More neurons than these are not compared with each other; the weakest come last. */
const MOST = 1024;

/**
 * `norms`: length of each neuron's column of linear2; `words`: [d_ff, V], what that column gives
 * each output word through the last norm's `gain`, if there is one, and the output table. null: no
 * way leads there.
 * @typedef {{norms: Float32Array, words: import('../../engine/protocol.js').Tensor | null, gain: boolean}}
 *   NeuronsAnswer
 */

/**
 * '@neurons/encoder/1'
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function neurons({ gf, model }, stack, layer) {
  const { data, shape } = tensor(model, { role: 'linear2_weight', stack, layer });
  const [channels, count] = shape;
  const columns = transpose(data, channels, count);
  const norms = gf.vectorNorm({ x: { data: columns, shape: [count, channels] } }).data;
  const output = outputOf(model);
  if (output?.stack !== stack) return { norms, words: null, gain: false };
  const gain = output.norm?.weight && model.tensor(output.norm.weight)?.data;
  const a = { data: gain ? columns.map((value, i) => value * gain[i % channels]) : columns, shape: [count, channels] };
  const b = /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor(output.table));
  return { norms, words: gf.matmul({ a, b, transposeB: true }), gain: Boolean(gain) };
}

/**
 * '@similar/encoder/1': an order in which neurons that are active at the same tokens of this text
 * stand side by side; those that never are come last.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function similar({ gf, model }, stack, layer) {
  const { data, shape } = tensor(model, { role: 'activation', stack, layer });
  const [, tokens, count] = shape;
  const columns = transpose(data, tokens, count);
  const norms = gf.vectorNorm({ x: { data: columns, shape: [count, tokens] } }).data;
  const strongest = [...norms.keys()].sort((a, b) => norms[b] - norms[a] || a - b);
  const compared = strongest.filter((neuron) => norms[neuron] > 0).slice(0, MOST);
  const size = compared.length;
  if (size === 0) return { order: Int32Array.from(strongest) };
  const units = compared.flatMap((neuron) =>
    Array.from(columns.subarray(neuron * tokens, (neuron + 1) * tokens), (value) => value / norms[neuron]),
  );
  const one = { data: Float32Array.from(units), shape: [size, tokens] };
  const { data: cosines } = gf.matmul({ a: one, b: one, transposeB: true });
  return { order: Int32Array.from([...chain(cosines, size).map((i) => compared[i]), ...strongest.slice(size)]) };
}

/**
 * A tensor of one layer's FFN.
 * @param {import('../../engine/worker.js').Model} model
 * @param {{role: 'linear2_weight' | 'activation', stack: string, layer: string}} facts
 */
const tensor = (model, { role, stack, layer }) =>
  /** @type {import('../../engine/protocol.js').Tensor} */ (
    model.tensor(String(tensorWith(model, { node: 'ffn', role, stack: asStack(stack), layer: Number(layer) })))
  );

/** @param {ArrayLike<number>} data rows × columns @param {number} rows @param {number} columns */
function transpose(data, rows, columns) {
  const turned = new Float32Array(data.length);
  for (let i = 0; i < turned.length; i++) turned[(i % columns) * rows + Math.floor(i / columns)] = data[i];
  return turned;
}
