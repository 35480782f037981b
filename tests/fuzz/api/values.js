// Arguments that nobody expects, and changes that make them of good ones.
import vm from 'node:vm';

/** @typedef {import('./draw.js').Draw} Draw */
/** @typedef {import('./world.js').World} World */

const elsewhere = vm.createContext({});
const abroad = (/** @type {string} */ code) => vm.runInContext(code, elsewhere);
const makeAbroad = abroad(`({
  array: (list) => Array.from(list),
  float32: (list) => Float32Array.from(list),
  int32: (list) => Int32Array.from(list),
  uint8: (list) => Uint8Array.from(list),
  object: (entries) => Object.fromEntries(Array.from(entries, (entry) => Array.from(entry))),
  map: (entries) => new Map(Array.from(entries, (entry) => Array.from(entry))),
})`);

/** Numbers that are odd as a size, an index, a setting or an element. */
const NUMBERS = [
  ...[NaN, -0, 0, 1, -1, 0.5, 2, 3, 7, 64, 255, 256, 1023, 65536, 65537, 2 ** 20, 2 ** 20 + 1, 1e-45, 1e-310, 1e30],
  ...[1e38, 3.5e38, 1e308, -1e308, Infinity, -Infinity, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1],
  ...[2 ** 32, 2 ** 32 + 1, 2 ** 33 + 2, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e21, -100, 1e6, 0.999, Math.PI],
];

const NAMES = ['data', 'shape', 'length', 'ids', 'x', 'constructor', '__proto__', 'then', 'toString', 'capture', 'a.b'];

const TYPED = [
  ...[Float32Array, Float64Array, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array],
  ...[Uint32Array, BigInt64Array, BigUint64Array],
];

