// Which numbers of a forward pass a change is put in the place of.

import { attentionName, attentionPath, ffnName, neuronRole, positionsName } from './plan.js';

/**
 * @typedef {Exclude<import('./interventions.js').Intervention, {what: 'temperature' | 'weight'}>} Patched
 * @typedef {Exclude<Patched, {what: 'neurons'}>} AtOnePlace
 * @typedef {import('./interventions.js').SwapIntervention} SwapIntervention
 * @typedef {import('./interventions.js').ExitIntervention} ExitIntervention
 * @typedef {import('./interventions.js').SkipIntervention} SkipIntervention
 * @typedef {import('./interventions.js').FeatureIntervention} FeatureIntervention
 */

/**
 * The tensor of the residual stream after so many layers.
 * @param {'encoder' | 'decoder'} stack @param {number} after
 */
export const streamName = (stack, after) => (after ? `${stack}.layers.${after - 1}.out` : `${stack}.input`);

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

/**
 * Whether its numbers come from a pass with all other changes, in the order of the model.
 * @param {Patched} change
 * @returns {change is SwapIntervention | ExitIntervention | SkipIntervention | FeatureIntervention}
 */
export const isLater = (change) =>
  change.what === 'swap' ||
  change.what === 'exit' ||
  change.what === 'feature' ||
  (change.what === 'skip' && change.node === 'norm');

/** Whether its number is none that stands in it: it comes from another pass. @param {Patched} change */
export const isTaken = (change) =>
  isLater(change) || change.what === 'patch' || change.to === 'mean' || Array.isArray(change.to);

/**
 * The tensor and the place in it, as Model.forward takes them.
 * @param {AtOnePlace} change
 * @param {Record<string, any>} config of the model
 * @returns {{name: string, index: (number | null)[]}}
 */
export function patchTarget(change, config) {
  switch (change.what) {
    case 'head':
      return { name: attentionName(change.kind, change.layer, 'head_outputs'), index: [0, change.head, null, null] };
    case 'headAt':
      return {
        name: attentionName(change.kind, change.layer, 'head_outputs'),
        index: [0, change.head, change.row, null],
      };
    case 'ffnAt':
      return { name: ffnPath(change.kind, change.layer), index: [0, change.row, null] };
    case 'neuron':
      return {
        name: ffnName(change.kind, change.layer, neuronRole(/** @type {any} */ (config))),
        index: [0, null, change.neuron],
      };
    case 'feature':
      return { name: featuresAt(change, config), index: [0, change.row, null] };
    case 'patch':
      return { name: streamName(change.kind, change.after), index: [0, change.row, null] };
    case 'skip':
      return { name: skippedName(change, config), index: [0, null, null] };
    case 'swap':
      return { name: positionsName(change.kind), index: [change.row, null] };
    case 'exit':
      return { name: streamName(change.kind, layersOf(change.kind, config)), index: [0, null, null] };
    default:
      return {
        name: attentionName(change.kind, change.layer, 'weights'),
        index: [0, change.head, change.row, change.key],
      };
  }
}

/**
 * The tensor whose vectors a dictionary takes apart.
 * @param {{kind: string, layer: number | string, part: string}} of @param {Record<string, any>} config of the model
 */
export const featuresAt = ({ kind, layer, part }, config) =>
  `${kind}.layers.${layer}.${part === 'out' ? part : `ffn.${neuronRole(/** @type {any} */ (config))}`}`;

/** @param {'encoder' | 'decoder'} kind @param {Record<string, any>} config */
export const layersOf = (kind, { kind: architecture, layers, decoderLayers }) =>
  kind === 'decoder' && architecture === 'encoder-decoder' ? decoderLayers : layers;

/** @param {SkipIntervention['kind']} kind @param {number} layer */
const ffnPath = (kind, layer) => `${kind === 'encoder' ? kind : 'decoder'}.layers.${layer}.ffn.out`;

/** @param {SkipIntervention} change @param {Record<string, any>} config */
function skippedName({ node, kind, layer, sublayer }, { embeddingNorm, finalNorm, headTransform }) {
  if (node === 'attention') return `${attentionPath(kind, layer)}.out`;
  if (node === 'ffn') return ffnPath(kind, layer);
  const stack = kind === 'encoder' ? kind : 'decoder';
  if (sublayer && sublayer < 4) return `${stack}.layers.${layer}.norm${sublayer}.out`;
  const outside = [
    ...(embeddingNorm ? ['emb_ln.out'] : []),
    ...(finalNorm ? [`${stack}.norm.out`] : []),
    ...(headTransform ? ['transform.norm.out'] : []),
  ];
  return outside[sublayer ? 1 : 0] ?? `${stack}.norm.out`;
}
