// What all of Train works on: the state that is shown, what changes it, and the worker.

import { settingsAt } from './settings/changes.js';
import { firstState } from './state.js';

/**
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {ReturnType<typeof createPlace>} Place
 */

/**
 * @param {import('./train.js').TrainClient} client
 * @param {Parameters<typeof firstState>[0]} given
 */
export function createPlace(client, given) {
  const state = firstState(given);
  /** @type {(() => void)[]} */
  const watchers = [];

  /** Tells in turn all who watch. */
  function draw() {
    for (const watcher of watchers) watcher();
  }

  /** @param {Partial<TrainState>} patch */
  function set(patch) {
    Object.assign(state, patch);
    draw();
  }

  /** @param {import('./state.js').Report} report */
  function take(report) {
    for (const name of /** @type {const} */ (['loss', 'rate', 'norm', 'layers'])) {
      const all = /** @type {any[]} */ (state[name]);
      all.length = report.curve.from;
      for (const value of report.curve[name]) all.push(value);
    }
    const count = report.inspection.maps.length;
    const heads = report.inspection.maps[0]?.heads ?? 1;
    const { layer, head } = state.head;
    const { changes } = report;
    const settings = settingsAt(state.start, changes, report.step);
    const whole = report.inspection.hash === null ? state.whole : report;
    set({
      report,
      whole,
      changes,
      settings,
      head: { layer: Math.max(0, Math.min(layer, count - 1)), head: Math.min(head, heads - 1) }, // an FFN has no maps
    });
  }

  /** @param {() => void} watcher is called after each change */
  const watch = (watcher) => void watchers.push(watcher);
  return { client, state, set, take, draw, watch };
}