/** @param {Draw} d @param {any} array a typed array, which loses its buffer */
function detach(array) {
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** Objects that are nothing, and pretend. @type {((d: Draw, world: World) => unknown)[]} */
const ODD = [
  () => undefined,
  () => null,
  (d) => d.chance(0.5),
  (d) => d.pick(NUMBERS),
  (d) => d.pick(NUMBERS),
  (d) => d.pick(NAMES),
  () => '',
  () => '\ud800',
  (d) => 'x'.repeat(d.pick([100, 5000, 100000])),
  () => Symbol('odd'),
  () => Symbol.iterator,
  (d) => BigInt(d.pick([0, 1, -1, 5])),
  () => 2n ** 64n,
  () => () => 1,
  () => class Odd {},
  () => Promise.resolve([1]),
  () => new Date(0),
  () => /x/g,
  () => new Map([['x', [1]]]),
  () => new Map(/** @type {any} */ ([[Symbol('key'), 1]])),
  () => new Set([1, 2]),
  () => new WeakMap(),
  () => new Error('odd'),
  () => new ArrayBuffer(8),
  () => new SharedArrayBuffer(16),
  () => new DataView(new ArrayBuffer(8)),
  () => [],
  () => [[]],
  () => ({}),
  () => Object.create(null),
  () => [1, , 3], // eslint-disable-line no-sparse-arrays
  () => Object.assign([], { length: 2000 }),
  () => Object.freeze([1, 2, 3]),
  () => Object(1),
  () => Object('1'),
  () => Object(Symbol('boxed')),
  () => new Blob(['{"x":1}']),
  () => new Response('x'),
  () => new URL('data:,x'),
  () => [1, 2, 3].values(),
  () =>
    (function* () {
      yield 1;
    })(),
  () => {
    const ring = /** @type {any[]} */ ([]);
    ring.push(ring);
    return ring;
  },
  () => {
    const ring = /** @type {any} */ ({ data: [1], shape: [1] });
    ring.data = ring.self = ring;
    return ring;
  },
  () => {
    let deep = /** @type {any} */ (1);
    for (let i = 0; i < 3000; i++) deep = [deep];
    return deep;
  },
  (d) => new (d.pick(TYPED))(d.int(0, 4)),
  (d) => detach(new (d.pick(TYPED))(4)),
  (d) => Object.defineProperty(new Float32Array([1, 2, 3]), 'length', { value: d.pick([0, 1, 100, 20000, -1, NaN]) }),
  (d) => Object.defineProperty(new Int32Array([1, 1, 1]), 'length', { value: d.pick([0, 1, 100, 20000, -1, NaN]) }),
  () => Object.defineProperty(new Float32Array(4), 'slice', { value: () => [1] }),
  () => Object.setPrototypeOf(new Float32Array(4), null),
  () => Object.setPrototypeOf(new Float32Array(4), Array.prototype),
  () => new Float32Array(new SharedArrayBuffer(16)),
  () => new Float32Array(new ArrayBuffer(16, /** @type {any} */ ({ maxByteLength: 32 }))),
  () => makeAbroad.array([1, 2, 3]),
  () => makeAbroad.float32([1, 2, 3]),
  () => makeAbroad.object([['x', [1]]]),
  () => makeAbroad.map([['x', [1]]]),
  (d) => ({ [Symbol.toStringTag]: d.pick(['Map', 'Float32Array', 'GlassformerModel', 'GlassformerEngine', 'Object']) }),
  () => ({ data: [1], shape: [1], [Symbol.toStringTag]: 'ArrayBuffer' }),
  () => ({
    toString() {
      throw new OwnError();
    },
  }),
  () => ({
    get [Symbol.toStringTag]() {
      throw new OwnError();
    },
  }),
  () => ({
    toJSON() {
      throw new OwnError();
    },
  }),
  () => ({ valueOf: () => 3, [Symbol.toPrimitive]: () => 3 }),
  () => ({ length: 3, 0: 1, 1: 1, 2: 1 }),
  () => ({ data: { length: 2 ** 40 }, shape: [2 ** 40] }),
  () => ({ data: [1, 2], shape: [2 ** 32, 2 ** 32] }),
  () => ({ data: [1, 2], shape: Object.assign([2], { length: 3 }) }),
  () => ({ words: [1] }),
  () => ({ aborted: true, reason: new OwnError(), throwIfAborted() {} }),
  () => AbortSignal.abort(new OwnError()),
  () => ({ then: (/** @type {(value: unknown) => void} */ done) => done({ data: [1], shape: [1] }) }),
  (d, world) => world.gf,
  (d, world) => world.some(d, 'models')?.model,
  (d, world) => new Proxy(/** @type {any} */ (world.some(d, 'models')?.model ?? {}), {}),
  (d, world) => Object.create(world.some(d, 'models')?.model ?? {}),
  (d, world) => world.some(d, 'trainers')?.trainer,
  (d, world) => world.some(d, 'things'),
  (d, world) => world.some(d, 'things'),
  (d, world) => world.view(d),
];

/** The errors that the walk's own getters, callbacks and signals throw. */
export class OwnError extends Error {
  constructor() {
    super('thrown by an argument');
  }
}

/** @param {Draw} d @param {World} world @returns {any} */
export const oddValue = (d, world) => d.pick(ODD)(d, world);

/** @param {any} value @returns {'list' | 'object' | ''} what can be changed within */
function kindOf(value) {
  try {
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return '';
    if (Array.isArray(value)) return 'list';
    return Object.getPrototypeOf(value) === Object.prototype ? 'object' : '';
  } catch {
    return '';
  }
}

/** Other forms of the same numbers. @type {((array: any, d: Draw, world: World) => unknown)[]} */
const FORMS = [
  (array) => detach(array.slice()),
  (array) => {
    const bytes = new SharedArrayBuffer(array.byteLength);
    const shared = new array.constructor(bytes);
    shared.set(array);
    return shared;
  },
  (array) => {
    const bytes = new ArrayBuffer(array.byteLength, /** @type {any} */ ({ maxByteLength: array.byteLength + 64 }));
    const resizable = new array.constructor(bytes);
    resizable.set(array);
    return resizable;
  },
  (array, d) => array.subarray(d.int(0, 2)),
  (array) => Object.freeze(Array.from(array)),
  (array) => Array.from(array, Object),
  (array) => Array.from(array).values(),
  (array) => ({ ...array, length: array.length }),
  (array) => new Proxy(array, {}),
  (array) => new Proxy(Array.from(array), {}),
  (array) => (array instanceof Float32Array ? makeAbroad.float32(array) : makeAbroad.array(array)),
  (array) => new (class extends array.constructor {})(array),
  (array) => Object.assign(Array.from(array), { extra: 1 }),
  (array) => {
    const sparse = Array.from(array);
    delete sparse[sparse.length - 1];
    return sparse;
  },
  (array, d) => array.map((/** @type {any} */ value) => (d.chance(0.2) ? changeNumber(value, d) : value)),
  (array, d, world) => world.view(d, array.length) ?? array,
];

/** @param {any} value @param {Draw} d */
function changeNumber(value, d) {
  if (typeof value === 'bigint') return BigInt(d.pick([-1, 2 ** 31, 2 ** 53]));
  return d.pick([...NUMBERS, value, value + 1, value - 1, -value]);
}

/** Other forms of an object. @type {((object: any, d: Draw, world: World) => unknown)[]} */
const OBJECTS = [
  (object) => Object.freeze(object),
  (object) => Object.assign(Object.create(null), object),
  (object) => Object.create(object),
  (object) => new Map(Object.entries(object)),
  (object) => makeAbroad.object(Object.entries(object)),
  (object, d) => Object.assign(object, { [d.pick(NAMES)]: oddValueOf(d) }),
  (object, d) => ({ ...object, ['x'.repeat(d.pick([1, 50, 3000]))]: 1 }),
  (object) => ({ ...object, [Symbol('key')]: 1 }),
  (object) => Object.assign(function options() {}, object),
  (object, d) => ({ ...object, [Symbol.toStringTag]: d.pick(['Object', 'Map', 'Array', 'Promise']) }),
  (object) =>
    new (class Options {
      constructor() {
        Object.assign(this, object);
      }
    })(),
  (object) => new Proxy(object, {}),
  (object, d, world) => hooked(object, d, world),
];

/** @param {Draw} d */
const oddValueOf = (d) => d.pick([undefined, null, 1, 'x', [1], {}, NaN]);

/** @param {any} object @param {Draw} d @param {World} world a proxy that runs the walk's calls */
function hooked(object, d, world) {
  const traps = d.pick([
    ['get'],
    ['has'],
    ['ownKeys'],
    ['getOwnPropertyDescriptor'],
    ['getPrototypeOf'],
    ['get', 'has'],
  ]);
  const hook = world.hook(d, object);
  const handler = /** @type {any} */ ({});
  for (const trap of traps) {
    handler[trap] = (/** @type {any[]} */ ...values) => {
      hook();
      return /** @type {any} */ (Reflect)[trap](...values);
    };
  }
  return new Proxy(object, handler);
}

/**
 * Changes one thing of good arguments, at any depth.
 * @param {any} value
 * @param {Draw} d
 * @param {World} world
 * @returns {any}
 */
export function changed(value, d, world) {
  try {
    return change(value, d, world);
  } catch {
    return value; // detached, frozen or revoked values take no more
  }
}

/**
 * @param {any} value
 * @param {Draw} d
 * @param {World} world
 * @returns {any}
 */
function change(value, d, world) {
  const deeper = d.chance(0.8);
  const whole = kindOf(value);
  if (whole) {
    const keys = Object.keys(value);
    if (keys.length && deeper) {
      const key = /** @type {any} */ (d.pick(keys));
      const kind = d.int(0, 19);
      if (kind === 0) delete value[key];
      else if (kind === 1) {
        const old = value[key];
        const hook = world.hook(d, old);
        Object.defineProperty(value, key, { get: () => (hook(), old), enumerable: true, configurable: true });
      } else {
        const { value: old } = Object.getOwnPropertyDescriptor(value, key) ?? {};
        Object.defineProperty(value, key, { value: changed(old, d, world) });
      }
      return value;
    }
    if (whole === 'list') {
      const kind = d.int(0, 8);
      if (kind === 0) return value.slice(1);
      if (kind === 1) return [...value, ...value];
      if (kind === 2) return Object.assign(value, { length: value.length + 1 });
      if (kind === 3) return value.values();
      if (kind === 4) return makeAbroad.array(value);
      if (kind === 5) return hooked(value, d, world);
      if (kind === 6) return [value];
      return oddValue(d, world);
    }
    return d.chance(0.8) ? d.pick(OBJECTS)(value, d, world) : oddValue(d, world);
  }
  if (ArrayBuffer.isView(value) && d.chance(0.9)) return d.pick(FORMS)(value, d, world);
  if (typeof value === 'number' && d.chance(0.7)) return changeNumber(value, d);
  if (typeof value === 'function' && d.chance(0.7)) {
    const hook = world.hook(d, value);
    return (/** @type {any[]} */ ...values) => (hook(), value(...values));
  }
  return oddValue(d, world);
}
