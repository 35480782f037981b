// Sends the page's requests to the worker that cuts texts. An answer that takes too long ends the worker; the next
// call starts another one.

import { createClient } from '../../kit/client.js';

/** @typedef {import('./tokenizer-worker.js').Facts} Facts */
/** @typedef {import('../../kit/client.js').Client<Record<string, (...given: any[]) => any>>} Client */

const LONGEST = 3; // seconds for a text; those of GPT-2 and BERT take some 10 ms for the longest text of the page
const LONGEST_OPENING = 60; // seconds
const KEPT = 64; // answers of each kind

/** The worker took too long, and has been ended. */
export class Late extends Error {}

/**
 * @param {import('./tokenizer-worker.js').Source} source
 * @param {number} size rows of the model's table
 * @param {(name: string) => string} scriptUrl
 */
export function createTokenizer(source, size, scriptUrl) {
  /** @type {{client: Client, opened: Promise<Facts>} | null} */
  let running = null;
  /** @type {Promise<unknown>} one call at a time, each with its time */
  let last = Promise.resolve();

  function start() {
    /** @type {Client} */
    const client = createClient(() => new Worker(scriptUrl('tokenizer.js'), { type: 'module' }));
    return { client, opened: client.open({ ...source, size }) };
  }

  function close() {
    running?.client.end();
    running = null;
  }

  /**
   * @template T
   * @param {Promise<T>} promise
   * @param {number} seconds
   * @returns {Promise<T>}
   */
  async function within(promise, seconds) {
    let timer = 0;
    const late = new Promise((_, reject) => {
      timer = setTimeout(reject, seconds * 1000, new Late(`its tokenizer took longer than ${seconds} seconds`));
    });
    try {
      return await /** @type {Promise<T>} */ (Promise.race([promise, late]));
    } catch (error) {
      // A worker that is gone answers no more.
      if (error instanceof Late || /** @type {any} */ (error).code === 'freed') close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    /** @returns {Promise<Facts>} */
    async open() {
      try {
        running ??= start();
        return await within(running.opened, LONGEST_OPENING);
      } catch (error) {
        close();
        throw error;
      }
    },
    /** @param {string} method @param {unknown[]} args @returns {Promise<any>} */
    ask(method, args) {
      const answer = last.then(async () => {
        running ??= start();
        const { client, opened } = running;
        await within(opened, LONGEST_OPENING);
        return within(client[method](...args), LONGEST);
      });
      last = answer.catch(() => {});
      return answer;
    },
    close,
  };
}

/**
 * A function that answers at once: the worker's answer if it is there, else a substitute.
 * @template {unknown[]} A
 * @template T
 * @param {(...args: A) => Promise<T>} ask
 * @param {(...args: A) => T} meanwhile
 * @param {() => void} refresh to be called when there is an answer
 * @returns {(...args: A) => T}
 */
export function remembered(ask, meanwhile, refresh) {
  /** @type {Map<string, T>} */
  const known = new Map();
  return (...args) => {
    const key = JSON.stringify(args);
    if (!known.has(key)) {
      known.set(key, meanwhile(...args));
      ask(...args).then((value) => {
        known.set(key, value);
        refresh();
      });
      if (known.size > KEPT) known.delete(/** @type {string} */ (known.keys().next().value));
    }
    return /** @type {T} */ (known.get(key));
  };
}
