// The models that this browser keeps, in IndexedDB, as the box lists them; a browser that keeps none says so once.

import { isSame } from './files.js';
import { ended } from '../../kit/transaction.js';

/** @param {(change: Partial<import('./box.js').BoxData>) => void} draw */
export function createStorage(draw) {
  /** @type {Kept[]} */
  let stored = [];
  let failed = false;

  /**
   * @template T
   * @param {() => Promise<T>} action
   * @returns {Promise<T | undefined>}
   */
  async function tried(action) {
    try {
      return await action();
    } catch (error) {
      if (!failed) draw({ note: `This browser keeps no models: ${messageOf(error)}.` });
      failed = true;
    }
  }

  async function read() {
    stored = (await tried(allKept)) ?? [];
    draw({ kept: stored.map(({ name, title, bytes }) => ({ name, title, bytes })) });
  }

  return {
    read,
    /** @param {string} name */
    find: (name) => stored.find((each) => isSame(each.name, name)),
    /** @param {string} name */
    async forget(name) {
      await tried(() => forget(name));
      await read();
    },
    /** @param {Kept} model @returns {Promise<boolean>} whether this browser keeps models */
    async keep(model) {
      await tried(async () => {
        await keep(model);
        await read();
      });
      return !failed;
    },
  };
}

/** @param {unknown} error */
export const messageOf = (error) => String(/** @type {Error} */ (error)?.message || error).replace(/\.$/, '');

const DATABASE = 'glassformer-models';
const STORE = 'models';

/**
 * @typedef {{name: string, title: string, bytes: number, files: File[]}} Kept
 */

/** @returns {Promise<IDBDatabase>} */
const database = () =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'name' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('another tab holds it'));
  });

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} action
 * @returns {Promise<T>} when all of it is written
 * @throws {Error} where the browser allows no storage, or is full
 */
async function withStore(mode, action) {
  const opened = await database();
  try {
    const transaction = opened.transaction(STORE, mode);
    const request = action(transaction.objectStore(STORE));
    await ended(transaction);
    return request.result;
  } finally {
    opened.close();
  }
}

/** @param {Kept} model */
const keep = (model) => withStore('readwrite', (store) => store.put(model));

/** @param {string} name */
const forget = (name) => withStore('readwrite', (store) => store.delete(name));

/** @returns {Promise<Kept[]>} */
const allKept = () => withStore('readonly', (store) => store.getAll());
