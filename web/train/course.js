// The course of the run that is shown: what has to do with it, one after the other; trained, paused, taken to a moment.

import { inWords } from '../shared/in-words.js';
import { hasEnded } from '../shared/trap.js';
import { perSecondOf } from './pace.js';
import { FIELDS, labelOf } from './settings/settings.js';
import { stepOf } from './state.js';

const ENDED = 'The part of the page that trains has stopped. What this browser keeps of the run is still there.';

/**
 * @typedef {ReturnType<typeof createCourse>} Course
 * @typedef {import('./state.js').Report} Report
 */

/** @param {import('./place.js').Place} place */
export function createCourse({ state, client, set, take }) {
  /** @type {AbortController | null} of the training under way */
  let training = null;
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  /** @type {number | null} the moment that is to be shown next */
  let wanted = null;
  let goal = 0; // of the training that was asked for last

  const paceOf = () => perSecondOf(state.speed, Number(state.settings.steps));

  const course = {
    /**
     * Does something with the run once what is under way has ended.
     * @param {() => Promise<unknown>} action
     */
    inTurn(action) {
      training?.abort();
      const turn = last.then(action).catch((error) => {
        // Given up for another action before the worker was asked.
        if (error.name === 'AbortError') return set({ running: false, twin: null });
        const field = FIELDS.some(({ name }) => name === error.parameter) ? error.parameter : '';
        const typed = String(error.value);
        const ended = hasEnded(error);
        const text = inWords(error, labelOf);
        set({
          running: false,
          twin: null,
          ended,
          notice: ended ? ENDED : field ? '' : text,
          problem: field && { field, text, typed },
        });
      });
      last = turn;
      return turn;
    },

    pause: () => training?.abort(),

    /**
     * Does something with the run that can be given up, as it may have to train a twin first.
     * @param {(steered: Required<import('./client.js').Steered>) => Promise<Report>} action in its turn
     * @returns {Promise<boolean>} whether it was not given up
     */
    async steer(action) {
      const { signal } = (training = new AbortController());
      take(await action({ signal, onTwin: (twin) => set({ running: true, twin }) }));
      training = null;
      if (state.running) set({ running: false, twin: null });
      return !signal.aborted;
    },

    /** @param {number} until @param {number} perSecond */
    trainTo(until, perSecond) {
      goal = until;
      /** @param {Report} report */
      const onProgress = (report) => {
        state.twin = null;
        take(report);
      };
      return course.inTurn(() => {
        set({ running: true });
        const { example } = state;
        return course.steer((steered) => client.train({ until, perSecond, example, onProgress, ...steered }));
      });
    },

    play() {
      if (stepOf(state) >= state.until) state.until = stepOf(state) + Number(state.settings.steps);
      return course.trainTo(state.until, paceOf());
    },

    /** After a pause: a link ends at its step. */
    goOn: () => (stepOf(state) < goal ? course.trainTo(goal, paceOf()) : undefined),

    /** Shows a moment; of several that are asked for meanwhile the last. @param {number} moment */
    scrub(moment) {
      wanted = moment;
      return course.inTurn(async () => {
        if (wanted === null) return;
        const to = wanted;
        wanted = null;
        await course.steer((steered) => client.go({ step: to, example: state.example, ...steered }));
      });
    },

    /** Goes to a step, back or on. @param {number} to */
    reach: (to) => (stepOf(state) < to ? course.trainTo(to, 0) : course.scrub(to)),

    /** Changes how a run is shown, which goes on if it did. @param {() => void} change @param {boolean} [shows] */
    again(change, shows = false) {
      const goesOn = state.running;
      change();
      set({});
      if (shows) course.scrub(stepOf(state));
      if (goesOn) course.inTurn(async () => {}).then(course.goOn);
    },
  };
  return course;
}
