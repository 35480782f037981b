// The weights that the large map can show: those of the selected head, or the mean of its layer or of all layers.

import { attentionName, depthOf } from '../../engine/plan.js';
import { selectedIn } from './words.js';

/** @typedef {import('../../app/schema.js').Selection} Selection */

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../../app/schema.js').State} state
 * @returns {(ReturnType<typeof selectedIn> & {data: Float32Array}) | undefined} undefined: not here yet
 */
export function weightsAt(result, state) {
  const place = selectedIn(result, state);
  const data = mapData(result, place.selection, place.rowWords.length * place.columnWords.length);
  return data && { ...place, data };
}

/**
 * Whether the mean is that of all layers: of a long text one layer alone is here.
 * @param {Pick<import('../../engine/results.js').Result, 'facts'>} result @param {Selection} selection
 */
export const isOfAll = ({ facts }, { mean }) => mean === 'all' && facts.part === null;

/**
 * The layers that a selection shows together.
 * @param {Pick<import('../../app/schema.js').Settings, 'layers' | 'decoderLayers'>} settings
 * @param {Selection} selection
 */
const layersIn = (settings, { kind, layer, mean }) =>
  mean === 'all' ? Array.from({ length: depthOf(kind, settings) }, (_, each) => each) : [layer];

/**
 * The tensors that the map of a selection shows.
 * @param {import('../index.js').Query} query
 * @param {import('../../app/schema.js').Quantity} [quantity]
 */
export const namesShown = ({ plan: { settings }, state: { selection } }, quantity = 'weights') =>
  layersIn(settings, selection).map((layer) => attentionName(selection.kind, layer, quantity));

/**
 * The numbers of the map; undefined: not here yet.
 * @param {import('../../engine/results.js').Result} result
 * @param {Selection} selection that exists in the plan
 * @param {number} size cells of one head
 * @param {import('../../app/schema.js').Quantity} [quantity]
 * @returns {Float32Array | undefined}
 */
export function mapData(result, selection, size, quantity = 'weights') {
  const { kind, head, mean } = selection;
  const shown = isOfAll(result, selection) ? selection : { ...selection, mean: Boolean(mean) };
  const all = layersIn(result.plan.settings, shown).map(
    (layer) => result.tensors.get(attentionName(kind, layer, quantity))?.data,
  );
  if (!all.every((each) => each)) return undefined;
  const data = /** @type {Float32Array[]} */ (all);
  if (!mean) return data[0].subarray(head * size, (head + 1) * size);
  const means = data.map((each) => meanOfHeads(each, size));
  if (means.length === 1) return means[0];
  const last = means[means.length - 1];
  const known = overall.get(last) ?? last.map((_, at) => means.reduce((sum, each) => sum + each[at], 0) / means.length);
  overall.set(last, known);
  return known;
}

/** The mean of all layers, by the mean of the last. @type {WeakMap<Float32Array, Float32Array>} */
const overall = new WeakMap();

/** @type {WeakMap<Float32Array, Float32Array>} */
const made = new WeakMap();

/**
 * @param {Float32Array} data [heads, size], all heads of a layer
 * @param {number} size cells of one head
 */
export function meanOfHeads(data, size) {
  const known = made.get(data);
  if (known) return known;
  const heads = data.length / size;
  const mean = Float32Array.from({ length: size }, (_, cell) => {
    let sum = 0;
    for (let head = 0; head < heads; head++) sum += data[head * size + cell];
    return sum / heads;
  });
  made.set(data, mean);
  return mean;
}
