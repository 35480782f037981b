// Playback of the run shown: actions on it run one after another; training, pausing, going to a step.

import { inWords } from '../kit/in-words.js';
import { hasEnded } from '../kit/trap.js';
import { perSecondOf } from './pace.js';
import { FIELDS, labelOf } from './settings/settings.js';
import { stepOf } from './state.js';

const ENDED = 'The part of the page that trains has stopped. What this browser keeps of the run is still there.';

/**
 * @typedef {ReturnType<typeof createPlayback>} Playback
 */

/** @param {import('./state.js').Place} place */
export function createPlayback({ get, put, client, set, take }) {
  /** @type {AbortController | null} of the training under way */
  let training = null;
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  /** @type {number | null} the moment that is to be shown next */
  let wanted = null;
  let goal = 0; // of the training that was asked for last

  const paceOf = () => perSecondOf(get().speed, Number(get().settings.steps));

  const playback = {
    /**
     * Does something with the run once what is under way has ended.
     * @param {() => Promise<unknown>} action
     */
    inTurn(action) {
      training?.abort();
      const turn = last.then(action).catch((error) => {
        // Given up for another action before the worker was asked.
        if (error.name === 'AbortError') return set({ running: false });
        const field = FIELDS.some(({ name }) => name === error.parameter) ? error.parameter : '';
        const typed = String(error.value);
        const ended = hasEnded(error);
        const text = inWords(error, labelOf);
        set({
          running: false,
          ended,
          notice: ended ? ENDED : field ? '' : text,
          problem: field && { field, text, typed },
        });
      });
      last = turn;
      return turn;
    },

    pause: () => training?.abort(),

    /** @param {number} until @param {number} perSecond */
    trainTo(until, perSecond) {
      goal = until;
      return playback.inTurn(async () => {
        set({ running: true });
        const { example } = get();
        const { signal } = (training = new AbortController());
        take(await client.train({ until, perSecond, example, onProgress: take, signal }));
        training = null;
        set({ running: false });
      });
    },

    play() {
      if (stepOf(get()) >= get().until) put({ until: stepOf(get()) + Number(get().settings.steps) });
      return playback.trainTo(get().until, paceOf());
    },

    /** After a pause: a link ends at its step. */
    goOn: () => (stepOf(get()) < goal ? playback.trainTo(goal, paceOf()) : undefined),

    /** Shows a moment; of several that are asked for meanwhile the last. @param {number} moment */
    scrub(moment) {
      wanted = moment;
      return playback.inTurn(async () => {
        if (wanted === null) return;
        const to = wanted;
        wanted = null;
        take(await client.go({ step: to, example: get().example }));
      });
    },

    /** Goes to a step, back or on. @param {number} to */
    reach: (to) => (stepOf(get()) < to ? playback.trainTo(to, 0) : playback.scrub(to)),

    /** Changes how a run is shown, which goes on if it did. @param {() => void} change @param {boolean} [shows] */
    again(change, shows = false) {
      const goesOn = get().running;
      change();
      set({});
      if (shows) playback.scrub(stepOf(get()));
      if (goesOn) playback.inTurn(async () => {}).then(playback.goOn);
    },
  };
  return playback;
}
