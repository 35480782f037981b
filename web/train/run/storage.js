// The run as it is kept on this machine, so that a reload or a crash loses what came after the last moment and no more:
// one run in IndexedDB, of the tab that was the last to begin one. Where that is not possible, it says why.

import { recipeOf } from './recipes.js';
import { FIELDS } from '../settings/settings.js';

/**
 * @typedef {import('./run.js').Run} Run
 * @typedef {import('./run.js').Kept} Kept
 * @typedef {import('./timeline.js').State} State
 * @typedef {{
 *   task: string, settings: Settings, changed: Settings, source: import('./own-text.js').Source | null,
 * }} Origin `changed`: what differs from the task's recipe; `source`: the reader's own text, where that is the task
 * @typedef {import('./recipes.js').Settings} Settings
 * @typedef {{task: string, settings: Settings, changes: Kept['changes']}} Wanted
 * @typedef {'' | 'refused' | 'full' | 'elsewhere' | 'deleted'} Reason why nothing more is kept
 * @typedef {{step: number | null, reason: Reason}} Keeping `step`: up to which it is stored; null: it is not
 */

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

/** What differs from the task's recipe, as a link says it. @param {string} task @param {Settings} settings */
function changedOf(task, settings) {
  const recipe = recipeOf(task);
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== recipe[name]));
}

/** @param {Origin} origin @param {Kept} now @param {Wanted} wanted */
const isSame = ({ task, changed }, now, wanted) =>
  task === wanted.task &&
  FIELDS.every(({ name }) => changed[name] === changedOf(task, wanted.settings)[name]) &&
  JSON.stringify(now.changes) === JSON.stringify(wanted.changes);

/** @param {Kept} kept */
const furthest = ({ step, moments }) => Math.max(step, ...moments.keys());

const PATIENCE = 8000; // ms

/**
 * Fails where the browser does not answer: the page and its run would wait for ever.
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
function timely(answer) {
  let timer = 0;
  const end = new Promise((_, reject) => {
    timer = setTimeout(reject, PATIENCE, new Error('no answer'));
  });
  return Promise.race([answer, end]).finally(() => clearTimeout(timer));
}

async function open() {
  const request = indexedDB.open(DATABASE, VERSION);
  request.onupgradeneeded = () => {
    const { result } = request;
    for (const name of result.objectStoreNames) result.deleteObjectStore(name);
    result.createObjectStore(STORE);
  };
  return done(request);
}

export function createStorage() {
  /** @type {Promise<IDBDatabase> | null} */
  let database = null;
  /** @type {Origin | null} of the run that is followed */
  let origin = null;
  let id = ''; // of that run, once it is stored
  /** What of it is stored. @type {Kept['moments']} */
  let stored = new Map();
  /** @type {Keeping} */
  let keeping = { step: null, reason: '' };

  /**
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => Promise<T>} action
   */
  async function within(mode, action) {
    const transaction = (await timely((database ??= open()))).transaction(STORE, mode, { durability: 'relaxed' });
    const end = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    try {
      const [value] = await timely(Promise.all([action(transaction.objectStore(STORE)), end]));
      return value;
    } catch (error) {
      try {
        transaction.abort(); // all of it or nothing
      } catch {
        /* it has ended */
      }
      throw error;
    }
  }

  /** @param {unknown} error */
  function fail(error) {
    const isFull = /** @type {Error | null} */ (error)?.name === 'QuotaExceededError';
    keeping = { ...keeping, reason: isFull ? 'full' : 'refused' };
  }

  return {
    keeping: () => keeping,

    /** Another run is to be kept; that of before stays until this one has taken a step. @param {Run} run */
    follow({ name, settings, task }) {
      origin = { task: name, settings, changed: changedOf(name, settings), source: task.source ?? null };
      id = '';
      stored = new Map();
      keeping = { step: null, reason: keeping.reason === 'refused' ? 'refused' : '' };
    },

    /** Stores what has changed. Training waits for it: else a crash could lose more. @param {Run} run */
    async keep(run) {
      if (keeping.reason || !origin || (!id && !run.step)) return;
      const now = run.kept();
      const { moments } = now;
      const name = id || `${Date.now()} ${Math.random()}`;
      try {
        const isMine = await within('readwrite', async (store) => {
          if (!id) {
            store.clear();
            store.put(name, 'id');
            store.put(origin, 'origin');
          } else if ((await done(store.get('id'))) !== id) return false;
          for (const step of stored.keys()) if (!moments.has(step)) store.delete(step);
          for (const [step, state] of moments) if (stored.get(step) !== state) store.put(state, step);
          store.put({ ...now, moments: null }, 'now');
          return true;
        });
        if (isMine) {
          id = name;
          stored = moments;
        }
        keeping = isMine ? { step: furthest(now), reason: '' } : { step: null, reason: 'elsewhere' };
      } catch (error) {
        fail(error);
      }
    },

    /**
     * What is kept, where that is wanted. `follow`: it is the run that is kept further.
     * @param {Wanted | null} wanted by a link; null: any
     * @returns {Promise<{origin: Origin, kept: Kept, follow: () => void} | null>}
     */
    async read(wanted) {
      try {
        const [name, found, now, states] = await within('readonly', async (store) => {
          const first = await Promise.all(['id', 'origin', 'now'].map((key) => done(store.get(key))));
          return [
            ...first,
            first[1] && (!wanted || isSame(first[1], first[2], wanted)) ? await done(store.getAll(MOMENTS())) : [],
          ];
        });
        if (!states.length) return null;
        /** @type {Kept} */
        const kept = { ...now, moments: new Map(states.map((/** @type {State} */ each) => [each.steps, each])) };
        return {
          origin: found,
          kept,
          follow() {
            [id, origin, stored] = [name, found, kept.moments];
            keeping = { step: furthest(kept), reason: '' };
          },
        };
      } catch (error) {
        fail(error);
        return null;
      }
    },

    /** Deletes it; the run that is shown is kept no further. */
    async forget() {
      try {
        await within('readwrite', async (store) => store.clear());
        keeping = { step: null, reason: 'deleted' };
      } catch (error) {
        fail(error);
      }
    },
  };
}
