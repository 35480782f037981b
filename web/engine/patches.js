// Which numbers of a forward pass a change is put in the place of.

import { attentionName, ffnName } from './plan.js';

/** @typedef {Exclude<import('./interventions.js').Intervention, {what: 'temperature' | 'weight'}>} Patched */

/** @param {import('./interventions.js').Intervention} change @returns {change is Patched} */
export const isPatched = (change) => change.what !== 'temperature' && change.what !== 'weight';

/**
 * The tensor and the place in it, as Model.forward takes them.
 * @param {Patched} change
 * @returns {{name: string, index: (number | null)[]}}
 */
export function patchPlace(change) {
  switch (change.what) {
    case 'head':
      return { name: attentionName(change.kind, change.layer, 'head_outputs'), index: [0, change.head, null, null] };
    case 'neuron':
      return { name: ffnName(change.kind, change.layer, 'activation'), index: [0, null, change.neuron] };
    default:
      return {
        name: attentionName(change.kind, change.layer, 'weights'),
        index: [0, change.head, change.row, change.key],
      };
  }
}
