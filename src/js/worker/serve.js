// The side of a worker: takes calls, gives answers. Messages:
//   owner to worker  {id, to, method, args}   a call; `to`: an object that the worker gave, 0 the methods it serves
//                    {abort: id}              that call's signal was aborted
//                    {stop: id}               a function of that call returned false
//                    {drop: to}               the owner holds that object no more
//                    {hold: name}             takes the lock of that name, until this worker ends
//   worker to owner  {id, value, facts} or {id, error}; meanwhile {id, callback, args}; {held: name}
// In arguments and their properties {$call} stands for a function and {$signal} for an AbortSignal; in values {$object}
// for an object or function that stays here. Their values are bigints, which JSON cannot write: data from a file that
// has such a key stay data. `facts`: properties that have changed, by object.

/**
 * Makes a call: of a method, or of the target itself.
 * @typedef {import('../engine/generate.js').Signal} Signal
 * @typedef {(target: any, method: string, args: any[], signal: Signal) => unknown} Invoke
 */

/**
 * What `serve` takes beside the methods.
 * @typedef {object} ServeOptions
 * @property {(value: any) => {facts: object} | undefined} [describe] of an object that stays here, to be called from
 *   there: what is to be known of it
 * @property {Invoke} [invoke] makes the calls; default at once
 */

/** @param {unknown} value */
const isMark = (value) => typeof value === 'bigint';

/** Causes behind an error that go over. */
const DEEPEST = 8;

/** @type {Invoke} */
const atOnce = (target, method, args) => (method ? target[method](...args) : target(...args));

/**
 * Serves methods to whoever has made this worker. They may be asynchronous; each starts when it is called.
 * @param {Record<string, (...args: any[]) => unknown>} methods
 * @param {ServeOptions} [options]
 */
export function serve(methods, { describe = () => undefined, invoke = atOnce } = {}) {
  const port = /** @type {any} */ (globalThis);
  /** @type {Map<number, any>} */
  const objects = new Map([[0, methods]]);
  /** @type {Map<number, {controller: AbortController, stopped: boolean}>} */
  const calls = new Map();
  let latest = 0;

  /** @param {any} value @param {Set<ArrayBufferLike>} moved memory that goes over without a copy @returns {any} */
  function pack(value, moved) {
    const each = (/** @type {any} */ item) => pack(item, moved);
    const isObject = typeof value === 'object' && value !== null;
    const stays = isObject && describe(value);
    if (stays || typeof value === 'function') {
      objects.set(++latest, value);
      return { $object: BigInt(latest), ...stays };
    }
    if (!isObject) return value;
    if (ArrayBuffer.isView(value)) {
      const whole = value.byteLength === value.buffer.byteLength;
      const own = whole ? value : /** @type {Float32Array} */ (value).slice();
      moved.add(own.buffer);
      return own;
    }
    if (Array.isArray(value)) return typeof value[0] === 'object' ? value.map(each) : value;
    if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, each(item)]));
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, each(item)]));
  }

  /** @param {Record<string, any>} message of values that may hold typed arrays and objects */
  function post(message) {
    /** @type {Set<ArrayBufferLike>} */
    const moved = new Set();
    const packed = pack(message, moved);
    try {
      port.postMessage(packed, [...moved]);
    } catch (error) {
      const shown = message.error ? { ...message.error, value: undefined, cause: undefined } : factsOf(error);
      port.postMessage({ id: message.id, error: shown });
    }
  }

  /** @param {{id: number, to: number, method: string, args: any[]}} call */
  async function answer({ id, to, method, args }) {
    const controller = new AbortController();
    const call = { controller, stopped: false };
    calls.set(id, call);
    const unpack = (/** @type {any} */ value) => {
      if (isMark(value?.$call)) {
        return (/** @type {any[]} */ ...given) => {
          post({ id, callback: Number(value.$call), args: given });
          return !call.stopped;
        };
      }
      return isMark(value?.$signal) ? controller.signal : value;
    };
    const given = args.map((each) => {
      const plain = each && Object.getPrototypeOf(each) === Object.prototype && !isMark(each.$call);
      return plain
        ? Object.fromEntries(Object.entries(each).map(([key, value]) => [key, unpack(value)]))
        : unpack(each);
    });
    try {
      const value = await invoke(objects.get(to), method, given, controller.signal);
      /** @type {Record<number, object>} */
      const facts = {};
      for (const key of new Set([1, to])) {
        const now = objects.has(key) && describe(objects.get(key));
        if (now) facts[key] = now.facts;
      }
      post({ id, value, facts });
    } catch (error) {
      post({ id, error: factsOf(error) });
    }
    calls.delete(id);
  }

  /** @param {string} held */
  function hold(held) {
    const forGood = new Promise(() => {});
    const locked = port.navigator.locks.request(held, () => (port.postMessage({ held }), forGood));
    locked.catch(() => {}); // in a frame without an origin
  }

  port.onmessage = (/** @type {MessageEvent} */ { data }) => {
    const call = calls.get(data.abort ?? data.stop);
    if (data.stop && call) call.stopped = true;
    else if (data.abort) call?.controller.abort();
    else if (data.drop) objects.delete(data.drop);
    else if (data.hold) hold(data.hold);
    else if (data.id) answer(data);
  };
}

/**
 * What goes over of an error, with what caused it.
 * @param {any} error
 * @param {number} [depth] an error may be its own cause
 * @returns {any}
 */
function factsOf(error, depth = 0) {
  if (!(error instanceof Error)) return { thrown: error };
  const { name, message, stack, code, parameter, value, cause } = /** @type {any} */ (error);
  return {
    ...{ name, message, stack },
    ...(code !== undefined && { code }), // such as ENOENT
    ...(parameter !== undefined && { parameter, value }),
    ...(cause !== undefined && depth < DEEPEST && { cause: factsOf(cause, depth + 1) }),
  };
}
