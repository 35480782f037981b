// The neuron at the cursor.

import { ffnName, neuronRole } from '../../engine/plan.js';
import { bySize, descending } from './order.js';
import { selectedIn } from './words.js';

/**
 * The neuron that the reader has chosen, and until then the strongest one of the chosen word.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @returns {number} 0 where the neurons' values are not here
 */
export function neuronAt(result, state) {
  const { settings } = result.plan;
  const { d_ff } = settings;
  const {
    selection: { layer },
    kind,
    row,
  } = selectedIn(result, state);
  const chosen = state.cursor.neuron;
  if (chosen !== null) return Math.min(chosen, d_ff - 1);
  const role = neuronRole(settings);
  const values = result.tensors.get(ffnName(kind, layer, role))?.data;
  return values ? (role === 'product' ? bySize : descending)(values, d_ff, row)[0] : 0;
}
