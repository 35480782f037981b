import { isArray, isList, lengthOf, tagOf } from './arrays.js';
import { GlassformerError } from '../errors.js';
import { liveBuffers } from './memory.js';
import { isNamed, nearest } from './names.js';
import { pathOf, shapeOf, visit } from './nested.js';

/** @typedef {import('./memory.js').Arrays} Arrays */
/** @typedef {import('./memory.js').Dtype} Dtype */

/**
 * A result: dense, row-major, owned by the caller. `shape` [] is a scalar.
 * @template {Float32Array | Int32Array | Uint8Array} [D=Float32Array]
 * @typedef {object} Tensor
 * @property {D} data as many as the product of `shape`
 * @property {number[]} shape size of each axis
 */

/**
 * Numbers in nested arrays: as deep as the tensor has axes, a row may be a typed array. A bare typed array has rank 1.
 * @typedef {readonly (number | Float32Array | Float64Array | NestedFloats)[]} NestedFloats
 */

/**
 * Numbers with their shape.
 * @typedef {object} FlatFloats
 * @property {Float32Array | Float64Array | readonly number[]} data row-major
 * @property {readonly number[]} shape size of each axis
 */

/**
 * An argument of floats: `data.length` is the product of `shape`; or nested arrays, which tell their shape.
 * @typedef {Float32Array | Float64Array | NestedFloats | FlatFloats} Floats
 */

/**
 * @typedef {Int32Array | BigInt64Array | BigUint64Array} IntArray 64-bit ones as tokenizers make them; each number must
 *   fit 32 bits
 * @typedef {readonly (number | bigint | IntArray | NestedInts)[]} NestedInts
 */

/**
 * Whole numbers with their shape.
 * @typedef {object} FlatInts
 * @property {IntArray | readonly (number | bigint)[]} data row-major
 * @property {readonly number[]} shape size of each axis
 */

/**
 * An argument of whole numbers; a bare array has rank 1.
 * @typedef {IntArray | NestedInts | FlatInts} Ints
 */

/**
 * @typedef {readonly (number | boolean | Uint8Array | NestedFlags)[]} NestedFlags
 */

/**
 * Flags with their shape.
 * @typedef {object} FlatFlags
 * @property {Uint8Array | readonly (number | boolean)[]} data row-major
 * @property {readonly number[]} shape size of each axis
 */

/**
 * A padding mask, 1 or true = hidden; a bare array has rank 1.
 * @typedef {Uint8Array | NestedFlags | FlatFlags} Flags
 */

/**
 * Checks one argument and gives it back in its normal form.
 * @template T
 * @typedef {(value: unknown, name: string) => T} Reader
 */

/** Which arrays each dtype accepts, what else an element of it may be, and the numbers that it holds. */
const RULES = {
  float32: { Type: Float32Array, accepts: ['Float32Array', 'Float64Array'], also: '', low: -Infinity, high: Infinity },
  int32: {
    Type: Int32Array,
    accepts: ['Int32Array', 'BigInt64Array', 'BigUint64Array'],
    also: 'bigint',
    low: -(2 ** 31),
    high: 2 ** 31 - 1,
  },
  uint8: { Type: Uint8Array, accepts: ['Uint8Array'], also: 'boolean', low: 0, high: 1 },
};

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !isArray(value);
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
 * Named arguments as they are now, for a call that begins later.
 * @param {unknown} options
 */
export const snapshot = (options) => (isNamed(options) ? { ...options } : options);

/**
 * Reads an object of named arguments.
 * @template {Record<string, Reader<any>>} S
 * @param {unknown} options
 * @param {S} readers one for each known name
 * @param {string} [path] before the names in errors
 * @returns {{[K in keyof S]: ReturnType<S[K]>}}
 */
export function readOptions(options, readers, path = '') {
  const names = Object.keys(readers);
  if (!isNamed(options)) {
    const some = names.slice(0, 4).join(', ') + (names.length > 4 ? ', …' : '');
    const how = path ? `must be { ${some} }` : `call with ({ ${some} })`;
    throw new GlassformerError(
      options === undefined ? 'missing' : 'type',
      path.slice(0, -1) || 'options',
      options,
      how,
    );
  }
  expectKnown(options, names);
  return readEach(options, readers, path);
}

