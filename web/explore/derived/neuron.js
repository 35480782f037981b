// Computes each neuron's share in the stream, and finds similar neurons.

import { neuronRole } from '../../engine/plan.js';
import { asStack, outputOf } from '../shared/graph.js';
import { bySize, chain, largest } from '../shared/order.js';
import { STRONGEST } from '../shared/neurons.js';

/** More neurons than these are not compared with each other; the weakest come last. */
const MOST = 1024;

/**
 * `norms`: length of each neuron's column of linear2; `words`: [d_ff, V], what that column gives
 * each output word through the last norm's `gain`, if there is one, and the output table. null: no
 * way leads there. `which`: the neurons of its rows, where they are not all.
 * @typedef {{
 *   norms: Float32Array, words: import('../../engine/protocol.js').Tensor | null, gain: boolean, which?: number[],
 * }} NeuronsAnswer
 */

/**
 * '@neurons/encoder/1', or with a row and a neuron (none: nothing) behind it: of those strongest there, and of that one
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function neurons({ gf, model }, stack, layer, row, chosen) {
  const { data, shape } = tensor(model, { role: 'linear2_weight', stack, layer });
  const [channels, count] = shape;
  const columns = transpose(data, channels, count);
  const norms = gf.vectorNorm({ data: columns, shape: [count, channels] }).data;
  const output = outputOf(model);
  if (output?.stack !== stack) return { norms, words: null, gain: false };
  const gain = output.norm?.weight && model.tensor(output.norm.weight)?.data;
  const role = neuronRole(model.config);
  const which = row === undefined ? undefined : wanted(tensor(model, { role, stack, layer }), row, chosen);
  const kept = which
    ? Float32Array.from(which.flatMap((n) => [...columns.subarray(n * channels, (n + 1) * channels)]))
    : columns;
  const a = {
    data: gain ? kept.map((value, i) => value * gain[i % channels]) : kept,
    shape: [kept.length / channels, channels],
  };
  const b = /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor(output.table));
  return { norms, words: gf.matmul(a, b, { transposeB: true }), gain: Boolean(gain), which };
}

/**
 * The neurons strongest in a row, and the chosen one.
 * @param {import('../../engine/protocol.js').Tensor} activation [1,T,d_ff]
 * @param {string} row @param {string} chosen @param {number} [most]
 */
function wanted({ data, shape: [, tokens, count] }, row, chosen, most = STRONGEST) {
  const strongest = bySize(data, count, Math.min(Number(row), tokens - 1)).subarray(0, most);
  return [...new Set([...strongest, ...(chosen ? [Math.min(Number(chosen), count - 1)] : [])])];
}

/**
 * '@similar/encoder/1': an order in which neurons that are active at the same tokens of this text
 * stand side by side; those that never are come last.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function similar({ gf, model }, stack, layer) {
  const { data, shape } = tensor(model, { role: neuronRole(model.config), stack, layer });
  const [, tokens, count] = shape;
  const columns = transpose(data, tokens, count);
  const norms = gf.vectorNorm({ data: columns, shape: [count, tokens] }).data;
  const strongest = [...norms.keys()].sort((a, b) => norms[b] - norms[a] || a - b);
  const compared = strongest.filter((neuron) => norms[neuron] > 0).slice(0, MOST);
  const size = compared.length;
  if (size === 0) return { order: Int32Array.from(strongest) };
  const units = compared.flatMap((neuron) =>
    Array.from(columns.subarray(neuron * tokens, (neuron + 1) * tokens), (value) => value / norms[neuron]),
  );
  const one = { data: Float32Array.from(units), shape: [size, tokens] };
  const { data: cosines } = gf.matmul(one, one, { transposeB: true });
  return { order: Int32Array.from([...chain(cosines, size).map((i) => compared[i]), ...strongest.slice(size)]) };
}

const NEAREST = 4;

/**
 * The neurons whose key (their row of linear1, of a gated network the gate's) is most in the direction of another's.
 * @typedef {{neurons: {neuron: number, cosine: number}[]}} Nearest
 */

/**
 * '@nearest/encoder/1/9/88': of neuron 88; with nothing behind the row, of the strongest there.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function nearest({ gf, model }, stack, layer, row, chosen) {
  const { data, shape } = tensor(model, { role: 'linear1_weight', stack, layer });
  const [count, width] = shape;
  const role = neuronRole(model.config);
  const [strongest, own = strongest] = wanted(tensor(model, { role, stack, layer }), row, chosen, 1);
  const at = chosen ? own : strongest;
  const key = { data: data.slice(at * width, (at + 1) * width), shape: [1, width] };
  const dots = gf.matmul({ data, shape }, key, { transposeB: true }).data;
  const norms = gf.vectorNorm({ data, shape }).data;
  const cosines = dots.map((dot, n) => dot / (norms[n] * norms[at] || 1));
  const neurons = largest(cosines, Math.min(count, NEAREST + 1)).filter((n) => n !== at);
  return { neurons: neurons.slice(0, NEAREST).map((neuron) => ({ neuron, cosine: cosines[neuron] })) };
}

/**
 * A tensor of one layer's FFN.
 * @param {import('../../engine/worker.js').Model} model
 * @param {{role: 'linear1_weight' | 'linear2_weight' | 'activation' | 'product', stack: string, layer: string}} facts
 */
const tensor = (model, { role, stack, layer }) =>
  /** @type {import('../../engine/protocol.js').Tensor} */ (
    model.tensor({ node: 'ffn', role, stack: asStack(stack), layer: Number(layer) })
  );

/** @param {ArrayLike<number>} data rows × columns @param {number} rows @param {number} columns */
function transpose(data, rows, columns) {
  const turned = new Float32Array(data.length);
  for (let i = 0; i < turned.length; i++) turned[(i % columns) * rows + Math.floor(i / columns)] = data[i];
  return turned;
}
