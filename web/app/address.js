// The page's address: follows the state, and is followed when the reader changes it.

import { isModel } from '../models/catalogue.js';
import { modelOf, openingState, readLink, writeLink } from './url.js';

/**
 * @typedef {import('./schema.js').State} State
 * @typedef {import('../models/catalogue.js').ModelName} ModelName
 */

const REST = 400; // ms; a browser refuses an address that changes too often
const MOST_NAMED = 3;

/**
 * @param {object} room
 * @param {() => State} room.state
 * @param {(model: ModelName) => import('../engine/plan.js').Description | undefined} room.known
 * @param {ModelName} room.first the model of an address that names none
 * @param {(model: ModelName) => void} room.choose
 */
export function createAddress({ state, known, first, choose }) {
  /** @type {string | null} a link that waits for its model */
  let waiting = null;
  let news = '';
  let timer = 0;

  function present() {
    const now = state();
    return writeLink(now, openingState(now.model, known(now.model)));
  }

  function write() {
    clearTimeout(timer);
    timer = 0;
    const hash = present();
    if (waiting === null && hash !== location.hash) history.replaceState(null, '', hash);
  }

  function follow() {
    waiting = location.hash;
    news = '';
    choose(named(waiting));
  }

  /** @param {string} hash */
  function named(hash) {
    const name = modelOf(hash) ?? '';
    return isModel(name) ? name : first;
  }

  return {
    /** Opens what the address says, now and whenever the reader changes it. */
    begin() {
      addEventListener('hashchange', follow);
      follow();
    },
    /** The state in which a model opens: that of the link if it is the link's model. @param {State} opening */
    restored(opening) {
      const link = waiting;
      waiting = null;
      news = '';
      if (link === null || named(link) !== opening.model) return opening;
      const { model } = opening;
      const { state: found, refused } = readLink(link, openingState(model, known(model)), known(model));
      const names = refused
        .slice(0, MOST_NAMED)
        .map((name) => `“${name.slice(0, 40)}”`)
        .join(', ');
      if (names)
        news = `Not all of this link could be read (${names}${refused.length > MOST_NAMED ? ' and more' : ''}): the defaults stand there.`;
      return found;
    },
    write,
    /** The whole address of the state as it is now. */
    link: () => new URL(present(), location.href).href,
    /** Writes the address when the state has come to rest. */
    writeSoon() {
      timer ||= setTimeout(write, REST);
    },
    /** What of the link could not be read. */
    news: () => news,
  };
}
