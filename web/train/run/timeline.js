// The moments of a run that can be returned to: bounded, and thinned out when full.

/**
 * @typedef {{weights: Float32Array, moment1: Float32Array, moment2: Float32Array, steps: number}} State
 * @typedef {{moments: Map<number, State>, interval: number, opened: number | null}} All
 */

const MOST = 160; // moments
const MOST_BYTES = 64e6;
const FIRST_INTERVAL = 5; // steps

/** @param {{most?: number, mostBytes?: number, interval?: number}} [limits] */
export function createTimeline({ most = MOST, mostBytes = MOST_BYTES, interval = FIRST_INTERVAL } = {}) {
  /** @type {Map<number, State>} by step, in the order of steps */
  let kept = new Map();
  /** @type {number | null} the step at which a run was opened: its moment stays */
  let opened = null;
  let revision = 0;

  return {
    /** Counts the changes of the moments. */
    revision: () => revision,
    /** Whether the moment of a step belongs here. @param {number} step */
    takes: (step) => step % interval === 0 && !kept.has(step),
    /** @param {State} state @param {boolean} [isOpened] the run begins there */
    keep(state, isOpened = false) {
      if (isOpened) opened = state.steps;
      const bytes = 3 * state.weights.byteLength;
      while (kept.size >= Math.max(2, Math.min(most, Math.floor(mostBytes / bytes)))) {
        interval *= 2; // every second one goes
        kept = new Map([...kept].filter(([step]) => step % interval === 0 || step === opened));
      }
      if (!isOpened && state.steps % interval) return;
      kept.set(state.steps, state);
      revision++;
    },
    /** Forgets what came after a step. @param {number} step */
    drop(step) {
      kept = new Map([...kept].filter(([at]) => at <= step));
      if (opened !== null && opened > step) opened = null;
      revision++;
    },
    /** The last moment that is not after a step. @param {number} step @returns {State} */
    before(step) {
      const last = [...kept.keys()].reduce((most, each) => (each <= step ? Math.max(most, each) : most), -Infinity);
      return /** @type {State} */ (kept.get(last));
    },
    /** @returns {All} */
    all: () => ({ moments: new Map(kept), interval, opened }),
    /** Has these moments instead of its own. @param {All} from */
    restore(from) {
      ({ interval, opened } = from);
      kept = new Map(from.moments);
    },
    /** The step of the moment that a file gave. */
    opened: () => opened,
    steps: () => [...kept.keys()].sort((a, b) => a - b),
    interval: () => interval,
    bytes: () => [...kept.values()].reduce((sum, { weights }) => sum + 3 * weights.byteLength, 0),
  };
}