/**
 * Reads the arguments of an operation: its tensors in their order, then an object of options.
 * @template {Record<string, Reader<any>>} T
 * @template {Record<string, Reader<any>>} O
 * @param {readonly unknown[]} given
 * @param {T} tensors by the names that errors have
 * @param {O} others options
 * @returns {{[K in keyof T]: ReturnType<T[K]>} & {[K in keyof O]: ReturnType<O[K]>}}
 */
export function readArguments(given, tensors, others) {
  const [names, known] = [Object.keys(tensors), Object.keys(others)];
  const options = given[names.length] ?? {};
  const has = (/** @type {unknown} */ each, /** @type {string[]} */ some) =>
    isNamed(each) && some.some((name) => Object.hasOwn(each, name));
  const mistaken = given.find((each, i) => has(each, i < names.length ? [...names, ...known] : names));
  if (mistaken || !isNamed(options) || given[0] === undefined) {
    // With the options that the caller wrote, or the first ones that there are.
    const written = known.filter((name) => has(mistaken, [name]));
    const some = (written.length > 0 ? written : known.slice(0, 3)).join(', ');
    throw new GlassformerError(
      given[0] === undefined ? 'missing' : 'type',
      mistaken || given[0] === undefined ? names[0] : 'options',
      mistaken ?? (isNamed(options) ? undefined : options),
      `call with (${names.join(', ')}${some && `, { ${some} }`})`,
    );
  }
  expectKnown(options, known);
  const all = Object.fromEntries(names.map((name, i) => [name, given[i]]));
  return readEach({ ...options, ...all }, { ...tensors, ...others }, '');
}

/**
 * Refuses a name that is none of those known, with the one that may have been meant.
 * @param {Record<string, unknown>} options
 * @param {string[]} names
 */
function expectKnown(options, names) {
  const known = names.map((each) => each.split('[')[0]);
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    // Of a row they are sourceIds[0].
    const free = known.filter((each) => options[each] === undefined);
    const near = nearest(name, free) ?? nearest(name, known);
    // Without `vocabulary` a model takes vectors, and knows no `ids`.
    const why = /vectors$/i.test(near ?? '')
      ? 'vocabulary is 0 here'
      : /padding$/i.test(near ?? '') && /attention.?mask$/i.test(name)
        ? `has 1 for what is seen, ${near} 1 for what is hidden`
        : 'unknown';
    const all = names.length > 0 ? `known are ${names.join(', ')}` : 'there are no options';
    const message = near ? `${why}, did you mean ${near}?` : `unknown; ${all}`;
    // An access token is shown nowhere.
    throw new GlassformerError('unknown', name, name === 'token' ? undefined : options[name], message);
  }
}

/**
 * @template {Record<string, Reader<any>>} S
 * @param {Record<string, unknown>} options
 * @param {S} readers
 * @param {string} path
 * @returns {{[K in keyof S]: ReturnType<S[K]>}}
 */
