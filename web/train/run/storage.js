// The run as it is kept on this machine, so that a reload or a crash loses what came after the last moment and no more:
// one run in IndexedDB, of the tab that was the last to begin one. Where that is not possible, it says why.

import { recipeOf } from './recipes.js';
import { FIELDS, unnamed } from '../settings/settings.js';

/**
 * @typedef {import('./run.js').Run} Run
 * @typedef {import('./run.js').Kept} Kept
 * @typedef {import('./timeline.js').State} State
 * @typedef {{
 *   task: string, settings: Settings, changed: Settings, source: import('./recipes.js').Source | null,
 * }} Origin `changed`: differs from the task's recipe; `source`: the reader's own text, where that is the task
 * @typedef {import('./recipes.js').Settings} Settings
 * @typedef {{task: string, settings: Settings, changes: Kept['changes']}} Wanted
 * @typedef {'' | 'refused' | 'full' | 'elsewhere' | 'deleted'} Reason why nothing more is kept
 * @typedef {{step: number | null, reason: Reason}} Keeping `step`: up to which it is stored; null: it is not
 */

/** The settings of a task as its link states them. @param {string} task @param {Settings} settings */
function changedOf(task, settings) {
  const recipe = unnamed(recipeOf(task));
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== recipe[name]));
}

/** @param {Origin} origin @param {Kept} now @param {Wanted} wanted */
const isSame = ({ task, changed }, now, wanted) =>
  task === wanted.task &&
  FIELDS.every(({ name }) => changed[name] === changedOf(task, wanted.settings)[name]) &&
  JSON.stringify(now.changes) === JSON.stringify(wanted.changes);

const PATIENCE = 8000; // ms

/** @param {Kept} kept */
const furthest = ({ step, moments }) => [...moments.keys()].reduce((most, each) => Math.max(most, each), step);

/** Requests to the page, which has the storage. */
function createQuestions() {
  /** @type {MessagePort} */
  let page;
  /** Requests that wait for the page's answer, by number. @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  let latest = 0;

  return {
    /** @param {MessagePort} port to the page */
    connect(port) {
      page = port;
      page.onmessage = ({ data }) => waiting.get(data.id)?.(data);
    },

    /**
     * Asks the page. A browser that does not answer has refused, or the run would wait for ever.
     * @param {keyof import('../keep/database.js').Database} what @param {unknown} [request]
     */
    async ask(what, request) {
      const id = ++latest;
      let timer = 0;
      const { value, error } = await new Promise((resolve) => {
        waiting.set(id, resolve);
        timer = setTimeout(resolve, PATIENCE, { error: 'no answer' });
        page.postMessage({ id, what, request });
      });
      clearTimeout(timer);
      waiting.delete(id);
      if (error) throw error;
      return value;
    },
  };
}

export function createStorage() {
  const { connect, ask } = createQuestions();
  /** @type {Origin | null} of the run that is followed */
  let origin = null;
  let id = ''; // of that run, once it is stored
  /** The moments that are stored. @type {Kept['moments']} */
  let stored = new Map();
  /** @type {Keeping} */
  let keeping = { step: null, reason: '' };

  /** @param {unknown} error its name */
  function fail(error) {
    if (error === 'PageLeft') return; // it is kept once the reader comes back to the page
    keeping = { ...keeping, reason: error === 'QuotaExceededError' ? 'full' : 'refused' };
  }

  return {
    keeping: () => keeping,

    /** To the page. */
    connect,

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
        const isMine = await ask('write', {
          id,
          name,
          origin,
          now: { ...now, moments: null },
          gone: [...stored.keys()].filter((step) => !moments.has(step)),
          added: new Map([...moments].filter(([step, state]) => stored.get(step) !== state)),
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
     * The kept run, if it is the wanted one. `follow`: keeps this run from now on.
     * @param {Wanted | null} wanted by a link; null: any
     * @returns {Promise<{origin: Origin, kept: Kept, follow: () => void} | null>}
     */
    async read(wanted) {
      try {
        const [name, found, now] = await ask('read');
        const states = found && (!wanted || isSame(found, now, wanted)) ? await ask('moments', name) : [];
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
        await ask('clear');
        keeping = { step: null, reason: 'deleted' };
      } catch (error) {
        fail(error);
      }
    },
  };
}
