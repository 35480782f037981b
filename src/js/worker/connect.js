// The side of a worker's owner: calls, what they call back, abort. The messages are listed in serve.js.
import { GlassformerError } from '../errors.js';
import { pack, send } from './pack.js';

/**
 * The common members of the platform's Worker and that of node:worker_threads.
 * @typedef {object} WorkerLike
 * @property {(message: any, moved?: any) => void} postMessage sends it a message
 * @property {() => unknown} terminate ends it
 */

/**
 * Options of `connect`.
 * @typedef {object} ConnectOptions
 * @property {(facts: any) => unknown} [revive] the error of what the worker sent of it
 * @property {(value: any, facts: any) => unknown} [unpack] puts something in the place of objects that stay in the
 *   worker, and takes the changed properties of earlier ones
 * @property {(value: object) => bigint | undefined} [referTo] the number of an object that stays in the worker
 * @property {() => unknown} [ended] called when the worker has ended
 */

/**
 * A call that waits for its answer.
 * @typedef {object} Pending
 * @property {(value: any) => void} resolve
 * @property {(reason: unknown) => void} reject
 * @property {((...values: any[]) => unknown)[]} callbacks
 * @property {() => void} end
 */

/** Of secure pages. @returns {LockManager | undefined} */
const locksOf = () => /** @type {any} */ (globalThis).navigator?.locks;

/**
 * Hears what a worker sends, and learns of its end.
 * @param {any} worker
 * @param {(message: any) => void} receive
 * @param {(why: unknown) => void} lose
 */
function listen(worker, receive, lose) {
  const broken = (/** @type {any} */ error) => lose(error?.message ?? error);
  if (worker.on) {
    worker.on('message', receive).on('error', broken).on('messageerror', broken);
    worker.on('exit', (/** @type {number} */ code) => lose(`exit code ${code}`));
    if (worker.threadId === -1) lose('before it was given');
    return;
  }
  worker.onmessage = (/** @type {MessageEvent} */ { data }) => receive(data);
  worker.onerror = (/** @type {ErrorEvent} */ event) => {
    event.preventDefault?.();
    lose(event.message || 'the script could not be loaded');
  };
  worker.onmessageerror = () => lose('a message could not be read');
  if (locksOf()) worker.postMessage({ hold: `glassformer ${crypto.randomUUID()}` });
}

/**
 * Calls into a worker that serves methods.
 * @param {WorkerLike} worker
 * @param {ConnectOptions} [options]
 */
export function connect(worker, { revive = asHere, unpack = (value) => value, referTo = () => undefined, ended } = {}) {
  /** @type {Map<number, Pending>} */
  const pending = new Map();
  const target = /** @type {any} */ (worker);
  let latest = 0;
  /** @type {unknown} */
  let gone;

  /** @param {number} id */
  function take(id) {
    const call = pending.get(id);
    pending.delete(id);
    if (!pending.size) target.unref?.(); // so that Node may end
    call?.end();
    return call;
  }

  /** @param {unknown} reason */
  function fail(reason) {
    for (const id of [...pending.keys()]) take(id)?.reject(reason);
  }

  /** @param {unknown} reason */
  function end(reason) {
    gone = reason;
    worker.terminate();
    fail(reason);
    ended?.();
  }

  /** @param {unknown} why */
  function lose(why) {
    if (!gone) end(new GlassformerError('freed', 'worker', undefined, `has ended (${why}): start another one`));
  }

  /** @param {any} message */
  function receive({ id, value, facts, error, callback, args, held }) {
    if (held) {
      // Given to this side once the worker has ended, for whatever reason: browsers have no event for that.
      locksOf()
        ?.request(held, () => lose('its thread is gone'))
        .catch(() => {});
    } else if (callback === undefined) {
      const call = take(id);
      const made = unpack(value, facts); // also where nobody waits any more, or it would never be given back
      if (error) call?.reject('thrown' in error ? error.thrown : revive(error));
      else call?.resolve(made);
      return;
    }
    try {
      if (pending.get(id)?.callbacks[callback](...args) === false) worker.postMessage({ stop: id });
    } catch (reason) {
      worker.postMessage({ abort: id });
      take(id)?.reject(reason);
    }
  }

  listen(target, receive, lose);
  target.unref?.();

  return {
    /**
     * @param {string} method
     * @param {any[]} args copied; functions and an AbortSignal among them and their properties go over too, and what
     *   stands for objects of the worker
     * @param {{to?: number, whole?: boolean, moved?: ArrayBufferLike[]}} [options] to: an object of the
     *   worker; whole: once begun it is not given up, as what it changes is changed; moved: memory that is not copied
     * @returns {Promise<any>} rejected with the signal's reason when that is aborted
     */
    call(method, args, { to = 0, whole, moved } = {}) {
      return new Promise((resolve, reject) => {
        if (gone) throw gone;
        const { packed, callbacks, signal } = pack(method, args, referTo);
        signal?.throwIfAborted();
        const id = ++latest;
        const abort = () => {
          worker.postMessage({ abort: id });
          if (!whole) take(id)?.reject(signal.reason);
        };
        send(worker, { id, to, method, args: packed }, moved);
        signal?.addEventListener('abort', abort);
        pending.set(id, {
          resolve,
          reject: (reason) => reject(signal?.aborted ? signal.reason : reason),
          callbacks,
          end: () => signal?.removeEventListener('abort', abort),
        });
        target.ref?.();
      });
    },
    /** Gives an object of the worker back. @param {number} object */
    drop: (object) => worker.postMessage({ drop: object }),
    /**
     * Ends the worker, even within a call.
     * @param {unknown} reason of all calls that wait, and of later ones
     */
    terminate: end,
  };
}

/** An error of a worker, as it was there, with its cause. @param {Record<string, any>} facts of it @returns {Error} */
function asHere({ cause, ...facts }) {
  const { code, parameter, message } = facts;
  const error = parameter === undefined ? new Error(message) : new GlassformerError(code, parameter, undefined, '');
  return Object.assign(error, facts, cause && { cause: 'thrown' in cause ? cause.thrown : asHere(cause) });
}
