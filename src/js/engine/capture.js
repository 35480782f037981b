import { isNamed } from '../arrays/names.js';
import { integer, listOf, readOptions, refuseType } from '../arrays/tensor.js';

/**
 * The layers whose intermediates are kept, numbered within each stack; what belongs to no layer is kept as well. The
 * others share memory, as without capture.
 * @typedef {object} Capture
 * @property {readonly number[]} layers from 0
 */

/** What a capture leaves out: a bit of two words for each layer. @typedef {[low: number, high: number]} Omitted */

/** No layer. @type {Omitted} */
export const NONE = [0, 0];

/**
 * The option `capture` of a model: what it leaves out, or false.
 * @param {import('./config.js').Config} config
 * @returns {import('../arrays/tensor.js').Reader<Omitted | false>}
 */
export function captureOf({ layers, decoderLayers }) {
  const count = Math.max(Number(layers), Number(decoderLayers));
  const layer = integer(0, count - 1);
  return (value, name) => {
    if (value === undefined || typeof value === 'boolean') return value === true && NONE;
    if (!isNamed(value)) refuseType(name, value, 'true, false or { layers: [0] }');
    const kept = readOptions(value, { layers: listOf(layer, 'an array of layers') }, `${name}.`).layers;
    /** @type {Omitted} */
    const omitted = [0, 0];
    for (let i = 0; i < count; i++) if (!kept.includes(i)) omitted[i >> 5] |= 1 << (i & 31);
    return omitted;
  };
}
