import { GlassformerError } from '../errors.js';
import { typeOf } from './packed.js';
import { any, integer, product, readOptions } from '../arrays/tensor.js';

/** @typedef {import('./handle.js').Info} Info */

/**
 * Which part of a tensor to copy.
 * @typedef {object} Part
 * @property {number} [batch] one sequence of the batch, from 0; with `head` default 0
 * @property {number} [head] one head, from 0, of tensors of attention: a matrix
 * @property {number} [row] one row, from 0: of a head's matrix, of a sequence (with `batch` default 0), of a weight
 */

/** Read before the tensor is looked up, as reading may run code of the caller's. @param {unknown} options */
export function readPart(options) {
  return readOptions(options, { batch: any, head: any, row: any }, '', 'tensor(name, options)');
}

/**
 * Describes the part as a tensor that lies in the same memory.
 * @param {Info} info
 * @param {ReturnType<typeof readPart>} part
 * @returns {Info}
 */
export function partOf(info, { batch, head, row }) {
  if (batch === undefined && head === undefined && row === undefined) return info;
  const { name, shape, dtype, region, role, strides } = info;
  const rank = shape.length;
  const hasBatch = region === 'gradient' ? rank > 2 : region !== 'weight' && !/^(encoding|mask|)$/.test(role);
  const refuse = (/** @type {string} */ parameter, /** @type {any} */ index, /** @type {string} */ lack) => {
    throw new GlassformerError('shape', parameter, index, `${name} of shape [${shape.join(', ')}] ${lack}`);
  };
  if (head !== undefined && rank !== 4) refuse('head', head, 'has no axis of heads');
  if (batch !== undefined && !hasBatch) refuse('batch', batch, 'has no axis of a batch');
  if (row !== undefined && rank < (hasBatch ? 3 : 2)) refuse('row', row, 'has no rows');
  if (row !== undefined && rank === 4 && head === undefined) refuse('row', row, 'needs a head, too');
  const places = row !== undefined ? rank - 1 : head !== undefined ? 2 : 1;
  let at = 0;
  for (let axis = 0; axis < places; axis++) {
    const [parameter, place] =
      row !== undefined && axis === rank - 2 ? ['row', row] : axis ? ['head', head] : ['batch', batch ?? 0];
    at += strides[axis] * integer(0, shape[axis] - 1)(place, parameter);
  }
  return {
    ...info,
    shape: shape.slice(places),
    strides: strides.slice(places),
    first: at,
    pointer: info.pointer + (typeOf(info) > 0 ? 0 : at * (dtype === 'uint8' ? 1 : 4)),
    size: product(shape.slice(places)),
    live: new Float32Array(0),
  };
}
