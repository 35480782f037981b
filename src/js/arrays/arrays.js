// What a caller's arrays are, of any realm: an iframe's are as good.

const { prototype } = Object.getPrototypeOf(Int8Array);
const { get } = /** @type {{get: () => number}} */ (Object.getOwnPropertyDescriptor(prototype, 'length'));

export const isArray = /** @type {(value: unknown) => value is any[]} */ (Array.isArray);

/**
 * @param {unknown} value
 * @returns {value is ArrayLike<any>} an array, a typed one or a DataView, which no reader takes
 */
export function isList(value) {
  return ArrayBuffer.isView(value) || isArray(value);
}

/** Of a typed array, as it is now: V8's optimizer may take `length` from before the array was detached. */
export const lengthNow = (/** @type {Float32Array} */ array) => Reflect.apply(get, array, []);

/**
 * The bytes of a buffer or of a view of one, not copied; none where it was detached.
 * @param {unknown} value
 * @returns {Uint8Array | undefined} undefined for all else
 */
export function bytesOf(value) {
  if (!ArrayBuffer.isView(value) && tagOf(value) !== 'ArrayBuffer') return undefined;
  const { buffer = value, byteOffset, byteLength } = /** @type {any} */ (value);
  try {
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch {
    return new Uint8Array(0);
  }
}

/**
 * What kind of object a value says it is.
 * @param {unknown} value
 * @returns {string}
 */
export function tagOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}
