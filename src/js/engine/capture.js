import { layersOf, readSelector } from './selector.js';
import { isList } from '../arrays/arrays.js';
import { listOf, refuseType } from '../arrays/tensor.js';

/** The layers that a capture leaves out: a bit of two words for each. @typedef {[low: number, high: number]} Omitted */

/** No layer. @type {Omitted} */
export const NONE = [0, 0];

/**
 * All layers but some, numbered within each stack; what belongs to no layer is kept as well.
 * @param {import('./config.js').Config} config
 * @param {readonly (number | null)[]} layers
 * @param {Omitted} [omitted] of these
 */
export function omittedBut({ layers: own, decoderLayers }, layers, omitted) {
  /** @type {Omitted} */
  const left = omitted ? [...omitted] : [0, 0];
  const count = omitted ? 0 : Math.max(Number(own), Number(decoderLayers));
  for (let i = 0; i < count; i++) left[i >> 5] |= 1 << (i & 31);
  for (const layer of layers) if (layer !== null) left[layer >> 5] &= ~(1 << (layer & 31));
  return left;
}

const selectors = listOf(readSelector, 'an array of selectors');

/**
 * The option `capture` of a model, read before its result is known.
 * @type {import('../arrays/tensor.js').Reader<boolean | import('./selector.js').Selected[]>}
 */
export function readCapture(value, name) {
  if (value === undefined || typeof value === 'boolean') return value === true;
  return isList(value) ? selectors(value, name) : refuseType(name, value, 'true, false or selectors: [{ layer: 0 }]');
}

/**
 * The layers that a capture leaves out, or false.
 * @param {import('./handle.js').Handle} handle
 * @param {ReturnType<typeof readCapture>} capture
 */
export function omittedOf(handle, capture) {
  if (typeof capture === 'boolean') return capture && NONE;
  return omittedBut(
    handle.config,
    capture.flatMap((each, i) => layersOf(handle, each, `capture[${i}]`)),
  );
}
