// Transactions of IndexedDB that end with the page.

/**
 * The end of a transaction, which is aborted when the page is left. WebKit (bug 324094) never ends one whose page or
 * worker went away, and then its database answers nobody until the browser is closed. So no worker has a transaction.
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>} when all of it is stored; rejected where none of it is, with the error `PageLeft` where the
 *   page was left: it can be tried again if the reader comes back
 */
export async function ended(transaction) {
  /** @type {Error | null} */
  let error = null;
  const leave = () => {
    error = Object.assign(new Error('the page was left'), { name: 'PageLeft' });
    transaction.abort();
  };
  addEventListener('pagehide', leave);
  try {
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(error ?? transaction.error);
    });
  } finally {
    removeEventListener('pagehide', leave);
  }
}
