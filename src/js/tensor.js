import { GlassformerError } from './errors.js';
import { liveBuffers } from './memory.js';

/** @typedef {import('./memory.js').Arrays} Arrays */
/** @typedef {import('./memory.js').Dtype} Dtype */

/**
 * A result: dense, row-major, owned by the caller. `shape` [] is a scalar.
 * @template {Float32Array | Int32Array | Uint8Array} [D=Float32Array]
 * @typedef {{data: D, shape: number[]}} Tensor
 */

/**
 * An argument of floats: `data.length` is the product of `shape`.
 * @typedef {{data: Float32Array | Float64Array | readonly number[], shape: readonly number[]}} Floats
 */

/**
 * An argument of whole numbers; a bare array has rank 1.
 * @typedef {Int32Array | readonly number[]
 *   | {data: Int32Array | readonly number[], shape: readonly number[]}} Ints
 */

/**
 * A padding mask, 1 or true = hidden; a bare array has rank 1.
 * @typedef {Uint8Array | readonly number[] | readonly boolean[]
 *   | {data: Uint8Array | readonly number[] | readonly boolean[], shape: readonly number[]}} Flags
 */

/**
 * Checks one argument and gives it back in its normal form.
 * @template T
 * @typedef {(value: unknown, name: string) => T} Reader
 */

/** Which arrays each dtype accepts, and what an element of it must be. */
const RULES = {
  float32: { Type: Float32Array, accepts: ['Float32Array', 'Float64Array'], low: -Infinity, high: Infinity },
  int32: { Type: Int32Array, accepts: ['Int32Array'], low: -(2 ** 31), high: 2 ** 31 - 1 },
  uint8: { Type: Uint8Array, accepts: ['Uint8Array'], low: 0, high: 1 },
};

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Throws for a value of the wrong type, or for an absent one.
 * @param {string} name
 * @param {unknown} value
 * @param {string} expected
 * @returns {never}
 */
export function refuseType(name, value, expected) {
  if (value === undefined) throw new GlassformerError('missing', name, value, `needed: ${expected}`);
  throw new GlassformerError('type', name, value, `must be ${expected}`);
}

/**
 * Reads the one object of named arguments that every function takes.
 * @template {Record<string, Reader<any>>} S
 * @param {unknown} options
 * @param {S} readers one for each known name
 * @returns {{[K in keyof S]: ReturnType<S[K]>}}
 */
export function readOptions(options, readers) {
  if (!isObject(options)) refuseType('options', options, 'an object of named arguments');
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(readers, name)) {
      throw new GlassformerError(
        'unknown',
        name,
        options[name],
        `unknown; known are ${Object.keys(readers).join(', ')}`,
      );
    }
  }
  const given = /** @type {any} */ ({});
  for (const name of Object.keys(readers)) given[name] = readers[name](options[name], name);
  return given;
}

/**
 * @template T
 * @template const F
 * @param {Reader<T>} reader
 * @param {F} fallback
 * @returns {Reader<T | F>}
 */
export function optional(reader, fallback) {
  return (value, name) => (value === undefined ? fallback : reader(value, name));
}

/**
 * @template T
 * @param {Reader<T>} reader
 * @returns {Reader<T | undefined>}
 */
export function maybe(reader) {
  return optional(reader, undefined);
}

/** @type {Reader<boolean>} */
export function flag(value, name) {
  return typeof value === 'boolean' ? value : refuseType(name, value, 'true or false');
}

/** @type {Reader<(...values: any[]) => unknown>} */
export function callback(value, name) {
  return typeof value === 'function' ? /** @type {any} */ (value) : refuseType(name, value, 'a function');
}

/**
 * A finite number that float32 can hold.
 * @param {number} low
 * @param {number} high
 * @param {import('./errors.js').ErrorCode} [code]
 * @returns {Reader<number>}
 */
export function number(low, high, code = 'range') {
  return (value, name) => {
    if (typeof value !== 'number') refuseType(name, value, 'a number');
    if (!(value >= low && value <= high && Number.isFinite(Math.fround(value)))) {
      throw new GlassformerError(code, name, value, `must be a number from ${low} to ${high}`);
    }
    return value;
  };
}

/**
 * @param {number} low
 * @param {number} high
 * @param {import('./errors.js').ErrorCode} [code]
 * @returns {Reader<number>}
 */
export function integer(low, high, code = 'range') {
  return (value, name) => {
    if (typeof value !== 'number') refuseType(name, value, 'an integer');
    if (!(Number.isInteger(value) && value >= low && value <= high)) {
      throw new GlassformerError(code, name, value, `must be an integer from ${low} to ${high}`);
    }
    return value;
  };
}

/** A seed of the generators. */
export const seed = integer(0, 2 ** 32 - 1);

/**
 * @template {string} C
 * @param {readonly C[]} choices
 * @param {import('./errors.js').ErrorCode} [code]
 * @param {Record<string, string>} [renamed] former names, which are refused with the present ones
 * @returns {Reader<C>}
 */
export function choice(choices, code = 'range', renamed = {}) {
  return (value, name) => {
    if (typeof value !== 'string') refuseType(name, value, `one of ${choices.join(', ')}`);
    if (!choices.includes(/** @type {C} */ (value))) {
      const hint = Object.hasOwn(renamed, value) ? `; '${value}' is called '${renamed[value]}' now` : '';
      throw new GlassformerError(code, name, value, `must be one of ${choices.join(', ')}${hint}`);
    }
    return /** @type {C} */ (value);
  };
}

/**
 * A tensor, read within this call. It is copied, unless it is a Float32Array that no growth of the
 * memory can empty.
 * @template {Dtype} D
 * @param {D} dtype
 * @param {number} [high] largest element
 * @returns {Reader<Tensor<Arrays[D]>>}
 */
