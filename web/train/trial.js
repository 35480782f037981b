// A switch of Break it that the reader turns: asked for first, then trained beside the curves of the run before.

import { stepOf } from './state.js';

/** @typedef {import('./state.js').TrainState} TrainState */

/** The present run as it stays beside the next one. @param {TrainState} state */
export function beforeNext(state) {
  const { start, changes, loss, report, before } = state;
  if (!stepOf(state)) return before;
  return { settings: start, changes, loss: [...loss], checks: report?.checks ?? [] };
}

/**
 * @param {import('./place.js').Place} place
 * @param {import('./playback.js').Playback} playback
 * @param {ReturnType<typeof import('./opening.js').createOpening>} opening
 */
export const createTrial = ({ state, set }, { play }, { open }) => ({
  /**
   * Asks what the reader expects of a change. Null takes the question back.
   * @param {import('./state.js').Settings | null} change
   */
  onBreak: (change) => set({ notice: '', trial: change && { change, before: state.start, said: null } }),

  /** Trains with it; the run before stays as a curve. @param {import('./front/break.js').Said} said */
  async onSaid(said) {
    if (!state.trial) return;
    const { change, before } = state.trial;
    set({ before: beforeNext(state) });
    await open(state.task, { ...before, ...change }, 0, false, [], { change, before, said });
    if (!state.problem) await play();
  },
});
