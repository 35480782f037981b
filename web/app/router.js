// The address and the places: Explore, Train, Claims. The address follows the state; where the reader changes it
// (a link, Back, by hand), the state follows. Another model or place is an entry of the browser's history.

import { MAX_CHARACTERS } from '../engine/tokens.js';
import { isModel } from '../models/catalogue.js';
import { openingState } from './schema.js';
import { modelOf, nearest, placeLink, placeOf, readLink, writeLink } from './url.js';

/**
 * @typedef {import('./schema.js').State} State
 * @typedef {import('./url.js').Place} Place
 * @typedef {import('../models/catalogue.js').ModelName} ModelName
 */

/** The model of an address that names none. @type {ModelName} */
const FIRST = 'creek';
/** How the names of models begin that come from Train or Claims: they are its links. */
const TRAINED = /^(train|claims)\?/;
/** The names of the reader's own: which file it is, by its bytes and their fingerprint (own/files.js). */
const OWN = /^file\..+\.\d+\.[0-9a-f]{64}$/;
const REST = 400; // ms; a browser refuses an address that changes too often
const MOST_NAMED = 3;

/**
 * @param {object} options
 * @param {() => State} options.state
 * @param {ReturnType<typeof import('../engine/model-loader.js').createModelLoader>} options.loader
 * @param {(place: Place) => void} options.show
 * @param {() => boolean} options.isPending whether a result may yet move what the state names, as its cell
 * @param {(name: string) => Promise<void>} options.want asks the reader for the file that a link names
 */
export function createRouter({ state, loader, show, isPending, want }) {
  /** @type {string | null} a link that waits for its model */
  let waiting = null;
  let refusals = '';
  let timer = 0;
  let isNewEntry = false; // what is written next is an entry of its own
  let known = ''; // the address as it was last followed or written; another one waits for its event
  /** @type {Place} */
  let place = 'explore';

  function present() {
    const now = state();
    return place === 'explore' ? writeLink(now, openingState(now.model, loader.info(now.model))) : placeLink(place);
  }

  function write() {
    clearTimeout(timer);
    timer = 0;
    if (waiting !== null || place !== 'explore' || location.hash !== known) return;
    const hash = present();
    if (hash !== known) history[isNewEntry ? 'pushState' : 'replaceState'](null, '', hash);
    known = location.hash;
    isNewEntry = false;
  }

  function rest() {
    timer = isPending() ? setTimeout(rest, REST) : 0;
    if (!timer) write();
  }

  function follow() {
    known = location.hash;
    place = placeOf(known);
    show(place);
    if (place !== 'explore') return;
    refusals = '';
    if (loader.begun() && /^#\/explore$/.test(known)) return write(); // back to what was shown
    waiting = known;
    const name = modelOf(known) ?? '';
    if (OWN.test(name) && !isModel(name)) return void want(name).then(follow);
    if (TRAINED.test(name) && !isModel(name)) {
      waiting = placeLink(place); // nothing of the rest is meant for another model
      import('./carried.js').then(({ offer }) => offer(name));
    }
    loader.choose(named(waiting));
  }

  /** @param {string} hash */
  function named(hash) {
    const name = modelOf(hash) ?? '';
    return isModel(name) ? name : FIRST;
  }

  return {
    /** Opens what the address says, now and whenever the reader changes it. */
    begin() {
      addEventListener('hashchange', follow);
      follow();
    },
    /** The state in which a model opens: that of the link if it is the link's model. @param {State} opening */
    restored(opening) {
      if (waiting === null && loader.begun()) write(); // the state that is left, which its entry is to hold
      const link = waiting;
      waiting = null;
      refusals = '';
      isNewEntry = link === null; // the reader chose it on the page
      if (link === null || named(link) !== opening.model) return opening;
      const { model } = opening;
      const info = loader.info(model);
      const { state: read, refused, cut } = readLink(link, openingState(model, info), info);
      const { state: found, beyond } = nearest(read, link, info);
      const listed = refused.slice(0, MOST_NAMED).map((name) => `“${name.slice(0, 40)}”`);
      const names = `${listed.join(', ')}${refused.length > MOST_NAMED ? ' and more' : ''}`;
      const [most, all] = [MAX_CHARACTERS, cut].map((count) => count.toLocaleString('en'));
      refusals = [
        refused.length && `Parts of this link could not be read (${names}) and have their default values.`,
        beyond.length && `This link names what does not exist here (${beyond.join(', ')}): the nearest is shown.`,
        cut && `The text of this link has ${all} characters: the first ${most} are kept.`,
      ]
        .filter(Boolean)
        .join(' ');
      return found;
    },
    write,
    /** The whole address of the state as it is now. */
    link: () => new URL(present(), location.href).href,
    /** Writes the address when the state has come to rest. */
    writeSoon() {
      timer ||= setTimeout(rest, REST);
    },
    /** What of the link could not be read. */
    status: () => refusals,
  };
}
