// The logit lens: the model's answer if it stopped after a layer, as the module computes it.

import { traceWithInterventions } from '../../engine/intervene.js';
import { outputOf } from '../shared/graph.js';

/** The number of words kept of each answer. */
const TOP = 5;

/**
 * `ids` and `probabilities`: tokens × `top`, the likeliest first.
 * @typedef {{title: string, ids: Int32Array, probabilities: Float32Array}} Readout
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
    /** @type {number[]} */
    const best = [];
    for (let id = 0; id < width; id++) {
      const p = data[row * width + id];
      if (best.length === top && !(p > data[row * width + best[top - 1]])) continue;
      const before = best.findIndex((each) => data[row * width + each] < p);
      best.splice(before < 0 ? best.length : before, 0, id);
      best.length = Math.min(best.length, top);
    }
    best.forEach((id, i) => {
      ids[row * top + i] = id;
      probabilities[row * top + i] = data[row * width + id];
    });
  }
  return { ids, probabilities };
}