function readEach(options, readers, path) {
  const names = Object.keys(readers);
  const given = /** @type {any} */ ({});
  for (const name of names) given[name] = readers[name](options[name], path + name);
  for (const name of names) expectIntact(given[name], path + name);
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

/** Reads a value that is checked elsewhere. @type {Reader<any>} */
export const any = (value) => value;

/** @type {Reader<string>} */
export function tensorName(value, name) {
  return typeof value === 'string' ? value : refuseType(name, value, 'the name of a tensor');
}

/** @type {Reader<boolean>} */
export function flag(value, name) {
  return typeof value === 'boolean' ? value : refuseType(name, value, 'true or false');
}

/** @type {Reader<(...values: any[]) => unknown>} */
export function callback(value, name) {
  return typeof value === 'function' ? /** @type {any} */ (value) : refuseType(name, value, 'a function');
}

/** @type {Reader<import('../engine/generate.js').Signal>} */
export const signalReader = (value, name) =>
  typeof (/** @type {any} */ (value)?.throwIfAborted) === 'function'
    ? /** @type {import('../engine/generate.js').Signal} */ (value)
    : refuseType(name, value, 'an AbortSignal');

/**
 * An array.
 * @template T
 * @param {Reader<T>} reader of an element
 * @param {string} expected
 * @param {string} [all] what every element is called, if not by its place
 * @returns {Reader<T[]>}
 */
export function listOf(reader, expected, all) {
  return (value, name) => {
    if (!isList(value) || value.length === undefined) refuseType(name, value, expected); // a DataView has none
    // By place, as the iterator of an array without memory throws its own error.
    return Array.from({ length: value.length }, (_, i) => reader(value[i], all ?? `${name}[${i}]`));
  };
}

/** Of float32. */
const LARGEST = 2 ** 128 - 2 ** 104;

/**
 * A finite number that float32 can hold.
 * @param {number} low
 * @param {number} high above a million it protects the arithmetic only, and is named only where it is exceeded
 * @param {import('../errors.js').ErrorCode} [code]
 * @param {string} [hint]
 * @returns {Reader<number>}
 */
export function number(low, high, code = 'range', hint = '') {
  return (value, name) => {
    if (typeof value !== 'number') refuseType(name, value, 'a number');
    if (!(value >= low && value <= high && Number.isFinite(Math.fround(value)))) {
      const sign = low > 0 ? 'a positive' : low === 0 ? '0 or a positive' : 'a finite';
      const most = Math.min(high, LARGEST);
      const isTooLarge = value > most && value < Infinity;
      const wanted = high < 1e6 ? `a number from ${low} to ${high}` : isTooLarge ? `at most ${most}` : `${sign} number`;
      throw new GlassformerError(code, name, value, `must be ${wanted}${hint}`);
    }
    return value;
  };
}

/**
 * @param {number} low
 * @param {number} high
 * @param {import('../errors.js').ErrorCode} [code]
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
 * @param {import('../errors.js').ErrorCode} [code]
 * @returns {Reader<C>}
 */
export function choice(choices, code = 'range') {
  return (value, name) => {
    if (typeof value !== 'string') refuseType(name, value, `one of ${choices.join(', ')}`);
    if (!choices.includes(/** @type {C} */ (value))) {
      throw new GlassformerError(code, name, value, `must be one of ${choices.join(', ')}`);
    }
    return /** @type {C} */ (value);
  };
}

/** A tensor whose numbers lie in an array of the caller's. */
class Borrowed {
  /** @param {Float32Array} data @param {number[]} shape */
  constructor(data, shape) {
    this.data = data;
    this.shape = shape;
  }
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
    if (isList(value)) return readData(value, name, dtype, high);
    const data = isObject(value) ? value.data : undefined;
    if (data === undefined) refuseType(name, value, 'nested arrays or a tensor {data, shape}');
    return readData(data, name, dtype, high, (length) => readShape(/** @type {any} */ (value).shape, name, length));
  };
}

/**
 * Refuses a tensor whose array has lost its memory since it was read, so that nothing beyond it is ever read.
 * @param {unknown} given
 * @param {string} name
 */
export function expectIntact(given, name) {
  if (!(given instanceof Borrowed) || lengthOf(given.data) === product(given.shape)) return;
  throw new GlassformerError('state', name, undefined, 'was detached or resized while the arguments were read');
}

/** Tensors of floats, ids and padding flags. */
export const floats = tensor('float32');
export const ints = tensor('int32');
export const bytes = tensor('uint8');

/** A mask of scores, or the name of the one that hides what comes later. @type {Reader<Tensor | 'causal'>} */
export function mask(value, name) {
  if (typeof value === 'string' && value !== 'causal') refuseType(name, value, "'causal', nested arrays or a tensor");
  return value === 'causal' ? value : floats(value, name);
}

/**
 * A bare array of floats.
 * @param {number} length
 * @returns {Reader<Tensor>}
 */
export function floatArray(length) {
  return (value, name) => {
    if (!isList(value)) refuseType(name, value, 'a Float32Array');
    const given = floats(value, name);
    expectShape(given, [length], name);
    return given;
  };
}

/**
 * @param {Tensor} given
 * @param {string} name
 * @returns {Float32Array} its data, if all of it is finite
 */
export function finite({ data, shape }, name) {
  let at = 0; // a loop, as findIndex takes five times as long
  while (Number.isFinite(data[at])) at++;
  if (at === data.length) return data;
  throw new GlassformerError('range', name, data[at], `${pathOf(name, at, shape)} must be finite`);
}

