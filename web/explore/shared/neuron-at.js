// The neuron at the cursor.

import { ffnName } from '../../engine/plan.js';
import { descending } from './order.js';
import { selectedIn } from './words.js';

/**
 * The neuron that the reader has chosen, and until then the strongest one of the chosen word.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @returns {number} 0 where the activations are not here
 */
export function neuronAt(result, state) {
  const { d_ff } = result.plan.settings;
  const {
    selection: { layer },
    kind,
    row,
  } = selectedIn(result, state);
  const chosen = state.cursor.neuron;
  if (chosen !== null) return Math.min(chosen, d_ff - 1);
  const activations = result.tensors.get(ffnName(kind, layer, 'activation'))?.data;
  return activations ? descending(activations, d_ff, row)[0] : 0;
}
