// The run as it is kept on this machine, at the page's side: the worker's requests to IndexedDB.

import { ended } from '../../kit/transaction.js';

const DATABASE = 'glassformer-train';
const VERSION = 1; // another one begins with an empty store
const STORE = 'run';
const MOMENTS = () => IDBKeyRange.bound(0, Infinity); // their keys are steps, those of the rest are names

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function open() {
  const request = indexedDB.open(DATABASE, VERSION);
  request.onupgradeneeded = () => {
    const { result } = request;
    for (const name of result.objectStoreNames) result.deleteObjectStore(name);
    result.createObjectStore(STORE);
  };
  return done(request);
}

/** @type {Promise<IDBDatabase> | null} */
let database = null;

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => Promise<T>} action
 */
async function within(mode, action) {
  const transaction = (await (database ??= open())).transaction(STORE, mode, { durability: 'relaxed' });
  const end = ended(transaction);
  try {
    const [value] = await Promise.all([action(transaction.objectStore(STORE)), end]);
    return value;
  } catch (error) {
    try {
      transaction.abort(); // all of it or nothing
    } catch {
      /* it has ended */
    }
    await end.catch((why) => {
      if (why) throw why; // a request that was under way says only that it was aborted
    });
    throw error;
  }
}

/**
 * @typedef {object} Writing
 * @property {string} id of the run that is stored; '': this one is new
 * @property {string} name its id from now on
 * @property {object} origin
 * @property {object} now
 * @property {number[]} gone moments
 * @property {Map<number, object>} added moments
 */

const requests = {
  /** @param {Writing} request @returns {Promise<boolean>} whether the stored run is still this one */
  write: ({ id, name, origin, now, gone, added }) =>
    within('readwrite', async (store) => {
      if (!id) {
        store.clear();
        store.put(name, 'id');
        store.put(origin, 'origin');
      } else if ((await done(store.get('id'))) !== id) return false;
      for (const step of gone) store.delete(step);
      for (const [step, state] of added) store.put(state, step);
      store.put(now, 'now');
      return true;
    }),

  /** Its id, origin and present; undefined: there is none. */
  read: () => within('readonly', (store) => Promise.all(['id', 'origin', 'now'].map((key) => done(store.get(key))))),

  /** Its moments; none where another one is stored by now. @param {string} id */
  moments: (id) =>
    within('readonly', async (store) => ((await done(store.get('id'))) === id ? done(store.getAll(MOMENTS())) : [])),

  clear: () => within('readwrite', (store) => done(store.clear())),
};

/** @typedef {typeof requests} Database */

/** Does what is asked at a port, and answers there. @param {MessagePort} port */
export function serveDatabase(port) {
  port.onmessage = async ({ data: { id, what, request } }) => {
    try {
      port.postMessage({ id, value: await requests[/** @type {keyof Database} */ (what)](request) });
    } catch (error) {
      port.postMessage({ id, error: /** @type {Error | null} */ (error)?.name ?? 'Error' });
    }
  };
}
