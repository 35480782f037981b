import { GlassformerError } from '../errors.js';
import { any, integer, readOptions } from '../arrays/tensor.js';

/** @typedef {import('./handle.js').Info} Info */

/**
 * Which part of a tensor to copy.
 * @typedef {object} Part
 * @property {number} [batch] one sequence of the batch, from 0; with `head` default 0
 * @property {number} [head] one head, from 0, of tensors of attention: a matrix
 */

/** Read before the tensor is looked up, as reading may run code of the caller's. @param {unknown} options */
export function readPart(options) {
  return readOptions(options, { batch: any, head: any }, '', 'tensor(name, options)');
}

/**
 * The part as a tensor of its own, in the same memory.
 * @param {Info} info
 * @param {ReturnType<typeof readPart>} part
 * @returns {Info}
 */
export function partOf(info, { batch, head }) {
  if (batch === undefined && head === undefined) return info;
  const { name, shape, dtype, region, role, strides } = info;
  const rank = shape.length;
  const hasBatch = region === 'gradient' ? rank > 2 : region !== 'weight' && !/^(encoding|mask|)$/.test(role);
  const refuse = (/** @type {string} */ parameter, /** @type {any} */ index, /** @type {string} */ axis) => {
    const why = `${name} of shape [${shape.join(', ')}] has no axis of ${axis}`;
    throw new GlassformerError('shape', parameter, index, why);
  };
  if (head !== undefined && rank !== 4) refuse('head', head, 'heads');
  if (batch !== undefined && !hasBatch) refuse('batch', batch, 'a batch');
  let at = strides[0] * integer(0, shape[0] - 1)(batch ?? 0, 'batch');
  if (head !== undefined) at += strides[1] * integer(0, shape[1] - 1)(head, 'head');
  const taken = head === undefined ? 1 : 2;
  const size = shape.slice(taken).reduce((product, length) => product * length, 1);
  return {
    ...info,
    shape: shape.slice(taken),
    strides: strides.slice(taken),
    pointer: info.pointer + at * (dtype === 'uint8' ? 1 : 4),
    size,
    live: new Float32Array(0),
  };
}
