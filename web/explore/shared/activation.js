// The parts of a feed-forward network in words.

import { choiceLabel } from '../../engine/model-settings.js';

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
