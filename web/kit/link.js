// The address of the page: one listener follows it, and the place that is shown writes it.

import { beginning } from './letters.js';

const REST = 400; // ms; a browser refuses an address that changes too often
const MOST_NAMED = 3;

/** @typedef {ReturnType<typeof createLink>} Link */
/** @typedef {ReturnType<Link['writer']>} Writer */

/** @type {Set<() => void>} */
const listeners = new Set();

/**
 * Calls after each address that was followed.
 * @param {() => void} listener
 * @returns {() => void} calls it no more
 */
export function onAddress(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** @param {(hash: string) => string} placeOf the place that an address names */
export function createLink(placeOf) {
  let known = ''; // the address as it was last followed or written; another one waits for its event

  return {
    /**
     * Follows the address, now and whenever the reader changes it.
     * @param {(hash: string) => unknown} follow
     * @returns {() => void} follows it no more
     */
    begin(follow) {
      function go() {
        known = location.hash;
        follow(known);
        for (const each of [...listeners]) each();
      }
      addEventListener('hashchange', go);
      go();
      return () => removeEventListener('hashchange', go);
    },

    /**
     * Writes a place's address while the place is shown.
     * @param {{
     *   place: string, address: () => string | null, isPending?: () => boolean, isEntry?: () => boolean, mark?: string,
     * }} options `address`: of what is shown; null: not now; `isPending`: it may change soon; `isEntry`: it is the
     * history's next entry; `mark`: of entries that the page has written, which a reload keeps and a link has not
     */
    writer({ place, address, isPending = () => false, isEntry = () => false, mark }) {
      let timer = 0;

      /** @param {string} hash @param {boolean} isNext */
      function put(hash, isNext) {
        history[isNext ? 'pushState' : 'replaceState'](mark ?? null, '', hash);
        known = location.hash;
      }

      function write() {
        clearTimeout(timer);
        timer = 0;
        if (location.hash !== known || placeOf(known) !== place) return;
        const hash = address();
        if (hash === null) return;
        const isNext = isEntry();
        if (hash !== known || (mark && history.state !== mark)) put(hash, isNext);
      }

      function rest() {
        timer = isPending() ? setTimeout(rest, REST) : 0;
        if (!timer) write();
      }

      return {
        /** At once. */
        write,
        /** When the state has come to rest. */
        writeSoon: () => void (timer ||= setTimeout(rest, REST)),
        /** A new entry of the history. @param {string} hash */
        enter: (hash) => put(hash, true),
      };
    },
  };
}

/** Lists the unreadable parts of a link in a sentence; '' for none. @param {readonly string[]} names of its parts */
export function unreadNotice(names) {
  const listed = names.slice(0, MOST_NAMED).map((name) => `“${beginning(name, 40)}”`);
  const all = `${listed.join(', ')}${names.length > MOST_NAMED ? ' and more' : ''}`;
  return names.length ? `Parts of this link could not be read (${all}) and have their default values.` : '';
}
