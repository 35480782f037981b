// The models that the reader keeps in this browser: their files in IndexedDB.

import { ended } from '../../shared/transaction.js';

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
export const keep = (model) => withStore('readwrite', (store) => store.put(model));

/** @param {string} name */
export const forget = (name) => withStore('readwrite', (store) => store.delete(name));

/** @returns {Promise<Kept[]>} */
export const allKept = () => withStore('readonly', (store) => store.getAll());
