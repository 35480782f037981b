// Long texts: where the numbers of all layers take too much memory, those of one layer are kept, and the logits of one
// row.

import { PROBABILITIES } from './plan.js';

/**
 * The reader's selection: only that part of a long text is computed.
 * @typedef {{layer: number, row: number}} Focus
 */

/** @param {import('./interventions.js').Intervention} change @returns {change is import('./patches.js').Patched} */
export const isPatched = (change) => change.what !== 'temperature' && change.what !== 'weight';

/** Bytes of a pass that keeps all layers. */
const MOST = 2 ** 29;

/** The derived values that need all layers, all rows, or passes by the hundred. */
const OF_ALL = /^@(before|decision|lens|taken)\b/;

/** The logits and probabilities of one row, from shared/answer-row.js. @param {number} row */
export const rowName = (row) => `@answer-row/${row}`;

/** Those that are of the layer that was kept. @param {string} name */
export const isOfPart = (name) => name === '@stream' || name === '@tensors';

/**
 * Limits names to those that exist where one layer is kept.
 * @param {string[]} names of tensors and derived values
 * @param {Focus} focus
 */
export function namesOfPart(names, { layer, row }) {
  const kept = names.flatMap((name) => {
    if (name === PROBABILITIES || name === 'logits') return [rowName(row)];
    const of = /^(?:encoder|decoder)\.layers\.(\d+)\./.exec(name);
    return OF_ALL.test(name) || (of && Number(of[1]) !== layer) ? [] : [name];
  });
  return [...new Set(kept)];
}

/**
 * A plan's ids as `forward` takes them.
 * @param {{ids: T, targetIds?: T | null}} of
 * @returns {{ids: T} | {sourceIds: T, targetIds: T}}
 * @template T
 */
export const inputOf = ({ ids, targetIds }) => (targetIds ? { sourceIds: ids, targetIds } : { ids });

/**
 * The options of a pass: it keeps all, or, if that takes too much, the selected layer and the changed ones.
 * @param {import('./worker.js').Model} model
 * @param {{ids: number[], targetIds?: number[]}} input
 * @param {Focus} focus
 * @param {readonly import('./interventions.js').Intervention[]} interventions
 * @returns {{capture: true} | {capture: {layer: number}[], logits: false}}
 */
export function howToRun(model, input, { layer }, interventions) {
  if (model.forwardBytes({ ...inputOf(input), capture: true }) <= MOST) return { capture: true };
  const changed = interventions.filter(isPatched).flatMap((each) => {
    if (each.what === 'exit') return [each.to - 1, layersOf(model) - 1];
    return each.what === 'swap' ? [] : each.what === 'patch' ? each.after - 1 : each.layer;
  });
  const layers = [...new Set([layer, ...changed])].filter((each) => each >= 0 && each < layersOf(model));
  return { capture: layers.map((layer) => ({ layer })), logits: false };
}

/** @param {import('./worker.js').Model} model */
const layersOf = ({ config: { layers, decoderLayers } }) => Math.max(layers, decoderLayers);
