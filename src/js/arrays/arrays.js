// What a caller's arrays are. A property of theirs may say anything, or run code; these getters do neither.

const { prototype } = Object.getPrototypeOf(Int8Array);

/**
 * @param {object} from a prototype
 * @param {PropertyKey} key
 * @returns {(value: any) => any} its getter, which throws for what is not of that kind
 */
function getter(from, key) {
  const { get } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(from, key));
  return (value) => Reflect.apply(/** @type {Function} */ (get), value, []);
}

/** Which typed array a value is, of any realm; undefined for else. @type {(value: unknown) => string | undefined} */
export const kindOf = getter(prototype, Symbol.toStringTag);
/** The buffer of a typed array. @type {(value: unknown) => ArrayBuffer} */
export const bufferOf = getter(prototype, 'buffer');
const length = getter(prototype, 'length');
const offset = getter(prototype, 'byteOffset');
const bytes = getter(prototype, 'byteLength');
const bufferBytes = getter(ArrayBuffer.prototype, 'byteLength');
const [viewBuffer, viewOffset, viewBytes] = ['buffer', 'byteOffset', 'byteLength'].map((key) =>
  getter(DataView.prototype, key),
);

/**
 * @param {unknown} value
 * @returns {boolean} whether nothing of it can be read any more: Array.isArray runs no code of the value's own
 */
export function isRevoked(value) {
  try {
    return Array.isArray(value) && false;
  } catch {
    return true;
  }
}

/**
 * @param {unknown} value
 * @returns {value is any[]}
 */
export function isArray(value) {
  return !isRevoked(value) && Array.isArray(value);
}

/**
 * @param {unknown} value
 * @returns {value is ArrayLike<any>} an array, a typed one or a DataView, which no reader takes
 */
export function isList(value) {
  return ArrayBuffer.isView(value) || isArray(value);
}

/**
 * @param {ArrayLike<any>} list
 * @returns {number} elements; of a proxy that says something else none
 */
export function lengthOf(list) {
  const given = kindOf(list) ? length(list) : list.length;
  return Number.isSafeInteger(given) ? given : 0;
}

/**
 * A view of the same numbers, with no properties of the caller's.
 * @param {unknown} array a Float32Array that is not detached
 */
export function floatsOf(array) {
  return new Float32Array(bufferOf(array), offset(array), length(array));
}

/**
 * The bytes of a buffer or of a view of one, not copied; none where it was detached.
 * @param {unknown} value
 * @returns {Uint8Array | undefined} undefined for all else
 */
export function bytesOf(value) {
  const isView = ArrayBuffer.isView(value);
  try {
    if (kindOf(value)) return new Uint8Array(bufferOf(value), offset(value), bytes(value));
    if (isView) return new Uint8Array(viewBuffer(value), viewOffset(value), viewBytes(value));
    const size = bufferBytes(value);
    return size ? new Uint8Array(/** @type {ArrayBuffer} */ (value)) : new Uint8Array(0);
  } catch {
    return isView ? new Uint8Array(0) : undefined;
  }
}

/**
 * What kind of object a value says it is: its own tag may be anything. '' of a proxy that was revoked.
 * @param {unknown} value
 * @returns {string}
 */
export function tagOf(value) {
  return isRevoked(value) ? '' : Object.prototype.toString.call(value).slice(8, -1);
}
