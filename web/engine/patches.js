// Which numbers of a forward pass a change is put in the place of.

import { attentionName, ffnName } from './plan.js';

/**
 * @typedef {Exclude<import('./interventions.js').Intervention, {what: 'temperature' | 'weight'}>} Patched
 * @typedef {Exclude<Patched, {what: 'neurons'}>} AtOnePlace
 */

/** @param {import('./interventions.js').Intervention} change @returns {change is Patched} */
export const isPatched = (change) => change.what !== 'temperature' && change.what !== 'weight';

/**
 * The tensor of the residual stream after so many layers.
 * @param {'encoder' | 'decoder'} stack @param {number} after
 */
const streamName = (stack, after) => (after ? `${stack}.layers.${after - 1}.out` : `${stack}.input`);

/**
 * The same with one neuron at a time.
 * @param {Patched} change
 * @returns {AtOnePlace[]}
 */
export const cellsOf = (change) =>
  change.what === 'neurons'
    ? Array.from({ length: change.last - change.first + 1 }, (_, i) => ({
        what: /** @type {const} */ ('neuron'),
        kind: change.kind,
        layer: change.layer,
        neuron: change.first + i,
        to: 0,
      }))
    : [change];

/** Whether its number is none that stands in it: it comes from another pass. @param {Patched} change */
export const isTaken = (change) => change.what === 'patch' || change.to === 'mean';

/**
 * The tensor and the place in it, as Model.forward takes them.
 * @param {AtOnePlace} change
 * @returns {{name: string, index: (number | null)[]}}
 */
export function patchTarget(change) {
  switch (change.what) {
    case 'head':
      return { name: attentionName(change.kind, change.layer, 'head_outputs'), index: [0, change.head, null, null] };
    case 'neuron':
      return { name: ffnName(change.kind, change.layer, 'activation'), index: [0, null, change.neuron] };
    case 'patch':
      return { name: streamName(change.kind, change.after), index: [0, change.row, null] };
    default:
      return {
        name: attentionName(change.kind, change.layer, 'weights'),
        index: [0, change.head, change.row, change.key],
      };
  }
}
