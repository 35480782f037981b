// The residual stream: the norm of each vector along the model graph, and what each sublayer changes of it.

import { nodesOf } from '../shared/graph.js';

/**
 * @typedef {import('../shared/graph.js').Node & {norms: Float32Array | null}} MeasuredNode
 * `norms`: the L2 norm of what comes out, at each token.
 *
 * `norms` is tokens × titles; `changes` (‖after − before‖ / ‖before‖) and `cosines` (of before and
 * after) are tokens × all titles but the first.
 * @typedef {{titles: string[], norms: Float32Array, changes: Float32Array, cosines: Float32Array}} Stream
 * @typedef {{nodes: MeasuredNode[], stream: Stream}} MeasuredStack
 * @typedef {{encoder: MeasuredStack | null, decoder: MeasuredStack | null}} MeasuredGraph
 */

/** @param {import('../../engine/derived.js').Context} context @returns {MeasuredGraph} */
export function stream({ gf, model }) {
  const { encoder, decoder } = nodesOf(model);
  return { encoder: encoder && measure(gf, model, encoder), decoder: decoder && measure(gf, model, decoder) };
}

/**
 * @param {import('../../engine/worker.js').Engine} gf
 * @param {import('../../engine/worker.js').Model} model
 * @param {import('../shared/graph.js').Node[]} nodes
 * @returns {MeasuredStack}
 */
function measure(gf, model, nodes) {
  const width = model.config.d_model;
  /** @param {string | null} name */
  const rows = (name) => {
    const data = /** @type {Float32Array} */ (model.tensor(String(name)).data);
    return { data, shape: [data.length / width, width] };
  };
  const measured = nodes.map((node) => ({
    ...node,
    norms: node.tensor && node.kind !== 'logits' ? gf.vectorNorm({ x: rows(node.tensor) }).data : null,
  }));
  const stages = measured.filter((node) => node.stream);
  const norms = stages.map((stage) => /** @type {Float32Array} */ (stage.norms));
  const tokens = norms[0].length;
  const changes = new Float32Array(tokens * (stages.length - 1));
  const cosines = new Float32Array(changes.length);
  for (let stage = 1; stage < stages.length; stage++) {
    const [a, b] = [rows(stages[stage - 1].tensor), rows(stages[stage].tensor)];
    const dots = gf.dot({ a, b }).data;
    const steps = gf.vectorNorm({ x: { ...b, data: b.data.map((value, i) => value - a.data[i]) } }).data;
    for (let t = 0; t < tokens; t++) {
      const at = t * (stages.length - 1) + stage - 1;
      changes[at] = steps[t] / norms[stage - 1][t];
      cosines[at] = dots[t] / (norms[stage - 1][t] * norms[stage][t]);
    }
  }
  return {
    nodes: measured,
    stream: {
      titles: stages.map(({ layer, label, name }) => (layer === null ? label : `L${layer + 1} ${name}`)),
      changes,
      cosines,
      norms: Float32Array.from(
        { length: tokens * stages.length },
        (_, i) => norms[i % stages.length][Math.floor(i / stages.length)],
      ),
    },
  };
}