/** Numbers, 2 GB of floats: all that an engine's memory can have. */
const MOST = 2 ** 29;

/**
 * @param {unknown} value
 * @param {string} name
 * @param {Dtype} dtype
 * @param {number} high
 * @param {(length: number) => number[]} [shaped] its shape; without, that of the nested lists
 * @returns {Tensor<any>}
 */
function readData(value, name, dtype, high, shaped) {
  const { Type, accepts, also, low } = RULES[dtype];
  const wanted = accepts.join(' or ');
  if (!isList(value)) refuseType(name, value, `an array of numbers or ${wanted}`);
  const kind = tagOf(value); // not by instanceof: see arrays.js
  if (!isArray(value) && !accepts.includes(kind)) {
    throw new GlassformerError('dtype', name, kind, `must hold ${wanted}`);
  }
  const lengths = shaped ? [lengthOf(value)] : shapeOf(value, name);
  const count = product(lengths);
  // A live view that the memory has outgrown is empty, and cannot even be copied.
  if (count === 0) throw new GlassformerError('shape', name, undefined, 'must not be empty');
  if (dtype === 'float32' && kind === 'Float32Array' && !liveBuffers.has(/** @type {any} */ (value).buffer)) {
    const { buffer, byteOffset } = /** @type {Float32Array} */ (value);
    return new Borrowed(new Float32Array(buffer, byteOffset, lengthOf(value)), shaped?.(count) ?? lengths);
  }
  const shape = shaped?.(count) ?? lengths;
  const own = allocate(Type, count, name);
  visit(value, lengths, name, (given, i) => {
    const element = typeof given === also ? Number(given) : given;
    const numeric = typeof element === 'number';
    if (numeric) own[i] = element;
    // An array turns a number that it cannot hold into another one.
    if (!numeric || (dtype !== 'float32' && (own[i] !== element || element > high))) {
      throw new GlassformerError(
        numeric ? 'range' : 'type',
        name,
        element,
        `${pathOf(name, i, shape)} must be ${numeric ? `an integer from ${low} to ${high}` : 'a number'}`,
      );
    }
  });
  return { data: own, shape };
}

/**
 * @param {new (length: number) => Float32Array | Int32Array | Uint8Array} Type
 * @param {number} count
 * @param {string} name
 */
function allocate(Type, count, name) {
  try {
    if (count <= MOST) return new Type(count);
  } catch {
    // The machine has less.
  }
  throw new GlassformerError('memory', name, count, 'not enough memory for its numbers');
}

/**
 * @param {unknown} shape
 * @param {string} name
 * @param {number} length
 * @returns {number[]}
 */
function readShape(shape, name, length) {
  if (!isArray(shape)) refuseType(`${name}.shape`, shape, 'an array of positive integers');
  let good = true;
  for (const size of shape) if (!(good = Number.isSafeInteger(size) && size > 0)) break; // every() passes over holes
  // A product beyond 2^53 is inexact, but no array has such a length.
  if (!good || product(shape) !== length) {
    throw new GlassformerError(
      'shape',
      name,
      shape,
      `shape must be positive integers whose product is data.length = ${length}`,
    );
  }
  return [...shape];
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
 * The hint for flat data where a tensor needs several axes.
 * @param {readonly number[]} shape
 * @returns {string}
 */
export function flatHint(shape) {
  return shape.length === 1 ? '; flat data needs its shape, gf.tensor(data, shape)' : '';
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
    throw new GlassformerError('shape', name, given.shape, `must have ${ranks} axes${flatHint(given.shape)}`);
  }
}

/**
 * Refuses ids outside 0..limit-1.
 * @param {Tensor<Int32Array>} ids
 * @param {number} limit
 * @param {string} name
 * @param {number} [allowed] beside them
 * @param {string} [table] what has so many
 */
export function expectIds({ data, shape }, limit, name, allowed, table = 'vocabulary') {
  for (let at = 0; at < data.length; at++) {
    const id = data[at];
    if ((id < 0 || id >= limit) && id !== allowed) {
      const path = pathOf(name, at, shape);
      throw new GlassformerError('token', name, id, `${path} is ${id}, the ${table} has ${limit} (0 to ${limit - 1})`);
    }
  }
}
