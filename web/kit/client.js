// The client of a place's worker has a function for each method that the worker serves. A request may hold functions
// that the worker calls, such as onProgress, and a signal that gives it up.

import { connect } from 'glassformer/worker';

/** @typedef {{restart: () => void, end: () => void}} Life `restart`: another worker in the place of one that failed */

/**
 * @template M
 * @typedef {Life & {[K in keyof M]: M[K] extends (...given: infer Given) => infer Answer
 *   ? (...given: Given) => Promise<Awaited<Answer>> : never}} Client
 */

/** Whether a value moves to the worker instead of being copied. @param {any} value @returns {value is any} */
const isPort = (value) => value instanceof MessagePort;

/**
 * @template {object} M the methods that the worker serves
 * @param {() => Worker} start
 * @param {{whole?: boolean, ended?: () => void}} [options] `whole`: an answer comes even where it was given up, as what
 *   the worker has changed is changed; `ended`: called when the worker has ended
 * @returns {Client<M>}
 */
export function createClient(start, { whole, ended } = {}) {
  const open = () => connect(start(), { ended });
  let connection = open();
  /** @type {Record<string | symbol, unknown>} */
  const own = {
    restart() {
      connection.terminate(new Error('A new worker was started.'));
      connection = open();
    },
    end: () => connection.terminate(new Error('It was ended.')),
    then: undefined, // a client may be awaited
  };
  /** @param {string} method @returns {(...given: any[]) => Promise<unknown>} */
  const calling =
    (method) =>
    (...given) =>
      connection.call(method, given, { whole, moved: given.filter(isPort) });
  return /** @type {Client<M>} */ (
    new Proxy(own, { get: (_, name) => (name in own ? own[name] : calling(String(name))) })
  );
}
