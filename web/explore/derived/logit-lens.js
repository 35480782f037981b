// The logit lens: the model's answer if it stopped after a layer, as the module computes it.

import { traceWithInterventions } from '../../engine/intervene.js';
import { outputOf } from '../shared/graph.js';
import { largest } from '../shared/order.js';

/** The number of words kept of each answer. */
const TOP = 5;

/**
 * @typedef {import('../../draw/predictions.js').Readout} Readout
 * @typedef {{stack: 'encoder' | 'decoder', normed: boolean, top: number, readouts: Readout[]}} Lens
 */

/** @param {import('../../engine/derived.js').Context} context @returns {Promise<Lens | {absent: true}>} */
export async function lens({ gf, model, ids, targetIds, interventions }) {
  const output = outputOf(model);
  if (!output) return { absent: true };
  const { stack } = output;
  const trace = traceWithInterventions(model, { ids, ...(targetIds && { targetIds }) }, interventions);
  const states = model
    .tensors()
    .filter((each) => each.stack === stack && ['input', 'layer_out'].includes(each.role) && !each.node);
  let top = TOP;
  /** @type {Readout[]} */
  const readouts = [];
  for (const { name, layer } of states) {
    const logits = await trace.lens(name);
    const width = logits.shape[2];
    const title = layer === null ? 'Input' : `Layer ${layer + 1}`;
    top = Math.min(TOP, width);
    readouts.push({ title, ...likeliest(gf.softmax(logits).data, width) });
  }
  trace.free();
  return { stack, normed: model.config.finalNorm, top, readouts };
}

/** @param {Float32Array} data rows of `width` @param {number} width */
function likeliest(data, width) {
  const top = Math.min(TOP, width);
  const ids = new Int32Array((data.length / width) * top);
  const probabilities = new Float32Array(ids.length);
  for (let row = 0; row * width < data.length; row++) {
    const own = data.subarray(row * width, (row + 1) * width);
    largest(own, top).forEach((id, i) => {
      ids[row * top + i] = id;
      probabilities[row * top + i] = own[id];
    });
  }
  return { ids, probabilities };
}
