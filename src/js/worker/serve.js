// The side of a worker: takes calls, gives answers. Messages:
//   owner to worker  {id, to, method, args}   a call; `to`: an object that the worker gave, 0 the methods it serves
//                    {abort: id}              that call's signal was aborted
//                    {stop: id}               a function of that call returned false
//                    {drop: to}               the owner holds that object no more
//                    {hold: name}             takes the lock of that name, until this worker ends
//   worker to owner  {id, value, facts} or {id, error}; meanwhile {id, callback, args}; {held: name}
// In arguments {$call} stands for a function, {$signal} for an AbortSignal, {$ref} for an object that it gave;
// in values {$object} for an object or function that stays here. Their values are bigints, which JSON cannot write:
// data of a file that has such a key stay data. `facts`: properties that have changed, by object.

/**
 * Makes a call: of a method, or of the target itself.
 * @typedef {import('../engine/generate.js').Signal} Signal
 * @typedef {(target: any, method: string, args: any[], signal: Signal) => unknown} Invoke
 */

/**
 * Options of `serve`.
 * @typedef {object} ServeOptions
 * @property {(value: any) => {facts: object} | undefined} [describe] of an object that stays here, to be called from
 *   there: what is to be known of it
 * @property {Invoke} [invoke] makes the calls; default at once
 */

/** @param {unknown} value */
const isMark = (value) => typeof value === 'bigint';

/** Causes behind an error that go over, and levels of arguments and values that are searched. */
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
  /** Answers wait for the lock: the owner then knows of it, and learns of any later end. @type {Promise<unknown>} */
  let holding = Promise.resolve();

  /**
   * @param {any} value the value of an error may be anything, also a round
   * @param {Set<ArrayBufferLike>} moved memory that goes over without a copy
   * @param {number} [depth]
   * @returns {any}
   */
  function pack(value, moved, depth = 0) {
    const each = (/** @type {any} */ item) => (depth > DEEPEST ? item : pack(item, moved, depth + 1));
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
    const callBack =
      (/** @type {bigint} */ callback) =>
      (/** @type {any[]} */ ...given) => {
        post({ id, callback: Number(callback), args: given });
        return !call.stopped;
      };
    const found = { $ref: (/** @type {bigint} */ ref) => objects.get(Number(ref)), $signal: () => controller.signal };
    const given = args.map((each) => unpack(each, { ...found, $call: callBack }));
    try {
      const value = await invoke(objects.get(to), method, given, controller.signal);
      /** @type {Record<number, object>} */
      const facts = {};
      for (const key of new Set([1, to])) {
        const now = objects.has(key) && describe(objects.get(key));
        if (now) facts[key] = now.facts;
      }
      await holding;
      post({ id, value, facts });
    } catch (error) {
      await holding;
      post({ id, error: factsOf(error) });
    }
    calls.delete(id);
  }

  port.onmessage = (/** @type {MessageEvent} */ { data }) => {
    const call = calls.get(data.abort ?? data.stop);
    if (data.stop && call) call.stopped = true;
    else if (data.abort) call?.controller.abort();
    else if (data.drop) objects.delete(data.drop);
    else if (data.hold) holding = hold(port, data.hold);
    else if (data.id) answer(data);
  };
}

/**
 * Takes a lock until this worker ends, and tells the owner. Where locks are refused, as in a frame without an origin,
 * nobody waits for it.
 * @param {any} port
 * @param {string} held
 */
const hold = (port, held) =>
  new Promise((resolve) => {
    const forGood = new Promise(() => {});
    const granted = () => {
      port.postMessage({ held });
      resolve(undefined);
      return forGood;
    };
    port.navigator.locks.request(held, granted).catch(resolve);
  });

/**
 * An argument as it was where the call was made.
 * @param {any} value
 * @param {Record<string, (given: any) => unknown>} found what a mark stands for
 * @param {number} [depth]
 * @returns {any}
 */
function unpack(value, found, depth = 0) {
  if (Object(value) !== value || depth > DEEPEST) return value;
  for (const mark of Object.keys(found)) if (isMark(value[mark])) return found[mark](value[mark]);
  if (Array.isArray(value) ? Object(value[0]) === value[0] : Object.getPrototypeOf(value) === Object.prototype) {
    for (const key of Object.keys(value)) value[key] = unpack(value[key], found, depth + 1);
  }
  return value;
}

/**
 * The transferable parts of an error, with its cause.
 * @param {any} error
 * @param {number} [depth] an error may be its own cause
 * @returns {any}
 */
function factsOf(error, depth = 0) {
  if (!(error instanceof Error)) return { thrown: error };
  const { name, message, stack, code, parameter, value, cause } = /** @type {any} */ (error);
  return {
    name,
    message,
    stack,
    ...(code !== undefined && { code }), // such as ENOENT
    ...(parameter !== undefined && { parameter, value }),
    ...(cause !== undefined && depth < DEEPEST && { cause: factsOf(cause, depth + 1) }),
  };
}
