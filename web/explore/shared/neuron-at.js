// The neuron at the cursor.

import { ffnName, neuronRole } from '../../engine/plan.js';
import { bySize } from './order.js';
import { selectedIn } from './words.js';
import { choiceLabel } from '../../engine/model-settings.js';

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
  const values = result.tensors.get(ffnName(kind, layer, neuronRole(settings)))?.data;
  return values ? bySize(values, d_ff, row)[0] : 0;
}

/** @typedef {import('../../app/schema.js').Settings} Settings */

/** An activation function in words. @param {string} activation */
export const functionTitle = (activation) => choiceLabel('activation', activation);

/** The activation in a formula: GELU, exact or approximated. @param {string} activation */
export const functionName = (activation) =>
  activation === 'none' ? 'id' : functionTitle(activation).replace(/ \(.*/, '');

/**
 * Names of the values that a network computes for each neuron, in the order of the computation.
 * @param {Pick<Settings, 'ffn' | 'activation'>} settings
 * @returns {Record<import('../../app/schema.js').FfnQuantity, string>}
 */
export function partNames({ ffn, activation }) {
  const names = /** @type {any} */ ({ activation: 'Activations', pre_activation: 'Pre-activations' });
  if (ffn !== 'gated') return names;
  const opened = activation === 'none' ? 'Gate' : `${functionName(activation)}(gate)`;
  return { pre_activation: 'Gate', up: 'Up', activation: opened, product: `${opened} × up` };
}
