// Packs a call for a worker, and explains why a value cannot be sent.
import { isArray, tagOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';

/** Levels of arguments in which functions, signals and objects of the worker are searched for. */
const DEEPEST = 6;

/** @param {any} value */
const isPlain = (value) => tagOf(value) === 'Object' && Object.getPrototypeOf(value) === Object.prototype;

/** @param {string} path @param {string | number} key */
const within = (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path ? `${path}.${key}` : key);

/** Named arguments have paths of their own. @param {string} method @param {any} value @param {number} i */
const nameOfArgument = (method, value, i) => (isPlain(value) ? '' : `argument ${i + 1} of ${method || 'a function'}`);

/** @param {string} path @param {string} what */
const uncloneable = (path, what) => {
  const why = `${what} cannot go to a worker${what === 'a Promise' ? ': await it' : ''}`;
  return new GlassformerError('type', path, undefined, why);
};

/**
 * Replaces functions, an AbortSignal and the worker's own objects among arguments. A function must be a callback for
 * news, by its name (onProgress): no worker could wait for the answer of another one.
 * @param {string} method
 * @param {any[]} args
 * @param {(value: object) => bigint | undefined} referTo the number of an object that stays in the worker
 */
export function pack(method, args, referTo) {
  /** @type {((...values: any[]) => unknown)[]} */
  const callbacks = [];
  /** @type {any} */
  let signal;
  /** @param {any} value @param {string} path @param {number} depth @returns {any} */
  const one = (value, path, depth) => {
    if (Object(value) !== value || ArrayBuffer.isView(value)) return value;
    const $ref = referTo(value);
    if ($ref !== undefined) return { $ref };
    const tag = tagOf(value);
    if (tag.startsWith('Glassformer')) throw uncloneable(path, `a ${tag}`); // an object of this thread's engine
    if (typeof value === 'function') {
      if (depth && !/(^|\.)on[A-Z]\w*$/.test(path)) throw uncloneable(path, 'a function');
      return { $call: BigInt(callbacks.push(value) - 1) };
    }
    if (typeof value?.throwIfAborted === 'function') {
      signal = value;
      return { $signal: 0n };
    }
    if (depth === DEEPEST || !(isPlain(value) || (isArray(value) && Object(value[0]) === value[0]))) return value;
    if (isArray(value)) return value.map((item, i) => one(item, within(path, i), depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, one(item, within(path, key), depth + 1)]),
    );
  };
  return { packed: args.map((each, i) => one(each, nameOfArgument(method, each, i), 0)), callbacks, signal };
}

/**
 * Why the platform refused to copy a value: the first part of it that cannot be copied, by its path.
 * @param {any} value
 * @param {string} path
 * @param {number} [depth]
 * @returns {GlassformerError | undefined}
 */
function culpritIn(value, path, depth = 0) {
  try {
    structuredClone(value);
    return undefined;
  } catch {
    const tag = tagOf(value);
    const parts = depth > DEEPEST ? [] : value instanceof Map ? [...value] : Object.entries(Object(value));
    for (const [key, part] of parts) {
      const found = culpritIn(part, within(path, isArray(value) ? Number(key) : `${String(key)}`), depth + 1);
      if (found) return found;
    }
    return uncloneable(path || 'the argument', `a ${/^(Fun|Sym)/.test(tag) ? tag.toLowerCase() : tag}`);
  }
}

/**
 * Sends a call, or says what of it cannot be sent.
 * @param {import('./connect.js').WorkerLike} worker
 * @param {{id: number, to: number, method: string, args: any[]}} message
 * @param {ArrayBufferLike[]} [moved]
 */
export function send(worker, message, moved) {
  try {
    worker.postMessage(message, moved);
  } catch (error) {
    const { method, args } = message;
    throw args.map((each, i) => culpritIn(each, nameOfArgument(method, each, i))).find((each) => each) ?? error;
  }
}
