/** Arrays of elements of so many bytes. */
const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array };

/**
 * Elements of a tensor in the order of its axes, from where strides have spread them.
 * @param {Uint8Array} into aligned to the elements
 * @param {Uint8Array} spread its part of the storage, with its own buffer
 * @param {number} size of an element, in bytes
 * @param {{shape: number[], strides: number[]}} tensor
 * @param {number} from number of the first element that is wanted
 * @returns {Uint8Array} into
 */
export function gather(into, spread, size, { shape, strides }, from) {
  const Elements = ARRAYS[/** @type {1 | 2 | 4 | 8} */ (size)];
  /** @type {any} */
  const target = new /** @type {any} */ (Elements)(into.buffer, into.byteOffset, into.byteLength / size);
  const source = new /** @type {any} */ (Elements)(spread.buffer);
  const index = shape.map(() => 0);
  let at = 0;
  for (let axis = shape.length - 1, rest = from; axis >= 0; axis--) {
    index[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
    at += index[axis] * strides[axis];
  }
  for (let i = 0; i < target.length; i++) {
    target[i] = source[at];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) break;
      at -= shape[axis] * strides[axis];
      index[axis] = 0;
    }
  }
  return into;
}
