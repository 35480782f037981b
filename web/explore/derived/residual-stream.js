// The residual stream: the norm of each vector along the model graph, and what each sublayer changes of it.

import { ffnName, neuronRole } from '../../engine/plan.js';
import { asStack, nodesOf } from '../shared/graph.js';
import { pooledTo } from '../../draw/pooled.js';

/**
 * `norms`: the L2 norm of what comes out, at each token; `neurons`: of an FFN a small picture of its activations.
 * @typedef {import('../shared/graph.js').Node & {norms: Float32Array | null, neurons: Neurons | null}} MeasuredNode
 * @typedef {import('../../draw/pooled.js').Pooled} Neurons
 *
 * `norms` is tokens × titles; `changes` (‖after − before‖ / ‖before‖) and `cosines` (of before and
 * after) are tokens × all titles but the first; null of a text of which one layer is computed at a time.
 * @typedef {{titles: string[], norms: Float32Array, changes: Float32Array, cosines: Float32Array}} Stream
 * @typedef {{nodes: MeasuredNode[], stream: Stream | null}} MeasuredStack
 * @typedef {{encoder: MeasuredStack | null, decoder: MeasuredStack | null}} MeasuredGraph
 */

/** @param {import('../../engine/derived.js').Context} context @returns {MeasuredGraph} */
export function stream({ gf, model, isPart }) {
  const { encoder, decoder } = nodesOf(model, isPart);
  const measured = isPart ? measurePart : measure;
  return { encoder: encoder && measured(gf, model, encoder), decoder: decoder && measured(gf, model, decoder) };
}

/**
 * @param {import('../../engine/worker.js').Engine} gf
 * @param {import('../../engine/worker.js').Model} model
 * @param {import('../shared/graph.js').Node[]} nodes
 * @returns {MeasuredStack}
 */
function measure(gf, model, nodes) {
  const width = model.config.d_model;
  const isMeasured = (/** @type {import('../shared/graph.js').Node} */ { tensor, kind }) => tensor && kind !== 'logits';
  const stages = nodes.filter(({ stream }) => stream);
  // The stream in its order, then the rest: one call of the module for all of them.
  const vectors = joined([...stages, ...nodes.filter((node) => isMeasured(node) && !node.stream)], model);
  const [count] = vectors.sizes;
  const tokens = count / width;
  const rows = (/** @type {Float32Array} */ data) => ({ data, shape: [data.length / width, width] });
  const all = gf.vectorNorm(rows(vectors.data)).data;
  const normsOf = (/** @type {number} */ i) => all.slice(i * tokens, (i + 1) * tokens);

  const steps = stages.length - 1;
  const before = vectors.data.subarray(0, steps * count);
  const after = vectors.data.subarray(count, stages.length * count);
  const difference = new Float32Array(after.length);
  for (let i = 0; i < difference.length; i++) difference[i] = after[i] - before[i];
  const dots = gf.dot(rows(before), rows(after)).data;
  const moved = gf.vectorNorm(rows(difference)).data;
  const changes = new Float32Array(tokens * steps);
  const cosines = new Float32Array(changes.length);
  for (let step = 0; step < steps; step++) {
    for (let t = 0; t < tokens; t++) {
      const [from, to] = [step * tokens + t, (step + 1) * tokens + t];
      changes[t * steps + step] = moved[from] / all[from];
      cosines[t * steps + step] = dots[from] / (all[from] * all[to]);
    }
  }
  return {
    nodes: nodes.map((node) => ({
      ...node,
      norms: isMeasured(node) ? normsOf(vectors.nodes.indexOf(node)) : null,
      neurons: neuronsOf(node, model),
    })),
    stream: {
      titles: stages.map(({ layer, label, name }) => (layer === null ? label : `L${layer + 1} ${name}`)),
      changes,
      cosines,
      norms: Float32Array.from(
        { length: tokens * stages.length },
        (_, i) => all[(i % stages.length) * tokens + Math.floor(i / stages.length)],
      ),
    },
  };
}

/**
 * The norms alone, of the nodes that were kept.
 * @type {typeof measure}
 */
function measurePart(gf, model, nodes) {
  const width = model.config.d_model;
  const kinds = ['logits', 'transform'];
  return {
    nodes: nodes.map((node) => {
      const data = node.tensor && !kinds.includes(node.kind) ? model.tensor(node.tensor).data : null;
      const x = data && { data: /** @type {Float32Array} */ (data), shape: [data.length / width, width] };
      return { ...node, norms: x && gf.vectorNorm(x).data, neurons: neuronsOf(node, model) };
    }),
    stream: null,
  };
}

const COLUMNS = 40; // of a small picture

/**
 * @param {import('../shared/graph.js').Node} node @param {import('../../engine/worker.js').Model} model
 * @returns {Neurons | null} null: it is no FFN, or not of the layer that was kept
 */
function neuronsOf({ kind, tensor, attention, layer }, model) {
  if (kind !== 'ffn' || !tensor) return null;
  const { config } = model;
  const { data } = model.tensor(ffnName(asStack(attention), Number(layer), neuronRole(/** @type {any} */ (config))));
  const small = pooledTo(COLUMNS, /** @type {Float32Array} */ (data), Number(config.d_ff));
  return { ...small, data: small.data === data ? small.data.slice() : small.data };
}

/**
 * The outputs of nodes, one behind the other.
 * @param {import('../shared/graph.js').Node[]} nodes
 * @param {import('../../engine/worker.js').Model} model
 */
function joined(nodes, model) {
  const each = nodes.map(({ tensor }) => /** @type {Float32Array} */ (model.tensor(String(tensor)).data));
  const sizes = each.map(({ length }) => length);
  const data = new Float32Array(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const part of each) {
    data.set(part, at);
    at += part.length;
  }
  return { nodes, sizes, data };
}
