// Reads the vectors for the Why panels of nodes other than attention, at one token.

import { neuronVectors } from '../../draw/neuron-vectors.js';
import { neuronRole } from '../../engine/plan.js';
import { asStack, nodesOf, outputOf, tensorWith } from '../shared/graph.js';
import { strongest } from '../shared/choose.js';
import { bySize } from '../shared/order.js';

/**
 * @typedef {import('../../engine/derived.js').DerivedFunction} DerivedFunction
 * @typedef {import('../../engine/worker.js').Model} Model
 *
 * @typedef {import('../../draw/neuron-why.js').NeuronVectors} NeuronWhy
 *
 * A state of the residual stream and what makes it. `before`: the state before, null: there is none; `added`: by a
 * sublayer or as position, null: nothing; `read`: what a norm reads that gives the state, null: the one before.
 * @typedef {{kind: string, title: string, sublayer: string, before: Float32Array | null,
 *   added: Float32Array | null, read: Float32Array | null, after: Float32Array}} SumWhy
 *
 * The last vector, as the head reads it, and the row of the output table that make the logit of the likeliest word.
 * @typedef {{word: number, x: Float32Array, key: Float32Array, bias: number | null}} LogitWhy
 */

/** @param {Model} model @param {string | null} name @returns {Float32Array | null} */
const floats = (model, name) => (name === null ? null : /** @type {Float32Array} */ (model.tensor(name).data));

/** @param {Float32Array} data @param {number} row @param {number} width */
const rowOf = (data, row, width) => data.slice(row * width, (row + 1) * width);

/**
 * '@why-neuron/encoder/1/row/neuron', or with 'strongest' of that row
 * @type {DerivedFunction}
 */
export function whyNeuron({ model }, stack, layer, row, neuron) {
  const { d_ff: count } = model.config;
  const place = /** @type {const} */ ({ node: 'ffn', stack: asStack(stack), layer: Number(layer) });
  const given = /** @type {Float32Array} */ (
    floats(model, tensorWith(model, { ...place, role: neuronRole(model.config) }))
  );
  const at = Math.min(Number(row), given.length / count - 1);
  const n = neuron === 'strongest' ? bySize(given, count, at)[0] : Math.min(Number(neuron), count - 1);
  return neuronVectors(model, { ...place, row: at, neuron: n });
}

/**
 * '@why-sum/encoder/stage/row': a state of the residual stream, counted from the embedding
 * @type {DerivedFunction}
 */
export function whySum({ model, isPart }, stack, stage, row) {
  if (isPart) return { absent: true };
  const stages = (nodesOf(model, isPart)[asStack(stack)] ?? []).filter(({ stream }) => stream);
  const at = Math.min(Number(stage), stages.length - 1);
  const node = stages[at];
  const { d_model: width } = model.config;
  /** @param {string | null | undefined} name */
  const vector = (name) => {
    const data = floats(model, name ?? null);
    return data && rowOf(data, Math.min(Number(row), data.length / width - 1), width);
  };
  const after = /** @type {Float32Array} */ (vector(node.tensor));
  const before = vector(stages[at - 1]?.tensor);
  const read = vector(node.before);
  const isSame = !read || before?.every((value, i) => value === read[i]);
  const isSum = node.kind === 'add' || node.kind === 'positions';
  const whole = isSum ? after : node.residual && !isSame ? read : null;
  return {
    kind: node.kind,
    title: titleOf(node),
    sublayer: node.kind === 'positions' ? 'the position' : node.name === 'FFN' ? 'the FFN' : node.name,
    before,
    added: whole && before && whole.map((value, i) => value - before[i]),
    read: isSame ? null : read,
    after,
  };
}

/** Names the step that made a state. @param {import('../shared/graph.js').Node} node */
function titleOf({ kind, layer, label, name }) {
  if (layer !== null) return `${name === 'FFN' ? 'the ' : ''}${name} of layer ${layer + 1}`;
  if (kind === 'positions') return 'adding the position';
  return kind === 'embedding' ? 'the embedding' : label.startsWith('Final') ? 'the final norm' : 'the first norm';
}

/**
 * '@why-logit/row': of the likeliest word there
 * @type {DerivedFunction}
 */
export function whyLogit({ model, isPart }, row) {
  const output = outputOf(model);
  if (!output || isPart) return { absent: true };
  const graph = model.graph();
  const node = graph.find(({ kind }) => kind === 'logits');
  const { data: logits, shape } = /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor('logits'));
  const [, rows, words] = shape;
  const at = Math.min(Number(row), rows - 1);
  const word = strongest(logits.subarray(at * words, (at + 1) * words));
  const { d_model: width, headScale } = model.config;
  const given = /** @type {Float32Array} */ (floats(model, graph[Number(node?.inputs[0])].tensor));
  const x = rowOf(given, at, width).map((each) => (headScale ? each / Math.sqrt(width) : each));
  const table = /** @type {Float32Array} */ (floats(model, output.table));
  const bias = floats(model, tensorWith(model, { node: 'logits', role: 'bias' }));
  return { word, x, key: rowOf(table, word, width), bias: bias?.[word] ?? null };
}