export function tensor(dtype, high = RULES[dtype].high) {
  return (value, name) => {
    if (dtype !== 'float32' && (Array.isArray(value) || ArrayBuffer.isView(value))) {
      const data = readData(value, name, dtype, high);
      return { data, shape: readShape([data.length], name, data.length) };
    }
    if (!isObject(value) || value.data === undefined) {
      refuseType(name, value, 'a tensor {data, shape}');
    }
    const data = readData(value.data, name, dtype, high);
    return { data, shape: readShape(value.shape, name, data.length) };
  };
}

/** Tensors of floats, ids and padding flags. */
export const floats = tensor('float32');
export const ints = tensor('int32');
export const bytes = tensor('uint8');

/**
 * A bare array of finite floats, copied.
 * @param {number} length
 * @returns {Reader<Float32Array>}
 */
export function floatArray(length) {
  return (value, name) => {
    const data = readData(value, name, 'float32', Infinity);
    expectShape({ shape: [data.length] }, [length], name);
    return finite(data, name);
  };
}

/**
 * @param {Float32Array} data
 * @param {string} name
 * @returns {Float32Array} the same, if all of it is finite
 */
export function finite(data, name) {
  const at = data.findIndex((element) => !Number.isFinite(element));
  if (at >= 0) throw new GlassformerError('range', name, data[at], `element ${at} must be finite`);
  return data;
}

/**
 * @template {Dtype} D
 * @param {unknown} data
 * @param {string} name
 * @param {D} dtype
 * @param {number} high
 * @returns {Arrays[D]}
 */
function readData(data, name, dtype, high) {
  const { Type, accepts } = RULES[dtype];
  if (ArrayBuffer.isView(data)) {
    // By tag, not instanceof: arrays of another realm (an iframe, Jest) are as good.
    const kind = /** @type {any} */ (data)[Symbol.toStringTag];
    if (!accepts.includes(kind)) {
      throw new GlassformerError('dtype', name, kind, `must hold ${accepts.join(' or ')}`);
    }
  } else if (!Array.isArray(data)) {
    refuseType(name, data, `an array of numbers or ${accepts.join(' or ')}`);
  }
  const given = /** @type {ArrayLike<unknown>} */ (/** @type {unknown} */ (data));
  // A live view that the memory has outgrown is empty, and cannot even be copied.
  if (given.length === 0) throw new GlassformerError('shape', name, undefined, 'must not be empty');
  if (Array.isArray(data) || dtype === 'uint8') checkElements(given, name, dtype, high);
  const safe = dtype === 'float32' && data instanceof Float32Array && !liveBuffers.has(data.buffer);
  return /** @type {any} */ (safe ? data : new Type(/** @type {ArrayLike<number>} */ (given)));
}

/**
 * @param {ArrayLike<unknown>} data
 * @param {string} name
 * @param {Dtype} dtype
 * @param {number} high
 */
function checkElements(data, name, dtype, high) {
  const { low } = RULES[dtype];
  for (let i = 0; i < data.length; i++) {
    const element = data[i];
    if (typeof element === 'boolean' && dtype === 'uint8') continue;
    if (typeof element !== 'number') {
      throw new GlassformerError('type', name, element, `element ${i} must be a number`);
    }
    if (dtype === 'float32') continue;
    if (!(Number.isInteger(element) && element >= low && element <= high)) {
      throw new GlassformerError('range', name, element, `element ${i} must be an integer from ${low} to ${high}`);
    }
  }
}

/**
 * @param {unknown} shape
 * @param {string} name
 * @param {number} length
 * @returns {number[]}
 */
function readShape(shape, name, length) {
  if (!Array.isArray(shape)) refuseType(`${name}.shape`, shape, 'an array of positive integers');
  const sizes = Array.from(shape);
  const good = sizes.every((size) => Number.isSafeInteger(size) && size > 0);
  // A product beyond 2^53 is inexact, but no array has such a length.
  if (!good || product(sizes) !== length) {
    throw new GlassformerError(
      'shape',
      name,
      shape,
      `shape must be positive integers whose product is data.length = ${length}`,
    );
  }
  return sizes;
}

/**
 * @param {readonly number[]} sizes
 * @returns {number}
 */
export function product(sizes) {
  let all = 1;
  for (const size of sizes) all *= size;
  return all;
}

/**
 * Refuses a tensor of another shape.
 * @param {{shape: number[]} | undefined} given
 * @param {readonly number[]} shape
 * @param {string} name
 */
export function expectShape(given, shape, name) {
  const fits =
    !given || (given.shape.length === shape.length && shape.every((size, axis) => size === given.shape[axis]));
  if (!fits) {
    throw new GlassformerError('shape', name, given.shape, `must have shape [${shape.join(', ')}]`);
  }
}

/**
 * Refuses a rank outside low..high.
 * @param {{shape: number[]}} given
 * @param {number} low
 * @param {number} high
 * @param {string} name
 */
export function expectRank(given, low, high, name) {
  const rank = given.shape.length;
  if (rank < low || rank > high) {
    const ranks = high === Infinity ? `at least ${low}` : low === high ? `${low}` : `${low} to ${high}`;
    throw new GlassformerError('shape', name, given.shape, `must have rank ${ranks}`);
  }
}

/**
 * Refuses ids outside 0..limit-1.
 * @param {Int32Array} ids
 * @param {number} limit
 * @param {string} name
 * @param {number} [allowed] beside them
 */
export function expectIds(ids, limit, name, allowed) {
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at];
    if ((id < 0 || id >= limit) && id !== allowed) {
      throw new GlassformerError('token', name, id, `id ${at} must be from 0 to ${limit - 1}`);
    }
  }
}
