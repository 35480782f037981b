// Each head's and FFN's effect on the logit of the answer, as the module computes it (trace.attribution).

import { traceWithInterventions } from '../../engine/intervene.js';
import { largest } from '../shared/order.js';
import { outputOf } from '../shared/graph.js';

/**
 * `head`: null of an FFN.
 * @typedef {import('../../app/schema.js').AttentionKind} AttentionKind
 * @typedef {{kind: AttentionKind, layer: number, head: number | null, value: number, neurons?: Float32Array}} Part
 *
 * `against`: the runner-up, whose logit is subtracted; null: it is the logit of the answer alone.
 * @typedef {Pick<import('glassformer').Attribution, 'id' | 'against' | 'logit' | 'embedding' | 'biases' | 'patches'> &
 *   {parts: Part[]}} Attribution
 */

/**
 * '@attribution/', the row, '1' for the answer alone, without the runner-up, and the layer whose FFN is taken apart by
 * neuron.
 * @param {import('../../engine/derived.js').Context} context
 * @param {string} row @param {string} alone @param {string} [by]
 * @returns {Promise<Attribution | {absent: true}>}
 */
export async function attribution({ model, ids, targetIds, interventions, isPart }, row, alone, by) {
  if (isPart || !outputOf(model)) return { absent: true };
  const trace = traceWithInterventions(model, { ids, ...(targetIds && { targetIds }) }, interventions);
  const at = Math.min(Number(row), (targetIds ?? ids).length - 1);
  const [id, against] = largest(/** @type {Float32Array} */ (trace.tensor({ name: 'logits', row: at }).data), 2);
  const { parts, ...rest } = await trace.attribution(at, {
    id,
    ...(alone ? {} : { against }),
    ...(by && { neurons: Number(by) }),
  });
  trace.free();
  return {
    ...rest,
    parts: parts.map(({ stack, layer, attention, head, value, neurons }) => ({
      kind: attention === 'cross' ? 'cross' : stack,
      layer,
      head: head ?? null,
      value,
      ...(neurons && { neurons: Float32Array.from(neurons) }),
    })),
  };
}
